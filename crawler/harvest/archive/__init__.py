"""WARC files of any number read by many processes, with the items that one process would make."""
