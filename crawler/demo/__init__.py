"""The embedded demo: a small site of the project's own, a server for it, and a crawl that shows.

It needs no network but loopback. The site is told in ``content/`` (words) and ``templates/``
(markup); :func:`crawler.demo.pages.demo_pages` puts the two together and says what each page is
known to hold, :func:`crawler.demo.server.serve` serves it, :mod:`crawler.demo.show` crawls it.
"""
