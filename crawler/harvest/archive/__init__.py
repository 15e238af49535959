"""Archives at scale: the pages of WARC files, in shards, by any number of processes."""
