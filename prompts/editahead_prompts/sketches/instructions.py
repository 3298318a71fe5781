"""The instructions of a sketch: diffs, patches and search/replace blocks, and the words around them.

Instructions are only what a text says at its own level. A text in which other lines than words are around a patch is code
that holds a patch, such as a test with a diff in a string.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from editahead_prompts.errors import SketchError
from editahead_prompts.syntax.languages import known_language_of, language_of_word

from . import begin_patch, search_replace, unified_diff
from .elision_markers import parse_marker
from .fences import PATCH_WORDS, Fence
from .paths import SHELL_WORDS, path_of_line
from .sketch import Diff, FileSketch

CODE = re.compile(
    r"\s*(?:import |from \S+ import|def |class |function\b|const |let |var |return\b|if ?\(|for ?\(|#include|package |"
    r"use \w|func |fn |pub |@\w+|//|/\*|\*/|\"\"\"|'''|[})\]]+[;,]?$|#!|<\w+[\s>/]|\w+ :?= |\w+\.\w+\()"
    r"|.*(?:[;{}(\[]|=>|\) ?:)\s*$"
)
"""Pattern of lines of code that hardly any line of prose matches."""

_PROSE = re.compile(r"[^\s{}()\[\];=<>A-Za-z]*[A-Za-z][^{}\[\];=<>]*")
_SENTENCE = re.compile(r"[A-Z][a-z']*,?(?: [^\s]+){3,}[.:!?]")
"""Pattern of a sentence, which may end as a line of code does: `Here it is (as you asked):`."""

_LIST = re.compile(r"\s*(?:#{1,6}|[-*+>]|\d+[.)])\s+")
_QUOTED = re.compile(r"`[^`]*`")
_WRAPPER = re.compile(
    r"\s*(?:</?(?:diff|path|file|content|edit|edits|args|invoke|parameter|tool|function|\w*_\w*)(?:[\s=][^>]*)?>\s*)+"
    r"|\s*(?:<!\[CDATA\[|\]\]>)\s*"
    r"|.*\b(?:apply_patch|git apply|patch)\b.*<<-?\s*['\"]?\w+['\"]?.*|(?:EOF|PATCH|END)\s*",
)
"""Pattern of lines around a patch: the tags of a tool's call, and a shell's command that gets the patch."""

_MAX_WRAPPER_CHARS = 1_000

_PATCHED_WORDS = PATCH_WORDS | SHELL_WORDS | {"xml"}
"""Words of fences that often hold a patch."""

_MAIL = re.compile(r"From [0-9a-f]{40} |commit [0-9a-f]{7,64}\b")
_MAIL_END = re.compile(r"-- ?")
MAX_INSTRUCTIONS = 20_000
"""Instructions of one text: the parts of a patch that a person or a model writes are far fewer."""
_FEW = 3
"""First lines of a block for a patch of which one begins the patch."""

_GIT = ("diff --git ", "diff --cc ", "diff --combined ")
_PATCH_FILES = (".patch", ".diff")
CODE_LANGUAGES = frozenset(
    (
        *("python", "javascript", "javascriptreact", "typescript", "typescriptreact", "go", "rust", "java"),
        *("c", "cpp", "csharp", "ruby", "php", "kotlin", "swift", "scala"),
    )
)
"""Languages whose files hold no words outside of comments and strings."""


@dataclass(frozen=True, slots=True)
class Instructions:
    """The instructions in a range of lines.

    Attributes:
        files: The parts, in the order of the text.
        spans: The first line of each instruction, and the line after it.
        rest: The other lines that are not blank, and no wrapper.
    """

    files: tuple[FileSketch, ...]
    spans: tuple[tuple[int, int], ...]
    rest: tuple[int, ...]


def read_instructions(
    lines: Sequence[str],
    start: int,
    end: int,
    fences: Sequence[Fence] = (),
    *,
    bounded: bool,
    check: Callable[[], None] = lambda: None,
) -> Instructions:
    """Return the instructions in the lines from `start` up to `end`, without those in fences.

    Args:
        bounded: Whether nothing but instructions is to be expected in the range.
        check: Called often; may raise to cancel.

    Raises:
        SketchError: An instruction cannot be parsed, or there are more than `MAX_INSTRUCTIONS`.
    """
    stops = {fence.at: fence.stop for fence in fences}
    files: list[FileSketch] = []
    spans: list[tuple[int, int]] = []
    rest: list[int] = []
    at = start
    while at < end:
        check()
        if at in stops:
            at = stops[at]
            continue
        found = _read_one(lines, at, end, files[-1] if files else None, bounded=bounded, check=check)
        if found is None:
            rest.append(at)
            at += 1
            continue
        for file in found[0]:
            add_file(files, file, joins=not bounded)
        spans.append((at, found[1]))
        if len(spans) > MAX_INSTRUCTIONS:
            raise SketchError(f"more than {MAX_INSTRUCTIONS:,} instructions", at, end)
        at = found[1]
    mails = set(_mail_lines(lines, spans, start, end))
    used = (number for number in rest if lines[number].strip() and number not in mails)
    return Instructions(
        tuple(files), tuple(spans), tuple(number for number in used if not _is_wrapper(lines[number]))
    )


def _read_one(
    lines: Sequence[str],
    at: int,
    end: int,
    before: FileSketch | None,
    *,
    bounded: bool,
    check: Callable[[], None],
) -> tuple[list[FileSketch], int] | None:
    """Parse the instruction that begins at a line; None if none does."""
    if begin_patch.is_start(lines, at):
        return begin_patch.parse_begin_patch(lines, at, end, check)
    if search_replace.is_start(lines, at):
        file, stop = search_replace.parse_search_replace(lines, at, end, before)
        return [file], stop
    if unified_diff.is_start(lines, at):
        return unified_diff.parse_unified(lines, at, end, bounded=bounded, check=check)
    return None


def add_file(files: list[FileSketch], file: FileSketch, *, joins: bool = False) -> None:
    """Add a file; search/replace blocks join those of the same file before them.

    Args:
        joins: Whether the hunks of a diff without headers join those before them, too.
    """
    last = files[-1] if files else None
    if (
        last is not None
        and isinstance(last.content, Diff)
        and isinstance(file.content, Diff)
        and last.kind == file.kind
        and (file.path in (None, last.path) if file.kind == "search-replace" else joins and file.path is None)
    ):
        content = Diff(last.content.hunks + file.content.hunks)
        action = last.action if last.action == file.action or file.path is None else "edit"
        final = last.final_newline if file.final_newline is None else file.final_newline
        files[-1] = replace(last, content=content, end=file.end, action=action, final_newline=final)
    else:
        files.append(file)


def _mail_lines(
    lines: Sequence[str], spans: Sequence[tuple[int, int]], begin: int, end: int
) -> Iterator[int]:
    """Yield the lines of git's mails and logs around diffs: the message above, and the signature below."""
    at = begin
    for start, stop in [*spans, (end, end)]:
        first = next((number for number in range(at, start) if lines[number].strip()), start)
        if at > begin and first < start and _MAIL_END.fullmatch(lines[first]):
            yield from range(first, min(first + 2, start))
            first = next((number for number in range(first + 2, start) if lines[number].strip()), start)
        if first < start < end and _MAIL.match(lines[first]) and lines[start].startswith(_GIT):
            yield from range(first, start)
        at = stop


