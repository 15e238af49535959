"""Learn the weights of the table method ``learned``, and say how good they are on unseen sites.

    python benchmarks/training/train_tables.py GOLD... [--headers FILE...] [--write]

Gold files are those of ``scrapy evaluate tables``; ``site`` says whose a page is. ``--headers``
adds labels of where the headers of genuine tables stand, by ``tabid``, where the gold has none.
Figures are by folds of sites: no table is judged by weights that saw a table of its site, and all
files share one judge. ``--write`` learns from all tables and puts the weights into the package.
Everything is seeded; the same tables give the same weights.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lightgbm
import numpy as np
from lightgbm_trees import average, trees_of
from sites import folds_of
from sklearn.ensemble import ExtraTreesClassifier
from sklearn_trees import trees_of_forest

from crawler.core.tables.classify import MORE_LIKELY, probability
from crawler.core.tables.features import Survey, judge_features
from crawler.core.tables.headers import areas_by_markup, header_features
from crawler.core.tables.words import default_words
from crawler.evaluation.tables import read_tables_gold
from crawler.evaluation.task import Report

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from crawler.core.tables.areas import Areas
    from crawler.core.tables.grid import Grid
    from crawler.core.trees import TreeEnsemble

_FOLDS = 10
_SEEDS = (0, 1, 2, 3, 4, 5)
"""The folds are cut this often, each time otherwise; figures are means over the cuts."""
_COMMON: dict[str, Any] = {
    "objective": "binary", "feature_fraction": 0.4, "bagging_fraction": 0.8, "bagging_freq": 1,
    "extra_trees": True, "deterministic": True, "force_row_wise": True, "num_threads": 1,
    "verbose": -1,
}  # fmt: skip
# Shallow trees and deep ones err on different tables.
_JUDGES = (
    ({**_COMMON, "num_leaves": 15, "learning_rate": 0.05, "min_data_in_leaf": 20}, 300),
    ({**_COMMON, "num_leaves": 63, "learning_rate": 0.05, "min_data_in_leaf": 3, "lambda_l2": 5.0},
     200),
)  # fmt: skip
_HEADER = {**_COMMON, "num_leaves": 8, "learning_rate": 0.06, "min_data_in_leaf": 4,
           "lambda_l2": 1.0}  # fmt: skip
_HEADER_ROUNDS, _BAG = 200, 2
_FOREST_TREES, _FOREST_FEATURES = 200, 0.25
_PACKAGE = Path(__file__).parents[2] / "crawler" / "core" / "tables" / "data"


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled table of one gold file."""

    gold: str
    site: str
    grid: Grid
    genuine: bool
    header: str | None


@dataclass(frozen=True, slots=True)
class Matrix:
    """What a judge learns from: features by row, the answer, the weight and the site of each."""

    names: tuple[str, ...]
    rows: NDArray[np.float32]
    answers: NDArray[np.int8]
    weights: NDArray[np.float64]
    sites: NDArray[np.str_]
    golds: NDArray[np.str_]


def read_examples(gold: Sequence[Path], headers: Sequence[Path]) -> list[Example]:
    """Read all tables that figures count and that are found on their pages."""
    more: dict[tuple[str, str], str] = {}
    for path in headers:
        for line in path.read_text("utf-8").splitlines():
            label = json.loads(line)
            more["tabid", label["tabid"]] = label["header"]
    return [
        Example(
            gold=path.name,
            site=f"{path.name}/{page.groups['by_site']}",
            grid=table.grid,
            genuine=table.genuine,
            header=table.header or more.get(table.key),
        )
        for path in gold
        for page in read_tables_gold([path], Report())
        for table in page.tables
        if table.is_judged and table.grid is not None
    ]


def matrix_of(
    examples: Sequence[Example],
    features: Callable[[Survey], dict[str, float]],
    answer: Callable[[Example], bool],
) -> Matrix:
    """Ask the features of all examples. A small file weighs more a table than a large one."""
    words = default_words()
    found = [features(Survey(example.grid, words)) for example in examples]
    names = tuple(found[0])
    sizes = Counter(example.gold for example in examples)
    largest = max(sizes.values())
    return Matrix(
        names=names,
        rows=np.array([[row[name] for name in names] for row in found], np.float32),
        answers=np.array([answer(example) for example in examples], np.int8),
        weights=np.array([(largest / sizes[example.gold]) ** 0.5 for example in examples]),
        sites=np.array([example.site for example in examples]),
        golds=np.array([example.gold for example in examples]),
    )


def boost(
    matrix: Matrix, chosen: NDArray[np.bool_], parameters: dict[str, Any], rounds: int
) -> TreeEnsemble:
    """Learn from the chosen rows: the mean of ensembles that saw other parts of them."""
    members = []
    for seed in range(_BAG):
        data = lightgbm.Dataset(
            matrix.rows[chosen], matrix.answers[chosen], weight=matrix.weights[chosen]
        )
        booster = lightgbm.train({**parameters, "seed": seed + 1}, data, rounds)
        members.append(trees_of(booster, matrix.names))
    return average(members)


def grow(matrix: Matrix, chosen: NDArray[np.bool_]) -> TreeEnsemble:
    """Learn a forest from the chosen rows, which is less sure of itself where labels disagree."""
    forest = ExtraTreesClassifier(_FOREST_TREES, max_features=_FOREST_FEATURES, random_state=1)
    forest.fit(matrix.rows[chosen], matrix.answers[chosen], matrix.weights[chosen])
    return trees_of_forest(forest, matrix.names)


