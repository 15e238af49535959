"""Airflow: a DAG for each site of a harvest, at the site's own times.

Put it into the folder of DAGs. Airflow reads it again now and then, and so the plan.
"""

from __future__ import annotations

import os
import shlex
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG
from airflow.timetables.trigger import CronTriggerTimetable

PLAN = Path(os.environ.get("HARVEST_PLAN", "/srv/harvest/harvest.toml"))
SCRAPY = os.environ.get("HARVEST_SCRAPY", "/srv/harvest/venv/bin/scrapy")

plan = tomllib.loads(PLAN.read_text("utf-8"))
for site in plan["site"]:
    given = plan.get("defaults", {}) | site
    if "cron" not in given:
        continue
    name = site["id"]
    with DAG(
        dag_id=f"harvest.{name}",
        schedule=CronTriggerTimetable(given["cron"], timezone=given.get("time_zone", "UTC")),
        start_date=datetime(2026, 1, 1, tzinfo=UTC),
        # One run makes up for all that were missed.
        catchup=False,
        max_active_runs=1,
        tags=["harvest"],
    ) as dag:
        BashOperator(
            task_id="crawl",
            bash_command=shlex.join([SCRAPY, "harvest", "run", str(PLAN), "--site", name]),
            # What a crawl has done is not lost: the next attempt goes on where it was.
            retries=2,
            retry_delay=timedelta(minutes=10),
            append_env=True,
        )
    globals()[f"harvest_{name}"] = dag
