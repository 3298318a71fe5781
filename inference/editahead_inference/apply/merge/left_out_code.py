"""Code that a sketch leaves out in other ways than by a marker: a body `pass  # unchanged`, a docstring of dots, `f(...)`.

Such lines stand for the code of the file. A body, a docstring or a list of arguments without substance never replaces one
with substance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from editahead_inference.apply.placement.line_matching import (
    indentation,
    is_comment,
    line_weight,
    normalize_line,
)
from editahead_inference.apply.placement.outline import (
    Item,
    has_substance,
    identity,
    normalized,
    walk,
)
from editahead_inference.apply.placement.placement import Target
from editahead_prompts.sketches.elision_markers import parse_marker
from editahead_prompts.sketches.sketch import Code, Diff, Elision, FileSketch, Snippet

from .told_removals import SAYS_REMOVED, is_in_function

_ONE_LINE_BODY = re.compile(
    r"(?P<head>.*[\w)\]>]\s*\{)\s*(?P<body>(?:\.{3}|…|/\*.*\*/|//.*)?)\s*(?P<end>\}[;,)]*)"
)
_EMPTY_ARGUMENT = re.compile(r".*\w\s*\{\s*\}\)[;,)]*")
"""A value without fields as the last argument of a call, such as `Ok(Empty {})`, which is no body."""
_ONE_LINE_BLOCK = re.compile(
    r"(?P<head>(?:async\s+)?(?:def|class)\b.*:)\s*(?P<body>(?:\.{3}|…|pass)\s*(?:#.*)?)"
)
_DOTS_IN_BRACKETS = re.compile(
    r"(?P<open>[\w\])]\(|\[[^\[\]()]*,\s*|\{[^{}()]*,\s*)(?:\.{3}|…)(?P<close>\s*[)\]},])"
)
"""Dots instead of arguments, or instead of items between others."""
_QUOTES = ('"""', "'''")

_NO_BODY = re.compile(
    r"(?P<nothing>(?:return )?(?:\.{3}|…)|pass)?\s*(?P<comment>(?:#|//|--)[^!].*|/\*.*\*/)?"
)
_LEFT_OUT_WORDS = frozenset(
    [
        "same",
        "snip",
        "snipped",
        "unchanged",
        "previous",
        "original",
        "omitted",
        "existing",
        "implementation",
        "body",
        "before",
        "rest",
        "untouched",
        "etc",
        "above",
    ]
)
_MAX_WORDS = 5
_MAX_HEADER = 40
"""Lines of the header of a function, at most."""

_ABBREVIATES = frozenset(
    {"python", "javascript", "javascriptreact", "typescript", "typescriptreact", "go", "java", "rust"}
)
"""Languages in which dots are no arguments of a call."""


def restore_left_out_code(part: FileSketch, target: Target) -> FileSketch:
    """Return the part with markers, or the file's own lines, where the sketch leaves code of the file out in other ways."""
    if isinstance(part.content, Diff) or not len(target.lines):
        return part
    parts: list[Code | Elision] = []
    restorer = _Restorer(part.content, target)
    for piece in part.content.parts:
        parts += restorer.restore(piece) if isinstance(piece, Code) else [piece]
    parts = list(_joined(parts))
    if tuple(parts) == part.content.parts:
        return part
    elided = any(isinstance(piece, Elision) for piece in parts)
    kind = "markers" if elided and part.kind in ("whole-file", "declaration") else part.kind
    return replace(part, kind=kind, content=Snippet(tuple(parts)))


def _joined(parts: Sequence[Code | Elision]) -> Iterator[Code | Elision]:
    """Yield the parts with neighbouring runs of code as one."""
    last: Code | None = None
    for part in parts:
        if isinstance(part, Elision):
            if last is not None:
                yield last
            last = None
            yield part
        elif part.lines:
            last = part if last is None else Code(last.lines + part.lines, last.at)
    if last is not None:
        yield last


