"""The method ``article``: evidence for each block of a page, and a learned judge."""
