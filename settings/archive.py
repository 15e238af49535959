"""As base, but pages come from archives alone: the network is off."""

from __future__ import annotations

from settings.base import *  # noqa: F403 - a settings module is its names

# A request that would leave the machine fails and is counted, whichever spider made it.
DOWNLOAD_HANDLERS = {"http": None, "https": None, "ftp": None, "s3": None}
# There is no server to ask for its rules, nor one to spare.
ROBOTSTXT_OBEY = False
AUTOTHROTTLE_ENABLED = False
DOWNLOAD_DELAY = 0
