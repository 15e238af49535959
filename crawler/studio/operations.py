"""What the window asks the server to do: operations by their names, each of a message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import asdict, replace
from typing import Any, Final

from crawler.core.errors import ArgumentError
from crawler.core.wording import without_secrets
from crawler.core.wrapper.project_file import EXTENSION, write_project
from crawler.core.wrapper.proposals import propose
from crawler.core.wrapper.view import View
from crawler.discovery.addresses import check_address
from crawler.store.sources import is_address
from crawler.studio.edits import EDITS, record_around, with_shape
from crawler.studio.fetching import fetch
from crawler.studio.history import start_history
from crawler.studio.messages import Message
from crawler.studio.pages import addresses_in, inside, list_folder, page_at
from crawler.studio.runs import Run, command_lines
from crawler.studio.site import start_site
from crawler.studio.workspace import Workspace
from crawler.wrapper.project_store import drop_unused_pages, keep_page, load_project, load_schema

Answer = dict[str, Any]
_SHOWN: Final = 200


def perform(workspace: Workspace, message: Message) -> Answer:
    """Do an operation, and return the state after it, with the preview of the page it names.

    Raises:
        CorpusError: it cannot be done; nothing has changed then.
    """
    name = message.part("op", str)
    page, known = message.part("page", int, 0), message.part("known", str, "")
    work = {**QUESTIONS, **CHANGES}.get(name)
    if work is None and name not in EDITS:
        raise ArgumentError(f"there is no operation '{name}'")
    # A page that is fetched takes long.
    with nullcontext() if name == "open" else workspace.lock:
        if work is None:
            project, label = EDITS[name](workspace.project, message, workspace.page)
            workspace.journal.add(label, project)
        answer = work and work(workspace, message)
    if name in QUESTIONS:
        return answer or {}
    with workspace.lock:
        workspace.revision += 1
        return {**(answer or {}), **workspace.shown(page, known, soon=True)}


def open_all(workspace: Workspace, names: tuple[str, ...]) -> None:
    """Open the pages that a call of the command names, but those that are open.

    Raises:
        CorpusError: one of them is not there, or is no page.
    """
    known = {opened.name for opened in workspace.journal.opened.values()}
    for name in names:
        if without_secrets(name) not in known:
            open_page(workspace, Message({"name": name, "at": 0}))


def set_shape(workspace: Workspace, message: Message) -> None:
    """Give the output the shape that a file has: a document type, a model, a project."""
    path = inside(workspace.folder, message.part("file", str))
    shaped = with_shape(workspace.project, load_schema(path))
    workspace.journal.add(("step.shape", path.name), shaped)


def open_page(workspace: Workspace, message: Message) -> Answer:
    """Open a saved page, an address, or one page of an archive, a list or a folder.

    Where there are several, the answer lists them, and nothing is opened yet.
    """
    name, url = message.part("name", str).strip(), message.part("url", str, "").strip() or None
    if not name:
        raise ArgumentError("name a saved page, an address, or an archive").about("no-name")
    if is_address(name):
        # The lock is not held: it takes long.
        return {"opened": workspace.open(without_secrets(name), fetch(name))}
    at = message.part("at", int, -1)
    if at < 0 and url is None:
        found = addresses_in(workspace.folder, name)
        if len(found) > 1:
            return {"choices": [{"at": at, "url": url} for at, url in enumerate(found)]}
    page = page_at(workspace.folder, name, max(at, 0), url)
    return {"opened": workspace.open(name, page)}


def set_address(workspace: Workspace, message: Message) -> None:
    """Give a page the address that it has, by which its links become absolute."""
    number, url = message.part("page", int), message.part("url", str).strip()
    check_address(url)
    opened = workspace.page(number)
    workspace.journal.open(opened.name, replace(opened.page, url=url), number)


def save(workspace: Workspace, message: Message) -> Answer:
    """Write the project file, and keep the pages that it was taught beside it."""
    name, path = message.part("file", str, "").strip(), workspace.path
    text = write_project(workspace.project)
    if name:
        path = inside(workspace.folder, name if name.endswith(EXTENSION) else name + EXTENSION)
    if path == workspace.path:
        workspace.write(text)
    else:
        workspace.write_as(path, text)
    workspace.journal.note_saved(text)
    for page in workspace.journal.opened.values():
        if page.tree.fingerprint in workspace.project.taught_by:
            keep_page(workspace.path, page.page)
    return {"saved": True}


def drop_pages(workspace: Workspace, _: Message) -> Answer:
    """Drop the pages kept beside the project that taught it nothing, now or as it was saved."""
    taught = workspace.project.taught_by
    if workspace.path.exists():
        taught |= load_project(workspace.path).taught_by
    dropped, left = drop_unused_pages(workspace.path, taught)
    return {"dropped": dropped, "left": left}


def run(workspace: Workspace, message: Message) -> Answer:
    """Run the project over pages in the background; a run before it is stopped."""
    names, args = message.all("names", str), message.all("args", str)
    project, folder = workspace.project, workspace.folder
    return workspace.begin("run", Run(project, workspace.file, folder, names, args))


def stop(workspace: Workspace, message: Message) -> None:
    """Stop the job of a view."""
    if job := workspace.jobs.get(message.part("view", str)):
        job.stop()


def commands(workspace: Workspace, message: Message) -> Answer:
    """Return the command lines that do what a run does."""
    names, args = message.all("names", str), message.all("args", str)
    return {
        "commands": command_lines(workspace.file, names, args, message.part("form", str, "csv"))
    }


def history(workspace: Workspace, _: Message) -> Answer:
    """Return all steps, the oldest first."""
    return {"history": [step.label for step in workspace.journal.steps], "at": workspace.journal.at}


def proposal(workspace: Workspace, message: Message) -> Answer:
    """Propose the list that one or two clicks mean; null where there is none."""
    page = workspace.page(message.part("of", int))
    clicked = [page.check(node) for node in message.all("nodes", int)]
    found = propose(page.tree, clicked, message.part("at", int, 0)) if clicked else None
    return {"proposal": found and asdict(found)}


def near(workspace: Workspace, message: Message) -> Answer:
    """Return the nodes that the rule of an element would take next, the surest first."""
    path, page = message.part("path", str), workspace.page(message.part("of", int))
    rule = workspace.project.field_rule(path)
    view = View(
        page.tree, record_around(workspace.project, path, page, message.part("node", int, -1))
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
            for its in rule.candidates(view)
        ]
    }


def folder_list(workspace: Workspace, message: Message) -> Answer:
    """List what the studio can open in a folder."""
    return {"entries": list_folder(workspace.folder, message.part("name", str, ""))}


Operation = Callable[[Workspace, Message], Answer | None]

CHANGES: Final[Mapping[str, Operation]] = {
    "address": set_address,
    "close": lambda workspace, message: workspace.journal.close(message.part("page", int)),
    "go": lambda workspace, message: workspace.journal.go(message.part("at", int)),
    "open": open_page,
    "redo": lambda workspace, _: workspace.journal.go(workspace.journal.at + 1),
    "save": save,
    "shape": set_shape,
    "undo": lambda workspace, _: workspace.journal.go(workspace.journal.at - 1),
}
"""The operations that change what the window shows, beside those on the project."""

QUESTIONS: Final[Mapping[str, Operation]] = {
    "commands": commands,
    "drop_pages": drop_pages,
    "history": history,
    "list": folder_list,
    "near": near,
    "propose": proposal,
    "read_history": start_history,
    "read_site": start_site,
    "run": run,
    "stop": stop,
}
"""The operations that change nothing of it."""
