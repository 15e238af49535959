"""The task ``text``: how much of each page's main text is found, and how much besides.

The journey is the crawl's own. The gold is read twice as a stream: in the first pass every page is
observed, in the second each is judged by the frozen view of its site. Between the passes only the
counts of the sites are held.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawler.core.errors import (
    MethodError,
    UnreadableInputError,
    UnreadablePageError,
    one_line,
)
from crawler.core.flow import SiteCounts, annotate, get_method, observe, read
from crawler.evaluation.curve import CurveBoard
from crawler.evaluation.gold import read_gold
from crawler.evaluation.report import Report
from crawler.evaluation.scores import ScoreBoard, score_page
from crawler.reports.text_tables import Table

if TYPE_CHECKING:
    from crawler.core.flow import SiteView, TextMethod
    from crawler.evaluation.report import Job
    from crawler.evaluation.scores import Score

__all__ = ["TextTask"]


@dataclass(slots=True)
class _Judged:
    """What was found on all pages.

    ``kinds``
        The same figures by the kind of page, where the gold names kinds.
    ``skipped``
        Pages that could not be read, by reason.
    ``unjudged``
        Pages of which the gold does not say what is right.
    """

    board: ScoreBoard = field(default_factory=ScoreBoard)
    kinds: ScoreBoard = field(default_factory=ScoreBoard)
    skipped: Counter[str] = field(default_factory=Counter)
    unjudged: int = 0


class TextTask:
    """Measures main text in words, and in runs of four words, against gold text."""

    name = "text"
    default_method = None  # CORPUS_TEXT_METHOD
    has_curves = True

    def run(self, job: Job) -> Report:
        """Observe all pages, judge all pages, and report.

        A page that cannot be read counts as one on which nothing was found.

        Raises:
            UnreadableInputError: The gold files cannot be used, hold no page, or changed between
                the passes.
            UnknownMethodError: There is no text method of that name.
        """
        method = get_method(job.method)
        counts = _observe_all(job, method)
        curves = CurveBoard(method) if job.with_curves else None
        found = _judge_all(job, counts, method, curves)
        board = found.board
        return Report(
            task=self.name,
            method=job.method,
            pages=board.pages,
            sites=len(board.sites),
            figures=_figures(found),
            tables=_tables(found),
            curves=None if curves is None else curves.curves(board.word),
        )


def _observe_all(job: Job, method: TextMethod) -> dict[str, SiteCounts]:
    """Count every site of the gold. A site none of whose pages can be read has empty counts."""
    counts: dict[str, SiteCounts] = {}
    for gold in read_gold(job.gold, job.limit):
        site = counts.setdefault(gold.page.site_name, SiteCounts())
        try:
            site.add(observe(read(gold.page), method))
        except UnreadablePageError:
            continue  # The second pass meets it again, and counts the reason.
    if not counts:
        names = ", ".join(str(path) for path in job.gold)
        raise UnreadableInputError(f"{names}: no gold pages; each line is one JSON object")
    return counts


def _judge_all(
    job: Job, counts: dict[str, SiteCounts], method: TextMethod, curves: CurveBoard | None
) -> _Judged:
    """Compare every page's text with its gold text. Empties ``counts`` as it goes."""
    found = _Judged()
    views: dict[str, SiteView] = {}
    for gold in read_gold(job.gold, job.limit):
        name = gold.page.site_name
        if name not in views:
            if name not in counts:
                raise UnreadableInputError(
                    f"site '{name}' was not there when the gold was first read; "
                    "measure again when nothing writes to the files"
                )
            # A site's view takes the place of its counts, so that only one of them is held.
            views[name] = counts.pop(name).view(job.near_duplicate_similarity)
        if gold.gold_text is None:
            found.unjudged += 1
            continue
        annotation = None
        try:
            annotation = annotate(read(gold.page), views[name], method)
        except UnreadablePageError as error:
            found.skipped[error.reason] += 1
        except Exception as error:
            # The method may be anybody's; a page left out would make it look better or worse.
            raise MethodError(
                f"text method {job.method!r} failed on {gold.page.url}: {one_line(error)}"
            ) from error
        score = score_page(annotation.text if annotation else "", gold.gold_text)
        found.board.add(name, score)
        if gold.kind:
            found.kinds.add(gold.kind, score)
        if curves is not None:
            curves.add(name, views[name], annotation, gold.gold_text)
    if not found.board.pages:
        raise UnreadableInputError(
            "the gold text of every page is null; give pages whose text is known"
        )
    return found


def _each(board: ScoreBoard) -> dict[str, object]:
    figures: dict[str, object] = {}
    for name in board.sites:
        pages, score = board.site(name)
        figures[name] = {"pages": pages, **score.as_json()}
    return figures


def _figures(found: _Judged) -> dict[str, object]:
    board = found.board
    return {
        "word": board.word.as_json(),
        "word_micro": board.word_micro.as_json(),
        "shingle4": board.shingle.as_json(),
        "site_mean_f1": board.site_mean_f1,
        "per_site": _each(board),
        "per_kind": _each(found.kinds),
        "skipped": dict(sorted(found.skipped.items())),
        "unjudged": found.unjudged,
    }


def _tables(found: _Judged) -> tuple[Table, ...]:
    board = found.board
    tables = [_by_name("site", board)]
    if found.kinds.pages:
        tables.append(_by_name("kind of page", found.kinds))
    figures = Table(
        title="figure",
        columns=("precision", "recall", "F1"),
        rows=(
            ("words, mean over pages", *_cells(board.word)),
            ("words, all pages together", *_cells(board.word_micro)),
            ("runs of 4 words", *_cells(board.shingle)),
            ("words, mean over sites", "", "", f"{board.site_mean_f1:.3f}"),
        ),
    )
    tables.append(figures)
    if found.skipped:
        rows = tuple((reason, str(number)) for reason, number in sorted(found.skipped.items()))
        tables.append(Table("pages that could not be read", ("pages",), rows))
    if found.unjudged:
        tables.append(Table("not judged", ("pages",), (("no gold text", str(found.unjudged)),)))
    return tuple(tables)


def _by_name(title: str, board: ScoreBoard) -> Table:
    return Table(
        title=title,
        columns=("pages", "precision", "recall", "F1"),
        rows=tuple(_site_row(board, name) for name in board.sites),
    )


def _site_row(board: ScoreBoard, name: str) -> tuple[str, ...]:
    pages, score = board.site(name)
    return (name, str(pages), *_cells(score))


def _cells(score: Score) -> tuple[str, str, str]:
    return f"{score.precision:.3f}", f"{score.recall:.3f}", f"{score.f1:.3f}"
