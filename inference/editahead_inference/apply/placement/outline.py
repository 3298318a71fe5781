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
        while levels and levels[-1][0] > width:
            levels.pop()[1][-1].end = end
        if not levels:
            levels.append((width, root))
        elif levels[-1][0] < width and len(levels) < _MAX_DEPTH and levels[-1][1]:
            section = levels[-1][1][-1].sections[-1]
            below = section.items if isinstance(section.items, list) else []
            section.items = below
            levels.append((width, below))
        items = levels[-1][1]
        text = body.strip()
        if items:
            items[-1].end = end
        if items and (
            (text[0] in _MAY_GO_ON and (_CLOSES.match(text) or _CONTINUES.match(text)))
            or (text == "{" and _waits_for_brace(items[-1], bodies))
        ):
            items[-1].sections.append(Section(number))
        else:
            items.append(Item(number, number + 1, indent_width(body), [Section(number)]))
        end = number + 1
    for _, level in levels:
        level[-1].end = end
    return root


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


@cache_short(65536)
def identity(key: str) -> str | None:
    """Return what names the item that a line opens; None for statements, brackets and other lines without a name.

    Two lines with the same identity in one place are two versions of one thing; with two identities, they are two things.

    Args:
        key: The normalised line.
    """
    inline = _INLINE_ANNOTATIONS.match(key)
    if inline:
        return identity(key[inline.end() :])
    found = _SQL.match(key)
    if found:
        return f"{found['kind'].lower()} {found['name'].lower()}"
    found = _STAGE.fullmatch(key)
    if found:
        return f"stage {found['name']}"
    found = _TYPED_VARIABLE.fullmatch(key)
    if found:
        return f"value {found['name']}"
    found = _DECLARED.match(key)
    if found:
        receiver = (found["receiver"] or "").strip("() *&").split()
        more = found["more"].strip() if found["kind"] == "impl" else ""
        kind = "impl" if found["kind"] == "impl" else "named"
        return " ".join(
            filter(None, (kind, receiver[-1].lstrip("*&") if receiver else "", found["name"], more))
        )
    found = _IMPORT.match(key)
    if found:
        return f"import {found['a'] or found['b'] or found['c']}".rstrip(";")
    if _CASE.match(key):
        return key.partition(" =>")[0].rstrip(":{ ") if "=>" in key else key.split(": ")[0].rstrip(":{ ")
    if _CONTROL.match(key) or is_comment(key):
        return None
    found = _VARIABLE.match(key)
    if found:
        return f"value {found['name'].strip()}"
    if key.startswith("- "):
        return key if line_weight(key) >= DISTINCTIVE else None
    if key.startswith("@"):
        return None
    found = _SIGNATURE.fullmatch(key)
    if found:
        return f"named {found['name'] or found['member']}"
    found = _QUALIFIED.match(key)
    if found:
        return f"named {found['name']}"
    found = _CALL.match(key)
    if found:
        if found["first"]:
            return f"call {found['name']}({found['first']}"
        macro = _MACRO_CALL.match(key)
        if macro:
            return f"call {macro['name']}({macro['first']}"
        return _method_name(key) or _arm_name(key)
    found = _TAG.match(key)
    if found:
        attribute = _KEY_ATTRIBUTE.search(found["rest"])
        if attribute:
            return f"<{found['name']}{attribute[0]}"
        return key if found["rest"].strip(" /") else None
    found = _KEYED.match(key)
    if found:
        bare = found["name"].strip("\"'")
        return f"value {found['name'] if bare.isdigit() else bare}"
    arm = _arm_name(key)
    if arm is not None:
        return arm
    found = _METHOD.match(key) if "=>" not in key else None
    if found:
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
        if name is None and item.is_block and _SHELL_ARM.fullmatch(key):
            return f"arm {key}"
        if name is None and item.is_block and re.search(r"\w", key):
            return f"{_BLOCK_HEAD}{key}"
        return name

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
