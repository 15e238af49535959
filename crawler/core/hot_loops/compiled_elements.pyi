from crawler.core.hot_loops.elements import columns as columns
from crawler.core.hot_loops.elements import described as described
from crawler.core.hot_loops.elements import distances as distances
from crawler.core.hot_loops.elements import made as made
from crawler.core.hot_loops.elements import numbered as numbered
from crawler.core.hot_loops.elements import short_texts as short_texts
