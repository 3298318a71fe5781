"""A parser of the calls of assistants' edit tools, as JSON or as tags: a text to be found, and the text in its place.

    {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}
    <edit><path>a.py</path><old_text>x = 1</old_text><new_text>x = 2</new_text></edit>

The names of the fields are those of Claude's, Gemini's, VS Code's, Cursor's, Cline's and Zed's tools. Calls may be wrapped
as in an answer of an API, several in a list, or one after another. A call that holds a patch or code with markers is parsed
as what it holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from editahead_prompts.errors import SketchError, UnfitSketchError
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.snapshot import Snapshot, line_body

from .invisible_characters import to_plain
from .paths import parse_path
from .sketch import Code, Diff, FileSketch, Hunk, HunkLine, Sketch, Snippet

_PATH = ("file_path", "filePath", "path", "target_file", "targetFile", "filename", "AbsolutePath")
_OLD = ("old_string", "oldString", "old_str", "old_text", "oldText", "search")
_NEW = ("new_string", "newString", "new_str", "new_text", "newText", "replace", "insert_text")
_WHOLE = ("file_text", "content", "contents")
_CODE = ("code_edit", "codeEdit", "code")
_PATCH = ("input", "patch", "diff")
_EVERYWHERE = ("replace_all", "replaceAll", "allow_multiple")
_LISTS = ("edits", "replacements", "tool_calls", "content", "parts", "calls")
_WRAPPERS = ("input", "args", "arguments", "parameters", "function", "functionCall", "tool_call")
_MAX_DEPTH = 8
_MAX_CALLS = 500

_TAGGED = re.compile(
    r"<(?P<path>path|file_path)>(?P<name>[^<\n]{1,400})</(?P=path)>\s*"
    r"(?:<(?P<whole>content|file_text)>\n?(?P<text>.*?)</(?P=whole)>"
    r"|<(?P<old>old_text|old_string|old_str)>\n?(?P<gone>.*?)</(?P=old)>\s*"
    r"<(?P<new>new_text|new_string|new_str)>\n?(?P<come>.*?)</(?P=new)>)",
    re.DOTALL,
)
_ELEMENT = re.compile(r"<(\w+)[^<>]*>[^<\n]{0,400}</\1>|<[^<>]*>")
"""Pattern of what may be around calls: an element of one line, or a tag."""

_WHY = "the call of an edit tool: a text to be found, and the text in its place"


@dataclass(frozen=True, slots=True)
class _Call:
    """One call.

    Attributes:
        old: The text to be found; "" where the call only adds.
        new: The text in its place, or all of a file.
        occurrences: How often the text occurs: all of them change; 0 = however often.
        line: The line after which the text is added.
        creates: The file is new, or all of it changes.
        inner: The call holds a patch or code with markers instead.
    """

    path: str | None
    old: str = ""
    new: str = ""
    occurrences: int = 1
    line: int | None = None
    creates: bool = False
    inner: str = ""


def parse_edit_calls(text: str) -> Sketch | str | None:
    """Parse the calls of edit tools that are all of a text.

    Returns:
        The sketch; the text of patches and code that the calls hold instead; None if the text holds no calls.

    Raises:
        SketchError: Some calls are of one kind, some of the other.
    """
    calls = list(_calls(text))
    if not calls:
        return None
    inner = [call for call in calls if call.inner]
    if not inner:
        return _as_sketch(calls)
    if len(inner) < len(calls):
        raise SketchError(
            "calls of tools that hold edits, and others that hold patches; apply them one by one"
        )
    return inner[0].inner if len(inner) == 1 and inner[0].path is None else "\n".join(map(_fenced, inner))


def _fenced(call: _Call) -> str:
    """Return the text that a call holds, as a block with its path."""
    ticks = "`" * max(3, 1 + max(map(len, re.findall("`+", call.inner)), default=0))
    return f"{ticks} {call.path or ''}".rstrip() + f"\n{call.inner.rstrip()}\n{ticks}\n"


def _calls(text: str) -> Iterator[_Call]:
    stripped = text.strip()
    if stripped[:1] in ("{", "["):
        for value in _values(stripped):
            yield from _of_value(value, None, 0)
    elif stripped[:1] == "<" and _holds_only_calls(stripped):
        for found in _TAGGED.finditer(stripped):
            path = parse_path(found["name"])
            if path is None:
                continue
            if found["whole"]:
                yield _Call(path, new=found["text"], creates=True)
            else:
                yield _Call(path, found["gone"], found["come"], creates=not found["gone"])


def _holds_only_calls(text: str) -> bool:
    """Return whether nothing but tags and short elements is around the calls in a text.

    Raises:
        SketchError: More is, below a call at the beginning.
    """
    first = _TAGGED.search(text)
    if first is None or _ELEMENT.sub("", text[: first.start()]).strip():
        return False
    if _ELEMENT.sub("", _TAGGED.sub("", text)).strip():
        raise SketchError("a text beside the calls of edit tools that belongs to none of them")
    return True


def _values(text: str) -> list[Any]:
    """Return the JSON values that follow one another; none where anything else is between or behind them."""
    decoder, at = json.JSONDecoder(), 0
    out: list[Any] = []
    try:
        while at < len(text) and len(out) < _MAX_CALLS:
            value, at = decoder.raw_decode(text, at)
            out.append(value)
            while at < len(text) and text[at] in " \t\r\n,":
                at += 1
    except (ValueError, RecursionError):
        return []
    return out


def _of_value(value: Any, path: str | None, depth: int) -> Iterator[_Call]:
    """Yield the calls in a JSON value; `path` is that of the object around it."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, list):
        for each in value[:_MAX_CALLS]:
            yield from _of_value(each, path, depth + 1)
        return
    if not isinstance(value, dict):
        return
    named = _string(value, _PATH)
    path = parse_path(named) if named else path
    call = _of_object(value, path, is_known=named is not None and path is not None)
    if call is not None:
        yield call
        return
    for name in (*_LISTS, *_WRAPPERS):
        held = value.get(name)
        if name == "arguments" and isinstance(held, str) and held.strip()[:1] == "{":
            for each in _values(held.strip()):
                yield from _of_value(each, path, depth + 1)
        elif isinstance(held, (dict, list)):
            yield from _of_value(held, path, depth + 1)