class _Restorer:
    """The comparison of the code of one sketch with one file."""

    def __init__(self, snippet: Snippet, target: Target) -> None:
        self._target, self._bodies = target, target.lines.bodies
        self._naming = target.naming

    @property
    def _named(self) -> dict[str, list[Item]]:
        """Identity -> the items of the file that have it."""
        return self._target.named_items

    def restore(self, code: Code) -> list[Code | Elision]:
        """Return the parts for one run of code."""
        lines = list(code.lines)
        if not self._may_leave_out(lines):
            return [code]
        keys = normalized(lines)
        self._restore_arguments(lines, keys)
        marks: dict[int, Elision] = {}
        gone: set[int] = set()
        split: dict[int, tuple[str, str]] = {}
        for number, key in enumerate(keys):
            said = SAYS_REMOVED.fullmatch(key)
            is_known = said is not None and f"named {said['name']}" in self._named
            if is_known and key not in self._target.lines.places and not is_in_function(lines, number):
                marks[number] = Elision(lines[number], code.at + number, removed=True)
            one_line = _ONE_LINE_BODY.fullmatch(lines[number].rstrip()) or _ONE_LINE_BLOCK.fullmatch(
                lines[number].strip()
            )
            if _EMPTY_ARGUMENT.fullmatch(lines[number].rstrip()):
                continue
            if one_line and (one_line["body"] or not self._target.lines.places.get(key)):
                head = (
                    one_line["head"]
                    if "end" in one_line.groupdict()
                    else indentation(lines[number]) + one_line["head"]
                )
                if self._has_body(normalize_line(head)) and not self._target.lines.places.get(key):
                    end = one_line.groupdict().get("end")
                    split[number] = (head, "" if end is None else indentation(lines[number]) + end)
        for item in walk(self._target.outlined(lines).items):
            key = keys[item.start]
            if not item.is_block or not self._has_body(key):
                continue
            body = [n for n in range(_header_end(item, keys), item.end) if keys[n]]
            if item.closes_itself:
                body = [n for n in body if n < item.sections[-1].line]
            docstring = _docstring(lines, body)
            if docstring:
                restored = self._docstring_of(
                    key, [lines[n] for n in docstring], keys[docstring[0] : docstring[-1] + 1]
                )
                if restored is not None:
                    lines[docstring[0]] = "\n".join(restored)
                    gone.update(docstring[1:])
                body = [n for n in body if n not in docstring]
            own = self._lines_of(key)
            stands = [n for n in body if _stands_for_code(keys[n]) and keys[n] not in own]
            others = set(body) - set(stands)
            if stands and all(is_comment(keys[n]) and keys[n] in self._target.lines.places for n in others):
                marks[stands[0]] = Elision(lines[stands[0]], code.at + stands[0])
                gone.update(stands[1:])
        if not marks and not split and not gone and lines == list(code.lines):
            return [code]
        out: list[Code | Elision] = []
        for number, line in enumerate(lines):
            if number in marks:
                out.append(marks[number])
            elif number in split:
                head, end = split[number]
                at = code.at + number
                out += [Code((head,), at), Elision(f"{indentation(line)}    ...", at)]
                out += [Code((end,), at)] if end else []
            elif number not in gone:
                out.append(Code(tuple(line.split("\n")), code.at + number))
        return out

    def _may_leave_out(self, lines: Sequence[str]) -> bool:
        """Return whether any line may stand for others. Most sketches have none."""
        return any(
            "..." in line
            or "…" in line
            or "pass" in line
            or "remove" in line
            or "deleted" in line
            or '"""' in line
            or re.search(r"#|//|/\*|\{\s*\}", line)
            for line in lines
        )

    def _has_body(self, key: str) -> bool:
        """Return whether each item of the file with the name of this line has lines of substance below."""
        name = identity(key)
        found = self._named.get(name, ()) if name is not None else ()
        return bool(found) and all(self._substance(item) for item in found)

    def _lines_of(self, key: str) -> set[str]:
        """Return the normalised lines of all items of the file with the name of this line."""
        found = self._named.get(identity(key) or "", ())
        return {line for item in found for line in self._target.lines.keys[item.start : item.end]}

    def _substance(self, item: Item) -> bool:
        keys = self._target.lines.keys
        return any(
            has_substance(keys[n]) and not keys[n].startswith(_QUOTES)
            for n in range(item.start + 1, item.end)
        )

    def _docstring_of(self, key: str, shown: Sequence[str], keys: Sequence[str]) -> list[str] | None:
        """Return the docstring of the file for one that leaves its text out; None if the shown one leaves nothing out."""
        text = " ".join(keys).strip("\"' ")
        is_dots = any(line.strip("\"' ") in ("...", "…") for line in keys)
        is_cut = re.search(r"\w.*\W(?:\.{3}|…)$", text) is not None
        if not is_dots and not is_cut and parse_marker(f"# {text}") is None:
            return None
        found = self._named.get(identity(key) or "", ())
        if len(found) != 1:
            return None
        body = [n for n in range(found[0].start + 1, found[0].end) if self._target.lines.keys[n]]
        there = _docstring(self._bodies, body)
        if not there:
            return None
        lines = self._bodies[there[0] : there[-1] + 1]
        told = " ".join(normalized(lines)).strip("\"' ")
        has = {line.strip("\"' ") for line in normalized(lines)}
        if is_dots and not all(
            line.strip("\"' ") in has or parse_marker(f"# {line}") is not None or not line.strip("\"' .…")
            for line in keys
        ):
            return None  # Its text is another one.
        if is_dots and not has.isdisjoint(("...", "…")):
            return None  # The dots are the file's own.
        if not is_dots and is_cut and not told.startswith(text.rstrip(".… ")):
            return None
        old, new = indentation(lines[0]), indentation(shown[0])
        return [new + line[len(old) :] if line.startswith(old) else line for line in lines]

    def _restore_arguments(self, lines: list[str], keys: list[str]) -> None:
        """Put the file's own line where dots stand for arguments or items, and one line of the file fits."""
        if self._target.original.language not in _ABBREVIATES:
            return
        for number, key in enumerate(keys):
            found = _DOTS_IN_BRACKETS.search(key) if key not in self._target.lines.places else None
            if found is None or line_weight(key) < 0.5:
                continue
            left, right = key[: found.end("open")], key[found.start("close") :]
            fits = {
                there
                for there in self._target.lines.places
                if len(there) > len(left) + len(right) and there.startswith(left) and there.endswith(right)
            }
            if len(fits) == 1 and not re.search(r"\w\[[^\]]*\.\.\.", key):
                (only,) = fits
                body = self._bodies[self._target.lines.places[only][0]]
                lines[number] = indentation(lines[number]) + body.strip()
                keys[number] = only


