"""Whatever a script does ends as an error with its place, and the next page goes on."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psutil
import pytest

from crawler.core.errors import ArgumentError
from crawler.core.page.page import Page
from crawler.core.wrapper.output import Node
from crawler.core.wrapper.tree import read_tree
from crawler.scripting import sandbox as sandbox_module
from crawler.scripting.calls import (
    Limits,
    ScriptCall,
    ScriptError,
    ScriptsNotInstalledError,
)
from crawler.scripting.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PAGE = read_tree(Page.from_text("https://blog.example/", "<p>One<p>Two"))
LIMITS = Limits(seconds=5, memory=32 * 1024 * 1024, output=1_000_000)
# By the clock as well: for scripts that end by nothing else.
SHORT = Limits(seconds=0.1, memory=LIMITS.memory, output=LIMITS.output)
FINE = "function main() { xtree.root.Add('text', htree.root.lastChild.value); }"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(LIMITS) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def short() -> Iterator[Sandbox]:
    with Sandbox(SHORT) as sandbox:
        yield sandbox


def pid_of(sandbox: Sandbox) -> int:
    assert sandbox.process is not None
    return sandbox.process.pid


def failure(sandbox: Sandbox, script: str) -> ScriptError:
    """Run a script that fails, and show that the next page goes on."""
    with pytest.raises(ScriptError) as caught:
        sandbox.run(script, PAGE, name="wrap.h2x")
    assert sandbox.run(FINE, PAGE).output.children == (Node("text", "One Two"),)
    return caught.value


@contextmanager
def once_at_work(
    number: int, send: Callable[[int, int], None], to: int, what: int
) -> Iterator[None]:
    """Send a signal as soon as the process of a sandbox is at work on what this block asks."""
    process = psutil.Process(number)

    def used() -> float:
        return sum(process.cpu_times()[:2])

    def watch(before: float) -> None:
        until = time.monotonic() + 50
        while used() - before < 0.05 and time.monotonic() < until:
            time.sleep(0.01)
        send(to, what)

    thread = threading.Thread(target=watch, args=(used(),))
    thread.start()
    try:
        yield
    finally:
        thread.join()


@pytest.mark.parametrize(
    ("script", "place", "message"),
    [
        ("function main() {\n  return 1 +\n  );\n}", (3, 3), "unexpected token"),
        ("function main() {\n  if (1) {", (2, 11), "unexpected token"),
        ("function main() {\n  let a; let a;\n}", (2, 15), "redefinition"),
        ("function main() {\r\n /* 가격 */ x..y;\r\n}", (2, 13), "expecting field name"),
        ("function main() {\r /* 😀 */ x..y;\r}", (2, 12), "expecting field name"),
    ],
)
def test_syntax_errors(sandbox: Sandbox, script: str, place: tuple[int, int], message: str) -> None:
    error = failure(sandbox, script)
    assert (error.reason, (error.line, error.column)) == ("syntax", place)
    assert message in error.detail
    assert str(error).startswith(f"wrap.h2x, line {place[0]}, column {place[1]}: SyntaxError: ")


@pytest.mark.parametrize(
    ("body", "detail", "has_place"),
    [
        ("throw new Error('no price');", "Error: no price", True),
        ("system.Debug('so far'); missing();", "ReferenceError: missing is not defined", True),
        ("[1].map((its) => its.a.b);", "TypeError: cannot read property 'b' of undefined", True),
        ("throw 'text';", "thrown: text", False),
        ("throw {get stack() { throw 1; }, toString() { throw 2; }};", "cannot be shown", False),
        ("Error.prepareStackTrace = () => 5; throw new Error('x');", "Error: x", False),
        ("throw Object.assign(Error('x'), { stack: '<input>:0:0' });", "Error: x", False),
        ("throw Object.assign(Error('x'), { stack: '<input>:1:4294967296' });", "Error: x", False),
        ("throw 'a\\x1b[2Jb';", "thrown: a\ufffd[2Jb", False),
    ],
)
def test_exceptions(sandbox: Sandbox, body: str, detail: str, *, has_place: bool) -> None:
    error = failure(sandbox, f"function main() {{\n  {body}\n}}")
    assert error.reason == "exception"
    assert detail in error.detail
    assert error.line == (2 if has_place else None)
    assert error.debug == (("so far",) if "so far" in body else ())


@pytest.mark.parametrize(
    "body",
    [
        "while (true);",
        "try { while (true); } finally { while (true); }",
        "/(a+)+$/.test('a'.repeat(60) + 'b');",
        "while (true) htree.root.value;",
        "new Proxy({}, { get() { while (true); } }).x;",
    ],
)
def test_loops_end_with_their_place(short: Sandbox, body: str) -> None:
    error = failure(short, f"function main() {{\n  {body}\n}}")
    assert error.reason == "time"
    assert "more than 0.1 s" in error.detail
    # The engine gives a loop the place of its function.
    assert error.line in {1, 2}


@pytest.mark.parametrize(
    "body",
    [
        "const n = 3n ** 100000n; while (true) n * n;",
        "const a = Array.from({ length: 2e5 }, (_, at) => '' + at); while (true) a.toSorted();",
        "const s = 'x'.repeat(1e6); while (true) s.replaceAll('x', 'yy');",
        "const s = 'x'.repeat(1e6); while (true) JSON.stringify(s);",
    ],
)
def test_loops_of_slow_built_ins_end(short: Sandbox, body: str) -> None:
    started = time.monotonic()
    error = failure(short, f"function main() {{ {body} }}")
    assert error.reason == "time"
    # Without an end they would be met by the test's own time limit.
    assert time.monotonic() - started < 60


@pytest.mark.parametrize(
    "body",
    [
        "const a = []; while (true) a.push({});",
        "const a = []; while (true) a.push(new ArrayBuffer(1e6));",
        "let s = 'x'; while (true) s += s;",
        "let s = 'x'; const a = []; while (true) a.push((s += a.length));",
        "new SharedArrayBuffer(1e9);",
        "'x'.repeat(2 ** 29);",
    ],
)
def test_memory_bombs(body: str) -> None:
    with Sandbox(Limits(seconds=5, memory=LIMITS.memory)) as sandbox:
        error = failure(sandbox, f"function main() {{ {body} }}")
    assert error.reason == "memory"
    assert "more than 32 MB" in error.detail


def test_deep_recursion(sandbox: Sandbox) -> None:
    error = failure(sandbox, "function f() {\n  f();\n}\nfunction main() { f(); }")
    assert (error.reason, error.line) == ("stack", 2)


@pytest.mark.parametrize(
    "add",
    [
        "xtree.root.Add('a', text);",
        "xtree.root.value = text;",
        "xtree.root.Add('a', xtree.root);",
        "system.Debug(text);",
        "htree.AddUrl(text);",
        "xtree.Save(text);",
        "try { xtree.root.Add('a', text); } catch { if (++caught > 9) return; }",
    ],
)
def test_output_without_end(add: str) -> None:
    script = "function main() { let caught = 0; const text = 'x'.repeat(1e5);\n"
    with Sandbox(Limits(seconds=5, output=LIMITS.output)) as sandbox:
        error = failure(sandbox, f"{script}  while (true) {add}\n}}")
    assert (error.reason, error.line) == ("output", 2)
    assert "more than 1000000 characters" in error.detail


@pytest.mark.parametrize(
    "script",
    [
        "async function main() { while (true) await 1; }",
        "function main() { Promise.resolve().then(() => { while (true); }); }",
        "function main() { queueMicrotask(() => {}); }",
        "function main() { import('os'); }",
        "function main() { return { then() {} }; }",
        "function* main() { yield 1; }",
    ],
)
def test_promises(sandbox: Sandbox, script: str) -> None:
    error = failure(sandbox, script)
    assert error.reason == "promise"
    assert "nothing runs after main has returned" in error.detail


@pytest.mark.parametrize("script", ["", "let x = 1;", "const main = 5;", "main"])
def test_no_main(sandbox: Sandbox, script: str) -> None:
    error = failure(sandbox, script)
    assert error.reason == ("exception" if script == "main" else "no-main")


@pytest.mark.parametrize(
    "body",
    [
        "Object.prototype.toJSON = () => { throw new Error('x'); };",
        "Object.prototype.toJSON = () => ({});",
        "Array.prototype.toJSON = () => 5;",
        "Array.prototype.map = () => ['x'];",
        "RegExp.prototype.exec = () => []; xtree.root.Add('no name', 1);",
    ],
)
def test_changed_built_ins(sandbox: Sandbox, body: str) -> None:
    assert failure(sandbox, f"function main() {{ {body} }}").reason == "answer"


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_worker_that_is_killed(sandbox: Sandbox) -> None:
    sandbox.run(FINE, PAGE)
    first = pid_of(sandbox)
    os.kill(first, signal.SIGKILL)
    # Killed between two pages, it is replaced; which of the two it is depends on the system's pace.
    for _ in range(2):
        try:
            result = sandbox.run(FINE, PAGE)
        except ScriptError as error:
            assert error.reason == "died"  # noqa: PT017 - either is right
    assert result.output.children[0].value == "One Two"
    assert pid_of(sandbox) != first


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_worker_that_is_killed_at_work() -> None:
    with Sandbox(Limits(seconds=60)) as sandbox:
        sandbox.run(FINE, PAGE)
        number = pid_of(sandbox)
        with once_at_work(number, os.kill, number, signal.SIGKILL):
            error = failure(sandbox, "function main() { while (true); }")
        assert error.reason == "died"
        assert "signal 9" in error.detail


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_worker_that_stands_still_is_killed_from_outside() -> None:
    with Sandbox(Limits(seconds=0.01)) as sandbox:
        sandbox.run(FINE, PAGE)
        number = pid_of(sandbox)
        os.kill(number, signal.SIGSTOP)
        assert failure(sandbox, FINE).reason == "time"
        assert not psutil.pid_exists(number)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupted_call_leaves_no_answer_to_the_next() -> None:
    with Sandbox(Limits(seconds=60)) as sandbox:
        sandbox.run(FINE, PAGE)
        number, main = pid_of(sandbox), threading.main_thread().ident
        assert main is not None
        with (
            pytest.raises(KeyboardInterrupt),
            once_at_work(number, signal.pthread_kill, main, signal.SIGINT),
        ):
            sandbox.run("function main() { while (true); }", PAGE)
        assert sandbox.run(FINE, PAGE).output.children[0].value == "One Two"


def test_one_process_serves_many_pages() -> None:
    with Sandbox(LIMITS) as sandbox:
        assert sandbox.process is None
        numbers: set[int] = set()
        for _ in range(5):
            sandbox.run(FINE, PAGE)
            failure(sandbox, "function main() { throw 1; }")
            numbers.add(pid_of(sandbox))
        assert len(numbers) == 1
    assert sandbox.process is None


def test_the_process_ends_with_its_sandbox() -> None:
    sandbox = Sandbox(LIMITS)
    sandbox.run(FINE, PAGE)
    number = pid_of(sandbox)
    del sandbox
    gc.collect()
    assert not psutil.pid_exists(number)


def test_threads_take_turns(sandbox: Sandbox) -> None:
    found: list[object] = []

    def work(text: str) -> None:
        script = f"function main() {{ xtree.root.Add('a', '{text}'); }}"
        found.extend(sandbox.run(script, PAGE).output.children[0].value == text for _ in range(9))

    threads = [threading.Thread(target=work, args=(text,)) for text in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 18


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_the_process_can_open_nothing(sandbox: Sandbox) -> None:
    sandbox.run(FINE, PAGE)
    with open(f"/proc/{pid_of(sandbox)}/limits", encoding="ascii") as file:  # noqa: PTH123 - no file
        limits = {line[:25].strip(): line[25:].split()[:2] for line in file}
    assert limits["Max open files"] == ["0", "0"]
    assert limits["Max file size"] == ["0", "0"]


def test_without_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_module, "_ENGINE", "_quickjs_that_is_not_there")
    with pytest.raises(ScriptsNotInstalledError, match=r"pip install 'scrapy-corpus\[scripts\]'"):
        Sandbox().run(FINE, PAGE)


@pytest.mark.parametrize(
    ("engine", "message"),
    [
        (
            "class Context:\n    def eval(self, text):\n        return 'undefined'\n",
            "pip uninstall quickjs quickjs-ng",
        ),
        ("raise ImportError('wrong machine')\n", r"\(wrong machine\); install it anew"),
        ("import os\nos._exit(3)\n", r"\(exit code 3\)"),
    ],
)
def test_with_another_engine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, engine: str, message: str
) -> None:
    (tmp_path / "_quickjs.py").write_text(engine, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "_quickjs", raising=False)
    with pytest.raises(ScriptsNotInstalledError, match=message):
        Sandbox().run(FINE, PAGE)


@pytest.mark.parametrize(
    "answer",
    [
        b"", b"[]", b"5", b"{}", b'{"reason": "odd"}', b'{"reason": []}', b"[" * 100_000, b"\xff",
        b'{"rows": [], "debug": [], "urls": [], "saves": []}',
        b'{"rows": [[1, "a", null, [], null, null]], "debug": [], "urls": [], "saves": []}',
        b'{"rows": [[0, "a", NaN, [], null, null]], "debug": [], "urls": [], "saves": []}',
        b'{"rows": [[0, "a", null, [], 7, null]], "debug": [], "urls": [], "saves": []}',
        b'{"reason": "exception", "name": "x", "message": "y", "place": [0, 1]}',
    ],
)  # fmt: skip
def test_answers_are_read_without_trust(answer: bytes) -> None:
    with pytest.raises(ScriptError) as caught:
        ScriptCall("script", "", PAGE, Node("output"), LIMITS).read(answer)
    assert caught.value.reason == "answer"


def test_an_answer_that_is_too_long() -> None:
    error = ScriptCall("script", "", PAGE, Node("output"), LIMITS).error("output")
    assert error.reason == "output"
    assert "more than 1000000 characters" in error.detail


@pytest.mark.parametrize(
    "limits", [{"seconds": 0}, {"seconds": float("nan")}, {"memory": 5}, {"output": 0}]
)
def test_limits_that_leave_no_room(limits: dict[str, int]) -> None:
    with pytest.raises(ArgumentError, match="give"):
        Limits(**limits)


def test_a_script_that_is_no_text(sandbox: Sandbox) -> None:
    with pytest.raises(ArgumentError, match="save it as UTF-8"):
        sandbox.run("\ud800", PAGE)