def is_plain_prose(line: str) -> bool:
    """Return whether a line reads as words, without the signs of Markdown."""
    return parse_marker(line) is None and CODE.match(line) is None and _PROSE.fullmatch(line) is not None


def _is_wrapper(line: str) -> bool:
    return len(line) <= _MAX_WRAPPER_CHARS and _WRAPPER.fullmatch(line) is not None


def is_prose(line: str) -> bool:
    """Return whether a line of an answer can only be words for a person, which may be in Markdown."""
    item = _LIST.match(line)
    text = _QUOTED.sub("x", line[item.end() :] if item else line).strip()
    if parse_marker(line) is not None or not _PROSE.fullmatch(text):
        return False
    return CODE.match(line) is None or _SENTENCE.fullmatch(text) is not None


def names_same_file(path: str, other: str) -> bool:
    """Return whether two paths can mean one file: one of them ends with the other."""
    return f"/{path}".endswith(f"/{other}") or f"/{other}".endswith(f"/{path}")


def names_only(files: Iterable[FileSketch], path: str) -> bool:
    """Return whether some parts can all mean the file at a path."""
    return all(
        name is None or names_same_file(name, path) for file in files for name in (file.path, file.moved_to)
    )


def is_patch_file(path: str | None) -> bool:
    """Return whether the file at a path holds a patch itself."""
    return path is not None and path.lower().endswith(_PATCH_FILES)


