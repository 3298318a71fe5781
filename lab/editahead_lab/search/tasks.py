"""Questions with known answers: from commits, and from the documentation of functions."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from editahead_evals.errors import RecordError
from editahead_lab.commits.commit_records import CommitRecord
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.snapshot import split_lines
from editahead_retrieval.search.path_kinds import is_code
from editahead_retrieval.search.places import FileText

from .asked_questions import answers_in, questions_of

ASKED, ASKED_FILES, DOCUMENTATION, SUBJECT, SUBJECT_FILES, SUBJECT_CODE, HUNK = (
    "asked by people to its chunk",
    "asked by people to its file",
    "documentation to its function",
    "subject to changed chunks",
    "subject to changed files",
    "subject to changed files of code",
    "first hunk to other files",
)
KINDS = (ASKED, ASKED_FILES, DOCUMENTATION, SUBJECT, SUBJECT_FILES, SUBJECT_CODE, HUNK)
MIN_WORDS = 2
"""Words of a subject, at least."""
MIN_DOCUMENTATION_WORDS = 5
"""Words of a function's documentation, at least."""
MAX_FILE_BYTES = 200_000
"""Bytes of a package's file that is read."""

Chunk = tuple[str, int]
"""The path of a file, and the 0-based first line of a chunk."""


@dataclass(frozen=True)
class SearchTask:
    """A question and its answers.

    Attributes:
        id: The commit or the function.
        kind: One of `KINDS`.
        question: The question.
        chunks: The chunks that answer it.
        files: The paths of the files that answer it, where whole files are wanted.
        asked_in: The path of the file that the question comes from; "" for none.
    """

    id: str
    kind: str
    question: str
    chunks: frozenset[Chunk] = frozenset()
    files: frozenset[str] = frozenset()
    asked_in: str = ""


def tasks_of_commit(commit: CommitRecord) -> Iterator[SearchTask]:
    """Yield the questions that a commit answers over the files before it."""
    chunks: set[Chunk] = set()
    for file in commit.files:
        if file.before is not None:
            chunks |= _changed_chunks(file.path, file.before, file.after or "")
    if len(commit.subject.split()) >= MIN_WORDS and chunks:
        yield SearchTask(commit.id, SUBJECT, commit.subject, frozenset(chunks))
        yield from _file_tasks(commit)
    first = next(iter(commit.modified_code), None)
    if first is None or first.before is None or first.after is None:
        return
    others = {file.path for file in commit.files if file.before is not None and file.path != first.path}
    question = _first_hunk(first.before, first.after)
    if others and question.strip():
        yield SearchTask(commit.id, HUNK, question, frozenset(), frozenset(others), first.path)


def _file_tasks(commit: CommitRecord) -> Iterator[SearchTask]:
    """Yield the question which files a commit changed: all of them, and those of code, which people look for first."""
    changed = frozenset(file.path for file in commit.files if file.before is not None)
    for kind, files in ((SUBJECT_FILES, changed), (SUBJECT_CODE, frozenset(filter(is_code, changed)))):
        if files:
            yield SearchTask(commit.id, kind, commit.subject, files=files)


def _changed_chunks(path: str, before: str, after: str) -> set[Chunk]:
    """Return the chunks of a file in which lines are replaced or removed, or lines are added."""
    text = FileText(path, before)
    found: set[Chunk] = set()
    for start, end, _, _ in diff_lines(split_lines(before), split_lines(after)):
        for line in range(start, max(end, start + 1)):
            place = text.place_at(min(line, len(text.lines) - 1))
            if place is not None:
                found.add((path, place.line))
    return found


def _first_hunk(before: str, after: str) -> str:
    old, new = split_lines(before), split_lines(after)
    spans = diff_lines(old, new)
    if not spans:
        return ""
    start, end, new_start, new_end = spans[0]
    return "".join([*old[start:end], *new[new_start:new_end]])


