"""Every parser of outside data, on random inputs: no crash, no hang."""

from __future__ import annotations

import random
import warnings

import pytest

from support.fuzzed import parsers
from support.fuzzing import MOST_BYTES, Parser, fuzz, mutated

INPUTS = 10_000


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", parsers())
def test_no_input_crashes_a_parser_or_hangs_in_it(name: str) -> None:
    with warnings.catch_warnings():
        # Parsers of other projects warn of what they are given.
        warnings.simplefilter("ignore")
        result = fuzz(parsers()[name], INPUTS // len(parsers()))
    assert {what: find.data for what, find in result.finds.items()} == {}


def test_the_same_seed_makes_the_same_inputs() -> None:
    seeds = (b"<p>a</p>", b"b")
    made = [
        [mutated(draw, seeds) for _ in range(50)] for draw in (random.Random(1), random.Random(1))
    ]
    assert made[0] == made[1]
    assert len(set(made[0])) > 25
    assert max(map(len, made[0])) <= MOST_BYTES


def test_crashes_are_counted_found_and_made_small() -> None:
    def run(data: bytes) -> None:
        if b"<" in data:
            raise KeyError(data)
        raise ValueError

    result = fuzz(Parser("made", (b"<p>" + b"a" * 100,), run, (ValueError,)), 50)
    (find,) = result.finds.values()
    assert (result.inputs, result.hangs, find.kind, find.data) == (51, 0, "crash", b"<")
    assert 1 < result.crashes <= 51


def test_hangs_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(data: bytes) -> None:
        while data == b"seed":
            pass

    monkeypatch.setattr("support.fuzzing.HANG_SECONDS", 0.02)
    monkeypatch.setattr("support.fuzzing.LOADING_SECONDS", 0.02)
    result = fuzz(Parser("made", (b"seed", b""), run), 0)
    assert (result.hangs, result.crashes) == (1, 0)
