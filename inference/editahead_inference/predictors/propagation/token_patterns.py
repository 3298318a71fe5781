"""Token patterns with holes, compiled to regular expressions.

A pattern is learned from one example (old tokens -> new tokens). The changed text stays literal. The text that did not
change may become a hole: an identifier, a number, a string, or a whole expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from editahead_prompts.short_cache import cache_short
from editahead_prompts.syntax.language import words
from editahead_prompts.text.word_patterns import WordPattern, goes_on

_TOKEN = WordPattern(
    r"""[^\W\d]\w*|\d\w*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`|\s+|.""", re.DOTALL
)
_HOLES = {
    "word": r"[^\W\d]\w*",
    "number": r"\d\w*",
    "string": r"""(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`)""",
    "chain": r"[^\W\d]\w*(?:\.[^\W\d]\w*)*",
    "expression": r"[^\s(){}\[\],;][^(){}\[\],;]*(?:[(\[][^()\[\]]*(?:\([^()]*\)[^()\[\]]*)*[)\]][^(){}\[\],;]*)*",
}

_CHAIN = WordPattern(_HOLES["chain"])

MAX_JOINED = 600
"""Tokens of a line whose expressions are joined. A longer line is data, or generated."""

KEYWORDS = words(
    "and as assert async await auto bool boolean break byte case catch char class const continue def "
    "default defer del do double elif else enum except export extends extern False final finally "
    "float fn for from func function go if impl implements import in int interface is lambda let long "
    "match mod mut new nil None not null or override package pass private protected pub public raise "
    "ref return self Self short static string struct super switch this throw throws trait True true "
    "false try type typeof undefined union unsafe use var void while with yield str object"
)
"""Words that mean the same wherever they are, in one of the languages at least."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A place for any text of one kind: `word`, `number`, `string`, `chain` (names joined by dots) or `expression`.

    Holes with equal names take equal text.
    """

    name: str
    kind: str


PatternPart = str | Hole
LinePattern = tuple[PatternPart, ...]


def tokenize(line: str) -> list[str]:
    """Split a line as `identifiers.tokenize` does, but with a string literal that ends on its line as one token."""
    return _TOKEN.findall(line)


def hole_kind(token: str) -> str | None:
    """Return the kind of hole that the token can become, or None if it must stay."""
    first = token[0]
    if first in "\"'`" and len(token) > 1:
        return "string"
    if first.isdigit():
        return "number"
    if (first.isalpha() or first == "_") and token not in KEYWORDS:
        return "word"
    return None


def _literal_chars(parts: Sequence[PatternPart]) -> int:
    return sum(len(part) for part in parts if isinstance(part, str))


@cache_short(4096, size=_literal_chars, max_chars=1_000)
def compile_pattern(parts: LinePattern) -> WordPattern:
    """Compile a pattern for one line's body. Words at its ends match whole words only."""
    parts = tuple(part for part in parts if part)
    if not parts:
        return WordPattern("")
    seen: set[str] = set()
    out: list[str] = []
    for part in parts:
        out.append(_expression(part, is_again=isinstance(part, Hole) and part.name in seen))
        if isinstance(part, Hole):
            seen.add(part.name)
    first, last = parts[0], parts[-1]
    if isinstance(first, Hole) or goes_on(first[0]):
        is_chain = isinstance(first, Hole) and first.kind == "chain"
        out.insert(0, r"(?<![\w.])" if is_chain else r"(?<!\w)")
    if isinstance(last, Hole) or goes_on(last[-1]):
        out.append(r"(?!\w)")
    return WordPattern("".join(out))


def _expression(part: PatternPart, *, is_again: bool) -> str:
    """Return the expression for a literal, for white space, or for a hole, which matches the same text again."""
    if isinstance(part, str):
        return r"\s+" if part.isspace() else re.escape(part)
    return f"(?P={part.name})" if is_again else f"(?P<{part.name}>{_HOLES[part.kind]})"


def fill_holes(parts: Iterable[PatternPart], match: re.Match[str]) -> str:
    """Return the new text for one match of the old parts."""
    return "".join(part if isinstance(part, str) else match[part.name] for part in parts)


def longest_literal(parts: Sequence[PatternPart]) -> str:
    """Return the longest literal of the pattern, which a matching line must hold, or ""."""
    runs: list[str] = [""]
    for part in parts:
        if isinstance(part, str) and not part.isspace():
            runs[-1] += part
        else:
            runs.append("")
    return max(runs, key=len)


