"""A project for Scrapyd."""