_TAKES_DOTS = frozenset(
    {
        "Body",
        "Cookie",
        "Field",
        "File",
        "Form",
        "Header",
        "Param",
        "Path",
        "Query",
        "Security",
        "Argument",
        "Option",
    }
)
"""Functions of well-known libraries that are called with dots: pydantic's, FastAPI's and typer's."""
_CALLED_WITH_DOTS = re.compile(r"(?P<name>\w+)\((?:\.{3}|…)\)")
_DOTS_BETWEEN = re.compile(r"(?<![\w\])])\[[^\[\]()]*,\s*(?:\.{3}|…)\s*[\],]")


def shows_empty_body(line: str) -> bool:
    """Return whether a line shows a function with brackets that have nothing between them."""
    found = _ONE_LINE_BODY.fullmatch(line.rstrip())
    return found is not None and not found["body"] and not _EMPTY_ARGUMENT.fullmatch(line.rstrip())


def words_for_code(target: Target, lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines, of those that would come, that are a body in words: `pass  # unchanged`."""
    for line in lines:
        found = _NO_BODY.fullmatch(line.strip()) if "#" in line or "//" in line or "/*" in line else None
        if found is None or not (found["nothing"] and found["comment"]):
            continue
        words = re.findall(r"[a-z]+", found["comment"].lower())
        is_said = len(words) <= _MAX_WORDS and not _LEFT_OUT_WORDS.isdisjoint(words)
        if is_said and normalize_line(line) not in target.lines.places:
            yield line


def dots_for_code(target: Target, lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines, of those that would come, whose dots stand for code that the sketch leaves out."""
    if target.original.language not in _ABBREVIATES:
        return
    for line in lines:
        if "..." not in line and "…" not in line:
            continue
        key = normalize_line(line)
        called = _CALLED_WITH_DOTS.search(key)
        is_call = called is not None and not (
            called["name"] in _TAKES_DOTS or f"{called['name']}(..." in target.original.text
        )
        if (
            is_call or _DOTS_BETWEEN.search(key) or key.startswith(("return ...", "return …"))
        ) and key not in target.lines.places:
            yield line


def _header_end(item: Item, keys: Sequence[str]) -> int:
    """Return the line after the header of an item, which may go over several lines."""
    depth = 0
    for number in range(item.start, min(item.end, item.start + _MAX_HEADER)):
        depth += keys[number].count("(") - keys[number].count(")")
        if depth <= 0 and keys[number].endswith((":", "{")):
            return number + 1
    return item.start + 1


def _stands_for_code(key: str) -> bool:
    """Return whether a line, as a whole body, replaces the body of the file."""
    found = _NO_BODY.fullmatch(key)
    if found is None:
        return False
    comment = found["comment"]
    if comment is None or found["nothing"]:
        return bool(found["nothing"])
    words = re.findall(r"[a-z]+", comment.lower())
    return len(words) <= _MAX_WORDS and not _LEFT_OUT_WORDS.isdisjoint(words)


def _docstring(lines: Sequence[str], body: Sequence[int]) -> list[int]:
    """Return those lines of a body that are its docstring."""
    if not body:
        return []
    first = lines[body[0]].strip()
    quotes = next((q for q in _QUOTES if first.startswith(q)), None)
    if quotes is None:
        return []
    if first.count(quotes) > 1:
        return [body[0]]
    last = next((n for n in body[1:] if quotes in lines[n]), None)
    return [] if last is None else list(range(body[0], last + 1))
