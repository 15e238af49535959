from crawler.core.hot_loops.judges import Trees as Trees
from crawler.core.hot_loops.judges import means_within as means_within
from crawler.core.hot_loops.judges import ramps as ramps
