"""The journal beside a project file: every step of a project, and the pages that are open.

It is a folder, ``shop.studio`` beside ``shop.h2x``. ``journal.jsonl`` in it is only appended to,
and each line is on the disk before the step is shown. Lines and pages that are damaged are left out
when the journal is read. Rules are written once: a step names them by the hash of their text.
"""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from crawler.core.errors import CorpusError, StoreError
from crawler.core.page.page import Page
from crawler.core.wrapper.project import Project
from crawler.core.wrapper.project_file import read_project, write_project
from crawler.store.files import append_whole, system_errors, write_whole
from crawler.studio.pages import OpenPage

Label = tuple[str, ...]
"""What a step did: a key of the interface's strings, and what is put into it."""

_ADVICE = "Free some space there"
# What reading a damaged line, or a damaged page, raises.
_DAMAGED = (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, OSError)


@dataclass(slots=True)
class Step:
    """A state of the project: what was done to reach it, and its text without the rules.

    The project itself is made of these when it is first asked for.
    """

    label: Label
    body: Mapping[str, Any]
    rules: Mapping[str, str]
    project: Project | None = None


class Journal:
    """The steps of a project, and where one is in them.

    Attributes:
        steps: all steps, the oldest first; there is at least one.
        at: the number of the present one.
        saved: the hash of the text that was saved last; empty for none.
        opened: the pages that are open, by their numbers.
        closed: whether nothing more is written, since another program may work on it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.steps: list[Step] = []
        self.at = -1
        self.saved = ""
        self.closed = False
        self.opened: dict[int, OpenPage] = {}
        self._rules: dict[str, Any] = {}
        self._next = 1
        self._file = folder / "journal.jsonl"
        self._read()

    @property
    def project(self) -> Project:
        """The project of the present step."""
        return self.project_at(self.at)

    def project_at(self, number: int) -> Project:
        """Return the project of a step."""
        step = self.steps[number]
        if step.project is None:
            rules = {path: self._rules[name] for path, name in step.rules.items()}
            step.project = read_project(json.dumps({**step.body, "rules": rules}))
        return step.project

    def add(self, label: Label, project: Project) -> None:
        """Add a step after the present one; steps that were undone are gone."""
        body = json.loads(write_project(project))
        rules: dict[str, str] = {}
        new: dict[str, Any] = {}
        for path, rule in body.pop("rules").items():
            name = hash_of(json.dumps(rule, ensure_ascii=False))
            rules[path] = name
            if name not in self._rules:
                new[name] = rule
        line = {"do": "step", "at": self.at, "label": label, "body": body, "rules": rules}
        self._write({**line, "new": new})
        self._add(Step(label, body, rules, project), new)

    def go(self, number: int) -> None:
        """Make another step the present one."""
        number = min(max(number, 0), len(self.steps) - 1)
        if number != self.at:
            self.project_at(number)  # a step that cannot be read is not gone to
            self._write({"do": "go", "at": number})
            self.at = number

    def note_saved(self, text: str) -> None:
        """Note that a text was saved as the project file."""
        self.saved = hash_of(text)
        self._write({"do": "saved", "text": self.saved})

    def open(self, name: str, page: Page, number: int = 0) -> OpenPage:
        """Keep a page among those that are open, in the place of another one or as a new one."""
        number = number or self._next
        kept = {**asdict(page), "body": b64encode(page.body).decode("ascii"), "name": name}
        write_whole(self._page(number), [json.dumps(kept).encode("ascii")])
        self._write({"do": "open", "page": number})
        self.opened[number] = OpenPage(number, name, page)
        self._next = max(self._next, number + 1)
        return self.opened[number]

    def close(self, number: int) -> None:
        """Forget a page that is open."""
        if self.opened.pop(number, None) is not None:
            self._write({"do": "close", "page": number})
            self._page(number).unlink(missing_ok=True)

    def move_to(self, folder: Path) -> None:
        """Go on in another folder, with all that is in this one."""
        with system_errors(f"{folder} cannot be written", _ADVICE):
            folder.parent.mkdir(parents=True, exist_ok=True)
            self.folder.replace(folder)
        self.folder = folder
        self._file = folder / "journal.jsonl"

    def _page(self, number: int) -> Path:
        return self.folder / f"{number}.json"

    def _add(self, step: Step, new: Mapping[str, Any]) -> None:
        self._rules.update(new)
        self.steps[self.at + 1 :] = [step]
        self.at = len(self.steps) - 1

    def _write(self, line: Mapping[str, Any]) -> None:
        if self.closed:
            raise StoreError(f"{self.folder.stem} was closed; open it again").about(
                "project-closed", self.folder.stem
            )
        text = json.dumps(line, ensure_ascii=False).encode("utf-8", "surrogatepass")
        with system_errors(f"{self._file} cannot be written", _ADVICE):
            self.folder.mkdir(parents=True, exist_ok=True)
            with self._file.open("ab", buffering=0) as file:
                append_whole(file, text + b"\n")
                os.fsync(file.fileno())

    def _read(self) -> None:
        if not self._file.exists():
            return
        with system_errors(f"{self._file} cannot be read", "Check its rights"):
            whole = self._file.read_bytes()
        good = whole.rfind(b"\n") + 1
        for line in whole[:good].splitlines():
            with suppress(*_DAMAGED):
                self._follow(json.loads(line))
        if good < len(whole):
            with system_errors(f"{self._file} cannot be written", _ADVICE):
                os.truncate(self._file, good)
        # The last step before damaged ones, if there is any.
        for number in range(self.at, -1, -1):
            with suppress(CorpusError):
                self.project_at(number)
                self.at = number
                return
        self.steps.clear()
        self.at = -1

    def _follow(self, line: Mapping[str, Any]) -> None:
        match line["do"]:
            case "step":
                step = Step(tuple(map(str, line["label"])), dict(line["body"]), dict(line["rules"]))
                new = dict(line["new"])
                if not {*step.rules.values()} <= {*self._rules, *new}:
                    raise KeyError("a rule of a line that is damaged")
                self.at = self._near(line["at"])
                self._add(step, new)
            case "go":
                self.at = self._near(line["at"])
            case "saved":
                self.saved = str(line["text"])
            case "open":
                number = line["page"]
                self._next = max(self._next, number + 1)
                path = self._page(number)
                if path.exists():
                    kept = json.loads(path.read_bytes())
                    name = kept.pop("name")
                    kept["robots_tags"] = tuple(kept["robots_tags"])
                    page = Page(**{**kept, "body": b64decode(kept["body"])})
                    self.opened[number] = OpenPage(number, name, page)
            case "close":
                self.opened.pop(line["page"], None)

    def _near(self, at: int) -> int:
        """Return the number of a step, of the last one where lines before were damaged."""
        return min(max(at, 0), len(self.steps) - 1)


def hash_of(text: str) -> str:
    """Return a hash of a text."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
