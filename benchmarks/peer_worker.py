"""Extract main text by one other program: the side of ``peers.py`` that runs in its environment.

    python peer_worker.py PROGRAM

Reads JSON lines of ``html`` and ``url`` from standard input, and answers each with a JSON line of
``text`` or ``html``, or of ``error``. The first line names the version.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.metadata import version


def trafilatura(
    html: str, url: str, *, include_comments: bool = False, **options: bool
) -> dict[str, str]:
    """Extract by trafilatura; without the comments, as gold texts of articles are."""
    extract = import_module("trafilatura").extract
    return {"text": extract(html, url=url, include_comments=include_comments, **options) or ""}


def readability(html: str, url: str) -> dict[str, str]:
    """Extract by readability-lxml, which answers with HTML."""
    return {"html": import_module("readability").Document(html, url=url).summary()}


def resiliparse(html: str, _url: str) -> dict[str, str]:
    """Extract by resiliparse, without texts that replace images."""
    extract = import_module("resiliparse.extract.html2text").extract_plain_text
    return {"text": extract(html, main_content=True, alt_texts=False)}


def newspaper(html: str, url: str) -> dict[str, str]:
    """Extract by newspaper4k, in the language that the page says it has."""
    article = import_module("newspaper").Article(url, fetch_images=False)
    article.download(input_html=html)
    article.parse()
    return {"text": article.text}


def turbohtml(html: str, _url: str) -> dict[str, str]:
    """Extract by turbohtml."""
    return {"text": import_module("turbohtml").parse(html).main_text()}


# Each program's package, and what asks it.
EXTRACTORS: dict[str, tuple[str, Callable[[str, str], dict[str, str]]]] = {
    "trafilatura": ("trafilatura", trafilatura),
    "trafilatura-comments": ("trafilatura", partial(trafilatura, include_comments=True)),
    "trafilatura-fast": ("trafilatura", partial(trafilatura, fast=True)),
    "trafilatura-precision": ("trafilatura", partial(trafilatura, favor_precision=True)),
    "trafilatura-recall": ("trafilatura", partial(trafilatura, favor_recall=True)),
    "readability-lxml": ("readability-lxml", readability),
    "resiliparse": ("resiliparse", resiliparse),
    "newspaper4k": ("newspaper4k", newspaper),
    "turbohtml": ("turbohtml", turbohtml),
}


def main(program: str) -> None:
    """Answer until the input ends."""
    package, extract = EXTRACTORS[program]
    # What a library prints may not come between the answers.
    out, sys.stdout = sys.stdout, sys.stderr
    print(json.dumps({"version": version(package)}), file=out, flush=True)
    for line in sys.stdin:
        page = json.loads(line)
        try:
            answer = extract(page["html"], page["url"])
        except Exception as error:  # noqa: BLE001 - a program may raise anything; the page is lost
            answer = {"error": repr(error)[:200]}
        print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
