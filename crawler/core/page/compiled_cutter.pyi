from crawler.core.page.cutter import Cutter as Cutter
