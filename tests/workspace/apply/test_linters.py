"""Linters after an edit: only new problems are reported."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from editahead_inference.apply.file_change import FileChange
from editahead_lsp.protocol.apply_messages import Problem
from editahead_programs.program_search import find_program
from editahead_prompts.syntax.languages import language_of
from editahead_prompts.text.diff import diff
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace.apply.checker_process import make_environment
from editahead_workspace.apply.linters import find_new_problems

RUFF = shutil.which("ruff", path=f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}")


Which = Callable[[str, Sequence[Path]], str | None]


def change(path: Path, old: str, new: str) -> FileChange:
    original = Snapshot.from_text(old, uri=path.as_uri(), language=language_of(path.name))
    return FileChange("edit" if path.exists() else "create", original, diff(old, new), 1.0, "markers")


def no_tools(name: str, folders: Sequence[Path]) -> None:
    return None


async def found(folder: Path, *changes: FileChange, which: Which) -> list[Problem]:
    return await find_new_problems(changes, [folder], "utf-16", which=which)


def said(problems: list[Problem]) -> list[tuple[str, str, int]]:
    return [(p.source, p.message, p.line) for p in problems]


async def test_syntax_errors_by_tree_sitter(tmp_path: Path) -> None:
    broken = change(tmp_path / "a.py", "x = 1\n\n\ndef f():\n    pass\n", "x = 1\n\n\ndef f(:\n    pass\n")
    (problem,) = await found(tmp_path, broken, which=no_tools)
    assert (problem.source, problem.message, problem.line) == ("tree-sitter", "1 new syntax error", 3)
    mended = change(tmp_path / "a.py", "def f(:\n    pass\n", "def f():\n    pass\n")
    assert await found(tmp_path, mended, which=no_tools) == []


@pytest.mark.skipif(RUFF is None, reason="ruff is not installed")
async def test_what_ruff_finds(tmp_path: Path) -> None:
    old = "import os\n\nprint(y)\n"
    (tmp_path / "a.py").write_text(old)
    (tmp_path / "ruff.toml").write_text('lint.select = ["F"]\n')
    changes = change(tmp_path / "a.py", old, "import os\nimport sys\n\nprint(y)\nprint(z)\n")
    problems = await found(tmp_path, changes, which=lambda name, folders: RUFF if name == "ruff" else None)
    assert [(source, message.partition(":")[0], line) for source, message, line in said(problems)] == [
        ("ruff", "F401", 1),
        ("ruff", "F821", 4),
    ]
    assert (tmp_path / "a.py").read_text() == old


def tool(folder: Path, script: str) -> Which:
    """Return a program that replaces any linter."""
    path = folder / "tool"
    path.write_text(f"#!{sys.executable}\nimport os, pathlib, sys, time\n{script}")
    path.chmod(0o755)
    return lambda name, folders: str(path)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    (work / "src").mkdir(parents=True)
    (work / "src" / "a.ts").write_text("old\n")
    (work / "src" / "b.ts").write_text("uses a\n")
    (work / "tsconfig.json").write_text("{}")
    return work


TSC = """
assert sys.argv[-2:] == ["-p", ".editahead.tsconfig.json"], sys.argv
for path in sorted(pathlib.Path("src").glob("*.ts")):
    print(f"{path}(1,1): error TS1: always the same")
if "new" in pathlib.Path("src/a.ts").read_text():
    print("src/a.ts(2,3): error TS2: here\\nsrc/b.ts(1,1): error TS3: there")
"""


async def test_what_tsc_finds_in_the_workspace_as_it_would_be(work: Path, tmp_path: Path) -> None:
    changes = change(work / "src" / "a.ts", "old\n", "old\n𝔘new\n")
    problems = await found(work, changes, which=tool(tmp_path, TSC))
    assert said(problems) == [("tsc", "TS2: here", 1), ("tsc", "TS3: there", 0)]
    assert [p.uri for p in problems] == [(work / "src" / name).as_uri() for name in ("a.ts", "b.ts")]
    assert problems[0].character == 3  # in UTF-16
    assert (work / "src" / "a.ts").read_text() == "old\n"


async def test_files_that_are_made_and_go(work: Path, tmp_path: Path) -> None:
    script = 'print(f"x(1,1): error TS1: {sorted(os.listdir(chr(115)+chr(114)+chr(99)))}")'
    made = change(work / "src" / "c.ts", "", "c\n")
    gone = FileChange(
        "delete", Snapshot.from_text("old\n", uri=(work / "src" / "a.ts").as_uri(), language="typescript"),
        diff("old\n", ""), 1.0, "begin-patch",
    )  # fmt: skip  # a table
    problems = await found(work, made, gone, which=tool(tmp_path, script))
    assert said(problems) == [("tsc", "TS1: ['b.ts', 'c.ts']", 0)]


@pytest.mark.slow
async def test_what_gofmt_finds(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.go").write_text("old\n")
    script = (
        "text = pathlib.Path(sys.argv[-1]).read_text()\n"
        "if 'new' in text: print(sys.argv[-1])\n"
        "if 'err' in text: print(sys.argv[-1] + ':1:2: expected x', file=sys.stderr)"
    )
    which = tool(tmp_path, script)
    (problem,) = await found(work, change(work / "a.go", "old\n", "new\n"), which=which)
    assert (problem.source, problem.message) == ("gofmt", "not laid out as gofmt does")
    (problem,) = await found(work, change(work / "a.go", "old\n", "err\n"), which=which)
    assert (problem.message, problem.character) == ("expected x", 1)


async def test_a_tool_that_says_nothing_sensible_is_not_heard(work: Path, tmp_path: Path) -> None:
    (work / "a.py").write_text("x\n")
    which = tool(tmp_path, "print('oops')")
    assert await found(work, change(work / "a.py", "x\n", "y\n"), which=which) == []


async def test_a_tool_that_takes_too_long_is_ended(work: Path, tmp_path: Path) -> None:
    which = tool(tmp_path, "time.sleep(600)")
    changes = change(work / "src" / "a.ts", "old\n", "new\n")
    assert await find_new_problems([changes], [work], "utf-16", which=which, limit_s=0.05) == []


async def test_cancelled_it_ends_the_tool(work: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    which = tool(tmp_path, f"open({str(pipe)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)")
    task = asyncio.ensure_future(found(work, change(work / "src" / "a.ts", "old\n", "new\n"), which=which))
    pid = int(await asyncio.to_thread(pipe.read_text))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_tool_can_write_nothing_and_sees_no_keys(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "mine")
    monkeypatch.setenv("NODE_OPTIONS", "--require ./evil.js")
    monkeypatch.setenv("RUFF_OUTPUT_FILE", str(tmp_path / "output"))
    outside = tmp_path / "outside"
    script = f"""
