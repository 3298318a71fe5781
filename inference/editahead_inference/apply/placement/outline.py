"""The outline of code: nested items, each a line with the lines indented deeper, in any language.

An item is what a person takes as one thing: a function, a case, an element of a list, a statement, a key with its value.
Brackets on lines of their own and continuations (`} else {`) belong to the item that they close or continue. Blank lines
belong to no item.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editahead_prompts.short_cache import cache_short
from editahead_prompts.text.indentation import indent_width

from .line_depths import line_depths
from .line_matching import DISTINCTIVE, is_comment, line_weight, normalize_line
from .line_names import DECLARED, SHELL_ARM, identity

_CLOSES = re.compile(r"(?:[)\]}]|</|(?:end|esac|fi|done)\b[\s;,).]*$)")
"""Lines that end the item above, at the same indentation."""
_CONTINUES = re.compile(r"(?:else|elif|except|finally|catch|rescue|ensure|where)\b")
"""Lines that continue the item above."""
_MAY_GO_ON = frozenset(")]}<efdcrw")
"""What lines of these two kinds begin with."""
_ENDS_STRING = re.compile(r"(`|\"\"\"|''')[\s;,.)\]}]*$")
"""Lines that end a string of several lines, and nothing else."""

_WAITS_FOR_BRACE = re.compile(
    r"(?:.*\)$|.*\b(?:class|struct|enum|union|interface|namespace|impl|trait|fn|mod|record|else|do|try|finally|where)\b[^{;]*$)"
)
"""Lines whose block begins with a bracket on the next line."""

_MAX_DEPTH = 60
"""Levels of nesting; deeper lines count to the last level."""


@dataclass(slots=True)
class Section:
    """A line of an item, and the items indented deeper below that line."""

    line: int
    items: Sequence[Item] = ()

    def opened(self) -> list[Item]:
        """Return the list to which items below the line are added."""
        if not isinstance(self.items, list):
            self.items = []
        return self.items


@dataclass(slots=True)
class Item:
    """Lines [start, end) that belong together.

    Attributes:
        sections: The first line and the lines that continue or close it, each with the items below.
        width: The indentation in columns.
    """

    start: int
    end: int
    width: int
    sections: list[Section]

    @property
    def items(self) -> list[Item]:
        """The items of all sections."""
        return [item for section in self.sections for item in section.items]

    @property
    def is_block(self) -> bool:
        return self.end > self.start + 1

    @property
    def closes_itself(self) -> bool:
        """Whether the last line closes the item, with nothing below."""
        return len(self.sections) > 1 and not self.sections[-1].items


def outline(bodies: Sequence[str], *, low: int = 0, high: int | None = None) -> list[Item]:
    """Return the outermost items of lines [low, high)."""
    root: list[Item] = []
    levels: list[tuple[int, list[Item]]] = []
    widths = line_depths(bodies[low:high])
    end = low  # behind the last line that is not blank
    for number, width in enumerate(widths, low):
        body = bodies[number]
        if width < 0:
            continue
        _close_levels(levels, width, end)
        if not levels:
            levels.append((width, root))
        elif levels[-1][0] < width and len(levels) < _MAX_DEPTH:
            levels.append((width, levels[-1][1][-1].sections[-1].opened()))
        items = levels[-1][1]
        text = body.strip()
        if items:
            items[-1].end = end
        if items and _belongs_to(items[-1], text, bodies):
            items[-1].sections.append(Section(number))
        else:
            items.append(Item(number, number + 1, indent_width(body), [Section(number)]))
        end = number + 1
    _close_levels(levels, -1, end)
    return root


def _close_levels(levels: list[tuple[int, list[Item]]], width: int, end: int) -> None:
    """Leave the levels that are deeper than a width, whose last items end at a line."""
    while levels and levels[-1][0] > width:
        levels.pop()[1][-1].end = end


def _belongs_to(item: Item, text: str, bodies: Sequence[str]) -> bool:
    """Return whether a line closes or continues the item above it, which has the same indentation."""
    if text == "{":
        return _waits_for_brace(item, bodies)
    if text[0] in "`\"'":
        return _ends_string(item, text, bodies)
    return text[0] in _MAY_GO_ON and (_CLOSES.match(text) or _CONTINUES.match(text)) is not None


def _ends_string(item: Item, text: str, bodies: Sequence[str]) -> bool:
    """Return whether a line ends the string of several lines that the last line of an item at this indentation begins."""
    found = _ENDS_STRING.match(text)
    return found is not None and bodies[item.sections[-1].line].count(found[1]) % 2 == 1


def _waits_for_brace(item: Item, bodies: Sequence[str]) -> bool:
    """Return whether the block of an item begins with a bracket on the next line."""
    first = bodies[item.sections[-1].line].strip()
    if _WAITS_FOR_BRACE.match(first):
        return True
    # The parameters go over several lines.
    return len(item.sections) == 1 and first.endswith(",") and bodies[item.end - 1].rstrip().endswith(")")


def walk(items: Sequence[Item]) -> Iterator[Item]:
    """Yield the items and all items below them, outer ones first."""
    waiting = list(reversed(items))
    while waiting:
        item = waiting.pop()
        yield item
        if item.end > item.start + 1:
            waiting += reversed(item.items)


_OPENS_NAMES = re.compile(r"(?:import|export|const|let|var)(?: type)? \{")
"""Lines that open a list of names over several lines."""

_BLOCK_HEAD = "block "
"""The beginning of what identifies a block without a name: its first line."""


class Naming:
    """The identities of the items of some lines.

    Attributes:
        keys: The normalised lines.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self.keys = keys
        self._known: dict[int, tuple[Item, str | None]] = {}
        """By the first line of an item: the item and its identity."""

    def of(self, item: Item) -> str | None:
        """Return the identity of an item: that of its first line or, where that is a bracket, of the first item inside.

        A block without a name is identified by its whole first line.
        """
        if item.end == item.start + 1:
            return identity(self.keys[item.start])
        known = self._known.get(item.start)
        if known is None or known[0] is not item:
            known = self._known[item.start] = item, self._identity_of(item)
        return known[1]

    def _identity_of(self, item: Item) -> str | None:
        key = self.keys[item.start]
        if _OPENS_NAMES.fullmatch(key) and len(item.sections) > 1:
            return f"{key} {self.keys[item.sections[-1].line].rstrip(';')}"  # What it is about follows the names.
        if not _only_opens(key) or not item.sections[0].items:
            name = identity(self._opening(item))
        else:
            inner = self._named_line(item)
            name = None if inner is None else f"{key} {self.keys[inner].rstrip(',')}"
        if name is not None or not item.is_block:
            return name
        if SHELL_ARM.fullmatch(key):
            return f"arm {key}"
        return f"{_BLOCK_HEAD}{key}" if re.search(r"\w", key) else None

    def _opening(self, item: Item) -> str:
        """Return the first line of an item, with the bracket that opens its block on a line of its own."""
        key = self.keys[item.start]
        if len(item.sections) == 1 or self.keys[item.sections[1].line] != "{":
            return key
        return f"{key.removesuffix(',')}) {{" if key.endswith(",") else f"{key} {{"

    def is_function(self, item: Item) -> bool:
        """Return whether an item is a function or a statement with a body, not a container of elements."""
        return is_function(self._opening(item))

    def naming_line(self, item: Item) -> int:
        """Return the line that names an item: the first one or, where that is a bracket, one of the first inside."""
        inner = self._named_line(item) if _only_opens(self.keys[item.start]) else None
        return item.start if inner is None else inner

    def _named_line(self, item: Item) -> int | None:
        for inner in item.sections[0].items[:3]:
            first = self.keys[inner.start]
            if inner.is_block and first.endswith(":") and inner.items:
                return inner.items[0].start  # The value is on the next line.
            if not is_filler(first) and not inner.is_block and identity(first) is not None:
                return inner.start
        return None

    def is_named(self, item: Item) -> bool:
        """Return whether an item has a name of its own: not only the first line of a block."""
        name = self.of(item)
        return name is not None and not name.startswith(_BLOCK_HEAD)

    def head(self, item: Item) -> str:
        """Return the normalised first line of an item."""
        return self.keys[item.start]

    def text(self, item: Item) -> tuple[str, ...]:
        """Return the normalised lines of an item, without blank ones: at least one, which may be of invisible characters."""
        return tuple(filter(None, self.keys[item.start : item.end])) or ("",)


