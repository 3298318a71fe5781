"""The list of all ways in, docs/review-list.md: each start of a program, environment variable, file and path is on it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from source_parts import PARTS

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "review-list.md"
RAW_START = re.compile(
    r"subprocess\.(?:Popen|run|call|check_\w+|get\w+)|(?:asyncio\.|loop\.)?create_subprocess_\w+|subprocess_exec"
    r"|os\.(?:exec\w*|fork\w*|spawn\w*|posix_spawn\w*|system|popen|startfile)|pty\.\w+"
    r"|(?:[\w.]+\.)?ProcessPoolExecutor|(?:[\w.]+\.)?get_context|multiprocessing\.(?:Process|Pool)|webbrowser\.\w+"
)
"""Calls that start a process by themselves."""
START = re.compile(
    rf"{RAW_START.pattern}|ChildProcess|run_child|run_linter|(?:git_command\.)?GitCommand|_\w*Git"
)
ENVIRONMENT = re.compile(r"os\.(?:environb?|getenvb?)")
READ = re.compile(
    r"(?:io\.|os\.)?open|(?:tomllib|json|configparser)\.load|sqlite3\.connect|.*\.read_(?:text|bytes)|read_bounded_file"
)
WAY = re.compile(r"(?:uris\.)?uri_to_path|os\.fsdecode|Path\.cwd|os\.getcwdb?")
RAW_STARTS = {
    "programs/process_guard.py": "the guard of the one way, a shell with a fixed program",
    "evals/replay/parallel.py": "copies of an evaluation",
    "lab/process_pool.py": "copies of a training",
}
"""Modules that may start processes by themselves, and why."""


def short_name(path: Path) -> str:
    """Return a module's path without the name of its package: `lsp/server.py`."""
    part, _, *rest = path.relative_to(ROOT).parts
    return "/".join((part, *rest))


def kinds_in(tree: ast.AST) -> Iterator[str]:
    """Yield the headings under which a module belongs."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ENVIRONMENT.fullmatch(ast.unparse(node)):
            yield "Environment variables"
        if not isinstance(node, ast.Call):
            if isinstance(node, ast.ClassDef) and any(
                "subprocess.Popen" in ast.unparse(b) for b in node.bases
            ):
                yield "Starts of programs"
            continue
        called = ast.unparse(node.func)
        if START.fullmatch(called):
            yield "Starts of programs"
        if READ.fullmatch(called) or (called.endswith(".open") and opens_file(node)):
            yield "Files that are read"
        if WAY.fullmatch(called) or any(
            word.arg == "type" and ast.unparse(word.value) == "Path" for word in node.keywords
        ):
            yield "Paths from outside"


def opens_file(call: ast.Call) -> bool:
    """Return whether a call of a method `open` opens a file: its first argument is a mode."""
    mode = call.args[0] if call.args else None
    return isinstance(mode, ast.Constant) and re.fullmatch(r"[rwabxt+]+", str(mode.value)) is not None


@cache
def sources() -> dict[str, str]:
    """Return the text of each module of all packages."""
    return {
        short_name(path): path.read_text("utf-8") for part in PARTS for path in (ROOT / part).rglob("*.py")
    }


@cache
def found() -> dict[str, set[str]]:
    """Return the modules of all packages that belong under each heading."""
    modules: dict[str, set[str]] = {}
    for module, text in sources().items():
        for kind in set(kinds_in(ast.parse(text))):
            modules.setdefault(kind, set()).add(module)
    return modules


def rows(kind: str) -> list[list[str]]:
    """Return the cells of the table under a heading."""
    text = PAGE.read_text("utf-8").partition(f"\n## {kind}\n")[2].partition("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def is_listed(module: str, listed: set[str]) -> bool:
    """Return whether a module is on the list, or a folder that it is in."""
    return module in listed or any(name.endswith("/") and module.startswith(name) for name in listed)


KINDS = ["Starts of programs", "Environment variables", "Files that are read", "Paths from outside"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_all_modules_are_on_the_list(kind: str) -> None:
    listed = {name for row in rows(kind) for name in re.findall(r"`([^`]+)`", row[0])}
    there = found()[kind]
    assert not {module for module in there if not is_listed(module, listed)}, "review them, and add them"
    gone = {n for n in listed if not any(m == n or (n.endswith("/") and m.startswith(n)) for m in there)}
    assert not gone, "nothing of the kind is there any more"


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_each_row_says_who_controls_it_and_what_guards_it(kind: str) -> None:
    code = "\n".join(sources().values())
    for row in rows(kind):
        assert len(row) == 4 and all(row), row
        for name in re.findall(r"`(\w+)`", row[3]):
            assert re.search(rf"\b(?:def|class) {name}\b|^{name}\b", code, re.MULTILINE), (row[0], name)


def raw_starts(tree: ast.AST) -> list[int]:
    """Return the lines where a module starts a process by itself."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return [node.lineno for node in calls if RAW_START.fullmatch(ast.unparse(node.func))]


@pytest.mark.slow
def test_there_is_one_way_to_start_a_program() -> None:
    starting = {module for module, text in sources().items() if raw_starts(ast.parse(text))}
    assert starting == RAW_STARTS.keys()


@pytest.mark.parametrize(
    "text",
    [
        'subprocess.run(["x"])',
        'subprocess.Popen(["x"])',
        "await asyncio.create_subprocess_exec(x)",
        "os.execv(x, y)",
        "os.posix_spawn(x, y, z)",
        "concurrent.futures.ProcessPoolExecutor(2)",
        "multiprocessing.Process(target=f)",
        'multiprocessing.get_context("spawn")',
        "pty.spawn(x)",
        "webbrowser.open(url)",
    ],
)
def test_other_starts_are_found(text: str) -> None:
    assert raw_starts(ast.parse(f"async def start():\n    {text}\n"))
