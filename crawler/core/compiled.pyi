from crawler.core.pure import columns as columns
from crawler.core.pure import leaf_values as leaf_values