def fixed_names(tokens: Sequence[str]) -> frozenset[str]:
    """Return the names that say what a line does: called names, and names after a dot."""
    return frozenset(
        token
        for number, token in enumerate(tokens)
        if hole_kind(token)
        and (
            (number + 1 < len(tokens) and tokens[number + 1] == "(") or (number and tokens[number - 1] == ".")
        )
    )


def join_expressions(old: Sequence[str], new: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return both sequences with each shared argument, and each shared chain before a method, as one token.

    Both results are empty if no such run has several tokens, and for lines of more than `MAX_JOINED` tokens.
    """
    if max(len(old), len(new)) > MAX_JOINED:
        return [], []
    codes: dict[str, str] = {}

    def encode(token: str) -> str:
        return codes.setdefault(token, chr(len(codes)))

    # One character for each token, so that a run is found at the speed of `str.find`.
    a, b, found = "".join(map(encode, old)), "".join(map(encode, new)), False
    runs = dict.fromkeys(a[start:end] for start, end in (*_arguments(old), *_receivers(old)))
    for run in sorted(runs, key=len, reverse=True):
        at, to = a.find(run), b.find(run)
        if at >= 0 and to >= 0:
            names = list(codes)
            joined = encode("".join(names[ord(code)] for code in run))
            a = a[:at] + joined + a[at + len(run) :]
            b = b[:to] + joined + b[to + len(run) :]
            found = True
    if not found:
        return [], []
    names = list(codes)
    return [names[ord(code)] for code in a], [names[ord(code)] for code in b]


def _arguments(tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the spans of several tokens between brackets and commas, without white space at their ends."""
    starts: list[int] = []
    for number, token in enumerate(tokens):
        if token in ",)]" and starts:
            start, end = starts.pop(), number
            while start < end and tokens[end - 1].isspace():
                end -= 1
            while start < end and tokens[start].isspace():
                start += 1
            if end - start > 1:
                yield start, end
        if token == "," or token in "([":
            starts.append(number + 1)


def _receivers(tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the spans of the chains of names that a method is called on."""
    start = 0
    for number, token in enumerate(tokens):
        if not (token == "." or hole_kind(token) == "word" or token in ("self", "this")):
            if token == "(" and number - start >= 5:
                yield start, number - 2
            start = number + 1


def _wide_kind(token: str) -> str | None:
    """Return the kind of hole, as `hole_kind` does, also for joined tokens."""
    if len(tokenize(token)) == 1:
        return hole_kind(token)
    return "chain" if _CHAIN.fullmatch(token) else "expression"


def with_holes(
    old: Sequence[str], new: Sequence[str], *, keep: frozenset[str] = frozenset(), expressions: bool = False
) -> tuple[LinePattern, LinePattern] | None:
    """Return both sequences with a hole for each shared name, number or string, or None if there is none.

    Args:
        old: The old tokens.
        new: The new tokens.
        keep: Shared tokens that stay literal.
        expressions: Whether a hole that is a whole argument takes any expression. Then None if there is no such hole.
    """
    shared = set(old) & set(new) - keep
    holes: dict[str, Hole] = {}
    widened = False
    for number, token in enumerate(old):
        kind = _wide_kind(token) if token in shared and token not in holes else None
        if kind is None:
            continue
        if expressions and _is_argument(old, number):
            kind, widened = "expression", True
        holes[token] = Hole(f"h{len(holes)}", kind)
    if not holes or (expressions and not widened):
        return None
    return put_holes(old, holes), put_holes(new, holes)


def holes_of(tokens: Iterable[str], fixed: frozenset[str] = frozenset()) -> dict[str, Hole]:
    """Return a hole for each name, number and string of some tokens, except the fixed ones."""
    holes: dict[str, Hole] = {}
    for token in tokens:
        kind = hole_kind(token)
        if kind and token not in fixed and token not in holes:
            holes[token] = Hole(f"h{len(holes)}", kind)
    return holes


def put_holes(tokens: Iterable[str], holes: Mapping[str, Hole]) -> LinePattern:
    """Return the tokens with the holes instead of those that have one."""
    return tuple(holes.get(token, token) for token in tokens)


def _is_argument(tokens: Sequence[str], number: int) -> bool:
    filled = (n for n in range(number - 1, -1, -1) if not tokens[n].isspace())
    before = next(filled, None)
    after = next((n for n in range(number + 1, len(tokens)) if not tokens[n].isspace()), None)
    is_behind = before is not None and tokens[before] in ("(", ",", "[")
    return is_behind and after is not None and tokens[after] in (")", ",", "]")
