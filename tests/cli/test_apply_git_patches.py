"""Git's diff of two trees, applied to the first one, gives the second one or a refusal that says why."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.planner import plan_changes
from editahead_inference.errors import ApplyRefusedError
from editahead_prompts.errors import SketchError
from editahead_prompts.sketches.parse import parse_sketch
from editahead_workspace.apply.change_writes import change_writes
from editahead_workspace.apply.workspace_files import WorkspaceFiles
from editahead_workspace.file_exclusion import FileExclusion
from editahead_workspace.file_writes.transaction import write_all


@dataclass(frozen=True)
class Entry:
    """A file of a tree: its bytes, or the target of a symbolic link."""

    data: bytes
    executable: bool = False
    is_link: bool = False


Tree = dict[str, Entry]


def write_tree(root: Path, tree: Tree) -> None:
    for name, entry in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if entry.is_link:
            path.symlink_to(os.fsdecode(entry.data))
            continue
        path.write_bytes(entry.data)
        path.chmod(0o755 if entry.executable else 0o644)


def read_tree(root: Path) -> Tree:
    out: Tree = {}
    for path in root.rglob("*"):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            out[name] = Entry(os.fsencode(path.readlink()), is_link=True)
        elif path.is_file():
            out[name] = Entry(path.read_bytes(), bool(path.stat().st_mode & 0o100))
    return out


def git(root: Path, *arguments: str, data: bytes = b"") -> bytes:
    environment = {**os.environ, "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1"}
    found = subprocess.run(
        ["git", "-c", "core.autocrlf=false", *arguments],
        cwd=root,
        env=environment,
        input=data,
        capture_output=True,
        check=True,
    )
    return found.stdout


def git_diff(before: Tree, after: Tree, *options: str) -> str:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        git(root, "init", "-q", ".git-of-test", "--bare")
        store = f"--git-dir={root}/.git-of-test"
        trees = []
        for number, tree in enumerate((before, after)):
            work = root / str(number)
            work.mkdir()
            write_tree(work, tree)
            git(work, store, f"--work-tree={work}", "read-tree", "--empty")
            git(work, store, f"--work-tree={work}", "add", "-A", "-f")
            trees.append(git(work, store, f"--work-tree={work}", "write-tree").decode().strip())
        return git(root, store, "diff", *options, *trees).decode("utf-8", "surrogateescape")


def apply_to(root: Path, text: str) -> str | None:
    """Apply a sketch to a folder; return the sentence of the refusal, or None."""
    files = WorkspaceFiles([root], {}, FileExclusion([root], []), 1_000_000)
    try:
        sketch = parse_sketch(text)
        changes = plan_changes(sketch, files, merge, is_executable=files.is_executable)
    except SketchError as error:
        return str(error)
    except ApplyRefusedError as error:
        return error.refusal.detail
    with tempfile.TemporaryDirectory() as journals:
        write_all(change_writes(changes, files), [root], Path(journals))
    return None


def after_patch(before: Tree, text: str) -> Tree | str:
    """Return the tree after a patch, or the sentence of the refusal."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name).resolve()
        write_tree(root, before)
        refused = apply_to(root, text)
        found = read_tree(root)
        if refused is not None:
            assert found == before
            return refused
        return found


_LINE = st.sampled_from(
    [
        "a",
        "b",
        "c",
        "",
        "}",
        "-- x",
        "++ y",
        "- x",
        "+ y",
        "-- a/z",
        "++ b/z",
        "@@ -1 +1 @@",
        "# ...",
        "=======",
        " a",
    ]
)
_END = st.sampled_from(["\n", "\n", "\n", "\n", "\r\n"])


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    kind = draw(st.sampled_from(["text"] * 12 + ["binary", "link"]))
    if kind == "binary":
        return Entry(b"\0" + draw(st.sampled_from([b"1", b"2"])))
    if kind == "link":
        return Entry(draw(st.sampled_from([b"a.txt", b"b"])), is_link=True)
    lines = draw(st.lists(_LINE, max_size=14))
    ends = draw(st.sampled_from(["\n", "\n", "\n", "\r\n", None]))
    text = "".join(line + (ends or draw(_END)) for line in lines)
    if draw(st.booleans()):
        text = text.rstrip("\r\n")
    return Entry(text.encode(), draw(st.booleans()))


