"""A lock on an open file, by which processes keep out of each other's way."""

from __future__ import annotations

import sys

if sys.platform != "win32":
    import fcntl

__all__ = ["try_lock"]


def try_lock(descriptor: int) -> bool:
    """Lock an open file until it is closed; ``False`` where another process holds it.

    Always ``True`` where the system or the file system has no locks: nothing tells then whether
    another process is at work on the file.
    """
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # Some network file systems know no locks.
        return True
    return True
