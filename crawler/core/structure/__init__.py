"""Logical structure: from a page, by a model of its kind of document, to XML.

Lee and Lee, Extracting Logical Structure from Web Documents (Journal of Korea Multimedia Society,
2004), and what pages of today need beyond it. See docs/structure.md.
"""