@st.composite
def edited(draw: st.DrawFn, entry: Entry) -> Entry:
    """Return an entry with some lines changed, or another one."""
    if entry.is_link or b"\0" in entry.data or draw(st.integers(0, 5)) == 0:
        return draw(entries())
    lines = entry.data.decode().splitlines(keepends=True)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(lines)))
        lines[at : at + draw(st.integers(0, 2))] = [line + "\n" for line in draw(st.lists(_LINE, max_size=2))]
    text = "".join(lines)
    if draw(st.integers(0, 4)) == 0:
        text = text.removesuffix("\n") if text.endswith("\n") else text + "\n"
    return Entry(text.encode(), draw(st.booleans()))


_NAMES = ["a.txt", "b.sh", "src/c.py", "src/d e.txt", "f.md"]


@st.composite
def tree_pairs(draw: st.DrawFn) -> tuple[Tree, Tree]:
    before = {
        name: draw(entries()) for name in draw(st.lists(st.sampled_from(_NAMES), unique=True, min_size=1))
    }
    after = {name: draw(edited(entry)) for name, entry in before.items() if draw(st.integers(0, 5))}
    for name in draw(st.lists(st.sampled_from(_NAMES), unique=True, max_size=2)):
        after.setdefault(name, draw(st.one_of(entries(), st.sampled_from([*before.values()]))))
    return before, after


_OPTIONS = [
    *((), ("--no-renames",), ("--binary",), ("-M", "-C"), ("-B",), ("-U1",), ("-D",), ("--full-index",)),
    *(("-U0",), ("--no-prefix",), ("--src-prefix=i/", "--dst-prefix=w/"), ("--function-context",)),
    ("--src-prefix=old/", "--dst-prefix=new/"),
]


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(tree_pairs(), st.sampled_from(_OPTIONS))
def test_a_diff_of_git_gives_the_second_tree_or_is_refused(
    trees: tuple[Tree, Tree], options: tuple[str, ...]
) -> None:
    before, after = trees
    text = git_diff(before, after, *options)
    found = after_patch(before, text)
    assert isinstance(found, str) or found == after, text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {"run.sh": Entry(b"#!/bin/sh\n", executable=True)}),
        ({"run.sh": Entry(b"#!/bin/sh\n")}, {"run.sh": Entry(b"#!/bin/sh\n", executable=True)}),
        ({"run.sh": Entry(b"a\n", executable=True)}, {"run.sh": Entry(b"a\nb\n")}),
        ({"a.sh": Entry(b"a\nb\nc\nd\n")}, {"b.sh": Entry(b"a\nb\nc\nd\n", executable=True)}),
        ({"a.txt": Entry(b"x")}, {"a.txt": Entry(b"x\n")}),
        ({"a.txt": Entry(b"x\n")}, {"a.txt": Entry(b"x")}),
        ({"a.txt": Entry(b"a\nb\nc\nd\ne\nf")}, {"a.txt": Entry(b"A\nb\nc\nd\ne\nf\n")}),
        ({"a.sql": Entry(b"a\n-- x\nb\n")}, {"a.sql": Entry(b"a\n++ y\nb\n")}),
        ({"a.lua": Entry(b"-- a/x\nb\n")}, {"a.lua": Entry(b"++ b/x\nb\n")}),
        ({"a.txt": Entry(b"x\r\ny\r\n")}, {"a.txt": Entry(b"x\r\nz\r\n")}),
        ({"a.txt": Entry(b""), "b": Entry(b"b\n")}, {"b": Entry(b"b\n")}),
        ({}, {"empty": Entry(b"")}),
        ({"a.txt": Entry(b"a\na\na")}, {"a.txt": Entry(b"\n")}),
        ({"a.txt": Entry(b"a\nb")}, {"a.txt": Entry(b"a\n")}),
        ({"a.txt": Entry("x\u00a0= 1\n".encode())}, {"a.txt": Entry("x\u00a0= 2\ny\u200b\n".encode())}),
        ({"a.txt": Entry(b"}\n" * 9)}, {"a.txt": Entry(b"}\n" * 4 + b"x\n" + b"}\n" * 5)}),
    ],
)
def test_what_a_diff_of_git_says_is_done(before: Tree, after: Tree) -> None:
    assert after_patch(before, git_diff(before, after)) == after


