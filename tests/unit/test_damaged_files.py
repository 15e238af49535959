"""Damage in what is read gives an error or a reason; ``benchmarks/faults.py`` tries more."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import StoreError
from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import Found
from support.damage import KINDS, damage_file

if TYPE_CHECKING:
    from pathlib import Path

QUICK = sorted(set(KINDS) - {"archive work"})


@pytest.mark.parametrize("kind", [*QUICK, pytest.param("archive work", marks=pytest.mark.slow)])
def test_nothing_wrong_is_read_without_a_report(tmp_path: Path, kind: str) -> None:
    result = damage_file(kind, tmp_path, 15, seed=4)
    assert (result.silent, result.crashes) == (0, Counter())
    assert result.same + result.reported == 15


def test_a_ledger_whose_bytes_a_disk_has_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.sqlite"
    with Ledger(path) as ledger:
        ledger.add_found([Found("https://news.example/a", "link", "2026-05-01")])
    whole, written = path.read_bytes(), path.stat().st_mtime_ns
    changed = whole.replace(b"news.example/a", b"news.example/b")
    assert changed != whole
    path.write_bytes(changed)
    os.utime(path, ns=(written, written))
    for _ in range(2):
        with pytest.raises(StoreError, match="checksum"):
            Ledger(path)
    # A copy that is put in its place is another ledger, and not damage.
    path.write_bytes(changed)
    os.utime(path, ns=(written, written + 5))
    with Ledger(path) as ledger:
        assert not ledger.knows("https://news.example/a")
