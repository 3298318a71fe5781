"""The names of lines: what each declares, gives a value, calls or opens, in any language, by the form of the line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from editahead_prompts.short_cache import cache_short

from .line_matching import DISTINCTIVE, is_comment, line_brackets, line_weight

_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|override|pub(?:\([^)]*\))?|unsafe|"
    r"const|inline|virtual|open|data|sealed|suspend|partial|readonly|declare|extern|local)\s+)*"
)
_LEADING_MODIFIERS = re.compile(_MODIFIERS)
_INLINE_ANNOTATIONS = re.compile(r"(?:@[\w.]+(?:\([^()]*\))?\s+)+(?=\w)")
"""Annotations on the line that they belong to."""
DECLARED = re.compile(
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
SHELL_ARM = re.compile(r"\(?[^\s()#][^()#]*\)")
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
    (DECLARED.match, _declared_name),
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
def leading_modifiers(line: str) -> str:
    """Return the modifiers before a declaration, with the white space behind each: `export abstract `."""
    found = _LEADING_MODIFIERS.match(line)
    return found[0] if found is not None else ""


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
