"""Learn the weights of page types, and say how good they are on pages of sites not learned from.

    python benchmarks/training/train_pagetype.py GOLD... [--check GOLD...] [--write]

Each line of the gold files is a page: ``html``, ``url`` or ``site``, and ``page_type`` (``article``
where it is not given). Figures are by folds of sites: no page is judged by weights that saw a page
of its site. ``--check`` names gold whose pages are all articles and that is not learned from: how
many of its pages would be left out is printed. ``--write`` learns from all pages and puts the
weights into the package. Everything is seeded; the same pages give the same weights.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lightgbm
import numpy as np
from lightgbm_trees import trees_of
from sites import folds_of, site_of

from crawler.core.errors import UnreadablePageError
from crawler.core.flow import Page, read
from crawler.core.pagetype.evidence import PageEvidence
from crawler.core.pagetype.judge import ARTICLE, LEARNED, PageType, TypeJudge, decide
from crawler.evaluation.pagetypes import kind_of_gold
from crawler.evaluation.scores import Confusion

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from crawler.core.page.blocks import Block
    from crawler.core.page.page import Document

_FOLDS = 5
_SEED = 1
_TREES = 120
_PARAMETERS: dict[str, Any] = {
    "objective": "binary", "num_leaves": 8, "learning_rate": 0.08, "min_data_in_leaf": 20,
    "feature_fraction": 0.3, "bagging_fraction": 0.8, "bagging_freq": 1, "lambda_l2": 5.0,
    "max_bin": 63, "deterministic": True, "force_row_wise": True, "num_threads": 1, "seed": _SEED,
    "verbose": -1,
}  # fmt: skip
_ADDRESS = ("address:",)
_DECLARED = ("graph:", "types:", "meta:", "software:")
_UNDECLARED = "graph: none"
# Old and plain pages declare nothing, and saved ones have no address: the judge has to learn to do
# without either. Each page is seen four times, and counts by these weights.
_VIEWS = (((), 1.0), (_ADDRESS, 0.5), (_DECLARED, 0.7), ((*_ADDRESS, *_DECLARED), 0.7))


# Gold articles are long, and a short post is one too: each was also learned from with so many
# paragraphs alone, and counts by this weight.
_SHORT_WEIGHT = 0.5
_SHORTEST, _SHORT = 1, 4
_PARAGRAPH = 80


@dataclass(frozen=True, slots=True)
class Example:
    """A page to learn from: its file, site and kind; ``short`` if it were a short post."""

    source: str
    site: str
    kind: str
    evidence: PageEvidence
    short: PageEvidence | None


def examples(paths: Iterable[Path]) -> Iterator[Example]:
    """Read the gold."""
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                page = Page.from_text(row.get("url") or "file:///page.html", row["html"])
                try:
                    document = read(page)
                except UnreadablePageError:
                    continue
                kind = kind_of_gold(row.get("page_type", ARTICLE))
                source, site = path.name.partition(".")[0], site_of(row)
                short = PageEvidence(_shortened(document, site)) if kind == ARTICLE else None
                yield Example(source, site, kind, PageEvidence(document), short)


def _shortened(document: Document, seed: str) -> Document:
    """Return a page with its first few paragraphs and all that is no paragraph."""
    left = random.Random(seed).randint(_SHORTEST, _SHORT)
    blocks: list[Block] = []
    for block in document.blocks:
        is_paragraph = block.chars >= _PARAGRAPH and not block.links
        left -= is_paragraph
        if not is_paragraph or left >= 0:
            blocks.append(replace(block, index=len(blocks)))
    return replace(document, blocks=tuple(blocks))


def learn(pages: Sequence[Example]) -> TypeJudge:
    """Learn one ensemble for each kind."""
    names = tuple(pages[0].evidence.features)
    seen = [(page.kind, page.evidence, 1.0) for page in pages]
    seen += [(page.kind, page.short, _SHORT_WEIGHT) for page in pages if page.short is not None]
    table = np.array([list(evidence.features.values()) for _, evidence, _ in seen], np.float32)
    rows = np.concatenate([_without(table, names, hidden) for hidden, _ in _VIEWS])
    weights = np.outer([weight for _, weight in _VIEWS], [weight for *_, weight in seen]).ravel()
    trees = {}
    for kind in LEARNED:
        answers = np.tile(np.array([own == kind for own, *_ in seen]), len(_VIEWS))
        data = lightgbm.Dataset(rows, answers.astype(np.int8), weight=weights)
        trees[kind] = trees_of(lightgbm.train(_PARAMETERS, data, _TREES), names)
    return TypeJudge(trees)


def _without(
    table: NDArray[np.float32], names: Sequence[str], hidden: tuple[str, ...]
) -> NDArray[np.float32]:
    """Return what the judge would see of pages that lack some features."""
    seen = table.copy()
    if hidden:
        seen[:, [name.startswith(hidden) for name in names]] = 0
    if set(_DECLARED) <= set(hidden):
        seen[:, names.index(_UNDECLARED)] = 1
    return seen


def judged(judge: TypeJudge, pages: Iterable[Example]) -> list[PageType]:
    """Judge pages."""
    return [decide(page.evidence, judge.likelihoods(page.evidence.features)) for page in pages]


def by_folds(pages: Sequence[Example]) -> list[PageType]:
    """Judge each page by what was learned from the sites of the other folds."""
    fold_of = folds_of((page.site for page in pages), _FOLDS, _SEED)
    found: dict[int, PageType] = {}
    for fold in range(_FOLDS):
        judge = learn([page for page in pages if fold_of[page.site] != fold])
        own = [number for number, page in enumerate(pages) if fold_of[page.site] == fold]
        found.update(zip(own, judged(judge, (pages[number] for number in own)), strict=True))
    return [found[number] for number in range(len(pages))]


def report(pages: Sequence[Example], types: Sequence[PageType]) -> None:
    """Print what was right and wrong, and what would be left out, by file."""
    for source in sorted({page.source for page in pages}):
        own = [pair for pair in zip(pages, types, strict=True) if pair[0].source == source]
        confusion = Confusion()
        left_out: Counter[str] = Counter()
        for page, found in own:
            confusion[page.kind, found.kind] += 1
            left_out[page.kind] += not found.is_among((ARTICLE,))
        score = confusion.score(ARTICLE)
        print(
            f"{source}: {len(own)} pages, accuracy {confusion.accuracy:.4f}, articles: precision "
            f"{score.precision:.4f}, recall {score.recall:.4f}, F1 {score.f1:.4f}"
        )
        for kind, row in confusion.rows().items():
            shown = ", ".join(f"{other} {count}" for other, count in row.items())
            print(f"  {kind} {sum(row.values())}: {shown}; left out {left_out[kind]}")


def main() -> None:
    """Measure, and write the weights where asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("gold", nargs="+", type=Path, help="gold files, gzip")
    parser.add_argument("--check", nargs="*", type=Path, default=[], help="gold of articles alone")
    parser.add_argument("--write", action="store_true", help="put the weights into the package")
    parser.add_argument("--no-folds", action="store_true", help="leave the figures out")
    options = parser.parse_args()
    pages = list(examples(options.gold))
    if not options.no_folds:
        report(pages, by_folds(pages))
    judge = learn(pages)
    if options.check:
        others = list(examples(options.check))
        report(others, judged(judge, others))
    if options.write:
        room = Path(__file__).parents[2] / "crawler" / "core" / "pagetype" / "data"
        for kind, trees in judge.trees.items():
            data = trees.to_bytes()
            (room / f"{kind}.npz").write_bytes(data)
            print(f"{kind}.npz: {len(data):,} bytes")


if __name__ == "__main__":
    main()
