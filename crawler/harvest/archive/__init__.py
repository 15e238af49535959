"""WARC files of any number read by many processes, with the items that one process would make.

The work is done in four steps. A job is one call of a function on one shard or one partition; its
result is a file with a done marker, so that a second run goes on where the first one ended.

observe
    Each shard (a shard is a WARC file): the blocks, links and dates of each of its pages.
merge
    Each partition (the sites whose names fall into it by a hash): the evidence of each site, and
    which pages of which shard give no item.
judge
    Each shard, read again: its items, by the evidence of their sites.
join
    Each partition that has pages which depend on pages of other shards: the items of these.
"""
