"""``kill -9`` at random moments loses and doubles nothing; ``benchmarks/faults.py`` kills more."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from support.forking import ENVIRONMENT
from support.kills import JOBS

KILLS = {"incremental": 10}
FEW = 3

# As a process of its own: it forks, and this one may have threads.
PROGRAM = """
import json, sys, tempfile
from dataclasses import asdict
from pathlib import Path
from support import kills

with kills.served_sites() as sites, tempfile.TemporaryDirectory() as folder:
    job = getattr(kills, sys.argv[1])
    print(json.dumps(asdict(job(kills.Killer(Path(folder), sites, seed=6), int(sys.argv[2])))))
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes it has forked")
@pytest.mark.parametrize("job", [job.__name__ for job in JOBS])
def test_kills_lose_and_double_nothing(job: str) -> None:
    kills = KILLS.get(job, FEW)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, job, str(kills)],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["kills"] == kills
    assert (figures["lost"], figures["doubled"], figures["unreported"]) == (0, 0, 0)
