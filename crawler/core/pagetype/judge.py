"""The kind of a page, by learned likelihoods and by rules where there are few pages to learn from.

Each rule asks for at least two signs that agree, or for one that leaves no doubt: a page that says
it is not found and holds next to no text; one at the address of a site's first page that does not
call itself an article. Where no rule decides, the learned likelihoods do.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Self

import numpy as np

from crawler.core.errors import CorpusError
from crawler.core.page.page import Document
from crawler.core.pagetype.address import Address, names_a_list, page_words
from crawler.core.pagetype.evidence import PageEvidence
from crawler.core.patterns import compiled_later
from crawler.core.trees import TreeEnsemble, sigmoid

ARTICLE = "article"
KINDS: Mapping[str, str] = {
    ARTICLE: "one text with a headline: news, a post, a guide, an interview, a recipe",
    "front": "the first page of a site, or of its edition in a language",
    "listing": "a section, tag or archive, a shop's range, results of a search",
    "product": "one thing that is for sale",
    "forum": "questions and answers, a thread",
    "documentation": "a page of a manual, a reference or a wiki",
    "service": "what a company or an office does or offers",
    "login": "a form to sign in or to register",
    "error": "not found, not allowed, or a check for robots, whatever the status",
    "empty": "no text that is seen",
}
"""Name and meaning of each kind."""

LEARNED = (ARTICLE, "listing", "product", "forum", "documentation", "service")
"""The kinds that are told by learned weights; the others are told by rules."""
DOUBT = 0.1
"""A page is left out only where it is less likely an article than this."""
_LIKELY = 0.5
# The confidence of rules: the gold data have too few such pages to measure it.
_RULED = 0.9
# A likelihood that the address does not overrule.
_SURE = 0.95
_RATHER = 0.7
_UNLIKELY = 0.7
_TEASERS = 2
# Letters of running text that a page with only a message or a form may have, as in its footer.
_LITTLE = 500
# How many letters a title may have beside "page not found".
_BESIDE = 15
_LIST_DEPTH = 2
_PAGE = compiled_later(r"(?:.*/)?page/\d{1,4}")
_MONTHS = compiled_later(r"(?:.*/)?(?:19|20)\d\d(?:/(?:0?[1-9]|1[0-2]))?")
_OTHER_FEATURES = "the weights of page types were learned from other features; learn them again"


@dataclass(frozen=True, slots=True)
class PageType:
    """The kind of a page.

    Attributes:
        kind: one of :data:`KINDS`.
        confidence: how likely it is of that kind, 0 to 1: learned, or 0.9 where a rule decided.
        article: how likely it is an article, 0 to 1; 0 where a rule says that it is none, or
            headings that lead elsewhere leave no doubt.
    """

    kind: str
    confidence: float
    article: float

    def is_among(self, kinds: Collection[str]) -> bool:
        """Tell whether a page of this type is exported where these kinds are wanted.

        In doubt a page is an article: it is wanted as one unless less than :data:`DOUBT` likely.
        """
        return self.kind in kinds or (ARTICLE in kinds and self.article >= DOUBT)


class TypeJudge:
    """One ensemble of trees for each learned kind: is a page of it, or of any other?

    Raises:
        CorpusError: the ensembles do not ask the same features.
    """

    def __init__(self, trees: Mapping[str, TreeEnsemble]) -> None:
        self.trees = trees
        ensembles = tuple(trees.values())
        if len({each.names for each in ensembles}) != 1:
            raise CorpusError(_OTHER_FEATURES)
        # All are asked at once.
        self._joined = TreeEnsemble.joined(ensembles)
        self._firsts = np.cumsum([0, *(len(each.roots) for each in ensembles)])[:-1]
        self._bases = np.array([each.base for each in ensembles])

    @classmethod
    @cache
    def shipped(cls) -> Self:
        """Return the judge whose weights come with the package; they are read once.

        Raises:
            CorpusError: the package is damaged.
        """
        package = "crawler.core.pagetype"
        return cls({kind: TreeEnsemble.shipped(package, kind) for kind in LEARNED})

    def likelihoods(self, features: Mapping[str, float]) -> dict[str, float]:
        """Return how likely a page is of each learned kind, 0 to 1; they need not add up to 1.

        Args:
            features: the row of a :class:`PageEvidence`.

        Raises:
            CorpusError: the weights were learned from other features.
        """
        if tuple(features) != self._joined.names:
            raise CorpusError(_OTHER_FEATURES)
        values = self._joined.leaves(np.array([list(features.values())], np.float32))[:, 0]
        margins = np.add.reduceat(values, self._firsts) + self._bases
        return dict(zip(self.trees, sigmoid(margins).tolist(), strict=True))


def page_type(document: Document) -> PageType:
    """Return the kind of a page. It is found once for each address of a parsed page."""
    known: dict[str, PageType] = document.parsed.found.setdefault("page_types", {})
    url = document.page.url
    if url not in known:
        evidence = PageEvidence(document)
        known[url] = decide(evidence, TypeJudge.shipped().likelihoods(evidence.features))
    return known[url]


def decide(evidence: PageEvidence, likelihoods: Mapping[str, float]) -> PageType:
    """Return the kind of a page."""
    ruled = _ruled(evidence, likelihoods[ARTICLE])
    if ruled is not None:
        return PageType(ruled, _RULED, 0.0)
    article = likelihoods[ARTICLE]
    if _is_thread(evidence):
        return PageType("forum", _RULED, article)
    others = {kind: value for kind, value in likelihoods.items() if kind != ARTICLE}
    kind = max(others, key=others.__getitem__)
    # Each kind was learned by itself, so several may be likely.
    is_likeliest = article >= others[kind]
    if evidence.is_plain:
        # A page with little around its text is a short post: lists, shops and forums have links.
        article, is_likeliest = max(article, _LIKELY), True
    # Headings that link to other pages. An article may have some below it, so the address must be
    # none that an article has.
    has_teasers = (
        article < _UNLIKELY
        and not evidence.declared
        and evidence.linked_headings > _TEASERS
        and evidence.address.is_section
    )
    if article >= _LIKELY and is_likeliest and not has_teasers:
        return PageType(ARTICLE, article, article)
    share = others[kind] / (sum(others.values()) or 1.0)
    return PageType(kind, (1 - article) * share, 0.0 if has_teasers else article)


def _ruled(evidence: PageEvidence, article: float) -> str | None:
    if not evidence.blocks:
        return "empty"
    if not evidence.declared and evidence.prose < _LITTLE:
        if _is_error(evidence):
            return "error"
        if _is_login(evidence):
            return "login"
    # The first page of a site may be a single text.
    is_one_text = article >= (_LIKELY if evidence.declared else _SURE) and (
        evidence.declared or not _holds_several(evidence)
    )
    if evidence.address.is_root and not is_one_text:
        return "front"
    if _is_list(evidence, article):
        return "listing"
    return None


def _is_thread(evidence: PageEvidence) -> bool:
    """Tell whether a page is a thread by its software and address, or by what it declares."""
    features, markup = evidence.features, evidence.markup
    # Readers' comments of an article may be declared as threads.
    is_declared = markup.is_thread and not evidence.declared and not markup.types[ARTICLE]
    return is_declared or bool(features["software: forum"] and features["address: forum"])


def _is_error(evidence: PageEvidence) -> bool:
    words, texts = page_words(), page_words().texts
    if not words.sets["error_classes"].isdisjoint(evidence.markup.classes.split()):
        return True
    return any(
        title in texts["error_titles"]
        or any(
            # The phrase with little text before or after it.
            len(title) <= len(phrase) + _BESIDE
            and (title.startswith(phrase) or title.endswith(phrase))
            for phrase in texts["error"]
        )
        for title in evidence.titles
    )


def _is_login(evidence: PageEvidence) -> bool:
    words = page_words()
    addressed = not words.sets["login_paths"].isdisjoint(evidence.address.words)
    if not any(title in words.texts["login"] for title in evidence.titles):
        # Many sites have a login form on every page.
        return addressed and evidence.markup.passwords > 0 and not evidence.prose
    return evidence.markup.passwords > 0 or addressed


def _holds_several(evidence: PageEvidence) -> bool:
    return evidence.linked_headings > 1 or evidence.markup.counts["article"] > 2  # noqa: PLR2004 - a list, no pair


def _is_list(evidence: PageEvidence, article: float) -> bool:
    """Tell whether address or classes call a page a list that does not look like one text."""
    if evidence.declared or not (article < _RATHER or _holds_several(evidence)):
        return False
    address, words = evidence.address, page_words()
    if address.is_search and (
        article < _LIKELY
        or any(
            title == phrase or title.startswith(f"{phrase} ")
            for phrase in words.texts["search"]
            for title in evidence.titles
        )
    ):
        return True
    is_short_text = (
        evidence.prose > 0
        and evidence.is_plain
        and not evidence.linked_headings
        and evidence.markup.counts["article"] <= 1
    )
    if _has_list_address(address) and not is_short_text:
        return True
    classes = set(evidence.markup.classes.split())
    return bool(classes & words.sets["list_classes"] and not classes & words.sets["text_classes"])


def _has_list_address(address: Address) -> bool:
    path = "/".join(address.segments).removesuffix("/index.html")
    if _PAGE.fullmatch(path) or _MONTHS.fullmatch(path):
        return True
    parts = path.split("/")
    for place, part in enumerate(parts):
        if part in page_words().sets["list_paths"]:
            below = parts[place + 1 :]
            return len(below) <= _LIST_DEPTH and all(map(names_a_list, below))
    return False
