"""Elision markers: lines in place of omitted code, such as `// ... existing code ...`.

A marker is a whole line. A comment in any language's style (models mix them up) is a marker by its words. Bare dots are a
marker only where the language's syntax has no use for them. Comments that merely trail off (`# loading ...`) are code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editahead_prompts.text.indentation import indentation_length

from .sketch import Code, Elision

_MAX_CHARS = 160
"""Longest line that can be a marker, in characters."""

_COMMENT = re.compile(
    r"""
      /\*+\s*(?P<block>.*?)\s*\*+/
    | \{\s*/\*+\s*(?P<jsx>.*?)\s*\*+/\s*\}
    | <!--+\s*(?P<html>.*?)\s*--+>
    | \(\*\s*(?P<ml>.*?)\s*\*\)
    | \#+(?![\[!])\s*(?P<hash>.*)
    | /{2,}!?\s*(?P<slashes>.*)
    | (?:--+|;+|%+)\s+(?P<other>.*)
    """,
    re.VERBOSE,
)
DOTS = re.compile(r"(?:\.{3,}|[…⋮⋯⋰⋱︙‥]|[·•∙⋅]{3,}|(?:\. ){2,}\.)+")
"""Dots that stand for something left out, in any form."""
_EDGES = " \t.,;:!-–—=_~*\"'`"
_BRACKETS = {"[": "]", "(": ")", "<": ">", "{": "}"}


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


_STAYING = _words(
    "existing unchanged unmodified untouched omitted elided skipped truncated hidden intact unaffected",
    "rest remainder remaining remain remains stay stays snip snipped as-is no-changes same",
)
"""Words of which every marker without leading dots has at least one."""

_AROUND = _words(
    "the your all keep leave of this its it is are be being was were left kept as before same above below",
    "here for brevity clarity goes continues continue follows from in to with other others original",
    "previous current completely entirely exactly needed required further more and code block source file",
    "function functions method methods class classes implementation module body component logic content",
    "contents import imports field fields definition definitions declaration declarations test tests case",
    "cases handler handlers script struct interface type types property properties props variables",
    "constants statements lines part parts setup config configuration constructor initialization",
    "docstring docstrings signature decorator decorators",
    "everything members routes attributes styles markup jsx html document helper helpers",
    "columns rows entries elements items keys steps jobs rules options endpoints services dependencies",
)
"""Other words of a marker without leading dots. One more word is allowed, such as a function's name."""

_FIRM = _words(
    "existing unchanged unmodified untouched omitted elided truncated as-is no-changes remainder",
)
"""Words that allow one word outside `_STAYING` and `_AROUND`."""

_HINTS = _words(
    "existing rest remainder remaining unchanged unmodified same other others previous omitted more keep",
    "kept code body before original skipped truncated elided continue continues continued imports import",
    "methods method functions function class implementation logic untouched snip brevity lines etc",
    "remains stays fields tests definitions",
)
"""Words that turn a short comment with leading dots into a marker."""

_ALONE = re.compile(r"snip|snipped|(?:previous|original) (?:implementation|code|body|logic)")
"""Words that are a marker when a comment has no others."""

_TRAILING = re.compile(r"(?:all |the |and )*(?:previous|earlier|other|remaining)(?: \w+){1,2}")
"""Words that are a marker where dots follow, as in `# previous routes ...`."""

_DELETION = re.compile(
    r"(?:removed|deleted)(?:\s*:.*)?"
    r"|(?:old|previous|existing|unused|legacy|dead|the|this)(?: \w+){1,5} (?:was |were |is |are |has been |have been )?"
    r"(?:removed|deleted)"
)
_GOES_ON = re.compile(r"(?:and|but|or|so|then|because|since|which|that|if|when|while|as|to|we|it|is|are)\b")
"""First words of a comment that continues a sentence after dots."""

_MAX_WORDS = 10
_MAX_WORDS_UNMARKED = 6


@dataclass(frozen=True, slots=True)
class ElisionMarker:
    """An elision marker on one line.

    Attributes:
        certain: Whether the line alone is proof: a comment's words or dots, or a sign that no language has. Otherwise the
            line is bare dots, and a marker only if the surrounding syntax has no use for dots.
        removed: Whether the marker says that code was removed.
    """

    certain: bool
    removed: bool = False


def parse_marker(line: str) -> ElisionMarker | None:
    """Parse a line as a marker, without its context; None for code."""
    text = line.strip()
    if not text or len(text) > _MAX_CHARS:
        return None
    if DOTS.fullmatch(text):
        return ElisionMarker(certain=bool(text.strip(". ")))
    match = _COMMENT.fullmatch(text)
    if match is None or match.lastgroup is None:
        return _bracketed(text)
    content = match[match.lastgroup].strip()
    return _of_words(content) if content else None


def split_code_and_elisions(
    lines: Sequence[str], at: int, language: str | None
) -> tuple[Code | Elision, ...]:
    """Split lines into code and elisions.

    Args:
        at: The 0-based line of the sketch at which the lines begin.
        language: The LSP language id, or None.
    """
    out: list[Code | Elision] = []
    start = 0
    for number, marker in _markers(lines, language):
        if number > start:
            out.append(Code(tuple(lines[start:number]), at + start))
        out.append(Elision(lines[number], at + number, marker.removed))
        start = number + 1
    if start < len(lines):
        out.append(Code(tuple(lines[start:]), at + start))
    return tuple(out)


