"""What recurs over the pages of a site, counted exactly and in any order."""
