"""Conversions of a line from one notation to another, which no pattern with holes can express.

Each takes a stripped line and returns its new text, or None where it does not apply.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from editahead_prompts.text.word_patterns import WordPattern

from .argument_rules import argument_spans

_STRING = WordPattern(r"(?<![\w\"'])(\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')")
_FIELD = re.compile(r"\{(\d*)(![rsa])?(:[^{}]*)?\}")
_PERCENT = re.compile(r"%(?:(?P<flags>[-+0 #]*)(?P<width>\d*)(?P<precision>\.\d+)?(?P<type>[sdrifgxX])|%)")
_OPERAND = r"(?:\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[^\W\d][\w.]*(?:\([^()\"'`]*\)|\[[^\[\]\"'`]*\])?)"
_CONCATENATION = WordPattern(rf"{_OPERAND}(?:\s*\+\s*{_OPERAND})+")

_OPTIONAL = WordPattern(r"(?<![\w.])(?:typing\.)?Optional\[((?:[^\[\]\"'|]|\[[^\[\]\"']*\])+)\]")


def format_to_f_string(line: str) -> str | None:
    """Rewrite each `"{}".format(value)` as an f-string."""
    made, at = [], 0
    for match in _STRING.finditer(line):
        if match.start() < at or not line.startswith(".format(", match.end()):
            continue
        spans = argument_spans(line, match.end() + len(".format"))
        text = _filled(match[1], [line[a:b].strip() for a, b in spans]) if spans else None
        if text is None or spans is None:
            return None
        made += [line[at : match.start()], text]
        at = spans[-1][1] + 1
    return "".join((*made, line[at:])) if made else None


def _filled(literal: str, values: Sequence[str]) -> str | None:
    quote = literal[0]
    named = dict(value.split("=", 1) for value in values if WordPattern(r"\w+=(?!=)").match(value))
    if named or any(
        quote in value or "\\" in value or "{" in value or value.startswith("*") for value in values
    ):
        return None
    text = literal.replace("{{", "\0").replace("}}", "\1")
    used: list[int] = []

    def field(match: re.Match[str]) -> str:
        number = int(match[1]) if match[1] else len(used)
        used.append(number)
        value = values[number] if number < len(values) else ""
        return f"{{{value}{match[2] or ''}{match[3] or ''}}}"

    made = _FIELD.sub(field, text)
    rest = _FIELD.sub("", text)
    if "{" in rest or "}" in rest or sorted(set(used)) != list(range(len([v for v in values if v]))):
        return None
    return "f" + made.replace("\0", "{{").replace("\1", "}}")


def percent_to_f_string(line: str) -> str | None:
    """Rewrite each `"%s" % value` as an f-string, for the values that mean the same in both notations."""
    match = next((m for m in _STRING.finditer(line) if re.match(r"\s%\s", line[m.end() : m.end() + 3])), None)
    operands = _operands(line, match.end() + 3) if match is not None else None
    if match is None or operands is None:
        return None
    values, end = operands
    if WordPattern(r"\s*[\w.+*/%(\[-]").match(line[end:]):
        return None
    literal, quote = match[1], match[1][0]
    if any(quote in value or "\\" in value or "{" in value for value in values):
        return None
    made = _with_values(literal.replace("{", "{{").replace("}", "}}"), values)
    return None if made is None else f"{line[: match.start()]}f{made}{line[end:]}"


def _operands(line: str, start: int) -> tuple[list[str], int] | None:
    """Return the values behind a `%`, one or several in brackets, and where they end."""
    if line.startswith("(", start):
        spans = argument_spans(line, start)
        if spans is None:
            return None
        return list(filter(None, (line[a:b].strip() for a, b in spans))), spans[-1][1] + 1
    value = WordPattern(r"[^\W\d][\w.]*(?:\([^()]*\)|\[[^\[\]]*\])?").match(line[start:])
    return None if value is None else ([value[0]], start + value.end())


def _with_values(literal: str, values: Sequence[str]) -> str | None:
    """Return a literal with the values in its fields; None if not each field has one that an f-string can show."""
    waiting = list(values)
    failed = False

    def field(found: re.Match[str]) -> str:
        nonlocal failed
        if found[0] == "%%":
            return "%"
        if not waiting or found["flags"]:
            failed = True
            return ""
        kind, size = found["type"], found["width"] + (found["precision"] or "")
        shown = "!r" if kind == "r" else ""
        spec = size + (kind if kind in "fgxX" else "")
        return f"{{{waiting.pop(0)}{shown}{':' + spec if spec else ''}}}"

    made = _PERCENT.sub(field, literal)
    return None if failed or waiting else made


def concatenation_to_template(line: str) -> str | None:
    """Rewrite each concatenation of strings and values as a template literal of JavaScript."""

    def template(match: re.Match[str]) -> str:
        parts = WordPattern(_OPERAND).findall(match[0])
        if all(part[0] in "\"'" for part in parts) or not any(part[0] in "\"'" for part in parts):
            return match[0]
        texts = []
        for part in parts:
            if part[0] not in "\"'":
                texts.append(f"${{{part}}}")
            elif "`" in part or "${" in part:
                return match[0]
            else:
                texts.append(part[1:-1].replace(f"\\{part[0]}", part[0]))
        return f"`{''.join(texts)}`"

    made = _CONCATENATION.sub(template, line)
    return made if made != line else None


def to_double_quotes(line: str) -> str | None:
    """Rewrite the strings in single quotes with double ones."""
    return _quoted(line, "'", '"')


def to_single_quotes(line: str) -> str | None:
    """Rewrite the strings in double quotes with single ones."""
    return _quoted(line, '"', "'")


def _quoted(line: str, old: str, new: str) -> str | None:
    def requoted(match: re.Match[str]) -> str:
        text = match[1]
        plain = text[0] == old and new not in text and "\\" not in text
        return f"{new}{text[1:-1]}{new}" if plain else text

    made = _STRING.sub(requoted, line)
    return made if made != line else None


def optional_to_union(line: str) -> str | None:
    """Rewrite each `Optional[X]` of Python as `X | None`. A type in quotes stays: a string has no `|`."""
    made = _OPTIONAL.sub(lambda match: f"{match[1]} | None", line)
    return made if made != line else None


CONVERSIONS: tuple[tuple[str, str, Callable[[str], str | None]], ...] = (
    ("format to f-string", ".format(", format_to_f_string),
    ("% to f-string", "%", percent_to_f_string),
    ("template literal", "+", concatenation_to_template),
    ("double quotes", "'", to_double_quotes),
    ("single quotes", '"', to_single_quotes),
    ("Optional to union", "Optional[", optional_to_union),
)
"""The conversions: a label, a text that a line needs, the function."""
