"""Wrappers: rules learned from examples that find the same things on other pages of a layout."""
