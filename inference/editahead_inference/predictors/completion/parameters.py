"""The parameters of functions that open documents define."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from editahead_inference.predictors.propagation.argument_rules import argument_spans
from editahead_prompts.text.identifiers import WORD, is_name
from editahead_prompts.text.snapshot import Snapshot
from editahead_prompts.text.word_patterns import WordPattern

from .language_ngrams import FAMILIES

_HEADS = {
    "python": ("def {}(",),
    "javascript": ("function {}(", "const {} = (", "const {} = async ("),
    "go": ("func {}(", ") {}("),
    "rust": ("fn {}(",),
}
"""How the definition of a function begins, by family of languages."""
_CONSTRUCTORS = {"python": "def __init__(", "javascript": "constructor("}
_MAX_PLACES = 60
"""Places with a name that are searched for its definition, where no keyword begins one."""
_MAX_HEAD = 200
"""Characters of its line before the name of a function that is defined there."""
_TYPED = WordPattern(r"(?:[\w:<>\[\],~?@]+[\s*&]+)+(?:\w+::)*~?\Z")
_METHOD = re.compile(r"\s*(?:(?:async|static|get|set|public|private|protected|override)\s+)*\Z")
_BODY = re.compile(r"\s*(?:(?::|throws\b)[^{};=]*)?\{")
_BEFORE_CLASS = frozenset({"export", "default", "abstract"})
_NO_NAMES = frozenset({"return", "new", "else", "throw", "case", "await", "yield", "goto", "delete"})


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function.

    Attributes:
        name: The name; "" if it has none, as a pattern.
        optional: Whether it has a default.
        by_name: Whether it is passed by its name only.
    """

    name: str
    optional: bool = False
    by_name: bool = False


Parameters = tuple[Parameter, ...]


def find_parameters(name: str, documents: Sequence[Snapshot]) -> Parameters | None:
    """Return the parameters of the first function, method or class with a name, without the receiver; None if there is none.

    Args:
        name: The name.
        documents: Where its definition is searched, in this order.
    """
    for document in documents:
        family = FAMILIES.get(document.language)
        if family is not None:
            for open_at in _definitions(document.text, name, family):
                spans = argument_spans(document.text, open_at)
                if spans is not None:
                    return _parameters(tuple(document.text[a:b] for a, b in spans), family)
    return None


def _definitions(text: str, name: str, family: str) -> Iterator[int]:
    """Yield the offsets of the brackets with the parameters."""
    for head in _HEADS.get(family, ()):
        at = text.find(head.format(name))
        if at >= 0:
            yield at + len(head.format(name)) - 1
    constructor = _CONSTRUCTORS.get(family)
    if constructor is not None and name[:1].isupper():
        start = _find_class(text, name)
        end = text.find("\nclass ", start) if start >= 0 else -1
        at = text.find(constructor, start, end if end >= 0 else len(text)) if start >= 0 else -1
        if at >= 0:
            yield at + len(constructor) - 1
    if family in ("javascript", "java", "c"):
        yield from _without_keyword(text, name, family)


def _find_class(text: str, name: str) -> int:
    """Return the offset behind the name of a class where it is defined; -1 if it is not."""
    head = f"class {name}"
    at = text.find(head)
    while at >= 0:
        end = at + len(head)
        before = text[text.rfind("\n", 0, at) + 1 : at].split()
        if not is_name(text[end : end + 1]) and set(before) <= _BEFORE_CLASS:
            return end
        at = text.find(head, end)
    return -1


def _without_keyword(text: str, name: str, family: str) -> Iterator[int]:
    """Yield the same for methods and functions that no keyword begins."""
    at = -1
    for _ in range(_MAX_PLACES):
        at = text.find(name + "(", at + 1)
        if at < 0:
            return
        before = text[text.rfind("\n", max(at - _MAX_HEAD, 0), at) + 1 : at]
        if len(before) > _MAX_HEAD:
            continue
        if family == "javascript":
            is_head = _METHOD.match(before) is not None
        else:
            is_head = _TYPED.match(before.lstrip()) is not None and before.split()[0] not in _NO_NAMES
        open_at = at + len(name)
        spans = argument_spans(text, open_at) if is_head else None
        if spans is not None and (family == "c" or _BODY.match(text, spans[-1][1] + 1)):
            yield open_at


@cache
def _pattern(family: str) -> WordPattern:
    last = r"([^\W\d]\w*)\s*(?:\[[^]]*\]\s*)*\Z" if family in ("java", "c") else r"(?:mut\s+)?([^\W\d]\w*)"
    return WordPattern(last)


def _parameters(texts: Sequence[str], family: str) -> Parameters:
    found: list[Parameter] = []
    by_name = False
    for number, text in enumerate(texts):
        declared, default, _ = text.replace("=>", "->").strip().partition("=")
        declared = declared.strip()
        if family == "python" and declared.startswith("*"):
            if declared != "*" and not declared.startswith("**"):
                by_name = True
                continue
            if declared.startswith("**"):
                break
            by_name = True
            continue
        if not declared or declared in ("/", "void") or declared.startswith("..."):
            continue
        words = WORD.findall(declared)
        if number == 0 and words and ("self" in words[:3] or words[0] in ("cls", "this")):
            continue
        pattern = _pattern(family)
        match = pattern.search(declared) if family in ("java", "c") else pattern.match(declared)
        optional = bool(default) or declared.partition(":")[0].strip().endswith("?")
        found.append(Parameter(match[1] if match else "", optional, by_name))
    return tuple(found)
