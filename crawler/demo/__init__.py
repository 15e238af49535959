"""The demo: a small site of the project's own, a server for it, and a crawl that is shown.

It needs no network but loopback. The site is described in ``content/`` and ``templates/``.
"""
