"""The task ``text``: how much of each page's main text is found, and how much besides.

The steps are those of a crawl. The gold is read twice as a stream: in the first pass every page is
observed, in the second each is judged by the frozen view of its site. Between the passes only the
counts of the sites are held.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawler.core.errors import MethodError, UnreadableInputError, UnreadablePageError, one_line
from crawler.core.flow import SiteCounts, annotate, get_method, observe, read
from crawler.evaluation.curve import Curves
from crawler.evaluation.gold import read_gold
from crawler.evaluation.scores import ScoreBoard, score_page
from crawler.evaluation.task import Report, sorted_counts

if TYPE_CHECKING:
    from crawler.core.flow import SiteView, TextMethod
    from crawler.evaluation.task import Job


@dataclass(slots=True)
class _Judged:
    """What was found on all pages.

    ``kinds``
        The same scores by the kind of page, where the gold names kinds.
    ``skipped``
        Pages that could not be read, by reason.
    ``unjudged``
        Pages whose gold text is not known.
    """

    board: ScoreBoard = field(default_factory=ScoreBoard)
    kinds: ScoreBoard = field(default_factory=ScoreBoard)
    skipped: Counter[str] = field(default_factory=Counter)
    unjudged: int = 0


def measure_text(job: Job) -> Report:
    """Observe all pages, judge all pages, and report words and runs of four words.

    A page that cannot be read counts as one on which nothing was found.

    Raises:
        UnreadableInputError: the gold files cannot be used, hold no page, or changed between the
            passes.
        UnknownMethodError: there is no text method of that name.
    """
    method = get_method(job.method)
    counts = _observe_all(job, method)
    curves = Curves(method) if job.with_curves else None
    found = _judge_all(job, counts, method, curves)
    return Report(
        pages=found.board.pages,
        sites=len(found.board.sites),
        figures=_figures(found),
        curve="" if curves is None else curves.page(found.board.word),
    )


def _observe_all(job: Job, method: TextMethod) -> dict[str, SiteCounts]:
    """Count every site of the gold. A site none of whose pages can be read has empty counts."""
    counts: dict[str, SiteCounts] = {}
    for gold in read_gold(job.gold, job.limit):
        site = counts.setdefault(gold.page.site_name, SiteCounts())
        try:
            site.add(observe(read(gold.page), method))
        except UnreadablePageError:
            continue  # The second pass counts the reason.
    if not counts:
        raise job.no_gold("gold pages", "html and gold_text, and site or url")
    return counts


def _judge_all(
    job: Job, counts: dict[str, SiteCounts], method: TextMethod, curves: Curves | None
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
            # A method of a user may raise anything; without the page the figures would be wrong.
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


def _figures(found: _Judged) -> dict[str, object]:
    def each(board: ScoreBoard) -> dict[str, object]:
        scores = ((name, *board.site(name)) for name in board.sites)
        return {name: {"pages": pages, **score.as_json()} for name, pages, score in scores}

    board = found.board
    return {
        "word": board.word.as_json(),
        "word_micro": board.word_micro.as_json(),
        "shingle4": board.shingle.as_json(),
        "site_mean_f1": board.site_mean_f1,
        "per_site": each(board),
        "per_kind": each(found.kinds),
        "skipped": sorted_counts(found.skipped),
        "unjudged": found.unjudged,
    }
