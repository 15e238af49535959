"""Measures of how well a method does its task on pages whose right answer is known.

A task reads gold pages, runs the crawl's own functions over them and reports figures. Tasks know
nothing of Scrapy, of a clock or of a terminal: :mod:`crawler.evaluation.command` times them and
prints what they report.
"""