def judges(matrix: Matrix, chosen: NDArray[np.bool_]) -> tuple[TreeEnsemble, TreeEnsemble]:
    """Learn both ensembles that are asked whether a table is genuine."""
    boosted = [boost(matrix, chosen, parameters, rounds) for parameters, rounds in _JUDGES]
    return average(boosted), grow(matrix, chosen)


def headers(matrix: Matrix, chosen: NDArray[np.bool_]) -> TreeEnsemble:
    """Learn where headers are."""
    return boost(matrix, chosen, _HEADER, _HEADER_ROUNDS)


def by_folds(
    matrix: Matrix,
    seed: int,
    judge: Callable[[NDArray[np.bool_], NDArray[np.float32]], NDArray[np.bool_]],
) -> NDArray[np.bool_]:
    """Judge each row by what was learned from the sites of the other folds.

    ``judge`` learns from the rows that its first argument chooses and judges its second.
    """
    fold_of = folds_of(matrix.sites.tolist(), _FOLDS, seed)
    folds = np.array([fold_of[site] for site in matrix.sites])
    found = np.zeros(len(matrix.answers), bool)
    for fold in range(_FOLDS):
        found[folds == fold] = judge(folds != fold, matrix.rows[folds == fold])
    return found


def report_judge(matrix: Matrix) -> None:
    """Print precision, recall and F1 of genuine tables, by gold file."""
    one_line = [matrix.names.index(name) for name in ("one_row", "one_column")]

    def judge(chosen: NDArray[np.bool_], rows: NDArray[np.float32]) -> NDArray[np.bool_]:
        likely = probability(*judges(matrix, chosen), rows) > MORE_LIKELY
        # As the method itself does, whatever the trees say.
        return likely & ~rows[:, one_line].any(axis=1)

    cuts = [by_folds(matrix, seed, judge) for seed in _SEEDS]
    truth = matrix.answers.astype(bool)
    for gold in sorted(set(matrix.golds.tolist())):
        own = matrix.golds == gold
        scores = []
        for found in cuts:
            right = int((found & truth & own).sum())
            precision = right / max(int((found & own).sum()), 1)
            recall = right / max(int((truth & own).sum()), 1)
            scores.append(
                (precision, recall, 2 * precision * recall / max(precision + recall, 1e-9))
            )
        means = np.mean(scores, axis=0)
        each = " ".join(f"{score[2]:.4f}" for score in scores)
        print(
            f"{gold}: {int(own.sum())} tables, precision {means[0]:.4f}, recall {means[1]:.4f}, "
            f"F1 {means[2]:.4f} (by cut: {each})"
        )


def _header_judge(
    matrix: Matrix,
) -> Callable[[NDArray[np.bool_], NDArray[np.float32]], NDArray[np.bool_]]:
    def judge(chosen: NDArray[np.bool_], rows: NDArray[np.float32]) -> NDArray[np.bool_]:
        return headers(matrix, chosen).score(rows) > 0

    return judge


def report_headers(by_row: Matrix, by_column: Matrix, said: Sequence[Areas | None]) -> None:
    """Print how often both answers are right, by gold file.

    ``said`` is what each table tells by its markup; as in the method, it holds.
    """
    told = np.array([areas is not None for areas in said])
    by_markup = (
        np.array([areas is not None and areas.header_rows > 0 for areas in said]),
        np.array([areas is not None and areas.header_columns > 0 for areas in said]),
    )
    shares: dict[str, list[float]] = {}
    for seed in _SEEDS:
        right = np.ones(len(by_row.answers), bool)
        for matrix, markup in zip((by_row, by_column), by_markup, strict=True):
            found = np.where(told, markup, by_folds(matrix, seed, _header_judge(matrix)))
            right &= found == matrix.answers.astype(bool)
        for gold in set(by_row.golds.tolist()):
            shares.setdefault(gold, []).append(float(right[by_row.golds == gold].mean()))
    for gold, cuts in sorted(shares.items()):
        count = int((by_row.golds == gold).sum())
        each = " ".join(f"{share:.4f}" for share in cuts)
        print(f"{gold}: headers of {count} genuine tables, right {np.mean(cuts):.4f} ({each})")


def main() -> None:
    """Read, report, and with ``--write`` learn from all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gold", nargs="+", type=Path)
    parser.add_argument("--headers", nargs="*", type=Path, default=[])
    parser.add_argument("--write", action="store_true", help="put the weights into the package")
    parser.add_argument("--no-folds", action="store_true", help="leave the figures out")
    options = parser.parse_args()
    examples = read_examples(options.gold, options.headers)
    headed = [example for example in examples if example.genuine and example.header is not None]
    judge = matrix_of(examples, judge_features, lambda example: example.genuine)
    by_row = matrix_of(headed, header_features, lambda e: e.header in ("first_row", "both"))
    by_column = matrix_of(headed, header_features, lambda e: e.header in ("first_column", "both"))
    if not options.no_folds:
        report_judge(judge)
        words = default_words()
        said = [areas_by_markup(Survey(example.grid, words)) for example in headed]
        report_headers(by_row, by_column, said)
    if options.write:
        boosted, forest = judges(judge, np.ones(len(judge.answers), bool))
        everything = np.ones(len(by_row.answers), bool)
        for name, trees in (
            ("genuine_boosted", boosted),
            ("genuine_forest", forest),
            ("header_row", headers(by_row, everything)),
            ("header_column", headers(by_column, everything)),
        ):
            data = trees.to_bytes()
            (_PACKAGE / f"{name}.npz").write_bytes(data)
            print(f"{name}: {len(data):,} bytes")


if __name__ == "__main__":
    main()
