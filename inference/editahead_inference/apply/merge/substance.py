"""Bodies without substance: a function, a block, a rule or an element of a sketch in which nothing does anything.

Such a body leaves that of the file out, whatever its words are. It replaces one with substance only if a person says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise

from editahead_inference.apply.placement.line_matching import is_comment, normalize_line
from editahead_inference.apply.placement.outline import Item, Naming, walk
from editahead_inference.apply.placement.placement import Outlined, Target
from editahead_inference.apply.placement.splices import Splice
from editahead_prompts.short_cache import cache_short
from editahead_prompts.sketches.elision_markers import parse_marker
from editahead_prompts.sketches.sketch import Snippet

from .shown_runs import lines_and_marks

_STRING = r"""[bfru]?(?:"[^"]*"|'[^']*'|`[^`]*`)"""
_COMMENT = re.compile(r"#(?!\[)|//|--")
"""What begins a comment behind code, in which no quote is."""
_NOTHING = re.compile(r"[\W_]*|return\s+[.…⋯⋮]+;?|pass;?|Ellipsis")
"""Code that is nothing: signs alone, and what a language needs where it allows no empty body."""
_STUB = re.compile(
    rf"""
      return(?:\s+(?:None|null|nil|undefined|\(\)|\{{\s*\}}))?
    | None | null | nil
    | (?:raise|throw)(?:\s+new)?\s+(?:(?:\w+[.:]+)*[A-Z]\w*|[\w.:]+(?=\())(?:\(\s*(?:{_STRING})?\s*\))?(?:,\s*{_STRING})?
    | (?:panic!?|todo!|unimplemented!|unreachable!|TODO|fatalError|error|abort|die)\s*\(?\s*(?:{_STRING})?\s*\)?
    | assert\s+False(?:,\s*{_STRING})?
    """,
    re.VERBOSE,
)
"""Code that often is in the place of other code: it returns nothing, or fails at once with constant words."""
_CONSTANT = re.compile(rf"(?:return\s+)?(?:[\w.]+|{_STRING}|[\[{{(]\s*[\]}})])(?:\(\s*\))?")
_ENDS = " ;"

_BRACES = re.compile(r"(?P<head>.*[\w)\]>=:]\s*\{)\s*(?P<body>.*?)\s*(?P<end>\}[;,)]*)")
_SUITE = re.compile(r"(?P<head>(?:async\s+)?(?:def|class)\b.*:)\s*(?P<body>.+)")
"""Lines with a header and the whole body."""
_OPENS_BODY = ("{", ":")
_WORD = re.compile(r"\w+")
_QUOTES = re.compile(r"[bru]{0,2}(?P<quotes>\"\"\"|'''|\"|')", re.IGNORECASE)


@cache_short(65536)
def stands_for_code(key: str) -> bool:
    """Return whether a line does nothing, and is not meant to: a comment, dots of any kind, `pass`.

    Args:
        key: The normalised line.
    """
    return is_comment(key) or _NOTHING.fullmatch(_code_of(key)) is not None


@cache_short(65536)
def may_stand_for_code(key: str) -> bool:
    """Return whether a line may be there in place of other code: also `raise NotImplementedError`, `return`.

    Args:
        key: The normalised line.
    """
    if stands_for_code(key):
        return True
    code = _code_of(key).rstrip(_ENDS)
    return _STUB.fullmatch(code) is not None or says_that_it_stays(key)


def says_that_it_stays(key: str) -> bool:
    """Return whether a line is a constant, or nothing, with a comment that says that code stays: `return 0  # unchanged`.

    Args:
        key: The normalised line.
    """
    code, comment = _split_comment(key)
    code = code.rstrip(_ENDS)
    if not comment or not code or parse_marker(comment) is None:
        return False
    return (_NOTHING.fullmatch(code) or _STUB.fullmatch(code) or _CONSTANT.fullmatch(code)) is not None


def _code_of(key: str) -> str:
    """Return a line without the comment behind its code."""
    return _split_comment(key)[0]


def _split_comment(key: str) -> tuple[str, str]:
    """Return the code of a line, and the comment behind it; an empty one without one."""
    begins = []
    if found := _COMMENT.search(key, 1 + max(map(key.rfind, "\"'`"))):
        begins.append(found.start())
    if 0 <= key.find("/*") <= len(key) - 4 and key.endswith("*/"):
        begins.append(key.find("/*"))
    at = min(begins, default=len(key))
    return key[:at].rstrip() if begins else key, key[at:]


