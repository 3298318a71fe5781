"""From a text, pasted by a person or answered by a model, to a sketch.

A patch is told by its signs, wherever they stand. Else the code is what the fences hold; without fences, or where fences
are part of the code itself (docstrings have some), it is the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from editahead_prompts.errors import SketchError
from editahead_prompts.text.snapshot import line_body, split_lines

from . import begin_patch, search_replace, unified_diff
from .elision_markers import parse_marker
from .fences import Fence, find_fences
from .paths import language_of, language_of_fence, path_of_comment, path_of_line
from .sketch import Diff, FileSketch, Sketch
from .snippet_parser import parse_snippet

_SHELL = frozenset(
    {
        "bash",
        "sh",
        "shell",
        "zsh",
        "console",
        "terminal",
        "shell-session",
        "powershell",
        "ps1",
        "cmd",
        "bat",
        "text",
        "txt",
        "plaintext",
        "output",
        "log",
    }
)
"""Words of fences that hold no file's code, unless nothing else is there."""

_PATCH_WORDS = frozenset({"diff", "patch", "udiff"})

_CODE = re.compile(
    r"\s*(?:import |from \S+ import|def |class |function\b|const |let |var |return\b|if ?\(|for ?\(|#include|package |"
    r"use \w|func |fn |pub |@\w+|//|/\*|\*/|\"\"\"|'''|[})\]]+[;,]?$|#!|<\w+[\s>/]|\w+ :?= |\w+\.\w+\()"
    r"|.*(?:[;{}(\[]|=>|\) ?:)\s*$"
)
"""What lines of code, and hardly any of prose, look like."""

_PROSE = re.compile(r"[^\s{}()\[\];=<>]*[A-Za-z][^{}\[\];=<>]*")
_FEW = 3


def parse_sketch(text: str, *, language: str | None = None, path: str | None = None) -> Sketch:
    """The sketch in a text. language, path: of the file that it is meant for, where that is known. Raises `NotASketch`,
    and nothing else, when it holds none."""
    lines = tuple(line_body(line) for line in split_lines(text))
    if lines and not lines[-1]:
        lines = lines[:-1]
    if not any(line.strip() for line in lines):
        raise SketchError("there is nothing in it", 0, len(lines))
    known = language or language_of(path)
    fences = find_fences(lines)
    outside = _outside(fences, len(lines))
    files = _patch(lines, 0, len(lines), outside, bounded=False)
    if files is None and fences and _is_answer(lines, fences, outside, known):
        files = _of_fences(lines, fences, known, path)
    elif files is None:
        files = [_bare(lines, known, path)]
    if not files:
        raise SketchError("a patch that changes nothing", 0, len(lines))
    return Sketch(lines, tuple(files))


def _patch(
    lines: Sequence[str], start: int, end: int, candidates: Sequence[int], *, bounded: bool
) -> list[FileSketch] | None:
    """The files of the patch that has its first sign in one of the candidate lines; None without any."""
    for at in candidates:
        if begin_patch.is_start(lines, at):
            return begin_patch.parse_begin_patch(lines, at, end)
        if search_replace.is_start(lines, at):
            return search_replace.parse_search_replace(lines, start, end)
        if unified_diff.is_start(lines, at):
            return unified_diff.parse_unified(lines, at, end, bounded=bounded)
    return None


def _of_fences(
    lines: Sequence[str], fences: Sequence[Fence], language: str | None, path: str | None
) -> list[FileSketch]:
    """The files in fenced blocks, without those that hold no code for a file."""
    out: list[FileSketch] = []
    problem: SketchError | None = None
    for fence in _chosen(lines, fences, language):
        try:
            for file in _of_fence(lines, fence, language, path):
                _add(out, file)
        except SketchError as error:
            problem = error
    if problem is not None and not out:
        raise problem
    return out


def _add(files: list[FileSketch], file: FileSketch) -> None:
    """Search/replace blocks in fences of their own go with those of the same file before them, if they name no other."""
    last = files[-1] if files else None
    if (
        last is not None
        and isinstance(last.content, Diff)
        and isinstance(file.content, Diff)
        and last.kind == file.kind == "search-replace"
        and file.path in (None, last.path)
    ):
        content = Diff(last.content.hunks + file.content.hunks)
        action = last.action if last.action == file.action else "edit"
        files[-1] = replace(last, content=content, end=file.end, action=action)
    else:
        files.append(file)