def _of_object(value: Mapping[str, Any], path: str | None, *, is_known: bool) -> _Call | None:
    old, new = _string(value, _OLD), _string(value, _NEW)
    if old is not None and new is not None:
        expected = value.get("expected_replacements", 1)
        everywhere = any(value.get(name) is True for name in _EVERYWHERE)
        count = expected if isinstance(expected, int) and not isinstance(expected, bool) else 1
        return _Call(path, old, new, 0 if everywhere else max(1, count), creates=not old)
    line = value.get("insert_line")
    if new is not None and isinstance(line, int) and is_known:
        return _Call(path, new=new, line=max(0, line))
    if old is not None and value.get("command") == "str_replace":
        return _Call(path, old, "")
    patch = _string(value, _PATCH)
    if patch is not None and re.search(
        r"^(?:\*\*\* Begin Patch|@@ |--- |[<-]{5,9} ?SEARCH)", patch, re.MULTILINE
    ):
        return _Call(path if is_known else None, inner=patch)
    if not is_known:
        return None
    code, whole = _string(value, _CODE), _string(value, _WHOLE)
    if code is not None:
        return _Call(path, inner=code)
    return None if whole is None else _Call(path, new=whole, creates=True)


def _string(value: Mapping[str, Any], names: Sequence[str]) -> str | None:
    return next((found for name in names if isinstance(found := value.get(name), str)), None)


def _as_sketch(calls: Sequence[_Call]) -> Sketch:
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
            files.append(
                FileSketch("whole-file", _WHY, content, at, len(lines), call.path, final_newline=final)
            )
            continue
        tagged = [HunkLine("-", line, at + n) for n, line in enumerate(old)]
        tagged += [HunkLine("+", line, at + len(old) + n) for n, line in enumerate(new)]
        hunk = Hunk(tuple(tagged), at, line=call.line, is_text=True, occurrences=call.occurrences)
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


def fit_texts(file: FileSketch, original: Snapshot) -> FileSketch:
    """Return edits of texts as one edit of whole lines of the file.

    Raises:
        UnfitSketchError: A text does not occur as often as the sketch says.
    """
    if not isinstance(file.content, Diff) or not any(hunk.is_text for hunk in file.content.hunks):
        return file
    made = _one_hunk(file.content.hunks, [line_body(line) for line in original.lines])
    return replace(file, content=Diff((made,)))


