"""Names, paths and versions that a change replaced one for one, and where their old spelling is left beyond code."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from editahead_prompts.state import PastEdit
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.identifiers import WORD, split_words
from editahead_prompts.text.scripts import count_letters
from editahead_prompts.text.snapshot import Snapshot
from editahead_prompts.text.word_patterns import WordPattern

from .report import ChangedFile

MIN_CHARS = 4
"""Characters of a name that is looked for beyond code. Shorter ones are words of prose."""
MAX_NAMES = 30
"""Names of one change that are looked for."""
MAX_LINE = 2_000
"""Characters of a line in which names are looked for."""

_NAME = WordPattern(r"\w+(?:[.\-/]\w+)*")
_VERSION = WordPattern(r"v?\d+(?:\.\d+)+(?:[.\-]\w+)*")


@dataclass(frozen=True, slots=True)
class ReplacedName:
    """A name that the change replaced by another.

    Attributes:
        old: The old spelling: an identifier, or one with dots, hyphens or slashes, or a version.
        new: The new spelling.
        source: "word", "compound", "version", or "move" for the path of a moved file.
        edits: The edits that replace it; none for a moved file.
    """

    old: str
    new: str
    source: str
    edits: tuple[PastEdit, ...]

    @property
    def tokens(self) -> tuple[str, ...]:
        """The identifiers that a file with the old spelling has."""
        return tuple(dict.fromkeys(WORD.findall(self.old)))

    @property
    def pattern(self) -> WordPattern:
        """Matches the old spelling where it is not a part of a longer one."""
        return WordPattern(rf"(?<![\w/-])(?<!\w\.){re.escape(self.old)}(?![\w/-])(?!\.\w)")

    def features(self) -> dict[str, float]:
        """Return what tells how unmistakable the old spelling is."""
        words = split_words(self.old) or ()
        return {
            f"name:{self.source}": 1.0,
            "name-length": float(len(self.old)),
            "name-words": float(len(words)),
            "name-plain": float(self.old.isalpha() and self.old.islower()),
            "name-capital": float(self.old[:1].isupper()),
        }


def replaced_names(change: Sequence[ChangedFile], edits: Sequence[PastEdit]) -> tuple[ReplacedName, ...]:
    """Return the names that a change replaced one for one, the most often replaced ones first.

    A name that became different ones, or that the change still adds, is left out.
    """
    found: dict[tuple[str, str], list[PastEdit]] = {}
    added: set[str] = set()
    for edit in edits:
        for old, new in _pairs(edit):
            found.setdefault((old, new), []).append(edit)
        before = {name for line in edit.old for name in _NAME.findall(line)}
        added |= {name for line in edit.new for name in _NAME.findall(line)} - before
    became: dict[str, set[str]] = {}
    for old, new in found:
        became.setdefault(old, set()).add(new)
    names = [
        ReplacedName(old, new, _source(old), tuple(dict.fromkeys(taught)))
        for (old, new), taught in found.items()
        if len(became[old]) == 1 and old not in added
    ]
    names.sort(key=lambda name: -len(name.edits))
    return (*_moves(change), *names)[:MAX_NAMES]


def left_places(name: ReplacedName, document: Snapshot) -> Iterator[tuple[int, Edit]]:
    """Yield the 0-based lines of a document that have the old spelling, each with the edit that replaces it there."""
    if name.old not in document.text:
        return
    for number, line in enumerate(document.lines):
        if name.old in line and len(line) <= MAX_LINE:
            at = document.starts[number]
            made = tuple(
                Replacement(at + match.start(), at + match.end(), name.new)
                for match in name.pattern.finditer(line)
            )
            if made:
                yield number, Edit(made)


def place_features(name: ReplacedName, document: Snapshot, line: int) -> dict[str, float]:
    """Return what tells whether the old spelling in a line means what the change renamed."""
    text = document.lines[line]
    match = name.pattern.search(text)
    before, after = (text[: match.start()], text[match.end() :]) if match else ("", "")
    return {
        "place-quoted": float(before[-1:] in ("`", '"', "'") and after[:1] == before[-1:]),
        "place-called": float(after[:1] == "("),
        "place-member": float(before[-1:] in (".", ":", "#", "@", "$")),
        "place-key": float(not before.strip(" \t-*\"'") and after.lstrip("\"'")[:1] in (":", "=")),
        "place-indented": float(text[:4] == "    "),
        "place-has-new": float(name.new in document.text),
    }


def _pairs(edit: PastEdit) -> Iterator[tuple[str, str]]:
    """Yield the names of an edit that stand in the same places of lines that are otherwise equal."""
    if len(edit.old) != len(edit.new):
        return
    for old, new in zip(edit.old, edit.new, strict=True):
        if old == new or max(len(old), len(new)) > MAX_LINE or _NAME.split(old) != _NAME.split(new):
            continue
        for a, b in zip(_NAME.findall(old), _NAME.findall(new), strict=True):
            if a != b and count_letters(a) >= MIN_CHARS and (_VERSION.fullmatch(a) or not a[0].isdigit()):
                yield a, b


def _source(old: str) -> str:
    if _VERSION.fullmatch(old):
        return "version"
    return "word" if WORD.fullmatch(old) else "compound"


def _moves(change: Sequence[ChangedFile]) -> Iterator[ReplacedName]:
    """Yield the paths of moved files, from the last folder on that both paths have in common."""
    for file in change:
        if file.before is None or file.after is None or file.before.uri == file.after.uri:
            continue
        old, new = (unquote(urlsplit(one.uri).path).split("/") for one in (file.before, file.after))
        common = len(posixpath.commonprefix([old[:-1], new[:-1]]))
        first = max(common - 1, 0)
        yield ReplacedName("/".join(old[first:]), "/".join(new[first:]), "move", ())
