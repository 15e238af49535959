"""Files that a command is told to write: looked at before the work is done, written after it."""

from __future__ import annotations

from pathlib import Path

from crawler.core.errors import ArgumentError, CorpusError

__all__ = ["check_target", "write_file"]


def check_target(
    option: str, name: str, advice: str = "give a file in a folder that exists"
) -> None:
    """Refuse a file that cannot be there.

    Raises:
        ArgumentError: the name is empty, "-", a folder's, or in a folder that does not exist.
    """
    path = Path(name)
    if name in {"", "-"} or path.is_dir() or not path.absolute().parent.is_dir():
        raise ArgumentError(f"{option} is '{name}'; {advice}")


def write_file(name: str, text: str) -> None:
    """Write a file in UTF-8; what has no place in it (half a surrogate pair) becomes "?".

    Raises:
        CorpusError: it cannot be written.
    """
    try:
        Path(name).write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise CorpusError(f"{name}: cannot be written ({error.strerror})") from error