def _chosen(lines: Sequence[str], fences: Sequence[Fence], language: str | None) -> Sequence[Fence]:
    """The blocks that are about files: with a path, or without a shell's word; and, where some are in the language that is
    wanted, not those without a path that are in another one."""
    code = [fence for fence in fences if fence.path or fence.word not in _SHELL] or list(fences)
    if language is None:
        return code
    wanted = _family(language)
    same = [
        fence
        for fence in code
        if fence.path
        or fence.word in _PATCH_WORDS
        or _family(language_of_fence(fence.word)) == wanted
        or path_of_comment(next(filter(str.strip, lines[fence.start : fence.end]), ""), None) is not None
    ]
    return same or code


def _family(language: str | None) -> str | None:
    """Languages that models label as one another."""
    if language in ("javascript", "javascriptreact", "typescript", "typescriptreact"):
        return "javascript"
    return "c" if language == "cpp" else language


def _of_fence(lines: Sequence[str], fence: Fence, language: str | None, path: str | None) -> list[FileSketch]:
    start, end = fence.start, fence.end
    if fence.indent and all(line.startswith(fence.indent) or not line.strip() for line in lines[start:end]):
        width = len(fence.indent)
        lines = [*lines[:start], *(line[width:] for line in lines[start:end]), *lines[end:]]
    used = [number for number in range(start, end) if lines[number].strip()]
    if not used:
        raise SketchError("an empty block", fence.at, fence.stop)
    files = _patch(lines, start, end, used[:_FEW], bounded=True)
    if files is None and fence.word in _PATCH_WORDS and unified_diff.looks_like_diff(lines[start:end]):
        files = unified_diff.parse_unified(lines, start, end, bounded=True)
    if files is not None:
        return [_named(file, fence.path) for file in files]
    return [
        parse_snippet(
            lines,
            start,
            end,
            word=fence.word,
            path=fence.path,
            language=language,
            known=path,
            span=(fence.at, fence.stop),
        )
    ]


def _named(file: FileSketch, path: str | None) -> FileSketch:
    return replace(file, path=path) if file.path is None and path is not None else file


def _bare(lines: Sequence[str], language: str | None, path: str | None) -> FileSketch:
    """The whole text as code, below a line that names the path where there is one."""
    used = [number for number, line in enumerate(lines) if line.strip()]
    start, named = 0, None
    if len(used) > 1 and path_of_comment(lines[used[0]], path) is None:
        named = path_of_line(lines[used[0]])
        start = 0 if named is None else used[0] + 1
    if language in (None, "plaintext") and all(_is_prose(lines[number]) for number in used):
        raise SketchError("it reads as prose: there is no code and no patch in it", 0, len(lines))
    return parse_snippet(
        lines, start, len(lines), word=None, path=named, language=language, known=path, span=(0, len(lines))
    )


def _outside(fences: Sequence[Fence], count: int) -> list[int]:
    out: list[int] = []
    at = 0
    for fence in fences:
        out += range(at, fence.at)
        at = fence.stop
    return [*out, *range(at, count)]


def _is_answer(
    lines: Sequence[str], fences: Sequence[Fence], outside: Sequence[int], language: str | None
) -> bool:
    """Whether the fences hold the code and the rest is talk; else they are part of the code."""
    used = [lines[number] for number in outside if lines[number].strip()]
    if not used:
        return True
    if language == "markdown" and not any(
        fence.path or language_of_fence(fence.word) == "markdown" for fence in fences
    ):
        return False
    code = [line for line in used if (_CODE.match(line) or parse_marker(line)) and path_of_line(line) is None]
    first = next(line for line in lines if line.strip())
    starts_with_fence = lines.index(first) == fences[0].at
    return (
        not code
        or (len(code) * 3 < len(used) and first not in code)
        or (starts_with_fence and len(code) < len(used))
    )


def _is_prose(line: str) -> bool:
    return parse_marker(line) is None and _CODE.match(line) is None and _PROSE.fullmatch(line) is not None
