"""The problems that an edit would introduce, as found by tree-sitter and by the installed linters of a language.

The linters see the workspace as it would be, in a temporary folder: changed files are copies there, all others are links.
The linters only read, and run no code of the workspace: `checker_process` says how that is kept. A message about both texts
is not new, even at another line.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from editahead_inference.apply.file_change import FileChange
from editahead_programs.errors import ChildError
from editahead_programs.program_search import find_program
from editahead_prompts.syntax.syntax_trees import SyntaxTrees, error_lines
from editahead_prompts.text.snapshot import Snapshot
from editahead_retrieval.files.file_identity import path_from_folder
from editahead_workspace import uris
from editahead_workspace.apply.checker_process import (
    LIMITS,
    MAX_OUTPUT_BYTES,
    TSCONFIG,
    make_environment,
    run_linter,
    write_tsconfig,
)
from editahead_workspace.positions import Encoding, position_at

TIMEOUT_S = 30.0
"""Limits the seconds of each run of a linter. A slower linter reports no problems."""


@dataclass(frozen=True)
class LintMessage:
    """A message of a linter.

    Attributes:
        path: The path relative to the workspace folder.
        line: The line, from 0.
        column: The column in characters, from 0.
    """

    path: str
    line: int
    column: int
    message: str


@dataclass(frozen=True)
class NewProblem:
    """A problem that a change would bring.

    Attributes:
        uri: The file.
        line: The 0-based line in the text after the change.
        character: The character in the line, in the encoding that was asked for.
        message: The linter's message.
        source: The linter's name.
    """

    uri: str
    line: int
    character: int
    message: str
    source: str


@dataclass(frozen=True)
class Linter:
    """An external linter.

    Attributes:
        arguments: Returns the command line for files (relative paths) in a folder.
        read: Parses the output.
    """

    name: str
    languages: frozenset[str]
    arguments: Callable[[Sequence[str], Path], Sequence[str]]
    read: Callable[[str, Path], Iterable[LintMessage]]


def _ruff(files: Sequence[str], folder: Path) -> Sequence[str]:
    return ("check", "--no-cache", "--no-fix", "--output-format=json", "--", *files)


def _read_ruff(output: str, folder: Path) -> Iterator[LintMessage]:
    for item in json.loads(output or "[]"):
        path = os.path.relpath(item["filename"], folder)
        place = item["location"]
        code = item.get("code") or "syntax"
        yield LintMessage(path, place["row"] - 1, place["column"] - 1, f"{code}: {item['message']}")


def _gofmt(files: Sequence[str], folder: Path) -> Sequence[str]:
    return ("-l", "--", *files)


_GO_ERROR = re.compile(r"(?P<path>[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?P<message>.*)")


def _read_gofmt(output: str, folder: Path) -> Iterator[LintMessage]:
    for line in output.splitlines():
        error = _GO_ERROR.fullmatch(line)
        if error is None:
            yield LintMessage(line, 0, 0, "not laid out as gofmt does")
        else:
            yield LintMessage(
                error["path"], int(error["line"]) - 1, int(error["column"]) - 1, error["message"]
            )


def _tsc(files: Sequence[str], folder: Path) -> Sequence[str]:
    write_tsconfig(folder, files)
    return ("--pretty", "false", "-p", TSCONFIG)


_TS_ERROR = re.compile(r"(?P<path>.+?)\((?P<line>\d+),(?P<column>\d+)\): error (?P<message>TS\d+: .*)")


def _read_tsc(output: str, folder: Path) -> Iterator[LintMessage]:
    for line in output.splitlines():
        error = _TS_ERROR.fullmatch(line)
        if error is not None:
            yield LintMessage(
                error["path"], int(error["line"]) - 1, int(error["column"]) - 1, error["message"]
            )


LINTERS = (
    Linter("ruff", frozenset({"python"}), _ruff, _read_ruff),
    Linter("gofmt", frozenset({"go"}), _gofmt, _read_gofmt),
    Linter("tsc", frozenset({"typescript", "typescriptreact"}), _tsc, _read_tsc),
)


async def find_new_problems(
    changes: Sequence[FileChange],
    folders: Sequence[Path],
    encoding: Encoding,
    *,
    which: Callable[[str, Sequence[Path]], str | None] = find_program,
    limit_s: float = TIMEOUT_S,
) -> list[NewProblem]:
    """Return the new problems, in the order of the changes, then of the linters. Cancellation ends the linters.

    Args:
        changes: The planned changes.
        folders: The workspace folders.
        encoding: The position encoding of the client.
        which: Finds a program by its name, outside of the workspace folders.
        limit_s: The seconds for each run of a linter.
    """
    found = [problem for change in changes for problem in _syntax(change)]
    for folder in folders:
        inside = _inside(changes, folder)
        languages = {change.original.language for change in inside.values()}
        tools = [
            (tool, path)
            for tool in LINTERS
            if tool.languages & languages and (path := which(tool.name, folders))
        ]
        if not tools:
            continue
        texts = [
            {p: None if c.action == "create" else c.original.text for p, c in inside.items()},
            {p: None if c.action == "delete" else c.new_text for p, c in inside.items()},
        ]
        with tempfile.TemporaryDirectory(prefix="editahead-") as temporary:
            shadows = [Path(temporary, name) for name in ("before", "after")]
            environment = make_environment(Path(temporary), folders)
            for shadow, held in zip(shadows, texts, strict=True):
                await asyncio.to_thread(_mirror_folder, folder, shadow, held)
            for tool, path in tools:
                before, after = [
                    await _run(tool, path, shadow, held, inside, environment, limit_s)
                    for shadow, held in zip(shadows, texts, strict=True)
                ]
                found += _new(tool, before, after, inside, folder, encoding)
    return found


def _inside(changes: Sequence[FileChange], folder: Path) -> dict[str, FileChange]:
    """Return the changes of files below a folder, by their paths relative to the folder."""
    out = {}
    for change in changes:
        path = uris.uri_to_path(change.original.uri)
        inner = None if path is None else path_from_folder(path, folder)
        if inner is not None:
            out[inner.as_posix()] = change
    return out


def _syntax(change: FileChange) -> Iterator[NewProblem]:
    trees = SyntaxTrees()
    counts = trees.error_counts(change.original, change.edit)
    after = trees.tree_after(change.original, change.edit)
    if counts is None or after is None or counts[1] <= counts[0]:
        return
    lines = error_lines(after.root_node)
    changed = change.original.line_at(change.edit.changed_span[0])  # nothing is changed above it
    line = next((line for line in lines if line >= changed), lines[0])
    count = counts[1] - counts[0]
    message = f"{count} new syntax error{'s' if count > 1 else ''}"
    yield NewProblem(change.original.uri, line, 0, message, "tree-sitter")


def _mirror_folder(folder: Path, shadow: Path, held: Mapping[str, str | None]) -> None:
    """Mirror a folder by links, except for the `held` paths, which get these texts; None leaves a path out."""
    parents = {Path()} | {parent for path in held for parent in Path(path).parents}
    for parent in sorted(parents):
        (shadow / parent).mkdir(parents=True)
        with suppress(OSError):
            for entry in os.scandir(folder / parent):
                inner = parent / entry.name
                if inner not in parents and inner.as_posix() not in held and entry.name != ".git":
                    (shadow / inner).symlink_to(entry.path)
    for path, text in held.items():
        if text is not None:
            (shadow / path).write_bytes(text.encode("utf-8", "replace"))


async def _run(
    tool: Linter,
    program: str,
    shadow: Path,
    held: Mapping[str, str | None],
    inside: Mapping[str, FileChange],
    environment: Mapping[str, str],
    limit_s: float,
) -> list[LintMessage] | None:
    """Return the linter's messages; None when it fails or runs out of time."""
    files = [
        f"./{path}"
        for path, text in held.items()
        if text is not None and inside[path].original.language in tool.languages
    ]
    if not files:
        return []
    try:
        command = [program, *tool.arguments(files, shadow)]
    except OSError:
        return None
    try:
        done = await run_linter(
            command,
            cwd=shadow,
            env=environment,
            limits=LIMITS,
            timeout_s=limit_s,
            max_bytes=MAX_OUTPUT_BYTES,
            merges_errors=tool.name == "gofmt",
        )
        return list(tool.read(done.out.decode("utf-8", "replace"), shadow))
    except (OSError, ChildError, ValueError, KeyError, TypeError):
        return None


def _new(
    tool: Linter,
    before: list[LintMessage] | None,
    after: list[LintMessage] | None,
    inside: Mapping[str, FileChange],
    folder: Path,
    encoding: Encoding,
) -> Iterator[NewProblem]:
    if before is None or after is None:
        return
    known = Counter((os.path.normpath(finding.path), finding.message) for finding in before)
    for finding in after:
        path = os.path.normpath(finding.path)
        if known[path, finding.message] > 0:
            known[path, finding.message] -= 1
            continue
        change = inside.get(Path(path).as_posix())
        line, character = finding.line, finding.column
        if change is not None:
            text = Snapshot.from_text(change.new_text)
            row = min(line, len(text.lines) - 1)
            offset = min(text.starts[row] + character, text.starts[row + 1])
            line, character = position_at(text, offset, encoding)
        uri = change.original.uri if change is not None else uris.path_to_uri(folder / path)
        yield NewProblem(uri, line, character, finding.message, tool.name)
