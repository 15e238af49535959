"""Learn the weights of the ``article`` method, and say how good they are on pages not learned from.

    python benchmarks/training/train_article.py GOLD... [--write] [--keep-trees]

Each line of the gold files is a page: ``html`` and ``gold_text``; ``url`` or ``site`` say whose it
is, ``page_type`` what it is (``article`` where it is not given). Of a page without ``gold_text``
the labels of its blocks are looked up in ``article_blocks.jsonl`` by file and ``id``. The figures
are by folds of sites: no page is judged by weights that saw a page of its site. ``--write`` learns
from all pages and puts the weights into the package, with ``--keep-trees`` those of the network
alone. Everything is seeded; the same pages give the same weights on one machine.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lightgbm
import numpy as np
from article_labels import align
from block_labels import read_labels
from learn_network import Lesson, learn_network
from lightgbm_trees import trees_of
from sites import folds_of, site_of
from variants import variants

from crawler.core.errors import UnreadablePageError
from crawler.core.flow import Page, read
from crawler.core.methods.article.features import Evidence
from crawler.core.methods.article.judge import Judge, ask, chosen, in_context
from crawler.core.trees import sigmoid
from crawler.evaluation.scores import score_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from block_labels import Reading
    from numpy.typing import NDArray

    from crawler.core.methods.article.network import Network
    from crawler.core.page.blocks import Block
    from crawler.core.trees import TreeEnsemble

_FOLDS = 5
_SEED, _NETWORK_SEED = 1, 3
_TREES = 100
_PARAMETERS: dict[str, Any] = {
    "objective": "binary", "num_leaves": 31, "max_depth": 8, "learning_rate": 0.1,
    "min_data_in_leaf": 40, "feature_fraction": 0.3, "bagging_fraction": 0.8, "bagging_freq": 1,
    "lambda_l2": 5.0, "max_bin": 63, "deterministic": True, "force_col_wise": True,
    "num_threads": 1, "seed": _SEED, "verbose": -1,
}  # fmt: skip
# The weight of a block is sqrt(min(words, 60) + 3).
_MOST_WORDS, _LEAST_WORDS = 60.0, 3.0
# A page of so many blocks counts by that number, others by the root of theirs.
_USUAL_BLOCKS = 60
# Pages whose gold text is not on the page teach nothing right.
_LEAST_REACHABLE = 0.6
_WEIGHTS = Path(__file__).parents[2] / "crawler" / "core" / "methods" / "article" / "data"


@dataclass(slots=True)
class Example:
    """A page to learn from.

    ``kind``
        The file it is from, and its page type.
    ``site``
        Whose it is: the last labels of its host.
    ``reachable``
        Word F1 of the blocks that are labelled main text: what a judge can reach at best.
    ``first``
        How likely each block is main text, by trees that have not seen its site.
    ``variants``
        What else is learned from it, by the network alone.
    """

    kind: str
    site: str
    blocks: tuple[Block, ...]
    gold_text: str
    evidence: Evidence
    main: NDArray[np.bool_]
    weights: NDArray[np.float64]
    reachable: float
    first: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    variants: tuple[Lesson, ...] = ()


def examples(paths: Iterable[Path]) -> Iterator[Example]:
    """Read the gold: pages that have blocks, and gold text or labels of them."""
    readings = read_labels()
    for path in paths:
        name = path.name.partition(".")[0]
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                reading = readings.get((name, str(row.get("id"))))
                example = _example(row, name, reading)
                if example is not None:
                    yield example


def _example(row: dict[str, Any], source: str, reading: Reading | None) -> Example | None:
    site = site_of(row)
    gold_text = row.get("gold_text")
    if not gold_text and reading is None:
        return None
    try:
        document = read(Page.from_text(row.get("url") or f"https://{site}/", row["html"]))
    except UnreadablePageError:
        return None
    if not document.blocks:
        return None
    if gold_text:
        kind, labels = row.get("page_type", "article"), align(document.blocks, gold_text)
    elif reading is not None and reading.blocks == len(document.blocks):
        kind, labels = reading.kind, reading.labels()
        gold_text = _text(document.blocks, labels.main)
    else:
        print(f"{source} {row.get('id')}: is cut into other blocks than its reader saw; left out")
        return None
    evidence = Evidence(document)
    lessons = []
    # The same page has the same variants, whatever else is learned from.
    rng = random.Random(row["html"])
    for variant, numbers in variants(document, labels.main, evidence.sizes, rng):
        found = Evidence(variant)
        weights = _weights(labels.weights[numbers], found.sizes)
        lessons.append(Lesson(found, labels.main[numbers], weights))
    return Example(
        kind=f"{source}: {kind}",
        site=site,
        blocks=document.blocks,
        gold_text=gold_text,
        evidence=evidence,
        main=labels.main,
        weights=_weights(labels.weights, evidence.sizes),
        reachable=score_page(_text(document.blocks, labels.main), gold_text).word.score.f1,
        variants=tuple(lessons),
    )


def _text(blocks: Iterable[Block], main: Iterable[bool]) -> str:
    return "\n".join(block.text for block, is_main in zip(blocks, main, strict=True) if is_main)


def _weights(certain: NDArray[np.float64], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how much each block of a page counts.

    What is measured is the mean over pages of the F1 in words. So a block counts by its words, a
    page of a thousand menu items less than ten of a hundred, and both by their roots: what is said
    of a block of two words teaches, too.

    Args:
        certain: how sure the label of each block is; 0 leaves it out.
        sizes: its words.
    """
    worth = certain * np.sqrt(np.minimum(sizes, _MOST_WORDS) + _LEAST_WORDS)
    if not worth.any():
        return worth
    found: NDArray[np.float64] = worth / worth.sum() * np.sqrt(len(worth) * _USUAL_BLOCKS)
    return found


