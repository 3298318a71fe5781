"""Parsing of a text, pasted by the user or written by a model, to a sketch.

Instructions are what the text says outside of fences, and fences that begin with a patch: see `instructions`. Otherwise the
code is the content of the fences. Without fences, or where the fences are part of the code (docstrings have some), the code
is the whole text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter

from editahead_prompts.errors import SketchError
from editahead_prompts.syntax.languages import known_language_of, language_of_word
from editahead_prompts.text.snapshot import line_body, split_lines

from .edit_calls import parse_edit_calls
from .elision_markers import parse_marker
from .fences import PATCH_WORDS, Fence, find_fences, may_hold
from .file_words import says_there
from .instructions import (
    CODE,
    CODE_LANGUAGES,
    Instructions,
    add_file,
    are_words_around,
    instructions_of_fence,
    is_plain_prose,
    is_prose,
    names_only,
    read_instructions,
)
from .invisible_characters import to_plain
from .line_ends import name_changed_ends
from .paths import SHELL_WORDS, path_of_comment, path_of_line
from .sketch import FileSketch, Sketch, move_lines
from .snippet_parser import parse_snippet

_LINES_ABOVE = 4
"""Lines above a block whose words are about its file, at most."""
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
    is_for_file = language is not None or path is not None
    has_words = not is_for_file or (language or known_language_of(path)) in CODE_LANGUAGES
    called = parse_edit_calls(text, may_be_data=is_for_file, may_have_words=has_words)
    if called is None:
        pasted, lines = _lines_of(text, check)
        fences = find_fences(lines)
        called = _called_in_fences(pasted, lines, fences, path)
    if called is None:
        return _of_lines(text, pasted, lines, fences, language or known_language_of(path), path, check)
    sketches = [
        each if isinstance(each, Sketch) else _of_text(each, language or known_language_of(path), path, check)
        for each in called
    ]
    return _checked_calls(_joined(sketches), language or known_language_of(path), path)


def _of_text(text: str, language: str | None, path: str | None, check: Callable[[], None]) -> Sketch:
    """Parse a text in which no calls are looked for."""
    pasted, lines = _lines_of(text, check)
    return _of_lines(text, pasted, lines, find_fences(lines), language, path, check)


def _of_lines(
    text: str,
    pasted: Sequence[str],
    lines: tuple[str, ...],
    fences: Sequence[Fence],
    language: str | None,
    path: str | None,
    check: Callable[[], None],
) -> Sketch:
    check()
    files = _files(lines, fences, language, path, check)
    check()
    if not files:
        raise SketchError("a patch that changes nothing", 0, len(lines))
    changed = {at: line for at, line in enumerate(pasted[: len(lines)]) if line != lines[at]}
    return Sketch(lines, tuple(name_changed_ends(files, text)), changed)


def _joined(sketches: Sequence[Sketch]) -> Sketch:
    """Return one sketch with the parts of all."""
    lines: list[str] = []
    files: list[FileSketch] = []
    pasted: dict[int, str] = {}
    for sketch in sketches:
        pasted |= {at + len(lines): line for at, line in sketch.pasted.items()}
        files += move_lines(sketch.files, len(lines))
        lines += sketch.lines
    return Sketch(tuple(lines), tuple(files), pasted)


def _lines_of(text: str, check: Callable[[], None]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the lines of a text as they were pasted, and plain.

    Raises:
        SketchError: There is nothing but blank lines.
    """
    pasted = tuple(line_body(line) for line in split_lines(text))
    check()
    lines = _checked(map(to_plain, pasted), check)
    if lines and not lines[-1]:
        lines = lines[:-1]
    if not any(line.strip() for line in lines):
        raise SketchError("the sketch is empty", 0, len(lines))
    check()
    return pasted, lines


def _called_in_fences(
    pasted: Sequence[str], lines: Sequence[str], fences: Sequence[Fence], path: str | None
) -> list[Sketch | str] | None:
    """Return the calls of edit tools that all blocks of a text hold, among words.

    Raises:
        SketchError: Some blocks hold calls, and some hold others.
    """
    around = [lines[at] for at in _outside(fences, len(lines)) if lines[at].strip()]
    if not all(is_prose(line) or path_of_line(line) for line in around):
        return None
    out: list[Sketch | str] = []
    others: list[Fence] = []
    for fence in fences:
        called = _calls_of_fence(pasted, fence, path)
        if called is None:
            others.append(fence)
        else:
            out += called
    if out and any(fence.word not in SHELL_WORDS for fence in others):
        raise SketchError(
            "blocks with calls of edit tools, and others; apply them one by one", others[0].at, others[0].stop
        )
    return out or None


