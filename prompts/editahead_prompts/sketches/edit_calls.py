"""A parser of the calls of assistants' edit tools, as JSON or as tags: a text to be found, and the text in its place.

    {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}
    <edit><path>a.py</path><old_text>x = 1</old_text><new_text>x = 2</new_text></edit>

Calls may be wrapped as in an answer of an API, several in a list, or one after another, with words around. A call that holds
a patch or code with markers is parsed as what it holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from editahead_prompts.errors import SketchError

from .call_tags import TaggedCalls, read_tags
from .call_values import MAX_CALLS, Call, CallReader
from .instructions import is_prose
from .invisible_characters import to_plain
from .paths import path_of_line
from .sketch import Code, Diff, FileSketch, Hunk, HunkLine, Sketch, Snippet

_ELEMENT = re.compile(r"<(\w+)\b[^<>]*>[^<\n]{0,400}</\1>|<[^<>]*>")
"""Pattern of what may be around calls: an element of one line, or a tag."""
_AROUND = re.compile(r"\s*(?:(?:</?\w+>|\[TOOL_CALLS\])\s*)*")
_MARK = re.compile(r"</?\w+>|\[TOOL_CALLS\]")
_KEYS = re.compile(
    r"\"(?:old_?(?:string|str|text)|new_?(?:string|str|text)|code_edit|file_?path|tool_calls|update_file|create_file|delete_file"
    r"|apply_patch)\"",
    re.IGNORECASE,
)
_MAX_TRIES = 20
"""Brackets at which no value begins, which bounds the time."""

_WHY = "the call of an edit tool: a text to be found, and the text in its place"


def parse_edit_calls(
    text: str, *, may_be_data: bool = True, may_have_words: bool = False
) -> list[Sketch | str] | None:
    """Parse the calls of edit tools that are all of a text.

    Args:
        text: The text.
        may_be_data: Whether a value that holds no known call may be the text of a file.
        may_have_words: Whether words may be around the calls.

    Returns:
        In their order, the sketches of calls, and the text of a patch or of code that a call holds instead; None if the
        text holds no calls.

    Raises:
        SketchError: Some of the calls cannot be understood.
    """
    reader = CallReader()
    stripped = text.strip()
    if stripped[:1] not in ("{", "[", "<") and not may_have_words:
        return None
    is_around = _is_word_line if may_have_words else _is_tag_line
    values = _values(stripped, is_around)
    if values is None and not may_be_data and stripped[:1] in ("{", "[") and _KEYS.search(stripped[:4000]):
        raise SketchError("the call of an edit tool in JSON that is cut off or malformed")
    for value in values or ():
        reader.read(value)
    if values is None and "<" in stripped:
        tagged = read_tags(stripped, may_be_files=may_have_words or not may_be_data)
        if not _read_tagged(stripped, tagged, reader, is_around, may_be_data):
            return None
    if reader.problems and (reader.calls or not may_be_data):
        raise SketchError(reader.problems[0])
    groups = groupby(reader.calls, key=lambda call: bool(call.inner))
    out: list[Sketch | str] = []
    for is_inner, calls in groups:
        out += map(_fenced, calls) if is_inner else [_as_sketch(list(calls))]
    return out or None


def _fenced(call: Call) -> str:
    """Return the text that a call holds, as a block with its path."""
    ticks = "`" * max(3, 1 + max(map(len, re.findall("`+", call.inner)), default=0))
    return f"{ticks} {call.path or ''}".rstrip() + f"\n{call.inner.rstrip()}\n{ticks}\n"


def _is_tag_line(line: str) -> bool:
    return _AROUND.fullmatch(line) is not None


def _is_word_line(line: str) -> bool:
    """Return whether a line is words around calls: no fence, and no path of a file that the text may be for."""
    if _is_tag_line(line):
        return True
    return not line.lstrip().startswith(("```", "~~~")) and path_of_line(line) is None and is_prose(line)


def _read_tagged(
    text: str, tagged: TaggedCalls, reader: CallReader, is_around: Callable[[str], bool], may_be_data: bool
) -> bool:
    """Read the calls that are tags; return whether nothing but words is around them.

    Raises:
        SketchError: More is, below a call at the beginning, or a call is cut off.
    """
    found = CallReader()
    for name, fields in tagged.calls:
        found.read(fields, name=name)
    if tagged.is_cut_off and (found.calls or not may_be_data) and text[:1] == "<":
        raise SketchError("the call of an edit tool in tags that is cut off")
    if not found.calls:
        return False
    rest = [line for line in _ELEMENT.sub("", tagged.left).split("\n") if line.strip()]
    if not all(map(is_around, rest)):
        if text[:1] == "<":
            raise SketchError("a text beside the calls of edit tools that belongs to none of them")
        return False
    reader.calls += found.calls
    reader.problems += found.problems
    return True


def _values(text: str, is_around: Callable[[str], bool]) -> list[Any] | None:
    """Return the JSON values that follow one another; None where anything else is between or behind them.

    Args:
        text: The text.
        is_around: Returns whether a line may be around calls.

    Raises:
        SketchError: There are too many.
    """
    decoder, at, tries = json.JSONDecoder(strict=False), 0, 0
    out: list[Any] = []
    while at < len(text):
        if text[at] in " \t\r\n,":
            at += 1
        elif (mark := _MARK.match(text, at)) is not None:
            at = mark.end()
        elif text[at] in "{[" and tries < _MAX_TRIES and (found := _value_at(decoder, text, at)) is not None:
            value, at = found
            out.append(value)
        else:
            tries += text[at] in "{["
            end = text.find("\n", at)
            line = text[at : end if end >= 0 else len(text)]
            if not is_around(line):
                return None
            at += len(line)
        if len(out) > MAX_CALLS:
            raise SketchError(f"more than {MAX_CALLS} calls of tools")
    return out or None


def _value_at(decoder: json.JSONDecoder, text: str, at: int) -> tuple[Any, int] | None:
    try:
        value, end = decoder.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return value, end


def _as_sketch(calls: Sequence[Call]) -> Sketch:
    """Return the sketch of calls that hold texts. Its lines are those of the texts."""
    lines: list[str] = []
    files: list[FileSketch] = []
    for call in calls:
        at = len(lines)
        old = _lines(call.old) if call.old else []
        new = _lines(call.new)
        lines += [*old, *new]
        if call.creates:
            whole = tuple(map(to_plain, _without_last(new)))
            content: Snippet | Diff = Snippet((Code(whole, at),))
            final = None if not call.new or call.new.endswith("\n") else False
            made = FileSketch("whole-file", _WHY, content, at, len(lines), call.path, final_newline=final)
            files.append(replace(made, says_whole=call.says_whole))
            continue
        tagged = [HunkLine("-", line, at + n) for n, line in enumerate(old)]
        tagged += [HunkLine("+", line, at + len(old) + n) for n, line in enumerate(new)]
        hunk = Hunk(
            tuple(tagged), at, line=call.line, at_end=call.at_end, is_text=True, occurrences=call.occurrences
        )
        last = files[-1] if files else None
        if last is not None and last.path == call.path and isinstance(last.content, Diff):
            files[-1] = replace(last, content=Diff((*last.content.hunks, hunk)), end=len(lines))
        else:
            files.append(FileSketch("search-replace", _WHY, Diff((hunk,)), at, len(lines), call.path))
    return Sketch(tuple(lines), tuple(files))


def _lines(text: str) -> list[str]:
    """Return the lines of a text, with an empty last one if it ends with a line end."""
    return text.replace("\r\n", "\n").split("\n")


def _without_last(lines: list[str]) -> list[str]:
    return lines[:-1] if lines and not lines[-1] else lines
