from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def rows(site: str, pages: int = 4) -> list[str]:
    things = ("apples", "boats", "clocks", "doors")
    return [
        json.dumps(
            {
                "site": site,
                "url": None,
                "html": f"<body><p>Every page says this.<p>A post about {things[number]}.</body>",
                "gold_text": f"A post about {things[number]}.",
            }
        )
        for number in range(pages)
    ]


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(rows("a.example")).encode()))
    return path


def evaluate(folder: Path, *args: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command outside any project."""
    return subprocess.run(
        [sys.executable, "-m", "scrapy", "evaluate", *map(str, args)],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def test_json_on_standard_output_is_one_object_and_nothing_else(tmp_path: Path, gold: Path) -> None:
    more = tmp_path / "more.jsonl"
    more.write_text(
        "\n".join([*rows("블로그"), json.dumps(json.loads(rows("x")[0]) | {"html": ""})])
    )
    done = evaluate(tmp_path, "text", gold, more, "--json", "-", "-L", "DEBUG")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert list(figures) == [
        "task",
        "method",
        "pages",
        "sites",
        "seconds",
        "pages_per_second",
        "word",
        "word_micro",
        "shingle4",
        "rouge5",
        "site_mean_f1",
        "per_site",
        "per_kind",
        "skipped",
        "unjudged",
    ]
    assert (figures["task"], figures["method"]) == ("text", "article")
    assert (figures["pages"], figures["sites"]) == (9, 3)
    assert figures["per_site"]["블로그"] == {"pages": 4, "precision": 1, "recall": 1, "f1": 1}
    assert figures["site_mean_f1"] == pytest.approx(2 / 3)
    assert figures["seconds"] > 0
    assert figures["pages_per_second"] > 0
    assert list(figures["skipped"].values()) == [1]


def test_json_in_a_file_comes_besides_the_table(tmp_path: Path, gold: Path) -> None:
    done = evaluate(tmp_path, "text", gold, "--json", "out.json", "--limit", "2")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert json.loads((tmp_path / "out.json").read_text())["pages"] == 2
    assert "a.example" in done.stdout
    assert "site_mean_f1" in done.stdout


@pytest.mark.parametrize("method", ["frequency", "frequency-adaptive", "density"])
def test_the_curve_comes_besides_and_changes_no_figure(
    tmp_path: Path, gold: Path, method: str
) -> None:
    call = ("text", gold, "--method", method, "--json", "-")
    plain = json.loads(evaluate(tmp_path, *call).stdout)
    done = evaluate(tmp_path, *call, "--curve", "curve.csv")
    assert (done.returncode, done.stderr) == (0, "")
    figures = json.loads(done.stdout)
    assert figures["word"] == plain["word"]
    header, *rows = (tmp_path / "curve.csv").read_text("utf-8").splitlines()
    assert header == "kept,precision,recall,f1,accuracy"
    assert "block" not in figures
    assert rows[0].startswith("k,")
    assert rows[-1].startswith(f"method {method},")


def test_the_text_of_items_has_the_headline_and_no_byline(tmp_path: Path) -> None:
    said = [
        f"The train is back, after {10 + each} years, and leaves the old station at {each} in the "
        "evening, every day but Sunday and the first of May."
        for each in range(3, 7)
    ]
    head = "The train is back"
    html = (
        f"<title>{head} - Gazette</title><meta name=author content='Ada Mott'><h1>{head}</h1>"
        f"<p>Ada Mott, 3 May 2026</p><p>{'</p><p>'.join(said)}</p>"
    )
    # An address that is none is no error of the method.
    row = {"site": "a", "url": "http://[::1", "html": html, "gold_text": "\n".join((head, *said))}
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps(row))
    found = []
    for options in (["--items"], []):
        done = evaluate(tmp_path, "text", gold, "--alone", *options, "--json", "-")
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout)["word"])
    assert found[0] == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert found[1]["f1"] < 1
    refused = evaluate(tmp_path, "sentences", gold, "--items")
    assert refused.returncode == 2
    assert "--items" in refused.stderr


def test_method_comes_from_the_option_or_the_setting(tmp_path: Path, gold: Path) -> None:
    option = evaluate(tmp_path, "text", gold, "--method", "all-text", "--json", "-")
    setting = evaluate(tmp_path, "text", gold, "-s", "CORPUS_TEXT_METHOD=all-text", "--json", "-")
    for done in (option, setting):
        assert json.loads(done.stdout)["method"] == "all-text"
        assert json.loads(done.stdout)["word"]["precision"] < 1


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ([], "name a task (metadata, pagetypes, sentences, structure, tables, text, wrapper)"),
        (
            ["taxt", "GOLD"],
            (
                "unknown task 'taxt'; the tasks are: "
                "metadata, pagetypes, sentences, structure, tables, text"
            ),
        ),
        (["text"], "name the gold files"),
        (["text", "-"], "read twice"),
        (["text", "GOLD", "--limit", "none"], "argument --limit: 'none' is no whole"),
        (["text", "GOLD", "--limit", "0"], "argument --limit: '0' is no whole"),
        (["wrapper", "GOLD", "--examples", "0"], "argument --examples: '0' is no whole"),
        (["tables", "GOLD", "--blocks"], "the task tables has no use for --blocks"),
        (["text", "GOLD", "--examples", "2"], "the task text has no use for --examples"),
        (["text", "GOLD", "--methud=x"], "unknown option --methud=x"),
        (["text", "GOLD", "--method", "magic"], "article, frequency-adaptive"),
        (["text", "GOLD", "--json", "GOLD/in.json"], "is a file, not a folder"),
        (["text", "GOLD", "--curve", "GOLD/in.html"], "is a file, not a folder"),
        (["text", "GOLD", "--curve", "-"], "--curve is '-'; give the name of a file"),
        (["sentences", "GOLD", "--curve", "x.html"], "the task sentences has no use for --curve"),
        (["text", "GOLD", "-s", "CORPUS_MOOD=x"], "CORPUS_MODE"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_exit_code_2(
    tmp_path: Path, gold: Path, args: list[str], says: str
) -> None:
    done = evaluate(tmp_path, *[arg.replace("GOLD", str(gold)) for arg in args])
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert says in done.stderr


def test_bad_gold_is_one_line_with_file_and_line_and_exit_code_2(
    tmp_path: Path, gold: Path
) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text(rows("a.example")[0] + "\n{}\n")
    done = evaluate(tmp_path, "text", gold, bad, "--json", "-")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"scrapy evaluate: {bad}, line 2: no 'html'; every line needs html and gold_text, and site "
        "or url\n"
    )


def test_a_result_that_cannot_be_written_is_one_line_and_exit_code_1(
    tmp_path: Path, gold: Path
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no device that is always full here")
    done = evaluate(tmp_path, "text", gold, "--json", "/dev/full")
    assert done.returncode == 1
    assert done.stderr.startswith("scrapy evaluate: /dev/full cannot be written: ")
    assert len(done.stderr.splitlines()) == 1


def test_the_command_is_light_until_it_runs(tmp_path: Path) -> None:
    code = (
        "import scrapy.commands, sys; before = set(sys.modules); import crawler.commands.evaluate; "
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() == str(
        ["crawler", "crawler.commands", "crawler.commands.base", "crawler.commands.evaluate"]
    )


def test_figures_and_curve_need_two_files(tmp_path: Path, gold: Path) -> None:
    done = evaluate(tmp_path, "text", gold, "--json", "x.html", "--curve", "./x.html")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "same file" in done.stderr


def test_a_method_that_fails_is_one_line(tmp_path: Path, gold: Path) -> None:
    (tmp_path / "broken_method.py").write_text(
        "class Broken:\n"
        "    name = 'broken'\n"
        "    def label(self, document, view):\n"
        "        raise KeyError('no such thing')\n",
        "utf-8",
    )
    command = [sys.executable, "-m", "scrapy", "evaluate", "text", str(gold)]
    paths = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    done = subprocess.run(
        [*command, "--method", "broken_method:Broken"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "'broken_method:Broken' failed on https://a.example/" in done.stderr
