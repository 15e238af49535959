"""The demo: a small site of the project's own, a server for it, and a crawl that is shown.

It needs no network but loopback. The site is described in ``content/`` (texts) and ``templates/``
(markup). :func:`crawler.demo.pages.demo_pages` makes its pages and knows the gold text of each,
:func:`crawler.demo.server.serve` serves them, :mod:`crawler.demo.show` crawls them.
"""
