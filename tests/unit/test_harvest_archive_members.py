"""Members of a file are found by their number, and damage of one is found before it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.harvest.archive.members import open_member, write_members

if TYPE_CHECKING:
    from pathlib import Path


def write(path: Path, members: dict[int, list[bytes]]) -> None:
    with write_members(path) as writer:
        for number, pieces in members.items():
            writer.begin(number)
            for piece in pieces:
                writer.write(piece)


def read(path: Path, number: int) -> bytes | None:
    with open_member(path, number) as found:
        if found is None:
            return None
        file, end = found
        return file.read(end - file.tell())


def test_each_member_is_found(tmp_path: Path) -> None:
    path = tmp_path / "file"
    members = {0: [b"first", b" of all"], 3: [], 4: [b"x" * 3_000_000], 70_000: [b"\n\0"]}
    write(path, members)
    for number in (0, 1, 3, 4, 5, 69_999, 70_000, 70_001):
        pieces = members.get(number)
        assert read(path, number) == (None if pieces is None else b"".join(pieces))


def test_a_file_without_members_has_none(tmp_path: Path) -> None:
    write(tmp_path / "file", {})
    assert read(tmp_path / "file", 0) is None


@pytest.mark.parametrize("numbers", [(1, 1), (2, 1)], ids=["twice", "back"])
def test_numbers_that_do_not_ascend_are_refused(tmp_path: Path, numbers: tuple[int, int]) -> None:
    with write_members(tmp_path / "file") as writer:
        writer.begin(numbers[0])
        with pytest.raises(ValueError, match="does not come after"):
            writer.begin(numbers[1])


def test_damage_is_found_wherever_it_is(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write(path, {1: [b"one"], 2: [b"two"]})
    data = path.read_bytes()
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :])
        if place in range(3, 6):
            # Of another member.
            assert read(path, 1) == b"one"
            continue
        with pytest.raises(ValueError, match=r"checksum|no index"):
            read(path, 1)
    for size in range(len(data)):
        path.write_bytes(data[:size])
        with pytest.raises(ValueError, match=r"checksum|no index"):
            read(path, 1)
