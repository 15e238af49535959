"""Articles that a site cuts into several pages."""
