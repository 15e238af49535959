"""The task ``text``: how much of each page's main text is found, and how much besides.

The steps are those of a crawl. The gold is read twice as a stream: in the first pass every page is
observed, in the second each is judged by the frozen view of its site. Between the passes only the
counts of the sites are held. Pages judged alone are read once.
"""

from __future__ import annotations

from functools import partial

from crawler.core.errors import MethodError, UnreadableInputError, UnreadablePageError, one_line
from crawler.core.flow import (
    Annotation,
    Page,
    SiteCounts,
    SiteView,
    TextMethod,
    annotate,
    get_method,
    observe,
    read,
)
from crawler.core.methods.article.method import Article
from crawler.evaluation.blocks import main_by_gold
from crawler.evaluation.curve import Curves
from crawler.evaluation.gold import GoldPage, read_gold
from crawler.evaluation.scores import Confusion, PageScore, ScoreBoard, score_page
from crawler.evaluation.task import Job, Report
from crawler.journey.item_page import metadata_of
from crawler.journey.main_text import with_head

_NEEDS = "html and gold_text, and site or url"


def measure_text(job: Job) -> Report:
    """Observe all pages, judge all pages, and report words and runs of four words, and blocks.

    A page that cannot be read counts as one on which nothing was found.

    Raises:
        UnreadableInputError: the gold files cannot be used, or hold no page.
        UnknownMethodError: there is no text method of that name.
    """
    method = get_method(job.method)
    counts = {} if job.alone else _observe_all(job, method)
    curves = Curves(method) if job.with_curves else None
    # The same scores by site, and by the kind of page where the gold names kinds.
    board, kinds = ScoreBoard(), ScoreBoard()
    report, blocks, unjudged = Report(), Confusion(), 0
    views: dict[str, SiteView] = {}
    for gold in read_gold(job.gold, job.limit):
        group = _counted_as(job, gold)
        if group not in views:
            # A site's view takes the place of its counts, so that only one of them is held.
            similarity = job.options.near_duplicate_similarity
            views[group] = counts.pop(group, SiteCounts()).view(similarity)
        if gold.gold_text is None:
            unjudged += 1
            continue
        annotation = report.readable(partial(_judge, job, method, gold.page, views[group]))
        score = score_page(annotation.text if annotation else "", gold.gold_text)
        report.rows.append({**gold.identity, "page_type": gold.kind, **_of_page(score)})
        board.add(gold.page.site_name, score)
        if gold.kind:
            kinds.add(gold.kind, score)
        if annotation is None:
            continue
        if job.with_blocks or curves is not None:
            # What is removed before blocks are counted is none of them.
            judged = ((b, it.kept) for b, it in annotation.pairs() if it.reason != "removed")
            blocks.update(main_by_gold(judged, gold.gold_text))
        if curves is not None:
            curves.add(group, views[group], annotation, gold.gold_text)
    if not board.pages:
        if unjudged:
            raise UnreadableInputError(
                "the gold text of every page is null; give pages whose text is known"
            )
        raise job.no_gold("gold pages", _NEEDS)
    report.pages, report.sites = board.pages, len(board.sites)
    report.curve = "" if curves is None else curves.table(blocks)
    return report.finished(
        {
            "word": board.word.as_json(),
            "word_micro": board.word_micro.as_json(),
            "shingle4": board.shingle.as_json(),
            "rouge5": board.rouge.as_json(),
            **(
                {"block": {"blocks": blocks.total(), **blocks.as_json()}} if job.with_blocks else {}
            ),
            "site_mean_f1": board.site_mean_f1,
            "per_site": board.by_name(),
            "per_kind": kinds.by_name(),
        },
        unjudged=unjudged,
    )


def _of_page(score: PageScore) -> dict[str, float]:
    return {
        **score.word.score.as_json(),
        "words_found": score.word.predicted,
        "words_wanted": score.word.gold,
        "shingle4": score.shingle.score.f1,
        "rouge5": score.rouge.score.f1,
    }


def _counted_as(job: Job, gold: GoldPage) -> str:
    """Return the name under which a page is counted: its site's, or one for all pages."""
    return "" if job.one_collection else gold.page.site_name


def _judge(job: Job, method: TextMethod, page: Page, view: SiteView) -> Annotation:
    try:
        document = read(page)
        found = annotate(document, view, method)
        if not job.as_items or not isinstance(method, Article):
            return found
        told = metadata_of(document, view)
        return with_head(found, told.title or document.title or "", told.authors)
    except UnreadablePageError:
        raise
    except Exception as error:
        # A method of a user may raise anything; without the page the figures would be wrong.
        raise MethodError(
            f"text method {job.method!r} failed on {page.url}: {one_line(error)}"
        ) from error


def _observe_all(job: Job, method: TextMethod) -> dict[str, SiteCounts]:
    """Count every site of the gold. A site none of whose pages can be read has empty counts."""
    counts: dict[str, SiteCounts] = {}
    for gold in read_gold(job.gold, job.limit):
        site = counts.setdefault(_counted_as(job, gold), SiteCounts())
        try:
            site.add(observe(read(gold.page), method))
        except UnreadablePageError:
            continue  # The second pass counts the reason.
    return counts