def are_words_around(
    lines: Sequence[str], found: Instructions, language: str | None, path: str | None
) -> bool:
    """Return whether the other lines are words around instructions, and not the file that holds them as its text.

    Args:
        language: The LSP language id of the file that the sketch is for, if known.
        path: The path of that file, if known.

    Raises:
        SketchError: Both are plausible.
    """
    first = _first(lines, 0, len(lines))
    label = path_of_line(lines[first])
    rest = [lines[number] for number in found.rest if path_of_line(lines[number]) is None]
    is_title = label is not None and found.rest[:1] == (first,) and not names_only(found.files[:1], label)
    if is_title and rest:
        language, path = known_language_of(label), label
    if path is None and language is None:
        code = [line for line in rest if CODE.match(line) and not is_prose(line)]
        return not code or (len(code) * 3 < len(rest) and rest[0] not in code)
    if not all(map(is_prose, rest)):
        return False
    if is_patch_file(path) or (rest and language not in CODE_LANGUAGES):
        _check_own(found, path)
    return True


def _check_own(found: Instructions, path: str | None) -> None:
    """Check that instructions are for the file that the sketch is for, of which they may be the text.

    Raises:
        SketchError: They are for others, or the file is not known.
    """
    if path is None or not names_only(found.files, path):
        at, stop = found.spans[0]
        raise SketchError(
            "a patch of other files, which may be the text of this one; put the patch in a fence", at, stop
        )


def instructions_of_fence(
    lines: Sequence[str], fence: Fence, check: Callable[[], None] = lambda: None
) -> list[FileSketch] | None:
    """Return the instructions that a block consists of; None for a block that holds the text of a file.

    Raises:
        SketchError: A line belongs to no instruction, or the block's path is not that of its patch.
    """
    start, end = fence.start, fence.end
    if is_patch_file(fence.path) or not _begins(lines, fence):
        return None
    if fence.word in PATCH_WORDS and unified_diff.looks_like_diff(lines[start:end]):
        files, stop = unified_diff.parse_unified(
            lines, _first(lines, start, end), end, bounded=True, check=check
        )
        found = Instructions(tuple(files), ((start, stop),), ())
    else:
        found = read_instructions(lines, start, end, bounded=True, check=check)
    is_own = fence.path is None or names_only(found.files, fence.path)
    if not is_own and fence.word in PATCH_WORDS:
        path = fence.path or ""
        is_own = any(file.path is not None and names_same_file(file.path, path) for file in found.files)
        if not is_own:
            raise SketchError(
                f"a patch of another file than {path}, which the line above names", fence.at, fence.stop
            )
    if not is_own or not _may_hold_patch(fence, found.files):
        return None
    for number in found.rest:
        if path_of_line(lines[number]) is None and not is_prose(lines[number]):
            raise SketchError("this line belongs to no part of the patch", number, number + 1)
    return list(found.files)


def _first(lines: Sequence[str], start: int, end: int) -> int:
    return next((number for number in range(start, end) if lines[number].strip()), end)


def _begins(lines: Sequence[str], fence: Fence) -> bool:
    """Return whether a block begins with an instruction, below its path and wrappers only."""
    used = [number for number in range(fence.start, fence.end) if lines[number].strip()]
    if fence.word in PATCH_WORDS and unified_diff.looks_like_diff(lines[fence.start : fence.end]):
        return True
    if fence.word in PATCH_WORDS:
        is_mail = any(_MAIL.match(lines[number]) for number in used[:1])
        return is_mail or any(_is_start(lines, number) for number in used[:_FEW])
    for number in used:
        if _is_start(lines, number):
            return True
        is_mail = _MAIL.match(lines[number]) is not None
        if is_mail or not (_is_wrapper(lines[number]) or path_of_line(lines[number])):
            return is_mail
    return False


def _is_start(lines: Sequence[str], at: int) -> bool:
    return any(sign.is_start(lines, at) for sign in (begin_patch, search_replace, unified_diff))


def _may_hold_patch(fence: Fence, files: Sequence[FileSketch]) -> bool:
    """Return whether a block may be a patch by its word: not one of a document about a patch of other files."""
    if fence.word is None or fence.path is not None or fence.word in _PATCHED_WORDS:
        return True
    language = language_of_word(fence.word)
    return language in CODE_LANGUAGES or {known_language_of(file.path) for file in files if file.path} <= {
        language
    }
