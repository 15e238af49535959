"""One project in the studio: its history, the pages that are open, and what it does on them.

All windows of a browser share it. Each change has a number, the revision, by which a window sees
that another one has changed something.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, replace
from pathlib import Path
from threading import RLock
from typing import Any

from crawler.core.errors import ArgumentError, CorpusError
from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.wrapper.editing import script_of
from crawler.core.wrapper.example_nodes import columns_of
from crawler.core.wrapper.output import SCRIPT_FAILED, Problem, apply_project
from crawler.core.wrapper.project import GROUP, Element, Project, new_project
from crawler.core.wrapper.project_file import read_project, write_project
from crawler.core.wrapper.tree import ELEMENT
from crawler.core.wrapper.view import View
from crawler.scripting.calls import ScriptsNotInstalledError
from crawler.store.files import lock_beside, write_whole
from crawler.studio.jobs import Job
from crawler.studio.journal import Journal, hash_of
from crawler.studio.pages import OpenPage, inside
from crawler.studio.preview import preview_of
from crawler.wrapper.project_store import check_name, read_text
from crawler.wrapper.running import ProjectRunner, Wrapped

Answer = dict[str, Any]
_SHOWN = 200
# A project takes more than a blink on a page of more nodes.
_LARGE = 10_000
MOST_ELEMENTS = 250_000
"""The most elements of a page that is shown."""


class Workspace:
    """A project that is worked on.

    Args:
        folder: the working folder: nothing outside of it is read or written.
        path: the project file in it, which need not be there yet.

    Raises:
        StoreError: another studio works on this project.
        UnreadableInputError: the project file is not valid.
    """

    def __init__(self, folder: Path, path: Path) -> None:
        check_name(path)
        self.folder = folder.resolve()
        self.path = inside(self.folder, str(path))
        self.lock = RLock()
        # A studio that is started again goes on from a higher number: windows take no older answer.
        self.revision = int(time.time())
        for kept in (self.beside, self.beside.with_suffix(".studio.lock"), *self.beside.glob("*")):
            inside(self.folder, str(kept))  # links must not lead out of the folder
        self._held = lock_beside(self.beside, "another studio; use its window")
        self.journal = Journal(self.beside)
        self._hashed: tuple[Project | None, str] = (None, "")
        self._runner: ProjectRunner | None = None
        self.jobs: dict[str, Job] = {}
        self._begin()

    @property
    def beside(self) -> Path:
        """The folder of the journal, beside the project file."""
        return self.path.with_suffix(".studio")

    @property
    def file(self) -> str:
        """The name of the project file in the working folder."""
        return self.path.relative_to(self.folder).as_posix()

    def _begin(self) -> None:
        """Take the project file as it is now, and the steps that were not saved."""
        journal = self.journal
        text = read_text(self.path) if self.path.exists() else ""
        if text and hash_of(text) != journal.saved:
            journal.add(("step.file", self.path.name), read_project(text, self.path.name))
            journal.note_saved(text)
        if not journal.steps:
            journal.add(("step.new",), new_project(Element("page", GROUP)))
        for number, opened in tuple(journal.opened.items()):
            try:
                opened.described()
            except CorpusError:  # its file is damaged
                del journal.opened[number]

    def close(self) -> None:
        """End what runs for this project, and let another studio work on it."""
        self.halt()
        with self.lock:
            if self._runner is not None:
                self._runner.close()
            self._held.release()

    def halt(self) -> None:
        """End what runs for this project at once, without waiting for other threads."""
        self.journal.closed = True
        for job in tuple(self.jobs.values()):
            job.stop()
        if self._runner is not None:
            self._runner.halt()

    def another(self, file: str) -> Workspace:
        """Return the workspace of another project, and close this one.

        Raises:
            CorpusError: it cannot be worked on; this one stays open then.
        """
        if inside(self.folder, file) == self.path:
            return self
        with self.lock:
            other = Workspace(self.folder, Path(file))
            other.revision = self.revision + 1
            self.close()
            return other

    # What is shown.

    @property
    def project(self) -> Project:
        """The project as it is now."""
        return self.journal.project

    def page(self, number: int) -> OpenPage:
        """Return an open page.

        Raises:
            ArgumentError: there is none of that number.
        """
        opened = self.journal.opened.get(number)
        if opened is None:
            raise ArgumentError(f"page {number} is not open any more; open it again").about(
                "page-closed", number
            )
        return opened

    def state(self) -> Answer:
        """Return all that is shown of the project itself."""
        with self.lock:
            journal, project = self.journal, self.project
            at, steps = journal.at, journal.steps
            if self._hashed[0] is not project:
                # Of a list of thousands of records the text is long.
                self._hashed = project, hash_of(write_project(project))
            return {
                "revision": self.revision,
                "folder": str(self.folder),
                "file": self.file,
                "saved": journal.saved == self._hashed[1],
                "undo": steps[at].label if at > 0 else None,
                "redo": steps[at + 1].label if at + 1 < len(steps) else None,
                "pages": [its.described() for its in journal.opened.values()],
                "schema": asdict(project.schema),
                "examples": self._examples(),
                "actions": self._actions(),
                "matcher": project.matcher,
                "confidence": project.confidence,
            }

    def _actions(self) -> list[Answer]:
        """Return the actions as project files have them, each with its JavaScript."""
        project = self.project
        written = json.loads(write_project(replace(project, rules={})))["actions"]
        return [
            {**its, "code": script_of(action)}
            for its, action in zip(written, project.actions, strict=True)
        ]

    def _examples(self) -> dict[str, list[Answer]]:
        by_print = {its.tree.fingerprint: its.number for its in self.journal.opened.values()}
        return {
            path: [
                {
                    "page": by_print.get(example.page),
                    "address": example.address,
                    "record": example.record,
                    "values": [its.value[:_SHOWN] for its in example.values],
                    "wrong": len(example.wrong),
                }
                for example in rule.examples
            ]
            for path, rule in self.project.rules.items()
        }

    def preview(self, number: int) -> Answer:
        """Return what the project does on an open page."""
        with self.lock:
            project, page = self.project, self.page(number)
            if page.preview is None or page.preview[0] is not project:
                page.preview = project, preview_of(self._run(page), page.tree)
            return page.preview[1]

    def _run(self, page: OpenPage) -> Wrapped:
        """Run the project on a page, as ``scrapy wrap`` does."""
        project = self.project
        try:
            if self._runner is None:
                self._runner = ProjectRunner(project, self.path.name)
            # The process that runs scripts goes on from one state of the project to the next.
            self._runner.project, self._runner.name = project, self.path.name
            return self._runner.run(page.tree, (page.name, ""), memory=page.memory)
        except ScriptsNotInstalledError as error:
            result = apply_project(project, page.tree, memory=page.memory)
            flaw = Problem("", SCRIPT_FAILED, str(error))
            return Wrapped(replace(result, problems=(*result.problems, flaw)))

    def shown(self, number: int, known: str, *, soon: bool = False) -> Answer:
        """Return the state, and the preview of an open page if its hash is not the known one.

        Where it has to be ``soon``, the preview of a large page is left to another call.
        """
        with self.lock:
            answer: Answer = {"state": self.state()}
            if number not in self.journal.opened:
                return answer
            page = self.page(number)
            is_new = page.preview is None or page.preview[0] is not self.project
            if soon and is_new and len(page.tree) > _LARGE:
                answer["later"] = True
            else:
                preview = self.preview(number)
                if preview["hash"] != known:
                    answer["preview"] = {"page": number, **preview}
            return answer

    def begin(self, view: str, job: Job) -> Answer:
        """Take a job as that of a view; the one before it is stopped. Return how far it is."""
        if view in self.jobs:
            self.jobs[view].stop()
        self.jobs[view] = job
        return {"reading": job.progress(-1)}

    def prepare(self, number: int) -> None:
        """Compute what a rule that is learned on an open page needs, while a person decides."""
        with self.lock:
            if number in self.journal.opened:
                view = View.of(self.page(number).tree)
                for kind in (ELEMENT, "@href"):
                    columns_of(view, kind)

    # What changes it.

    def open(self, name: str, page: Page) -> int:
        """Open a page under a name; return its number.

        Raises:
            UnreadablePageError: it is none.
            ArgumentError: it is too large to be shown.
        """
        # What cannot be read or shown is refused before it is kept.
        if sum(1 for root in parse(page).roots for _ in root.iter()) > MOST_ELEMENTS:
            raise ArgumentError(
                f"{name} has more than {MOST_ELEMENTS:,} elements, which no browser shows; make "
                "its wrapper on a smaller page, and run it on this one"
            ).about("many-elements", name, MOST_ELEMENTS)
        with self.lock:
            return self.journal.open(name, page).number

    def write(self, text: str) -> None:
        """Write the project file.

        Raises:
            CorpusError: it cannot be written, or another program has changed it.
        """
        if self.path.exists() and hash_of(read_text(self.path)) != self.journal.saved:
            raise ArgumentError(
                f"another program has changed {self.path.name}; save under another name, or start "
                "the studio again, which takes that change as a step that can be undone"
            ).about("file-changed", self.path.name)
        write_whole(self.path, [text.encode("utf-8")])

    def write_as(self, path: Path, text: str) -> None:
        """Write another project file, and go on under its name, with the journal.

        Raises:
            CorpusError: there is such a file, it is no name of one, or it cannot be written.
        """
        check_name(path)
        beside = path.with_suffix(".studio")
        if path.exists() or beside.exists():
            raise ArgumentError(f"{path.name} is there already; choose another name").about(
                "file-there", path.name
            )
        held = lock_beside(beside, "another studio")
        try:
            write_whole(path, [text.encode("utf-8")])
            self.journal.move_to(beside)
        except CorpusError:
            held.release()
            raise
        self._held.release()
        self._held, self.path = held, path
