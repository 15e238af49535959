"""Laws of plans: any text is a plan or mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawler.harvest.plan import PlanError, read_plan

if TYPE_CHECKING:
    from pathlib import Path

# Values as text, most with what could be taken for the end of something.
SCALARS = st.sampled_from((
    "1", "-3.5e2", "true", "2026-11-28", "07:32:00", '"a # ] } , ="', "'\\'", '"\\"]"', '""', "''",
    '"\\u001b[31m"', '"""\nx = 1 # ]\n\\""" ""\n"""', "'''\n]}'' '\n'''", '""""x"""', "'''x''''",
))  # fmt: skip
GAPS = st.sampled_from(("", " ", "\n", ' # ] } "\n ', "\r\n\t"))
KEYS = st.sampled_from(("a", "b-1", '"a b"', "'c.d'", '"\\u00e9"', "7"))


@st.composite
def arrays(draw: st.DrawFn, values: st.SearchStrategy[str]) -> str:
    parts = [draw(GAPS) + value + draw(GAPS) for value in draw(st.lists(values, max_size=3))]
    return "[" + ",".join(parts) + draw(st.sampled_from(("", ",") if parts else ("",))) + "]"


@st.composite
def inline_tables(draw: st.DrawFn, values: st.SearchStrategy[str]) -> str:
    keys = draw(st.lists(KEYS, max_size=3, unique=True))
    return "{" + " , ".join(f"{key} = {draw(values)}" for key in keys) + "}"


VALUES = st.recursive(
    SCALARS, lambda inner: st.one_of(arrays(inner), inline_tables(inner)), max_leaves=6
)
HEADERS = st.sampled_from(
    ("[t]", "[[s]]", "[[s]]", "[s.t]", "[[s.u]]", "['t'.\"x\" . y]", "# [no]")
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    lines: list[str] = []
    number = 0
    for _ in range(draw(st.integers(0, 6))):
        if draw(st.booleans()):
            lines.append(draw(HEADERS))
        for _ in range(draw(st.integers(0, 2))):
            number += 1
            name = draw(st.sampled_from((f"k{number}", f'"k.{number}"', f"d{number} . 'e'")))
            lines.append(f"{draw(GAPS)}{name} = {draw(VALUES)} # = [")
    return "\n".join(lines)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.one_of(
        documents(),
        st.text(max_size=80),
        st.lists(
            st.builds(
                "{} = {}".format,
                st.sampled_from(("output", "site", "defaults", "alerts", "site.id", "alerts.runs")),
                VALUES,
            ),
            max_size=3,
        ).map("\n".join),
        st.builds(
            "output = 'x'\n[[site]]\n{} = {}\n[alerts]\n{} = {}".format,
            st.sampled_from(("id", "addresses", "cron", "from", "settings", "since", "max_pages")),
            VALUES,
            st.sampled_from(("command", "fall", "runs", "missed", "time_limit")),
            VALUES,
        ),
    )
)
def test_any_text_is_a_plan_or_a_mistake_in_lines(tmp_path: Path, text: str) -> None:
    path = tmp_path / "harvest.toml"
    path.write_text(text, "utf-8", errors="surrogatepass", newline="")
    told: tuple[str, ...] = (f"{path} is a plan",)
    try:
        read_plan(path)
    except PlanError as error:
        told = error.lines
    assert told
    assert all(line.startswith(str(path)) and line.isprintable() for line in told)
