"""One project in the studio: its history, the pages that are open, and what it does on them.

All windows of a browser share it. Each change has a number, the revision, by which a window sees
that another one has changed something.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from threading import RLock
from typing import Any

from crawler.core.errors import ArgumentError, UnreadablePageError
from crawler.core.page.page import Page
from crawler.core.wrapper.candidates import candidates
from crawler.core.wrapper.editing import script_of
from crawler.core.wrapper.output import SCRIPT_FAILED, Problem, apply_project
from crawler.core.wrapper.project import GROUP, Element, Project, new_project
from crawler.core.wrapper.project_file import EXTENSION, read_project, write_project
from crawler.core.wrapper.view import View
from crawler.discovery.addresses import check_address
from crawler.scripting.calls import ScriptsNotInstalledError
from crawler.store.files import lock_beside, write_whole
from crawler.studio.edits import EDITS, record_around
from crawler.studio.fetching import fetch
from crawler.studio.journal import Journal, Label, hash_of
from crawler.studio.messages import Message
from crawler.studio.pages import OpenPage, inside, is_remote, list_folder, pages_of
from crawler.studio.preview import preview_of
from crawler.studio.propose import propose
from crawler.studio.runs import Run, command_lines
from crawler.wrapper.project_store import check_name, keep_page, read_text
from crawler.wrapper.running import ProjectRunner, Wrapped

Answer = dict[str, Any]
_SHOWN = 200


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
        self.revision = 1
        self._held = lock_beside(self._beside, "another studio; use its window")
        self._journal = Journal(self._beside)
        self._pages: dict[int, OpenPage] = {}
        self._previews: dict[int, tuple[Project, Answer]] = {}
        self._runner: ProjectRunner | None = None
        self.runs: Run | None = None
        self._begin()

    @property
    def _beside(self) -> Path:
        return self.path.with_suffix(".studio")

    def _begin(self) -> None:
        """Take the project file as it is now, and the steps that were not saved."""
        journal = self._journal
        text = read_text(self.path) if self.path.exists() else ""
        if text and hash_of(text) != journal.saved:
            journal.add(("step.file", self.path.name), read_project(text, self.path.name))
            journal.note_saved(text)
        if not journal.steps:
            journal.add(("step.new",), new_project(Element("page", GROUP)))

    def close(self) -> None:
        """End what runs for this project, and let another studio work on it."""
        with self.lock:
            if self._runner is not None:
                self._runner.close()
            if self.runs is not None:
                self.runs.stop()
            self._held.release()

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
        return self._journal.project

    def page(self, number: int) -> OpenPage:
        """Return an open page.

        Raises:
            ArgumentError: there is none of that number.
        """
        opened = self._journal.opened.get(number)
        if opened is None:
            raise ArgumentError(f"page {number} is not open any more; open it again")
        if number not in self._pages:
            self._pages[number] = OpenPage(number, opened.name, opened.page)
        return self._pages[number]

    def state(self) -> Answer:
        """Return all that is shown of the project itself."""
        with self.lock:
            journal, project = self._journal, self.project
            at, steps = journal.at, journal.steps
            return {
                "revision": self.revision,
                "folder": str(self.folder),
                "file": self.path.relative_to(self.folder).as_posix(),
                "saved": journal.saved == hash_of(write_project(project)),
                "undo": steps[at].label if at > 0 else None,
                "redo": steps[at + 1].label if at + 1 < len(steps) else None,
                "pages": [self.page(number).described() for number in journal.opened],
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
        by_print = {}
        for number in self._journal.opened:
            by_print[self.page(number).tree.fingerprint] = number
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
            project, known = self.project, self._previews.get(number)
            if known is None or known[0] is not project:
                page = self.page(number)
                known = project, preview_of(self._run(page), page.tree)
                self._previews[number] = known
            return known[1]

    def _run(self, page: OpenPage) -> Wrapped:
        """Run the project on a page, as ``scrapy wrap`` does."""
        project = self.project
        try:
            if self._runner is None:
                self._runner = ProjectRunner(project, self.path.name)
            # The process that runs scripts goes on from one state of the project to the next.
            self._runner.project, self._runner.name = project, self.path.name
            return self._runner.run(page.tree, (page.name, ""))
        except ScriptsNotInstalledError as error:
            result = apply_project(project, page.tree)
            flaw = Problem("", SCRIPT_FAILED, str(error))
            return Wrapped(replace(result, problems=(*result.problems, flaw)))

    # What is done.

    def do(self, message: Message) -> Answer:
        """Do an operation, and return the state after it, with the preview of the page it names.

        Raises:
            CorpusError: it cannot be done; nothing has changed then.
        """
        name = message.text("op")
        with self.lock:
            if name in EDITS:
                project, label = EDITS[name](self.project, message, self.page)
                self._step(label, project)
                answer: Answer = {}
            elif name in _OPERATIONS:
                answer = _OPERATIONS[name](self, message)
                if name in _QUESTIONS:
                    return answer
            else:
                raise ArgumentError(f"there is no operation '{name}'")
            return {**answer, **self.shown(message)}

    def shown(self, message: Message) -> Answer:
        """Return the state, and the preview of the page that a message names, if it is new."""
        answer: Answer = {"state": self.state()}
        number = message.number("page", 0)
        if number in self._journal.opened:
            preview = self.preview(number)
            if preview["hash"] != message.text("known", ""):
                answer["preview"] = {"page": number, **preview}
        return answer

    def _step(self, label: Label, project: Project) -> None:
        self._journal.add(label, project)
        self.revision += 1

    def undo(self, _: Message) -> Answer:
        """Go one step back."""
        self._journal.go(self._journal.at - 1)
        self.revision += 1
        return {}

    def redo(self, _: Message) -> Answer:
        """Go one step forward again."""
        self._journal.go(self._journal.at + 1)
        self.revision += 1
        return {}

    def open_page(self, message: Message) -> Answer:
        """Open a saved page, an address, or one page of an archive, a list or a folder.

        Where there are several, the answer lists them, and nothing is opened yet.
        """
        name, url = message.text("name").strip(), message.text("url", "").strip() or None
        if not name:
            raise ArgumentError("name a saved page, an address, or an archive")
        if is_remote(name):
            return self._open(name, fetch(name))
        found = pages_of(self.folder, name, url)
        at = message.number("at", -1)
        if len(found) == 1 or 0 <= at < len(found):
            return self._open(*found[max(at, 0)])
        if not found:
            raise ArgumentError(f"{name} has no page that can be read")
        return {"choices": [{"at": at, "url": page.url} for at, (_, page) in enumerate(found)]}

    def _open(self, name: str, page: Page) -> Answer:
        OpenPage(0, name, page).described()  # an unreadable page is refused before it is kept
        opened = self._journal.open(name, page)
        self.revision += 1
        return {"opened": opened.number}

    def open_all(self, names: tuple[str, ...]) -> list[str]:
        """Open the pages that a call of the command names; return what could not be opened."""
        flaws = []
        known = {opened.name for opened in self._journal.opened.values()}
        for name in names:
            try:
                if name not in known:
                    answer = self.open_page(Message({"name": name, "at": 0}))
                    assert "opened" in answer  # noqa: S101 - one page was asked for
            except (ArgumentError, UnreadablePageError) as error:
                flaws.append(str(error))
        return flaws

    def set_address(self, message: Message) -> Answer:
        """Give a page the address that it has, by which its links become absolute."""
        number, url = message.number("page"), message.text("url").strip()
        check_address(url)
        opened = self.page(number)
        self._journal.open(opened.name, replace(opened.page, url=url), number)
        self._pages.pop(number)
        self._previews.pop(number, None)
        self.revision += 1
        return {}

    def close_page(self, message: Message) -> Answer:
        """Close a page; what was learned from it stays."""
        number = message.number("page")
        self._journal.close(number)
        self._pages.pop(number, None)
        self._previews.pop(number, None)
        self.revision += 1
        return {}

    def save(self, message: Message) -> Answer:
        """Write the project file, and keep the pages that it was taught beside it."""
        name = message.text("file", "").strip()
        if name:
            self._go_to(
                inside(self.folder, name if name.endswith(EXTENSION) else name + EXTENSION),
                over=message.flag("over"),
            )
        text = write_project(self.project)
        write_whole(self.path, [text.encode("utf-8")])
        taught = {its.page for rule in self.project.rules.values() for its in rule.examples}
        for number in self._journal.opened:
            page = self.page(number)
            if page.tree.fingerprint in taught:
                keep_page(self.path, page.page)
        self._journal.note_saved(text)
        self.revision += 1
        return {"saved": True}

    def _go_to(self, path: Path, *, over: bool) -> None:
        if path == self.path:
            return
        check_name(path)
        beside = path.with_suffix(".studio")
        if (path.exists() or beside.exists()) and not over:
            raise ArgumentError(f"{path.name} is there already; choose another name")
        held = lock_beside(beside, "another studio")
        self._journal.move_to(beside)
        self._held.release()
        self._held, self.path = held, path

    def run(self, message: Message) -> Answer:
        """Run the project over pages in the background; a run before it is stopped."""
        if self.runs is not None:
            self.runs.stop()
        names, args = message.texts("names"), message.texts("args")
        file = self.path.relative_to(self.folder).as_posix()
        self.runs = Run(self.project, file, self.folder, names, args)
        return {"run": self.runs.progress(0)}

    def stop(self, _: Message) -> Answer:
        """Stop the run."""
        if self.runs is not None:
            self.runs.stop()
        return {}

    def commands(self, message: Message) -> Answer:
        """Return the command lines that do what a run does."""
        file = self.path.relative_to(self.folder).as_posix()
        names, args = message.texts("names"), message.texts("args")
        return {"commands": command_lines(file, names, args, message.text("form", "csv"))}

    def history(self, _: Message) -> Answer:
        """Return all steps, the oldest first."""
        return {"history": [step.label for step in self._journal.steps], "at": self._journal.at}

    def go(self, message: Message) -> Answer:
        """Go to a step of the history."""
        self._journal.go(message.number("at"))
        self.revision += 1
        return {}

    def propose(self, message: Message) -> Answer:
        """Propose the list that one or two clicks mean; null where there is none."""
        page = self.page(message.number("of"))
        clicked = [page.check(node) for node in message.numbers("nodes")]
        found = propose(page.tree, clicked, message.number("at", 0)) if clicked else None
        return {"proposal": found and asdict(found)}

    def near(self, message: Message) -> Answer:
        """Return the nodes that the rule of an element would take next, the surest first."""
        path, page = message.text("path"), self.page(message.number("of"))
        rule = self.project.field_rule(path)
        view = View(
            page.tree, record_around(self.project, path, page.tree, message.number("node", -1))
        )
        taken = {match.node for match in rule.matches(view)}
        return {
            "near": [
                {
                    "node": its.node,
                    "kind": its.kind,
                    "value": its.value[:_SHOWN],
                    "confidence": round(its.confidence, 3),
                    "taken": its.node in taken,
                }
                for its in candidates(rule, view)
            ]
        }

    def folder_list(self, message: Message) -> Answer:
        """List what the studio can open in a folder."""
        return {"entries": list_folder(self.folder, message.text("name", ""))}


_OPERATIONS: Mapping[str, Callable[[Workspace, Message], Answer]] = {
    "undo": Workspace.undo,
    "redo": Workspace.redo,
    "go": Workspace.go,
    "history": Workspace.history,
    "open": Workspace.open_page,
    "address": Workspace.set_address,
    "close": Workspace.close_page,
    "run": Workspace.run,
    "save": Workspace.save,
    "stop": Workspace.stop,
    "list": Workspace.folder_list,
    "commands": Workspace.commands,
    "near": Workspace.near,
    "propose": Workspace.propose,
}
"""The operations that change no project, by their names."""

_QUESTIONS = frozenset(("commands", "history", "list", "near", "propose", "run", "stop"))
"""Of these, the ones that change nothing."""