def _calls_of_fence(pasted: Sequence[str], fence: Fence, path: str | None) -> list[Sketch | str] | None:
    """Return the calls of edit tools that a block holds; None if it holds others, or calls for another file than its own."""
    if _may_hold_calls(None, fence.path) or fence.word in PATCH_WORDS:
        return None
    text = "\n".join(pasted[fence.start : fence.end])
    has_words = path is None and fence.path is None and language_of_word(fence.word) != "markdown"
    is_data = path is not None or fence.word not in _CALL_WORDS
    called = parse_edit_calls(text, may_be_data=is_data, may_have_words=has_words) or []
    files = [file for each in called if isinstance(each, Sketch) for file in each.files]
    is_own = fence.path is None or names_only(files, fence.path)
    return called if called and is_own else None


def _checked_calls(called: Sketch, language: str | None, path: str | None) -> Sketch:
    """Return calls of edit tools that are no text of the file that the sketch is for.

    Raises:
        SketchError: They may be, as the file is of a kind that such calls are in.
    """
    if path is not None and _may_hold_calls(language, path) and not names_only(called.files, path):
        raise SketchError(
            f"calls of edit tools for other files than {path}, of which they may be the text",
            0,
            len(called.lines),
        )
    return called


_CALL_WORDS = frozenset({None, "json", "jsonc", "jsonl", "tool_call", "tool_code", "tool_use", "xml"})
_CALL_LANGUAGES = frozenset(
    [
        "json",
        "jsonc",
        "jsonl",
        "ndjson",
        "json5",
        "ipynb",
        "yaml",
        "yml",
        "xml",
        "html",
        "htm",
        "xhtml",
        "svg",
        "vue",
        "svelte",
    ]
)
"""Language ids and extensions of files in which a text that looks like the call of a tool may be."""


def _may_hold_calls(language: str | None, path: str | None) -> bool:
    """Return whether the text of a file may look like the call of a tool."""
    extension = path.rpartition(".")[2].lower() if path else ""
    return language in _CALL_LANGUAGES or extension in _CALL_LANGUAGES


def _files(
    lines: Sequence[str],
    fences: Sequence[Fence],
    language: str | None,
    path: str | None,
    check: Callable[[], None],
) -> list[FileSketch]:
    """Parse the parts of a sketch."""
    found = read_instructions(lines, 0, len(lines), fences, bounded=False, check=check)
    check()
    if found.spans and not found.files and not found.rest:
        return []
    if found.files:
        _check_level(lines, fences, found)
    if found.files and are_words_around(lines, found, language, path):
        return _with_delivered(lines, fences, found, language, path, check)
    if fences and _is_answer(lines, fences, _outside(fences, len(lines)), language):
        return _of_fences(lines, fences, language, path, check)
    return [_bare(lines, language, path)]


def _check_level(lines: Sequence[str], fences: Sequence[Fence], found: Instructions) -> None:
    """Check that no instruction is in a block that holds fences of its own and ends below the instruction.

    Raises:
        SketchError: Such a block is plausible.
    """
    for above, below in pairwise(fences):
        first = bisect_left(found.spans, (above.stop, 0))
        is_between = first < len(found.spans) and found.spans[first][1] <= below.at
        if is_between and may_hold(above, below, lines):
            raise SketchError(
                "a block that may end at any of these fences; put it in a longer one",
                above.at,
                below.stop,
            )


