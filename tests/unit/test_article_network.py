"""The network that judges the blocks of a page together."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, replace
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crawler.core.errors import CorpusError
from crawler.core.flow import Page, read
from crawler.core.methods.article.features import TAG, TAGS, Evidence
from crawler.core.methods.article.judge import Judge, ask, expected_f1, in_context
from crawler.core.methods.article.network import LEVELS, Network, distance
from crawler.core.trees import sigmoid

OWN, TOLD, ROUNDS = 5, 3, 3
NAMES = ("size", "link_share", "near article", "has_h1")


def evidence(paragraphs: int = 40) -> Evidence:
    said = "".join(
        f"<div class={'post' if number % 3 else 'nav'}><p>{'word ' * (number % 7 + 1)}{number}"
        f"<section><h2>Head {number}</h2><li>an item of {number}</li></section></div>"
        for number in range(paragraphs)
    )
    return Evidence(read(Page.from_text("https://a.example/", f"<body>{said}<p>The end.</body>")))


def small_network(seed: int = 0) -> Network:
    rng = np.random.default_rng(seed)

    def some(*shape: int) -> NDArray[np.float32]:
        return (rng.normal(size=shape) / 4).astype(np.float32)

    heard = 3 * OWN + (LEVELS + 2) * TOLD + 1
    seen = len(NAMES) + TAGS
    # Of the features with one segment the second is empty.
    return Network(
        NAMES,
        knots=np.array([[0, 0, 0, 0], [3, 0.5, 0, 0]], np.float32),
        slopes=np.array([[1 / 3, 2, 1 / 12, 0], [1 / 3, 2, 0, 0]], np.float32),
        shares=np.array([1, 1, 2, 2], np.float32),
        enter=some(seen + 1, OWN),
        direct=some(seen, 1),
        tell=some(ROUNDS, OWN, TOLD),
        hear=some(ROUNDS, heard, OWN),
        keep=some(ROUNDS, OWN + 1, OWN),
        judge=some(OWN + 1, 1),
    )


def verdicts_by_definition(net: Network, found: Evidence) -> list[float]:
    """Return the verdicts, block by block and range by range, with numbers of 64 bits."""
    rows, layout, count = found.rows.astype(float), found.layout, len(found.sizes)
    column = {name: rows[:, place] for place, name in enumerate(found.names)}
    words = [min(size, 60.0) + 1.0 for size in found.sizes.tolist()]

    def seen(number: int) -> list[float]:
        values = [column[name][number] for name in net.names]
        parts = np.clip((np.array(values) - net.knots) * net.slopes, 0, 1).sum(axis=0)
        tags = [float(column[TAG][number] == tag) for tag in range(TAGS)]
        return [*(parts * net.shares - 1), *tags]

    def ranges(number: int) -> list[list[int]]:
        here, held = int(layout.at[number]), []
        for _ in range(LEVELS):
            held.append(list(range(layout.begin[here], layout.end[here])))
            here = int(layout.outer[here])
        alike = [other for other in range(count) if layout.kinds[other] == layout.kinds[number]]
        return [*held, alike, list(range(count))]

    def normal(values: NDArray[np.floating]) -> NDArray[np.floating]:
        found: NDArray[np.floating] = values / np.sqrt((values * values).mean() + 1e-5)
        return found

    own = [np.array([*seen(number), 1.0]) @ net.enter for number in range(count)]
    for number in range(ROUNDS):
        now = [normal(each) for each in own]
        told = [each @ net.tell[number] for each in now]
        step, nothing = distance(number), np.zeros(OWN)
        for block in range(count):
            heard = [
                now[block - step] if block >= step else nothing,
                now[block],
                now[block + step] if block + step < count else nothing,
                *(
                    sum(told[other] * words[other] for other in held)
                    / sum(words[other] for other in held)
                    for held in ranges(block)
                ),
            ]
            made = np.maximum(np.concatenate([*heard, [1.0]]) @ net.hear[number], 0.0)
            own[block] = own[block] + np.append(made, 1.0) @ net.keep[number]
    return [
        float((np.append(normal(own[block]), 1.0) @ net.judge + seen(block) @ net.direct)[0])
        for block in range(count)
    ]


@pytest.mark.parametrize("paragraphs", [0, 1, 2, 40])
def test_the_verdicts_are_those_of_the_definition(paragraphs: int) -> None:
    found, net = evidence(paragraphs), small_network()
    margins = net.score(found)
    assert margins.dtype == np.float64
    assert margins == pytest.approx(verdicts_by_definition(net, found), abs=1e-4)


def test_what_is_written_is_read() -> None:
    net = small_network(1)
    again = Network.from_bytes(net.to_bytes())
    assert again.names == net.names
    for each in fields(net)[1:]:
        one, other = getattr(net, each.name), getattr(again, each.name)
        assert other.dtype == np.float32
        np.testing.assert_allclose(other, one, atol=2e-3)


@pytest.mark.parametrize("cut", [0, 10, 900])
def test_damaged_weights_are_refused(cut: int) -> None:
    with pytest.raises(CorpusError, match="install the package again"):
        Network.from_bytes(small_network().to_bytes()[:cut])


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("judge", lambda values: values[1:]),
        ("hear", lambda values: values[:-1]),
        ("tell", lambda values: values[0]),
        ("shares", lambda values: values * np.nan),
    ],
)
def test_weights_that_do_not_fit_together_are_refused(
    name: str, change: Callable[[NDArray[np.float32]], NDArray[np.float32]]
) -> None:
    net = small_network()
    changed: dict[str, Any] = {name: change(getattr(net, name))}
    flawed = replace(net, **changed)
    with pytest.raises(CorpusError, match="do not fit together"):
        Network.from_bytes(flawed.to_bytes())


def test_a_flipped_bit_is_refused_or_changes_no_shape() -> None:
    data = small_network().to_bytes()
    for at in range(0, len(data), 7):
        flipped = data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :]
        with suppress(CorpusError):
            assert len(Network.from_bytes(flipped).score(evidence(2))) > 0


def _sure_by(margin: float, found: Evidence) -> Judge:
    """Return the shipped judge with a network that gives every block the same margin."""
    judge = Judge.shipped()
    network = replace(
        judge.network,
        judge=np.append(np.zeros(len(judge.network.judge) - 1), margin)[:, None].astype("f4"),
        direct=np.zeros_like(judge.network.direct),
    )
    assert network.score(found) == pytest.approx(np.full(len(found.sizes), margin))
    return replace(judge, network=network)


def test_trees_are_asked_where_the_network_is_unsure() -> None:
    found = evidence(12)
    assert not found.beside.any()
    # Of blocks that are all as likely as 0.961 an F1 of 0.980 is expected.
    for margin in (5.0, 3.21):
        sure = _sure_by(margin, found).margins(found)
        assert sure == pytest.approx(np.full(len(found.sizes), margin))
    unsure = _sure_by(3.19, found)
    first = sigmoid(ask(unsure.first, found))
    trees = ask(unsure.second, in_context(found, first))
    assert unsure.margins(found) == pytest.approx(0.6 * trees + 0.4 * 3.19)


def test_f1_is_expected_of_a_choice_of_blocks() -> None:
    kept, sizes = np.array([True, False]), np.array([30.0, 10.0])
    assert expected_f1(kept, np.array([1.0, 0.0]), sizes) == 1.0
    assert expected_f1(kept, np.array([0.5, 0.5]), sizes) == pytest.approx(2 * 15 / (30 + 20))
    assert expected_f1(~kept & kept, np.array([0.0, 0.0]), sizes) == 0.0


def test_a_verdict_does_not_hang_on_other_pages() -> None:
    net = Network.shipped()
    alone = net.score(evidence(3))
    net.score(evidence(40))
    assert np.array_equal(net.score(evidence(3)), alone)


def test_comments_captions_and_numbers_are_beside_the_text() -> None:
    said = (
        "A sentence that is long enough to be taken for prose by whoever counts the letters. " * 3
    )
    body = (
        f"<article><h1>Head</h1><p>{said}</p><p>{said}</p><p>12</p>"
        "<figure><img src=a.png><figcaption>The quay</figcaption></figure>"
        "<div class=newsletter><p>Our letter comes on Mondays.</p></div></article>"
        f"<div id=comments><div class=comment><p>{said}</p></div><div class=comment><p>{said}</p>"
        "</div></div>"
    )
    document = read(Page.from_text("https://a.example/", f"<body>{body}</body>"))
    found = Evidence(document)
    texts = [block.text[:8] for block in document.blocks]
    beside = dict(zip(texts, found.beside.tolist(), strict=True))
    assert beside["12"]
    assert beside["The quay"]
    assert beside["Our lett"]
    assert not beside["Head"]
    assert found.beside.tolist()[-2:] == [True, True]
    assert not found.beside.tolist()[1]
    margins = _sure_by(7.0, found).margins(found)
    assert margins == pytest.approx(np.where(found.beside, 5.0, 7.0))


def test_weights_may_lie_in_memory_column_by_column() -> None:
    net, found = small_network(), evidence(8)
    out = BytesIO()
    weights: dict[str, Any] = {
        each.name: np.asfortranarray(getattr(net, each.name)) for each in fields(net)[1:]
    }
    np.savez(out, names=np.array(net.names), **weights)
    assert np.array_equal(Network.from_bytes(out.getvalue()).score(found), net.score(found))
