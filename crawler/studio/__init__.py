"""The studio: a local web application in which wrappers are made by clicking."""
