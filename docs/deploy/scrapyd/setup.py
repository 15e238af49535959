"""Packs the project as an egg, which is what Scrapyd takes."""

from __future__ import annotations

from setuptools import find_packages, setup

setup(
    name="news",
    version="1.0",
    packages=find_packages(),
    entry_points={"scrapy": ["settings = news.settings"]},
)
