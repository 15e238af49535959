"""A newspaper that comes out for a month: what it prints, its pages on each day, and its server."""