try:
    with open({str(outside)!r}, "w") as file:
        file.write("overwritten")
        file.flush()
    wrote = True
except OSError:
    wrote = False
print(f"src/a.ts(1,1): error TS1: {{wrote}} {{sorted(os.environ)}} {{os.environ['HOME']}}")
"""
    (work / "src" / "a.ts").unlink()
    changes = change(work / "src" / "a.ts", "", "new\n")
    (problem,) = await found(work, changes, which=tool(tmp_path, script))
    assert problem.message.startswith("TS1: False")
    for name in ("OPENAI_API_KEY", "NODE_OPTIONS", "RUFF_OUTPUT_FILE"):
        assert name not in problem.message
    assert os.environ["HOME"] not in problem.message.rpartition("]")[2]
    assert not outside.exists() or outside.read_text("utf-8") == ""


@pytest.mark.parametrize("base", ['"../outside.json"', '["./base.json", "/etc/base.json"]', '"evil-package"'])
async def test_the_configuration_of_tsc_is_ours(work: Path, tmp_path: Path, base: str) -> None:
    hostile = json.dumps({"compilerOptions": {"generateTrace": "/tmp/x", "noEmit": False, "strict": False}})
    for name in ("base.json", "../outside.json", "node_modules/evil-package/tsconfig.json"):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(hostile, "utf-8")
    (work / "tsconfig.json").write_text(
        """{ // a comment with "quotes"
        "extends": BASE, "compilerOptions": {
          "strict": true, "paths": {"@/*": ["./src/*"]}, /* where */ "generateTrace": "/tmp/x", "outDir": "/tmp/y",
          "tsBuildInfoFile": "/tmp/z", "generateCpuProfile": "/tmp/c", "plugins": [{"name": "./evil"}], "noEmit": false,
          "declarationDir": "/tmp", "traceResolution": true, "incremental": true,
        },
        "references": [{"path": "../other"}], "include": ["src"],
        }""".replace("BASE", base),
        "utf-8",
    )
    script = "print('src/a.ts(1,1): error TS1: ' + pathlib.Path('.editahead.tsconfig.json').read_text())"
    made = change(work / "src" / "c.ts", "", "c\n")
    (problem,) = await found(work, made, which=tool(tmp_path, script))
    config = json.loads(problem.message.removeprefix("TS1: "))
    assert config == {
        "compilerOptions": {
            "strict": True,
            "paths": {"@/*": ["./src/*"]},
            "noEmit": True,
            "incremental": False,
            "composite": False,
            "plugins": [],
            "disableSolutionSearching": True,
        },
        "files": ["./src/c.ts"],
        "include": ["src"],
    }


def executable(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", "utf-8")
    path.chmod(0o755)
    return path


def test_no_program_of_a_workspace_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work, trusted = tmp_path / "work", executable(tmp_path / "bin" / "ruff")
    evil = executable(work / "node_modules" / ".bin" / "ruff")
    links = tmp_path / "links"
    links.mkdir()
    (links / "ruff").symlink_to(evil)
    (tmp_path / "way").symlink_to(work, target_is_directory=True)
    monkeypatch.chdir(work)
    entries = [
        "",
        ".",
        "node_modules/.bin",
        str(evil.parent),
        str(tmp_path / "way/node_modules/.bin"),
        str(links),
    ]
    environment = {"PATH": os.pathsep.join(entries)}
    assert find_program("ruff", [work], environment) is None
    assert find_program("ruff", [tmp_path / "way"], environment) is None
    environment["PATH"] += os.pathsep + str(trusted.parent)
    assert find_program("ruff", [work], environment) == str(trusted)
    assert make_environment(tmp_path, [work], environment)["PATH"] == f"{links}{os.pathsep}{trusted.parent}"