def folds(pages: Sequence[Example], seed: int) -> list[int]:
    """Return the fold of each page; all pages of a site are in one."""
    fold = folds_of((page.site for page in pages), _FOLDS, seed)
    return [fold[page.site] for page in pages]


def learn(pages: Sequence[Example], rows: Sequence[NDArray[np.float32]]) -> lightgbm.Booster:
    """Learn one ensemble from the blocks of pages."""
    used = [number for number, page in enumerate(pages) if page.reachable >= _LEAST_REACHABLE]
    weights = np.concatenate([pages[number].weights for number in used])
    table = np.concatenate([rows[number] for number in used])
    main = np.concatenate([pages[number].main for number in used])
    counted = weights > 0
    data = lightgbm.Dataset(table[counted], main[counted], weight=weights[counted])
    return lightgbm.train(_PARAMETERS, data, _TREES)


def _first_verdicts(pages: Sequence[Example]) -> None:
    """Judge each page by trees that have seen the others, in folds of their own."""
    fold = folds(pages, _SEED + 1)
    for number in range(_FOLDS):
        seen = [page for page, own in zip(pages, fold, strict=True) if own != number]
        booster = learn(seen, [page.evidence.rows for page in seen])
        for page, own in zip(pages, fold, strict=True):
            if own == number:
                page.first = np.asarray(booster.predict(page.evidence.rows))


def learn_judge(pages: Sequence[Example]) -> Judge:
    """Learn both ensembles, the second from first verdicts on pages not seen, and the network."""
    _first_verdicts(pages)
    first = learn(pages, [page.evidence.rows for page in pages])
    aware = [in_context(page.evidence, page.first) for page in pages]
    second = learn(pages, [found.rows for found in aware])
    trees = trees_of(first, pages[0].evidence.names), trees_of(second, aware[0].names)
    return Judge(learn_the_network(pages), *trees)


def learn_the_network(pages: Sequence[Example]) -> Network:
    """Learn the network from the pages whose gold text is on them."""
    lessons = [
        Lesson(page.evidence, page.main, page.weights, page.variants)
        for page in pages
        if page.reachable >= _LEAST_REACHABLE and page.weights.any()
    ]
    return learn_network(lessons, _NETWORK_SEED)


def _f1(page: Example, likelihoods: NDArray[np.float64]) -> float:
    text = _text(page.blocks, chosen(page.blocks, likelihoods))
    return score_page(text, page.gold_text).word.score.f1


def measure(pages: Sequence[Example]) -> None:
    """Print the word F1 by folds: of the first trees, of both, of the judge, and reachable."""
    found: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    fold = folds(pages, _SEED)
    for number in range(_FOLDS):
        judge = learn_judge([page for page, own in zip(pages, fold, strict=True) if own != number])
        for page, own in zip(pages, fold, strict=True):
            if own == number:
                first = sigmoid(ask(judge.first, page.evidence))
                verdicts = (
                    first,
                    sigmoid(ask(judge.second, in_context(page.evidence, first))),
                    sigmoid(judge.margins(page.evidence)),
                )
                found[page.kind].append((*(_f1(page, each) for each in verdicts), page.reachable))
    print(f"{'word F1, mean over pages':40} pages  first  trees  judge  reachable")
    for kind, figures in sorted(found.items()):
        means = " ".join(f"{mean:6.4f}" for mean in np.mean(figures, axis=0))
        print(f"{kind:40} {len(figures):5} {means}")


def main() -> None:
    """Measure, and write the weights where asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("gold", nargs="+", type=Path, help="gold files, gzip")
    parser.add_argument("--write", action="store_true", help="put the weights into the package")
    parser.add_argument("--keep-trees", action="store_true", help="write the network alone")
    parser.add_argument("--no-folds", action="store_true", help="leave the figures out")
    options = parser.parse_args()
    pages = list(examples(options.gold))
    if not options.no_folds:
        measure(pages)
    if options.write:
        judge = None if options.keep_trees else learn_judge(pages)
        made: dict[str, Network | TreeEnsemble] = {}
        made["network"] = judge.network if judge else learn_the_network(pages)
        if judge:
            made |= {"first": judge.first, "second": judge.second}
        _WEIGHTS.mkdir(exist_ok=True)
        for name, weights in made.items():
            data = weights.to_bytes()
            (_WEIGHTS / f"{name}.npz").write_bytes(data)
            print(f"{name}.npz: {len(data):,} bytes")


if __name__ == "__main__":
    main()
