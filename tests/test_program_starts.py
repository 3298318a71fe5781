"""How our code starts other programs: git in one module only, and none in a folder that may be a stranger's."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from source_parts import PARTS

ROOT = Path(__file__).parent.parent
MODULES = sorted(
    path
    for folder in (*PARTS, "tools", "editors", "packaging")
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
    "tools/lint/check_ignores.py": "lists the files of this checkout, for the lint",
    "tools/demo/engine_demo.py": "makes the repository of the demo, in a temporary folder",
    "tools/editors/time_first_edits.py": "names the commit of this checkout, on the machine of a maintainer",
}
"""Modules of tools that are not shipped and may run git, and why."""
SEARCH_MODULE = "programs/editahead_programs/program_search.py"
VLLM_MODULES = ("serving/editahead_serving/launch_plan.py", "serving/editahead_serving/vllm_probe.py")
"""Modules that start the Python of a vLLM, which may be older than the option: the environment has `PYTHONSAFEPATH`."""
_STARTS = re.compile(
    r"subprocess\.(?:Popen|run|call|check_call|check_output)|(?:asyncio\.)?create_subprocess_exec"
)
_SHELLS = re.compile(r"os\.(?:system|popen)|(?:asyncio\.)?create_subprocess_shell|subprocess\.getoutput")
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
        yield from (node.lineno for node in ast.walk(ast.parse(text)) if names_git(node))
        return
    for number, line in enumerate(text.splitlines(), 1):
        if _GIT_WORD.search(line) and re.search(
            r"exec|spawn|system|job|process|call|run", line, re.IGNORECASE
        ):
            yield number


def called(call: ast.Call) -> str:
    """Return the dotted name of what is called."""
    return ast.unparse(call.func)


def bad_starts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the starts of programs that happen in the present folder, and the Pythons that would import from there."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if _STARTS.fullmatch(called(node)) and not {"cwd", None} & {word.arg for word in node.keywords}:
                yield node.lineno, "no cwd"
            if _SHELLS.fullmatch(called(node)):
                yield node.lineno, "a shell"
            if called(node) == "shutil.which":
                yield node.lineno, "a look-up that takes relative folders"
        if isinstance(node, ast.List | ast.Tuple) and len(node.elts) > 1:
            program, option = map(ast.unparse, node.elts[:2])
            if re.search(r"python|sys\.executable", program) and option in ("'-m'", "'-c'"):
                yield node.lineno, "a Python without -I"


@pytest.mark.slow
def test_no_program_starts_in_the_present_folder() -> None:
    found = {
        (path.relative_to(ROOT).as_posix(), problem)
        for path in MODULES
        if path.parts[len(ROOT.parts)] in PARTS
        for _, problem in bad_starts(path)
    }
    assert found == {
        (SEARCH_MODULE, "a look-up that takes relative folders"),  # and is given absolute ones
        *((module, "a Python without -I") for module in VLLM_MODULES),
    }


@pytest.mark.parametrize(
    "text",
    [
        'subprocess.run([program, "x"])',
        "subprocess.Popen(command, env=environment)",
        "await asyncio.create_subprocess_exec(*command, stdin=None)",
        'os.system("x")',
        'os.popen("x")',
        "asyncio.create_subprocess_shell(text, cwd=folder)",
        'command = [sys.executable, "-m", "pip"]',
        'command = [str(python), "-c", PROGRAM]',
        'shutil.which("vllm")',
    ],
)
def test_other_starts_are_found(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"async def start():\n    {text}\n")
    assert list(bad_starts(tmp_path / "a.py"))


def test_the_extension_starts_programs_in_its_own_folder() -> None:
    """Each start in VS Code has the options with our folder, and each Python is isolated."""
    for path in OTHERS:
        text = path.read_text("utf-8")
        if "node:child_process" not in text or "src" not in path.parts:
            continue
        for start in re.finditer(r"(?<![.\w])(?:run|execFile|spawn|exec|fork)\(([^;]+?)\);", text):
            assert re.search(r"[oO]ptions|cwd", start[1]), (path, start[0])
        for module in re.finditer(r'\[[^\]]*"-m"', text):
            assert module[0].startswith('["-I", '), (path, module[0])


def test_the_action_starts_programs_in_its_own_folder() -> None:
    text = (ROOT / "action.yml").read_text("utf-8")
    starts = re.findall(r'(?m)^\s*"(?:\$PYTHON|[^"]*/bin/python)" (\S+)', text)
    assert len(starts) == 3 and set(starts) == {"-I"}
    assert 'cd -- "$RUNNER_TEMP"' in text.partition('"$PYTHON"')[0]


@pytest.mark.slow
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