def _as_texts(hunk: Hunk, text: str) -> tuple[str, str]:
    """Return the old and the new text, plain if the text has only the plain form of the old one."""
    old, new = "\n".join(hunk.old), "\n".join(hunk.new)
    return (old, new) if old in text else (to_plain(old), to_plain(new))


def _places(old: str, text: str) -> Iterator[int]:
    """Yield the places of a text in another one. They may overlap."""
    at = text.find(old)
    while at >= 0:
        yield at
        at = text.find(old, at + 1)


def _replaced(hunk: Hunk, text: str) -> str:
    """Return a text after one replacement.

    Raises:
        UnfitSketchError: The old text does not occur as often as the hunk says, or its occurrences overlap.
    """
    old, new = _as_texts(hunk, text)
    end = hunk.at + len(hunk.lines)
    count = sum(1 for _ in _places(old, text))
    if not count:
        raise UnfitSketchError("unplaced", "The file has no such text.", hunk.at, end)
    if hunk.occurrences not in (0, count):
        expected = "once" if hunk.occurrences == 1 else f"{hunk.occurrences} times"
        said = f"The old text occurs {count} times in the file, and the call says {expected}."
        raise UnfitSketchError("ambiguous", said, hunk.at, end)
    if count != text.count(old):
        raise UnfitSketchError("ambiguous", "The occurrences of the old text overlap.", hunk.at, end)
    return text.replace(old, new)


def _inserted(hunk: Hunk, text: str) -> str:
    """Return a text after the lines of a hunk were added behind the line that the hunk names.

    Raises:
        UnfitSketchError: The text has fewer lines.
    """
    rows = text.split("\n")
    if hunk.line is None or hunk.line > len(rows) - (not rows[-1]):
        said = "The file has no line with this number."
        raise UnfitSketchError("unplaced", said, hunk.at, hunk.at + len(hunk.lines))
    added = "\n".join(hunk.new).removesuffix("\n").split("\n")
    return "\n".join([*rows[: hunk.line], *added, *rows[hunk.line :]])


def _one_hunk(hunks: Sequence[Hunk], bodies: Sequence[str]) -> Hunk:
    """Return one hunk with the effect of all, and as many lines around as make its place the only one."""
    before = text = "\n".join(bodies)
    low, high = len(bodies), 0
    for hunk in hunks:
        old = _as_texts(hunk, text)[0]
        if not old:
            text = _inserted(hunk, text)
            at = hunk.line or 0
            low, high = min(low, max(0, at - 1)), max(high, min(len(bodies), at + 1))
            continue
        text = _replaced(hunk, text)
        first, last = before.find(old), before.rfind(old)
        if first >= 0:
            low = min(low, before.count("\n", 0, first))
            high = max(high, before.count("\n", 0, last + len(old.removesuffix("\n"))) + 1)
    after = text.split("\n")
    same = next((n for n, (a, b) in enumerate(zip(bodies, after, strict=False)) if a != b), None)
    if same is None:
        same = min(len(bodies), len(after))
    tail = 0
    while tail < min(len(bodies), len(after)) - same and bodies[-1 - tail] == after[-1 - tail]:
        tail += 1
    low, high = min(low, same), max(high, len(bodies) - tail)
    step = 4
    while (low > 0 or high < len(bodies)) and not _is_only(bodies, low, high):
        low, high, step = max(0, low - step), min(len(bodies), high + step), step * 2
    gone, come = list(bodies[low:high]), after[low : len(after) - (len(bodies) - high)]
    if high == len(bodies) and gone[-1:] == come[-1:] == [""]:
        gone, come = gone[:-1], come[:-1]
    at = hunks[0].at
    lines: list[HunkLine] = []
    done = 0
    for i1, i2, j1, j2 in diff_lines(gone, come):
        lines += [HunkLine(" ", line, at) for line in gone[done:i1]]
        lines += [HunkLine("-", line, at) for line in gone[i1:i2]]
        lines += [HunkLine("+", line, at) for line in come[j1:j2]]
        done = i2
    lines += [HunkLine(" ", line, at) for line in gone[done:]]
    return Hunk(tuple(lines), at, line=low)


def _is_only(bodies: Sequence[str], low: int, high: int) -> bool:
    """Return whether lines [low, high) occur once, and say something."""
    block = list(bodies[low:high])
    if not any(line.strip() for line in block):
        return False
    starts = (at for at, body in enumerate(bodies) if body == block[0])
    return sum(list(bodies[at : at + len(block)]) == block for at in starts) == 1
