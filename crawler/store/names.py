"""Names of files and folders that are made of other names."""

from __future__ import annotations

from typing import Final

from xxhash import xxh3_64_hexdigest

__all__ = ["CUT", "file_name"]

_LONGEST_NAME = 120
CUT: Final = "%-"
"""Stands in a name that was cut, and in no other: no name is quoted with it."""

# Characters that mean themselves in a file name of any system, case-insensitive ones too.
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789._-")
# Names that Windows keeps for devices, with whatever extension.
_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)))
)


def file_name(name: str) -> str:
    """Make any name one folder or file name, distinct names distinct in any file system."""
    quoted = "".join(
        chr(byte) if byte in _PLAIN else f"%{byte:02X}"
        for byte in name.encode("utf-8", "surrogatepass")
    )
    if quoted.partition(".")[0] in _DEVICES or quoted.startswith("."):
        quoted = f"%{ord(quoted[0]):02X}{quoted[1:]}"
    if quoted.endswith("."):
        # Windows drops a dot at the end.
        quoted = f"{quoted[:-1]}%2E"
    if len(quoted) <= _LONGEST_NAME:
        return quoted or "%"
    digest = xxh3_64_hexdigest(name.encode("utf-8", "surrogatepass"))
    return f"{quoted[: _LONGEST_NAME - 18]}{CUT}{digest}"