def is_filler(key: str) -> bool:
    """Return whether a line says nothing about where it belongs: it occurs all over files.

    Args:
        key: The normalised line.
    """
    return line_weight(key) < DISTINCTIVE or _OPENS_ELEMENT.fullmatch(key) is not None


_OPENS_LIST = re.compile(
    r"(?:^[\[(]$|[^\w\])>]\($|\b(?:struct|interface|enum|union)\b[^(){]*\{$|\[|^\}\s*\{|[=:,(]\s*\{|\breturn \{)$"
)
"""Lines that open a list, or the values of a table after its fields."""


def opens_list(key: str) -> bool:
    """Return whether what is below a line are elements of a list or a table, whatever the line begins with.

    Args:
        key: The normalised line.
    """
    return _OPENS_LIST.search(key) is not None


_OPENS_ELEMENT = re.compile(r"</?[\w:.-]+>?|- [\w-]+:")


_WORD = re.compile(r"\w")


@cache_short(65536)
def _only_opens(key: str) -> bool:
    """Return whether a line only opens an element: a bracket, a tag, `- name:`."""
    return _WORD.search(key) is None or _OPENS_ELEMENT.fullmatch(key) is not None


_PLACEHOLDER = re.compile(
    r"(?:\.{3,}|…|pass|;|return|return None|raise NotImplementedError(?:\(.*\))?|todo!\(\)|unimplemented!\(\))?"
    r"\s*;?\s*(?:(?:#(?!!\[)|//|--).*|/\*.*\*/)?$"
)


def has_substance(key: str) -> bool:
    """Return whether a line does anything: not a comment, a bracket, `pass`, dots."""
    return (
        bool(key)
        and not _PLACEHOLDER.match(key)
        and re.search(r"\w", key) is not None
        and not is_comment(key)
    )


def normalized(bodies: Sequence[str]) -> list[str]:
    return list(map(normalize_line, bodies))


_BLOCK_STATEMENT = re.compile(
    r"(?:\}\s*)?(?:if|for|while|with|try|else|elif|except|catch|finally|do|loop|unsafe|async for|async with)\b"
    r"|.*=>\s*\{?$|.*\)[^(){};]*\{$|.*\($"
)
_CONTAINER = re.compile(r"switch\b|match\s+[^(=]|select\s*\{|describe\b|(?i:create\s.*\btable\b.*\($)")
_FUNCTION_KINDS = frozenset({"def", "function", "function*", "func", "fn", "fun"})


@cache_short(65536)
def opens_named(key: str) -> bool:
    """Return whether a line opens a function or a type."""
    return (identity(key) or "").startswith("named ")


def is_function(key: str) -> bool:
    """Return whether a line opens a function or a statement with a body, not a container of elements."""
    found = DECLARED.match(key)
    if found:
        return found["kind"] in _FUNCTION_KINDS
    return not _CONTAINER.match(key) and _BLOCK_STATEMENT.match(key) is not None
