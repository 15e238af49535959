from crawler.core.pure import class_counts as class_counts
from crawler.core.pure import columns as columns
from crawler.core.pure import distances as distances
from crawler.core.pure import gram_hits as gram_hits
from crawler.core.pure import leaf_values as leaf_values
from crawler.core.pure import numbered as numbered
from crawler.core.pure import short_texts as short_texts
