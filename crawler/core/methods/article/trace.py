"""What the method ``article`` tells of its way to the labels of a page, where somebody asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from crawler.core.methods import Label
from crawler.core.methods.article.features import Evidence


class Trace:
    """Is told each step; this one keeps nothing."""

    def judged(self, found: Evidence, site: NDArray[np.float64], ruled: Sequence[Label]) -> None:
        """Take the evidence.

        Args:
            found: that of the page.
            site: what the counts of the site say for (above 0) or against each block, as log odds.
            ruled: what the rule of frequency says of each.
        """

    def step(self, name: str, kept: NDArray[np.bool_]) -> None:
        """Take what is kept after a step."""


NO_TRACE = Trace()
"""The trace where nobody asks."""


@dataclass(slots=True)
class Recorder(Trace):
    """Keeps each step.

    Attributes:
        found, site, ruled: as :meth:`Trace.judged` has them; none of a page that was not judged.
        steps: the name of each step, and which blocks are kept after it.
    """

    found: Evidence | None = None
    site: Sequence[float] = ()
    ruled: Sequence[Label] = ()
    steps: list[tuple[str, list[bool]]] = field(default_factory=list)

    def judged(self, found: Evidence, site: NDArray[np.float64], ruled: Sequence[Label]) -> None:
        """Keep the evidence."""
        self.found, self.site, self.ruled = found, site.tolist(), ruled

    def step(self, name: str, kept: NDArray[np.bool_]) -> None:
        """Keep what is kept after a step."""
        self.steps.append((name, kept.tolist()))
