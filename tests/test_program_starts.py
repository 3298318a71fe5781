"""How our code starts other programs: git in one module only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PARTS = ("cli", "lsp", "serving", "inference", "retrieval", "prompts", "programs", "training", "evals")
MODULES = sorted(
    path
    for folder in (*PARTS, "docs/tools", "editors", "packaging")
    for path in (ROOT / folder).rglob("*.py")
    if "node_modules" not in path.parts
)
OTHERS = sorted(
    path
    for pattern in (
        "editors/**/*.ts",
        "editors/**/*.mjs",
        "editors/**/*.lua",
        "editors/**/*.el",
        "packaging/**/*.lua",
    )
    for path in ROOT.glob(pattern)
    if "node_modules" not in path.parts
)
GIT_MODULE = "programs/editahead_programs/git_command.py"
OTHER_GITS = {
    "docs/tools/engine_demo.py": "makes the repository of the demo, in a temporary folder",
    "packaging/check_packages.py": "builds the release from the commit that is checked out",
    "editors/testing/time_first_edits.py": "names the commit of this checkout, on the machine of a maintainer",
}
"""Modules of tools that are not shipped and may run git, and why."""
_GIT_WORD = re.compile(r"""["'`](?:[\w./\\-]*[/\\])?git(?:\.exe)?(?:["'`]|\s+[a-z-])""")


def names_git(node: ast.AST) -> bool:
    """Return whether an expression is a command that runs git, or a look-up of git."""
    words: list[ast.expr] = []
    if isinstance(node, ast.List | ast.Tuple):
        words = node.elts[:1]
    elif isinstance(node, ast.Call):
        words = node.args[:1]
    return any(
        isinstance(word, ast.Constant)
        and isinstance(word.value, str)
        and re.fullmatch(r"(?:.*[/\\])?git(?:\.exe)?(?:\s.*)?", word.value, re.DOTALL)
        and (not isinstance(node, ast.Call) or starts_or_finds(node))
        for word in words
    )


def starts_or_finds(call: ast.Call) -> bool:
    """Return whether a call may start or look up a program."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return bool(
        re.search(r"run|popen|call|output|exec|spawn|system|shell|which|find_program", name, re.IGNORECASE)
    )


def git_starts(path: Path) -> Iterator[int]:
    """Yield the lines of a file where git is started or looked up."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        yield from (node.lineno for node in ast.walk(ast.parse(text)) if names_git(node))  # type: ignore[attr-defined]
        return
    for number, line in enumerate(text.splitlines(), 1):
        if _GIT_WORD.search(line) and re.search(
            r"exec|spawn|system|job|process|call|run", line, re.IGNORECASE
        ):
            yield number


def test_one_module_runs_git() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): lines
        for path in (*MODULES, *OTHERS)
        if (lines := list(git_starts(path)))
    }
    assert found.keys() == {GIT_MODULE, *OTHER_GITS}, found


def test_the_action_runs_no_git() -> None:
    assert not re.search(r"(?m)^\s*(?:.*\$\()?git\b", (ROOT / "action.yml").read_text("utf-8"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", 'subprocess.run(["git", "log"])'),
        ("a.py", 'COMMAND = ("git", "-C", folder)'),
        ("a.py", 'os.system("git log")'),
        ("a.py", 'await asyncio.create_subprocess_exec("/usr/bin/git", "log")'),
        ("a.py", 'shutil.which("git")'),
        ("a.py", 'asyncio.create_subprocess_shell("git log")'),
        ("a.ts", 'await run("git", ["log"]);\nexecFile("git", []);'),
        ("a.mjs", "execSync(`git log`)"),
        ("a.lua", 'vim.system({ "git", "log" })'),
        ("a.lua", "vim.fn.system('git log')"),
        ("a.el", '(call-process "git" nil t)'),
    ],
)
def test_other_starts_of_git_are_found(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    assert list(git_starts(tmp_path / name))