def docstring_lines(lines: Sequence[str], body: Sequence[int]) -> list[int]:
    """Return those lines of a body that are the text at its beginning.

    Args:
        lines: The lines that hold the body.
        body: The numbers of the lines of the body that are not blank.
    """
    first = lines[body[0]].strip() if body else ""
    found = _QUOTES.match(first)
    if found is None:
        return []
    quotes = found["quotes"]
    if len(quotes) < 3:
        return [body[0]] if first.endswith(quotes) and first.count(quotes) == 2 else []
    if first.count(quotes) > 1:
        return [body[0]]
    last = next((n for n in body[1:] if quotes in lines[n]), None)
    return [] if last is None else list(range(body[0], last + 1))


def one_line_body(line: str) -> tuple[str, str, str] | None:
    """Return the header, the body and the end of a line that has all of them; None for another line, and for `x = {}`."""
    in_braces = _BRACES.fullmatch(line) if line.rstrip(";,)").endswith("}") else None
    if in_braces is not None:
        head, body, end = in_braces.groups()
        is_value = not body and head.rstrip("{ ").endswith(("=", ":"))
        return None if is_value else (head, body, end)
    suite = _SUITE.fullmatch(line)
    return (suite["head"], suite["body"], "") if suite is not None else None


def emptied_bodies(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the lines of the file above bodies that would lose all substance, as the sketch shows one without any.

    Bodies are counted by kind, as the line above one may be new as well. A stub beside a mark replaces nothing and is not
    added either.
    """
    lines, marks = lines_and_marks(snippet)
    shown = [body for body in _bodies(target.outlined(lines), marks) if body.has_stub or not body.is_filled]
    if not shown or not splices:
        return
    there = list(_bodies(Outlined(target.items, target.naming)))
    filled = {body.name: body.line for body in there if body.is_filled}
    known = {(body.name, *body.keys) for body in there}
    inserted = {key for splice in splices for key in map(normalize_line, splice.lines) if key}
    for body in shown:
        is_new = body.has_stub and (body.name, *body.keys) not in known
        if is_new and not inserted.isdisjoint(body.keys) and body.name in filled:
            yield filled[body.name]
    empty = {body.kind for body in shown if not body.is_filled}
    before = Counter((body.kind, body.is_filled) for body in there)
    after = Counter(
        (body.kind, body.is_filled) for body in _bodies(target.outlined(target.lines_after(splices)))
    )
    for body in there:
        line, kind = body.line, body.kind
        is_touched = any(splice.start <= line + 1 and line < splice.end for splice in splices)
        loses = before[kind, True] > after[kind, True] and before[kind, False] < after[kind, False]
        if body.is_filled and is_touched and loses and kind in empty:
            yield line


@dataclass(frozen=True, slots=True)
class _Body:
    """A body: what is below a line.

    Attributes:
        name: The name of the item that has it.
        kind: What it belongs to: a function, a type, a value, or a statement by its first word.
        line: The line above it.
        keys: Its normalised lines, without a text at the beginning and without marks.
        is_marked: A mark is in it.
    """

    name: str
    kind: str
    line: int
    keys: Sequence[str]
    is_marked: bool = False

    @property
    def is_filled(self) -> bool:
        return self.is_marked or not all(map(may_stand_for_code, self.keys))

    @property
    def has_stub(self) -> bool:
        """Whether code that is there in place of other code is all that it has."""
        return all(map(may_stand_for_code, self.keys)) and not all(map(stands_for_code, self.keys))


def _bodies(shown: Outlined, marks: AbstractSet[int] = frozenset()) -> Iterator[_Body]:
    """Yield each body of the items that have a name."""
    keys = shown.naming.keys
    for item in walk(shown.items):
        name = shown.naming.of(item) or ""
        for at, end in pairwise([*(section.line for section in item.sections), item.end]):
            inside = [n for n in range(at + 1, end) if keys[n]]
            one_line = None if inside else one_line_body(keys[at])
            kind = _kind(item, at, shown.naming)
            if one_line is not None:
                yield _Body(name, kind, at, [one_line[1]])
            elif name and (inside or (_WORD.search(keys[at]) and keys[at].endswith(_OPENS_BODY))):
                told = inside[len(docstring_lines(keys, inside)) if keys[at].endswith(":") else 0 :]
                is_marked = not marks.isdisjoint(inside)
                yield _Body(name, kind, at, [keys[n] for n in told if n not in marks], is_marked)


def _kind(item: Item, line: int, naming: Naming) -> str:
    """Return what a body belongs to: a function, a type, a value, or a statement by its first word."""
    name = naming.of(item) or "block "
    word = _WORD.search(naming.keys[line])
    if word and (name.startswith("block ") or (line > item.start and not naming.keys[line].startswith(")"))):
        return word[0]
    if name.startswith("named "):
        return "function" if naming.is_function(item) else "type"
    return name.partition(" ")[0]