def _markers(lines: Sequence[str], language: str | None) -> Iterator[tuple[int, ElisionMarker]]:
    found = [(number, marker) for number, line in enumerate(lines) if (marker := parse_marker(line))]
    bare = {number for number, marker in found if not marker.certain}
    meant = _meant(lines, bare, language) if bare else set()
    yield from ((number, marker) for number, marker in found if marker.certain or number in meant)


def _meant(lines: Sequence[str], bare: set[int], language: str | None) -> set[int]:
    """Return the lines of bare dots that are markers."""
    used = [number for number, line in enumerate(lines) if line.strip()]
    quoted = _quoted(lines) if language in _TRIPLE_QUOTED and not bare & {used[0], used[-1]} else set()
    out = set()
    for at, number in enumerate(used):
        if number not in bare or number in quoted:
            continue
        before = lines[used[at - 1]] if at else ""
        after = lines[used[at + 1]] if at + 1 < len(used) else ""
        if not _is_syntax(before, lines[number], after, language):
            out.add(number)
    return out


_BLOCK = re.compile(r":\s*(?:#.*)?$")
_TRIPLE_QUOTED = frozenset({"python", None})


def _is_syntax(before: str, dots: str, after: str, language: str | None) -> bool:
    """Return whether the dots are code: the whole body of a Python block, or the last parameter of a C function."""
    if language in ("python", None) and _BLOCK.search(before):
        deeper = indentation_length(dots) > indentation_length(before)
        return deeper and (not after.strip() or indentation_length(after) < indentation_length(dots))
    return language in ("c", "cpp", None) and before.rstrip().endswith(",") and after.lstrip().startswith(")")


def _quoted(lines: Sequence[str]) -> set[int]:
    """Return the lines inside triple quotes."""
    out, inside = set(), ""
    for number, line in enumerate(lines):
        if inside:
            out.add(number)
        for quotes in re.findall(r"\"\"\"|'''", line):
            if not inside:
                inside = quotes
            elif inside == quotes:
                inside = ""
    return out


def _bracketed(text: str) -> ElisionMarker | None:
    """Parse dots or marker words in brackets without a comment sign: `[...]`, `<existing code>`, `{...}`."""
    inner = text[1:-1].strip() if _BRACKETS.get(text[0]) == text[-1] else ""
    if text[0] == "[" and DOTS.fullmatch(inner):
        return ElisionMarker(certain=False)
    dotted = DOTS.match(text) and text.endswith(("...", "…"))
    worded = text[0] in "[<" and " " in inner
    return (
        ElisionMarker(certain=True) if (dotted or worded) and _says_that_it_stays(_bare_words(text)) else None
    )


def _of_words(content: str) -> ElisionMarker | None:
    """Parse a comment's content as a marker."""
    wrapped = _BRACKETS.get(content[0]) == content[-1]
    if DOTS.fullmatch(content) or (wrapped and DOTS.fullmatch(content[1:-1].strip())):
        return ElisionMarker(certain=True)
    words = _bare_words(content)
    leads, trails = bool(DOTS.match(content)), content.rstrip(" )]>}").endswith(("...", "…", ". . ."))
    if words in ("removed", "deleted") or ((leads or wrapped or ":" in words) and _DELETION.fullmatch(words)):
        return ElisionMarker(certain=True, removed=True)
    is_marker = (
        _says_that_it_stays(words)
        or _ALONE.fullmatch(words) is not None
        or (trails and not wrapped and _TRAILING.fullmatch(words) is not None)
        or (leads and _is_short_hint(words, trails=trails, wrapped=wrapped))
    )
    return ElisionMarker(certain=True) if is_marker else None


def _is_short_hint(words: str, *, trails: bool, wrapped: bool) -> bool:
    """Return whether words with dots before them hint at code; `trails` and `wrapped`: what is behind or around them."""
    count = len(words.split())
    if count > (_MAX_WORDS if trails or wrapped else _MAX_WORDS_UNMARKED) or _GOES_ON.match(words):
        return False
    is_hint = not _HINTS.isdisjoint(re.findall(r"[a-z]+", words))
    return is_hint or (trails and count <= _MAX_WORDS_UNMARKED)


def _says_that_it_stays(words: str) -> bool:
    """Return whether these words, without dots, say that code stays as it is."""
    joined = re.sub(r"\b(as) (is|it is|it was)\b", "as-is", words)
    joined = re.sub(r"\b(no|without) (other |further |more )?changes?\b", "no-changes", joined)
    said = joined.replace(",", " ").split()
    staying = _STAYING.intersection(said)
    if not staying or len(said) > _MAX_WORDS:
        return False
    if staying == {"same"} and not re.search(r"\bsame as (before|(the |in the )?original)\b", joined):
        return False
    if len(said) == 1 and _FIRM.isdisjoint(staying):
        return False
    others = sum(word not in _STAYING and word not in _AROUND for word in said)
    return others == 0 or (others == 1 and len(said) > 2 and not _FIRM.isdisjoint(staying))


def _bare_words(text: str) -> str:
    """Return the text in lower case with single spaces, without dots and without enclosing brackets and dashes."""
    text = DOTS.sub(" ", text).lower()
    before = None
    while before != text:
        before, text = text, text.strip(_EDGES)
        if text and text[0] in _BRACKETS and text[-1] == _BRACKETS[text[0]]:
            text = text[1:-1]
    return " ".join(re.sub(r"[()\[\]<>]", " ", text).split())