def _with_delivered(
    lines: Sequence[str],
    fences: Sequence[Fence],
    found: Instructions,
    language: str | None,
    path: str | None,
    check: Callable[[], None],
) -> list[FileSketch]:
    """Return instructions outside of fences, with the blocks that are instructions, too, or have a path."""
    own = list(found.files)
    out: list[FileSketch] = []
    for fence in fences:
        last = bisect_left(found.spans, (fence.stop, 0)) - 1
        if last >= 0 and found.spans[last][1] > fence.at:
            continue
        check()
        inner = _dedented(lines, fence)
        files = _instructions(inner, fence, check)
        if files is None and fence.path is None:
            continue
        while own and own[0].at < fence.at:
            add_file(out, own.pop(0))
        for file in files or [_delivered(inner, fence, language, path)]:
            add_file(out, file)
    for file in own:
        add_file(out, file)
    return out


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
        is_markdown = "markdown" in (language_of_word(fence.word), known_language_of(fence.path))
        if is_markdown and following and may_hold(fence, following[0], lines):
            raise SketchError(
                "a Markdown block that may end at any of these fences; put it in a longer one",
                fence.at,
                following[0].stop,
            )
        inner = _dedented(lines, fence)
        for file in (files := _instructions(inner, fence, check)) or ():
            add_file(out, file)
        if files is not None:
            continue
        try:
            out.append(_delivered(inner, fence, language, path))
        except SketchError as error:
            problem = error
    if problem is not None and not out:
        raise problem
    return out


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
        or _family(language_of_word(fence.word)) == wanted
        or path_of_comment(next(filter(str.strip, lines[fence.start : fence.end]), ""), None) is not None
    ]
    return same or code


def _family(language: str | None) -> str | None:
    """Return one name for all languages that models confuse in labels."""
    if language in ("javascript", "javascriptreact", "typescript", "typescriptreact"):
        return "javascript"
    return "c" if language == "cpp" else language


def _dedented(lines: Sequence[str], fence: Fence) -> Sequence[str]:
    """Return the lines with those of a block without the indentation of its fence."""
    start, end = fence.start, fence.end
    if not fence.indent or not all(
        line.startswith(fence.indent) or not line.strip() for line in lines[start:end]
    ):
        return lines
    return [*lines[:start], *(line[len(fence.indent) :] for line in lines[start:end]), *lines[end:]]


def _instructions(lines: Sequence[str], fence: Fence, check: Callable[[], None]) -> list[FileSketch] | None:
    """Return the instructions that a block consists of, for the block's file where they name none; else None."""
    files = instructions_of_fence(lines, fence, check)
    return None if files is None else [_named(file, fence.path) for file in files]


def _delivered(lines: Sequence[str], fence: Fence, language: str | None, path: str | None) -> FileSketch:
    """Parse the block as code of a file.

    Raises:
        SketchError: The block is empty, or holds no code.
    """
    start, end = fence.start, fence.end
    if not any(line.strip() for line in lines[start:end]):
        raise SketchError("an empty block", fence.at, fence.stop)
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
    return replace(file, is_said_there=says_there(_words_above(lines, fence.at), lines[fence.start - 1]))


def _words_above(lines: Sequence[str], at: int) -> list[str]:
    """Return the last two lines with words above a line, up to another block."""
    out: list[str] = []
    for line in reversed(lines[max(0, at - _LINES_ABOVE) : at]):
        if line.lstrip().startswith(("```", "~~~")) or len(out) == 2:
            break
        if line.strip():
            out.append(line)
    return out


def _named(file: FileSketch, path: str | None) -> FileSketch:
    return replace(file, path=path) if file.path is None and path is not None else file


def _bare(lines: Sequence[str], language: str | None, path: str | None) -> FileSketch:
    """Parse the whole text as code, after a line that names the path, if any."""
    used = [number for number, line in enumerate(lines) if line.strip()]
    start, named = 0, None
    if len(used) > 1 and path_of_comment(lines[used[0]], path) is None:
        named = path_of_line(lines[used[0]])
        start = 0 if named is None else used[0] + 1
    if language in (None, "plaintext") and all(is_plain_prose(lines[number]) for number in used):
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
        fence.path or language_of_word(fence.word) == "markdown" for fence in fences
    ):
        return False
    code = [line for line in used if (CODE.match(line) or parse_marker(line)) and path_of_line(line) is None]
    first = next(line for line in lines if line.strip())
    starts_with_fence = lines.index(first) == fences[0].at
    return (
        not code
        or (len(code) * 3 < len(used) and first not in code)
        or (starts_with_fence and len(code) < len(used))
    )
