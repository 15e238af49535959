from crawler.core.hot_loops.sentences import EndMarks as EndMarks
from crawler.core.hot_loops.sentences import cut as cut
from crawler.core.hot_loops.sentences import hint_spots as hint_spots