@dataclass(frozen=True)
class Package:
    """A source distribution whose functions have lost their documentation, which asks for them.

    Attributes:
        id: The name of its folder.
        files: The texts by path, without the documentation of the functions that are asked for.
        tasks: The questions.
    """

    id: str
    files: Mapping[str, str]
    tasks: Sequence[SearchTask]


def read_packages(folder: Path, count: int, seed: int) -> list[Package]:
    """Return the packages in a folder, one in each folder of it.

    Args:
        folder: The folder.
        count: The functions of each package that are asked for, at most.
        seed: The seed of their choice.

    Raises:
        RecordError: The folder has no packages with documented functions.
    """
    places = sorted(place for place in folder.iterdir() if place.is_dir()) if folder.is_dir() else []
    packages = [_read_package(place, count, seed) for place in places]
    found = [package for package in packages if package.tasks]
    if not found:
        raise RecordError(f"{folder}: no folder in it has documented functions in Python")
    return found


def _read_package(folder: Path, count: int, seed: int) -> Package:
    files: dict[str, str] = {}
    functions: list[_Documented] = []
    for place in sorted(folder.rglob("*")):
        path = place.relative_to(folder).as_posix()
        if place.is_symlink() or not place.is_file() or place.stat().st_size > MAX_FILE_BYTES:
            continue
        try:
            text = place.read_bytes().decode()
        except UnicodeDecodeError:
            continue
        files[path] = text = text.replace("\r\n", "\n")
        if path.endswith(".py") and "test" not in path:
            functions += _documented(path, text)
    chosen = random.Random(seed).sample(functions, min(count, len(functions)))
    by_path: dict[str, list[_Documented]] = {}
    for function in chosen:
        by_path.setdefault(function.path, []).append(function)
    tasks = [task for path, found in by_path.items() for task in _take_out(folder.name, path, files, found)]
    return Package(folder.name, files, [*tasks, *_asked_tasks(folder.name, files)])


def _asked_tasks(package: str, files: Mapping[str, str]) -> Iterator[SearchTask]:
    """Yield the questions that people ask a package, once for the chunks and once for the files."""
    for question in questions_of(package):
        chunks = frozenset(answers_in(question, files))
        if chunks:
            name = f"{package}: {question.text}"
            yield SearchTask(name, ASKED, question.text, chunks)
            yield SearchTask(name, ASKED_FILES, question.text, files=frozenset(path for path, _ in chunks))


@dataclass(frozen=True)
class _Documented:
    """A documented function: its first line and the lines of its documentation, counted from 0, the last one excluded."""

    path: str
    name: str
    line: int
    start: int
    end: int
    question: str


def _documented(path: str, text: str) -> Iterator[_Documented]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    lines = text.split("\n")
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or len(node.body) < 2:
            continue
        documentation = ast.get_docstring(node)
        first = node.body[0]
        if documentation is None or first.end_lineno is None:
            continue
        question = " ".join(documentation.split("\n\n")[0].split())
        is_alone = lines[first.lineno - 1].strip()[:1] in "\"'rRuU" and first.lineno > node.lineno
        if is_alone and len(question.split()) >= MIN_DOCUMENTATION_WORDS:
            yield _Documented(path, node.name, node.lineno - 1, first.lineno - 1, first.end_lineno, question)


def _take_out(
    package: str, path: str, files: dict[str, str], functions: Sequence[_Documented]
) -> Iterator[SearchTask]:
    """Remove the documentation of functions from the text of a file, and yield the questions."""
    lines = files[path].split("\n")
    removed = {line for function in functions for line in range(function.start, function.end)}
    files[path] = "\n".join(line for number, line in enumerate(lines) if number not in removed)
    text = FileText(path, files[path])
    for function in functions:
        now = function.line - sum(line < function.line for line in removed)
        place = text.place_at(now)
        if place is not None:
            name = f"{package}/{path}:{function.name}:{function.line + 1}"
            yield SearchTask(name, DOCUMENTATION, function.question, frozenset({(path, place.line)}))