_BODY = "".join(f"line {number}\n" for number in range(30))
BEFORE: Tree = {
    "src/app.py": Entry(_BODY.encode()),
    "src/old name.py": Entry(b"a\nb\nc\nd\n"),
    "b/b.txt": Entry(b"one\ntwo\n"),
    "gr\u00fc\u00dfe.md": Entry(b"# Hallo\n"),
    "gone.txt": Entry(b"gone\n"),
    "top.txt": Entry(b"top\nend"),
}
AFTER: Tree = {
    "src/app.py": Entry(_BODY.replace("line 3\n", "line three\nmore\n").replace("line 25\n", "").encode()),
    "src/new name.py": Entry(b"a\nb\nc\nd\n"),
    "b/b.txt": Entry(b"one\nTWO\n"),
    "gr\u00fc\u00dfe.md": Entry(b"# Hallo\n\nWelt\n"),
    "top.txt": Entry(b"top\nEND"),
    "made/new.txt": Entry(b"new\nfile\n"),
}
PLAIN = {name: entry for name, entry in BEFORE.items() if " " not in name and name.isascii()}
PLAIN_AFTER = {name: entry for name, entry in AFTER.items() if " " not in name and name.isascii()}
"""Without the names that `diff` and other systems quote in their own way."""


def commits(before: Tree, after: Tree, *command: str, is_staged: bool = False) -> str:
    """Return what a command of git prints in a repository with a commit of each tree."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        git(root, "init", "-q")
        for tree in (before, after):
            for path in root.iterdir():
                if path.name != ".git":
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
            write_tree(root, tree)
            git(root, "add", "-A", "-f")
            if tree is before or not is_staged:
                git(root, *identity, "commit", "-qm", "Change it\n\nBecause - of\n\n- this\n+ that")
        if is_staged:
            git(root, *identity, "stash")
        return git(root, *command).decode()


def diff_of_folders(before: Tree, after: Tree, *options: str, names: tuple[str, str] = ("old", "new")) -> str:
    with tempfile.TemporaryDirectory() as root:
        for name, tree in zip(names, (before, after), strict=True):
            write_tree(Path(root, name), tree)
        command = ["diff", *options, *names]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        assert done.returncode == 1, done.stderr
        return done.stdout


def as_subversion(text: str) -> str:
    """Return git's diff as Subversion writes it."""
    out = []
    for line in text.splitlines(keepends=True):
        if line.startswith("diff --git "):
            out.append(f"Index: {line.split()[-1].removeprefix('b/')}\n{'=' * 67}\n")
        elif line.startswith(("--- ", "+++ ")):
            path = line[4:].rstrip("\n")
            side = "revision 5" if line[0] == "-" else "working copy"
            out.append(f"{line[:4]}{path[2:]}\t({side})\n")
        elif not line.startswith(("index ", "new file", "deleted file")):
            out.append(line)
    return "".join(out)


def as_mercurial(text: str) -> str:
    """Return git's diff as Mercurial writes it."""
    names = re.sub(r"^diff --git \S+ b/(.*)$", r"diff -r 1f2e3d4c5b6a \1", text, flags=re.MULTILINE)
    dated = re.sub(
        r"^((?:---|\+\+\+) [ab]/.*)$", r"\1\tThu Jan 01 00:00:00 1970 +0000", names, flags=re.MULTILINE
    )
    return re.sub(r"^(?:index|new file|deleted file) .*\n", "", dated, flags=re.MULTILINE)


