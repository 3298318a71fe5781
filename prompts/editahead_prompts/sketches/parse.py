"""Parsing of a text, pasted by the user or written by a model, to a sketch.

A patch is recognised by its signs anywhere in the text. Otherwise the code is the content of the fences. Without fences, or
where the fences are part of the code (docstrings have some), the code is the whole text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from operator import attrgetter

from editahead_prompts.errors import InvalidNameError, SketchError
from editahead_prompts.text.snapshot import line_body, split_lines

from . import begin_patch, search_replace, unified_diff
from .edit_calls import parse_edit_calls
from .elision_markers import parse_marker
from .fences import PATCH_WORDS, Fence, find_fences, may_hold
from .invisible_characters import to_plain
from .paths import SHELL_WORDS, language_of, language_of_fence, path_of_comment, path_of_line
from .sketch import Diff, FileSketch, Sketch
from .snippet_parser import parse_snippet

_CODE = re.compile(
    r"\s*(?:import |from \S+ import|def |class |function\b|const |let |var |return\b|if ?\(|for ?\(|#include|package |"
    r"use \w|func |fn |pub |@\w+|//|/\*|\*/|\"\"\"|'''|[})\]]+[;,]?$|#!|<\w+[\s>/]|\w+ :?= |\w+\.\w+\()"
    r"|.*(?:[;{}(\[]|=>|\) ?:)\s*$"
)
"""Pattern of lines of code that hardly any line of prose matches."""

_PROSE = re.compile(r"[^\s{}()\[\];=<>]*[A-Za-z][^{}\[\];=<>]*")
_SAYS_NEW = re.compile(r"\b(?:create|creating|new file|add a file)\b", re.IGNORECASE)
_FEW = 3
_LINES_PER_CHECK = 10_000


def parse_sketch(
    text: str,
    *,
    language: str | None = None,
    path: str | None = None,
    check: Callable[[], None] = lambda: None,
) -> Sketch:
    """Parse the sketch in a text.

    Args:
        language: The LSP language id of the file that the sketch is for, if known.
        path: The path of that file, if known.
        check: Called between units of work; may raise to cancel.

    Raises:
        SketchError: The text holds no sketch. No other exception is raised, except by `check`.
    """
    check()
    called = _called(text)
    if isinstance(called, Sketch):
        return called
    text = called or text
    check()
    pasted = tuple(line_body(line) for line in split_lines(text))
    check()
    lines = _checked(map(to_plain, pasted), check)
    if lines and not lines[-1]:
        lines = lines[:-1]
    if not any(line.strip() for line in lines):
        raise SketchError("there is nothing in it", 0, len(lines))
    known = language or language_of(path)
    check()
    fences = find_fences(lines)
    check()
    outside = _outside(fences, len(lines))
    files = _patch(lines, 0, len(lines), outside, bounded=False)
    if files is None and fences and _is_answer(lines, fences, outside, known):
        files = _of_fences(lines, fences, known, path, check)
    elif files is None:
        check()
        files = [_bare(lines, known, path)]
    check()
    if not files:
        raise SketchError("a patch that changes nothing", 0, len(lines))
    changed = {at: line for at, line in enumerate(pasted[: len(lines)]) if line != lines[at]}
    return Sketch(lines, tuple(files), changed)


_CALL_FENCE = re.compile(
    r"(?P<ticks>`{3,})(?:json|jsonc|tool_code|tool_use|xml)?[ \t]*\n(?P<text>\s*[\[{<].*?)\n(?P=ticks)[ \t]*(?:\n|$)",
    re.DOTALL,
)


def _called(text: str) -> Sketch | str | None:
    """Return what the calls of edit tools in a text hold: all of it, or its only block."""
    found = parse_edit_calls(text)
    if found is None and text.count("```") == 2 and (fence := _CALL_FENCE.search(text)):
        found = parse_edit_calls(fence["text"])
    return found


def _patch(
    lines: Sequence[str], start: int, end: int, candidates: Sequence[int], *, bounded: bool
) -> list[FileSketch] | None:
    """Parse the patch whose first sign is in one of the candidate lines; None without a patch."""
    for at in candidates:
        if begin_patch.is_start(lines, at):
            return begin_patch.parse_begin_patch(lines, at, end)
        if search_replace.is_start(lines, at):
            return search_replace.parse_search_replace(lines, start, end)
        if unified_diff.is_start(lines, at):
            return unified_diff.parse_unified(lines, at, end, bounded=bounded)
    return None


def _checked(lines: Iterable[str], check: Callable[[], None]) -> tuple[str, ...]:
    """Return the lines; check now and then."""
    out: list[str] = []
    for number, line in enumerate(lines):
        if number % _LINES_PER_CHECK == 0:
            check()
        out.append(line)
    return tuple(out)


def _of_fences(
    lines: Sequence[str],
    fences: Sequence[Fence],
    language: str | None,
    path: str | None,
    check: Callable[[], None],
) -> list[FileSketch]:
    """Parse the files in fenced blocks, without blocks that hold no code of a file."""
    out: list[FileSketch] = []
    problem: SketchError | None = None
    for fence in _chosen(lines, fences, language):
        check()
        at = bisect_left(fences, fence.stop, key=attrgetter("at"))
        following = fences[at : at + 1]
        is_markdown = language_of_fence(fence.word) == "markdown"
        if is_markdown and following and may_hold(fence, following[0], lines):
            raise SketchError(
                "a Markdown block that may end at any of these fences; put it in a longer one",
                fence.at,
                following[0].stop,
            )
        try:
            for file in _of_fence(lines, fence, language, path):
                _add(out, file)
        except InvalidNameError:
            raise
        except SketchError as error:
            problem = error
    if problem is not None and not out:
        raise problem
    return out


def _add(files: list[FileSketch], file: FileSketch) -> None:
    """Add a file; search/replace blocks in a fence of their own join those of the same file before them."""
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
    """Return the blocks that hold code of files.

    These are blocks with a path or without a shell's word. If some are in the given language, blocks without a path in
    another language are dropped.
    """
    code = [fence for fence in fences if fence.path or fence.word not in SHELL_WORDS] or list(fences)
    if language is None:
        return code
    wanted = _family(language)
    same = [
        fence
        for fence in code
        if fence.path
        or fence.word in PATCH_WORDS
        or _family(language_of_fence(fence.word)) == wanted
        or path_of_comment(next(filter(str.strip, lines[fence.start : fence.end]), ""), None) is not None
    ]
    return same or code


def _family(language: str | None) -> str | None:
    """Return one name for all languages that models confuse in labels."""
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
    if files is None and fence.word in PATCH_WORDS and unified_diff.looks_like_diff(lines[start:end]):
        files = unified_diff.parse_unified(lines, start, end, bounded=True)
    if files is not None:
        return [_named(file, fence.path) for file in files]
    file = parse_snippet(
        lines,
        start,
        end,
        word=fence.word,
        path=fence.path,
        language=language,
        known=path,
        span=(fence.at, fence.stop),
    )
    above = lines[max(0, fence.at - 2) : fence.at]
    return [replace(file, is_said_new=fence.path is not None and any(map(_SAYS_NEW.search, above)))]


def _named(file: FileSketch, path: str | None) -> FileSketch:
    return replace(file, path=path) if file.path is None and path is not None else file


def _bare(lines: Sequence[str], language: str | None, path: str | None) -> FileSketch:
    """Parse the whole text as code, after a line that names the path, if any."""
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
    """Return whether the fences hold the code and the rest is prose; else the fences are part of the code."""
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
