"""The outline of code: nested items, each a line with the lines indented deeper, in any language.

An item is what a person takes as one thing: a function, a case, an element of a list, a statement, a key with its value.
Brackets on lines of their own and continuations (`} else {`) belong to the item that they close or continue. Blank lines
belong to no item.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from editahead_prompts.short_cache import cache_short
from editahead_prompts.text.indentation import indent_width

from .line_depths import line_depths
from .line_matching import DISTINCTIVE, is_comment, line_brackets, line_weight, normalize_line

_CLOSES = re.compile(r"(?:[)\]}]|</|(?:end|esac|fi|done)\b[\s;,).]*$)")
"""Lines that end the item above, at the same indentation."""
_CONTINUES = re.compile(r"(?:else|elif|except|finally|catch|rescue|ensure|where)\b")
"""Lines that continue the item above."""
_MAY_GO_ON = frozenset(")]}<efdcrw")
"""What lines of these two kinds begin with."""

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
    return text[0] in _MAY_GO_ON and (_CLOSES.match(text) or _CONTINUES.match(text)) is not None


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


_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|override|pub(?:\([^)]*\))?|unsafe|"
    r"const|inline|virtual|open|data|sealed|suspend|partial|readonly|declare|extern|local)\s+)*"
)
_INLINE_ANNOTATIONS = re.compile(r"(?:@[\w.]+(?:\([^()]*\))?\s+)+(?=\w)")
"""Annotations on the line that they belong to."""
_DECLARED = re.compile(
    _MODIFIERS
    + r"(?P<kind>def|class|struct|interface|trait|enum|impl|type|mod|namespace|module|union|record|object|"
    r"function\*?|func|fn|fun|macro_rules!|protocol|extension)(?:<[^{(]*>)?\s+(?:<[^{(=]*>\s+)?(?P<receiver>\([^)]*\)\s*)?(?P<name>[^\s({:;=]+)"
    r"(?P<more>[^{=(]*)"
)
_TYPED_VARIABLE = re.compile(
    _MODIFIERS + r"(?:struct|union|enum)\s+\w+(?:\s+|\s*[*&]+\s*)(?P<name>\w+)(?:\[[^\]]*\])*\s*(?:[,;=].*)?"
)
"""A variable or a member of C that has a type with a keyword."""
_VARIABLE = re.compile(
    _MODIFIERS
    + r"(?:let|var|val|const|static|my|mut\s)\s+(?:mut\s+)?(?P<name>[\w$\[{][\w$,\s]*[\]}]?)\s*(?::[^=]*)?="
)
_METHOD = re.compile(
    _MODIFIERS
    + r"(?!new\s|func\b|function\b)(?:[\w<>\[\],.?*&:]+\s+)*?[*&~]*(?P<name>[\w$#~]+)\s*\((?:.*(?:\{|=>|\($)|[^()]*,$)"
)
_QUALIFIED = re.compile(
    _MODIFIERS + r"(?:[\w<>\[\],.?*&:]+\s+)*?[*&]*(?P<name>(?:\w+(?:<[\w, ]*>)?::)+~?\w+)\s*\(.*\)[\w\s]*\{$"
)
"""The header of a member that is defined outside of its class, in C++."""
_SIGNATURE = re.compile(
    _MODIFIERS + r"(?!(?:return|throw|await|new|yield|else|delete|go|defer|not)\b)"
    r"(?:(?:(?:::)?[\w.]+(?:::[\w.]+)*(?:<[^()]*>)?(?:\[\])?[*&?]*\s+)+[*&~]*(?P<name>[\w$~]+)\s*\(.*\)"
    r"(?:\s*(?:const|override|noexcept|= 0|= default|= delete))*|(?P<member>[\w$]+)\??(?:<[^()]*>)?\(.*\):\s*[^;]+);"
)
"""Functions without a body, in interfaces and headers."""
_CALL = re.compile(
    r"(?!pub\()(?P<name>(?:await\s+|return\s+)?[\w.$:!]+)\(\s*(?P<first>(['\"`])(?:(?!\3).)+\3)?"
)
_MACRO_CALL = re.compile(r"(?P<name>\w+!)\((?P<first>\w+),.*\{$")
"""A macro of Rust that defines something under the name that comes first: `rgtest!(finds_all, |dir| {`."""
_IMPORT = re.compile(
    r"from\s+(?P<a>[\w.]+)\s+import|import\s+.*\bfrom\s*(?P<b>['\"].*['\"])|(?:import|use|#\s*include|using|require)\s+(?P<c>.+)"
)
_KEYED = re.compile(
    r"(?:(?:pub(?:\([^)]*\))?|public|private|protected|readonly|static)\s+)*(?P<name>\"[^\"]*\"|'[^']*'|[\w$.@/-]+(?:\[[^\]]*\][\w.]*)*)[?!]?\s*(?P<sign>[:=]|:=|\+=|=>)(?!=)(?!:)\s*(?P<value>.*)"
)
_CONTROL = re.compile(
    r"(?:\}\s*)?(?:if|for|while|with|switch|match|select|return|throw|raise|try|else|elif|except|catch|finally|do|"
    r"case|default|assert|lambda|del|yield|await|break|continue|pass|async (?:for|with))\b(?!\s*=[^=>])"
)
_CASE = re.compile(r"(?:case\b.*|default\b.*)$")
_ARM = re.compile(r"(?P<pattern>[^=]+?)\s*=>")
_SHELL_ARM = re.compile(r"\(?[^\s()#][^()#]*\)")
"""The first line of an arm of a shell's `case`, where deeper lines follow."""
_TAG = re.compile(r"<(?P<name>[\w:.-]+)(?P<rest>[^>]*)>?")
_KEY_ATTRIBUTE = re.compile(r"""\s(?:id|key|name|src|href)\s*=\s*(?:"[^"]*"|'[^']*'|\{[^}]*\})""")
_STAGE = re.compile(r"FROM \S+ AS (?P<name>\S+)", re.IGNORECASE)
"""The header of a stage of a Dockerfile."""
_SQL = re.compile(
    r"(?:create|alter)\s+(?:or replace\s+)?(?:\w+\s+)*?"
    r"(?P<kind>table|index|view|function|procedure|trigger|type|schema|sequence|policy|role|extension)\s+"
    r"(?:concurrently\s+)?(?:if (?:not )?exists\s+)?(?P<name>[\w.\"`]+)",
    re.IGNORECASE,
)

