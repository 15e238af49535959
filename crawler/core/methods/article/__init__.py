"""The article of a page: evidence gathered block by block, and a judge that learned to weigh it."""
