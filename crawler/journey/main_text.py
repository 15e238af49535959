"""The stage of main text: which blocks of a page are kept, and what follows from that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any, Final

from crawler.core.flow import Annotation, Document, annotate
from crawler.core.markdown import markdown
from crawler.core.methods import Cutoff, CutoffMethod, Label
from crawler.core.methods.article.head import settle_head
from crawler.core.methods.article.method import Article, confidence
from crawler.core.methods.registry import get_method
from crawler.core.page.blocks import Block
from crawler.core.pagination.parts import repeated_blocks
from crawler.items import PageItem
from crawler.journey.item_page import ItemPage, Stage, Tally
from crawler.settings import Options

_DIGITS: Final = 3
# The most blocks that are remembered, how many of them stay, and how much of a text.
_MOST, _PRUNED, _SAMPLE = 400, 100, 200


class MainText(Stage):
    """Judges the blocks of a page by the counts of its site: text, Markdown, comments, blocks.

    Raises:
        UnknownMethodError: there is no text method of the name that the settings give.
    """

    def __init__(self, options: Options, tally: Tally) -> None:
        super().__init__(options, tally)
        self.method = get_method(options.text_method)
        self._dropped = BoilerplateStats()
        self._cutoffs: dict[str, tuple[int, Cutoff | None]] = {}

    def process(self, item: PageItem, page: ItemPage) -> None:
        """Set the blocks and labels of the page, and the item's text."""
        page.annotations = tuple(
            self._annotated(one, page, "" if number else page.title or "")
            for number, one in enumerate(page.documents)
        )
        for annotation in page.annotations:
            self._dropped.add(annotation)
        page.blocks, page.labels = _all_blocks(page)
        kept = [block for block, label in page.pairs() if label.kept]
        cutoff = self._cutoff(item.site, page)
        item.method = "+".join((self.method.name, *page.text_sources()))
        item.text = "\n".join(block.text for block in kept)
        item.confidence = _confidence(page.annotations)
        item.frequency_threshold = cutoff.threshold if cutoff else None
        item.frequency_ranks = cutoff.ranks if cutoff else None
        item.blocks_kept = len(kept)
        item.blocks_dropped = len(page.blocks) - len(kept)
        if self._options.item_markdown:
            item.markdown = markdown(kept)
        if self._options.item_comments:
            item.comments = _comments(page.annotations)
        if self._options.item_blocks:
            item.blocks = [_block_as_dict(block, label) for block, label in page.pairs()]

    def _annotated(self, document: Document, page: ItemPage, title: str) -> Annotation:
        """Judge a document; of the parts of an article the first alone has a title."""
        found = annotate(document, page.view, self.method)
        if not isinstance(self.method, Article):
            return found
        return with_head(found, title, page.metadata[0].authors)

    def figures(self) -> Mapping[str, object]:
        """Return the thresholds of all sites, and the blocks dropped most often."""
        cutoffs = {
            site: {"pages": pages, "threshold": found.threshold, "ranks": found.ranks}
            for site, (pages, found) in self._cutoffs.items()
            if found is not None
        }
        return {
            "corpus/cutoffs": cutoffs,
            "corpus/top_dropped": self._dropped.most_frequent(),
        }

    def _cutoff(self, site: str, page: ItemPage) -> Cutoff | None:
        # The same for all pages of a site, and costly: it looks at all blocks of the site.
        if site not in self._cutoffs:
            method: object = self.method
            found = method.cutoff(page.view) if isinstance(method, CutoffMethod) else None
            self._cutoffs[site] = page.view.pages, found
        return self._cutoffs[site][1]


def with_head(found: Annotation, title: str, authors: Sequence[str]) -> Annotation:
    """Return what ``article`` found with the headline, once, and without bylines."""
    labels = settle_head(found.blocks, found.labels, title, authors)
    return replace(found, labels=tuple(labels))


def _all_blocks(page: ItemPage) -> tuple[tuple[Block, ...], tuple[Label, ...]]:
    """Return the blocks of all documents, numbered through, without what the parts repeat."""
    if len(page.annotations) == 1:
        return page.annotations[0].blocks, page.annotations[0].labels
    kept = [
        [place for place, label in enumerate(each.labels) if label.kept]
        for each in page.annotations
    ]
    texts = [
        [each.blocks[place].text for place in places]
        for each, places in zip(page.annotations, kept, strict=True)
    ]
    blocks: list[Block] = []
    labels: list[Label] = []
    before = 0
    for each, places, repeated in zip(
        page.annotations, kept, repeated_blocks(texts, page.title), strict=True
    ):
        out = {places[number] for number in repeated}
        for place, (block, label) in enumerate(each.pairs()):
            blocks.append(replace(block, index=block.index + before))
            labels.append(replace(label, kept=False, reason="repeated") if place in out else label)
        before += 1 + max((block.index for block in each.blocks), default=-1)
    return tuple(blocks), tuple(labels)


def _confidence(annotations: Sequence[Annotation]) -> float | None:
    """Return how likely the text is right; of several parts the mean, by the length of texts."""
    shares = [confidence(each.blocks, each.labels) for each in annotations]
    if len(shares) > 1:
        known = [
            (round(share, _DIGITS), len(each.text))
            for share, each in zip(shares, annotations, strict=True)
            if share is not None
        ]
        if total := sum(length for _, length in known):
            return round(sum(share * length for share, length in known) / total, _DIGITS)
    return None if shares[0] is None else round(shares[0], _DIGITS)


def _comments(annotations: Sequence[Annotation]) -> str:
    """Return what readers wrote; sites show the same comments below each part of an article."""
    texts = [
        "\n".join(block.text for block, label in each.pairs() if label.reason == "comment")
        for each in annotations
    ]
    if len(texts) == 1:
        return texts[0]
    lines: list[str] = []
    for text in texts:
        known = frozenset(lines)
        lines += [line for line in text.split("\n") if line and line not in known]
    return "\n".join(lines)


def _block_as_dict(block: Block, label: Label) -> dict[str, Any]:
    return {
        "index": block.index,
        "text": block.text,
        "tag": block.tag,
        "path": block.path,
        "kept": label.kept,
        "reason": label.reason,
        "frequency": label.frequency,
        "link_share": round(block.link_share, _DIGITS),
        "score": None if label.score is None else round(label.score, _DIGITS),
    }


class BoilerplateStats:
    """Remembers the most frequent of the blocks that were dropped because they recur.

    A label tells on how many pages its block stands, so nothing is counted here and memory is
    bounded: what ranks below the best hundred is forgotten. The order of pages does not matter.
    """

    def __init__(self) -> None:
        # By site and key of a block the pages that it stands on, below 0, and its text.
        self._best: dict[tuple[str, int], tuple[int, str]] = {}

    def add(self, annotation: Annotation) -> None:
        """Note the blocks that an annotated page lost as ``frequent``."""
        site = annotation.document.page.site_name
        for block, label in annotation.pairs():
            if label.reason == "frequent":
                key, found = (site, block.key), (-label.frequency, block.text[:_SAMPLE])
                # One block is written in several ways; which is shown is not left to chance.
                self._best[key] = min(found, self._best.get(key, found))
        if len(self._best) > _MOST:
            self._best = dict(sorted(self._best.items(), key=itemgetter(1))[:_PRUNED])

    def most_frequent(self, count: int = 10) -> list[dict[str, Any]]:
        """Return ``{"text", "pages"}`` of the blocks that stand on most pages, most first."""
        ranked = sorted(self._best.values())[:count]
        return [{"text": text, "pages": -pages} for pages, text in ranked]