_NameTable = Sequence[tuple[Callable[[str], re.Match[str] | None], Callable[[re.Match[str]], str | None]]]
"""Forms of lines, each with the function that returns the name of what such a line opens."""


def _sql_name(found: re.Match[str]) -> str:
    return f"{found['kind'].lower()} {found['name'].lower()}"


def _declared_name(found: re.Match[str]) -> str:
    """Return the name with the type of a method's receiver, and for `impl` with what follows the name."""
    receiver = (found["receiver"] or "").strip("() *&").split()[-1:]
    is_impl = found["kind"] == "impl"
    parts = ("impl" if is_impl else "named", *(word.lstrip("*&") for word in receiver), found["name"])
    return " ".join(filter(None, (*parts, found["more"].strip() if is_impl else "")))


def _import_name(found: re.Match[str]) -> str:
    return f"import {found['a'] or found['b'] or found['c']}".rstrip(";")


def _case_name(found: re.Match[str]) -> str:
    key = found.string
    return key.partition(" =>" if "=>" in key else ": ")[0].rstrip(":{ ")


def _no_name(found: re.Match[str]) -> None:
    return None


def _value_name(found: re.Match[str]) -> str:
    return f"value {found['name'].strip()}"


def _entry_name(found: re.Match[str]) -> str | None:
    return found.string if line_weight(found.string) >= DISTINCTIVE else None


def _function_name(found: re.Match[str]) -> str:
    return f"named {found['name']}"


def _signature_name(found: re.Match[str]) -> str:
    return f"named {found['name'] or found['member']}"


def _call_name(found: re.Match[str]) -> str | None:
    """Return the name of a call by its first argument, a string; without one it may be a method or an arm."""
    macro = found if found["first"] else _MACRO_CALL.match(found.string)
    if macro is not None:
        return f"call {macro['name']}({macro['first']}"
    return _method_name(found.string) or _arm_name(found.string)


def _tag_name(found: re.Match[str]) -> str | None:
    attribute = _KEY_ATTRIBUTE.search(found["rest"])
    if attribute is not None:
        return f"<{found['name']}{attribute[0]}"
    return found.string if found["rest"].strip(" /") else None


