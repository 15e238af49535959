"""From the bytes of a page to its blocks."""