EDITED = {name: entry for name, entry in PLAIN_AFTER.items() if name in PLAIN}
KEPT = {name: entry for name, entry in PLAIN.items() if name in EDITED}
FORMS: dict[str, Callable[[], tuple[Tree, Tree, str]]] = {
    "git format-patch": lambda: (BEFORE, AFTER, commits(BEFORE, AFTER, "format-patch", "--stdout", "HEAD~1")),
    "git format-patch --attach-free, numbered": lambda: (
        BEFORE,
        AFTER,
        commits(BEFORE, AFTER, "format-patch", "-n", "--stat", "--stdout", "HEAD~1"),
    ),
    "git show": lambda: (BEFORE, AFTER, commits(BEFORE, AFTER, "show")),
    "git show --stat -p": lambda: (BEFORE, AFTER, commits(BEFORE, AFTER, "show", "--stat", "-p")),
    "git log -p": lambda: (BEFORE, AFTER, commits(BEFORE, AFTER, "log", "-p", "-1")),
    "git stash show": lambda: (
        BEFORE,
        AFTER,
        commits(BEFORE, AFTER, "stash", "show", "-p", "-M", is_staged=True),
    ),
    "diff -ru": lambda: (KEPT, EDITED, diff_of_folders(KEPT, EDITED, "-ru")),
    "diff -ruN": lambda: (PLAIN, PLAIN_AFTER, diff_of_folders(PLAIN, PLAIN_AFTER, "-ruN")),
    "diff -Naur": lambda: (
        PLAIN,
        PLAIN_AFTER,
        diff_of_folders(PLAIN, PLAIN_AFTER, "-Naur", names=("app-1.0.orig", "app-1.0")),
    ),
    "diff -up": lambda: (KEPT, EDITED, diff_of_folders(KEPT, EDITED, "-r", "-U3", "-p", names=("a", "b"))),
    "svn diff": lambda: (KEPT, EDITED, as_subversion(git_diff(KEPT, EDITED))),
    "hg diff": lambda: (KEPT, EDITED, as_mercurial(git_diff(KEPT, EDITED))),
} | {
    f"git diff {' '.join(options)}": lambda options=options: (
        BEFORE,
        AFTER,
        git_diff(BEFORE, AFTER, *options),
    )
    for options in [
        *((), ("-M",), ("--no-renames",), ("-U0",), ("-U1",), ("-U99",), ("--full-index",), ("--patience",)),
        *(("--no-prefix",), ("--no-prefix", "-U0"), ("--no-prefix", "--no-renames"), ("--stat", "-p")),
        *(("--src-prefix=i/", "--dst-prefix=w/"), ("--src-prefix=c/", "--dst-prefix=i/")),
        *(("--src-prefix=c/", "--dst-prefix=w/", "-M"), ("--src-prefix=1/", "--dst-prefix=2/")),
        *(("--src-prefix=old/", "--dst-prefix=new/"), ("--src-prefix=x/y/", "--dst-prefix=z/")),
        *(("-c", "core.quotePath=off"),),
    ]
    if options[:1] != ("-c",) and "x/y/" not in " ".join(options)
}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_each_form_of_a_diff_is_clear(form: str) -> None:
    before, after, text = FORMS[form]()
    assert after_patch(before, text) == after


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ({"a": Entry(b"\x001")}, {"a": Entry(b"\x002"), "t": Entry(b"t\n")}, "a is binary"),
        ({"t": Entry(b"t\n")}, {"t": Entry(b"u\n"), "a": Entry(b"t", is_link=True)}, "a is a symbolic link"),
        ({"a": Entry(b"t", is_link=True)}, {"a": Entry(b"u", is_link=True)}, "a is a symbolic link"),
        ({"a": Entry(b"t\n")}, {"a": Entry(b"t", is_link=True)}, "a is a symbolic link"),
        ({"a": Entry(b"t\n")}, {"a": Entry(b"t\r\n")}, "carriage return"),
    ],
)
@pytest.mark.parametrize("options", [(), ("--binary",)])
def test_what_is_not_done_is_named(before: Tree, after: Tree, said: str, options: tuple[str, ...]) -> None:
    found = after_patch(before, git_diff(before, after, *options))
    assert isinstance(found, str)
    assert said in found