def _keyed_name(found: re.Match[str]) -> str:
    bare = found["name"].strip("\"'")
    return f"value {found['name'] if bare.isdigit() else bare}"


_NAMES_BEFORE_COMMENTS: _NameTable = (
    (_SQL.match, _sql_name),
    (_STAGE.fullmatch, lambda found: f"stage {found['name']}"),
    (_TYPED_VARIABLE.fullmatch, _value_name),
    (_DECLARED.match, _declared_name),
    (_IMPORT.match, _import_name),
    (_CASE.match, _case_name),
    (_CONTROL.match, _no_name),
)
"""What lines of each form are named by, of which some begin as comments do: the first form that matches decides."""

_NAMES: _NameTable = (
    (_VARIABLE.match, _value_name),
    (re.compile("- ").match, _entry_name),
    (re.compile("@").match, _no_name),
    (_SIGNATURE.fullmatch, _signature_name),
    (_QUALIFIED.match, _function_name),
    (_CALL.match, _call_name),
    (_TAG.match, _tag_name),
    (_KEYED.match, _keyed_name),
)
"""The same for lines that are no comments."""


def _name_of_form(key: str, table: _NameTable) -> tuple[bool, str | None]:
    """Return whether a line has one of the forms, and its name."""
    for match, name in table:
        found = match(key)
        if found is not None:
            return True, name(found)
    return False, None


@cache_short(65536)
def identity(key: str) -> str | None:
    """Return what names the item that a line opens; None for statements, brackets and other lines without a name.

    Two lines with the same identity in one place are two versions of one thing; with two identities, they are two things.

    Args:
        key: The normalised line.
    """
    inline = _INLINE_ANNOTATIONS.match(key)
    if inline is not None:
        key = key[inline.end() :]
    is_known, name = _name_of_form(key, _NAMES_BEFORE_COMMENTS)
    if is_known or is_comment(key):
        return name
    is_known, name = _name_of_form(key, _NAMES)
    return name if is_known else _arm_name(key) or _block_name(key)


def _block_name(key: str) -> str | None:
    """Return the identity of a line that opens a method or a block."""
    found = _METHOD.match(key) if "=>" not in key else None
    if found is not None:
        return _method_name(key) or f"named {found['name']}"
    if not key.endswith("{") or line_weight(key) < DISTINCTIVE or is_bare_keyword(key):
        return None
    return key.rstrip(" {,;")


_MACRO = re.compile(r"[A-Z][A-Z0-9_]+\([^()]*\)(?=\s*\{)")
"""Macros that open a function, named by their arguments: `TEST_F(Store, Loads) {`."""

_OBJECT_ARGUMENT = re.compile(r",\s*\{$")
_ACCESSOR = re.compile(r"[gs]et \w+(?=\()")

_BARE_KEYWORD = re.compile(r"(?:export|try|else|do|loop|unsafe|finally|static|get|set)?\s*[({\[:]?")


def is_bare_keyword(key: str) -> bool:
    """Return whether a line opens a block without a word of its own.

    Args:
        key: The normalised line.
    """
    return _BARE_KEYWORD.fullmatch(key) is not None


def _arm_name(key: str) -> str | None:
    """Return the identity of an arm of a `match`, by its pattern; an arrow function begins with its parameters."""
    found = _ARM.match(key)
    if found is None or found["pattern"].startswith("("):
        return None
    less, more = line_brackets(found["pattern"])
    return None if less or more else f"arm {found['pattern']}"


def _method_name(key: str) -> str | None:
    found = _METHOD.match(key) if key.endswith(("{", "(")) and "=>" not in key else None
    if found is None or key.endswith("({"):
        return None
    if _OBJECT_ARGUMENT.search(key):
        return f"call {key.rstrip('{, ')}"
    special = _MACRO.match(key) or _ACCESSOR.match(key)
    return f"named {special[0] if special else found['name']}"


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
        if _SHELL_ARM.fullmatch(key):
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
    found = _DECLARED.match(key)
    if found:
        return found["kind"] in _FUNCTION_KINDS
    return not _CONTAINER.match(key) and _BLOCK_STATEMENT.match(key) is not None
