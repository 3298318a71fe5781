"""Deliberate damage to sketches; `sketch_generator.py` lists the results that are then accepted."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz.fuzz import ratio

from .line_change import Declaration, LineChange, indentation

_WORDS = (
    (r"\bthe ", ""),
    (r"\bdon't\b", "do not"),
    (r"\bdoesn't\b", "does not"),
    (r"\bis not\b", "isn't"),
    (r"\bcannot\b", "can't"),
    (r"\bcan't\b", "cannot"),
    (r"\bif\b", "when"),
    (r"\bwhen\b", "if"),
    (r"\bReturns\b", "Return"),
    (r"\bensure\b", "make sure"),
    (r"\bmake sure\b", "ensure"),
    (r"\buse\b", "utilize"),
    (r"\bcheck\b", "verify"),
    (r"\band\b", "&"),
    (r"\bbecause\b", "since"),
    (r"\ba\b ", ""),
    (r"\bthis\b", "it"),
    (r"\bwe\b", "you"),
    (r"\bto\b", "in order to"),
)
"""How one says the same in other words, first match first."""


def paraphrase_comment(comment: str) -> str | None:
    """Return a comment line in other words that is still recognizable; None where no word can be replaced."""
    out = comment
    for pattern, other in _WORDS:
        out = re.sub(pattern, other, comment, count=1)
        if out != comment:
            break
    if out == comment:
        return None
    return out if ratio(out, comment) >= 70 else None


def reindented(lines: Sequence[str], kind: str, old: Sequence[str]) -> list[str] | None:
    """Return the lines with other white space at their starts.

    None where the original indentation cannot be inferred, because no unchanged line of the old file shows
    the difference. The kinds:

    - "dedented" removes the common indentation.
    - "indented" adds four columns.
    - "tabs" writes units of spaces as tabs.
    - "spaces" writes tabs as four spaces.
    - "unit" swaps a unit of two columns and one of four.
    """
    move = _move([line for line in lines if line.strip()], kind)
    if move is None:
        return None
    moved = [move(line) for line in lines]
    kept = set(old)
    shows = any(
        line in kept and line.strip() and line != other for line, other in zip(lines, moved, strict=True)
    )
    return moved if shows else None


def _move(lines: Sequence[str], kind: str) -> Callable[[str], str] | None:
    spaces = [indentation(line) for line in lines]
    if kind == "dedented":
        common = min((len(space) for space in spaces), default=0)
        return (lambda line: line[min(common, len(indentation(line))) :]) if common else None
    if kind == "indented":
        return lambda line: "    " + line if line.strip() else line
    has_tabs = any("\t" in space for space in spaces)
    if kind == "spaces":
        if not has_tabs or any(set(space) - {"\t"} for space in spaces):
            return None
        return lambda line: "    " * len(indentation(line)) + line.lstrip()
    widths = {len(space) for space in spaces if space}
    unit = min(widths, default=0)
    if has_tabs or unit not in (2, 4) or any(width % unit for width in widths):
        return None
    piece = "\t" if kind == "tabs" else " " * (6 - unit)
    return lambda line: piece * (len(indentation(line)) // unit) + line.lstrip()


_MAX_TWIN = 80
"""Lines."""

INDENTATIONS = ("dedented", "dedented", "indented", "tabs", "spaces", "unit")


@dataclass(frozen=True)
class DuplicatedDeclaration:
    """A file with a copy of one declaration, unchanged and under another name, before or after the original.

    Attributes:
        alone: the change in this one declaration, without the copy.
        both: the same change, with the copy.
        declaration: the changed declaration in the new file of `both`.
        header: the lines that contain the declaration's name.
        shift: lines from the original's place in the old file to the copy's.
    """

    alone: LineChange
    both: LineChange
    declaration: Declaration
    header: frozenset[str]
    shift: int

    def is_named_by(self, lines: Iterable[str]) -> bool:
        return not self.header.isdisjoint(lines)

    def are_in_both(self, stretches: Iterable[tuple[int, Sequence[str]]]) -> bool:
        """Return whether all stretches of old lines, each with its first line, occur in the copy, too."""
        index = self.both.old_index
        return all(at + self.shift in index.places(stretch) for at, stretch in stretches if stretch)


def duplicate_declaration(change: LineChange, rng: random.Random) -> DuplicatedDeclaration | None:
    """Return a file with a copy of a changed declaration; None where none with a plain name changed."""
    for old, new in rng.sample(change.pairs, len(change.pairs)):
        name = old.name.split()[-1] if old.name else ""
        header = change.old[old.start : old.body]
        is_plain = re.fullmatch(r"\w{3,}", name) and sum(line.count(name) for line in header) == 1
        if not is_plain or old.end - old.start > _MAX_TWIN:
            continue
        copy = [*(line.replace(name, name + "Other") for line in header), *change.old[old.body : old.end]]
        alone = change.restrict_to(old, new)
        grown = len(alone.new) - len(change.old)
        is_first = rng.random() < 0.5
        at, more = (old.start, [*copy, ""]) if is_first else (old.end, ["", *copy])
        after = at if is_first else at + grown
        both = LineChange(
            change.path,
            change.language,
            (*alone.old[:at], *more, *alone.old[at:]),
            (*alone.new[:after], *more, *alone.new[after:]),
        )
        start = new.start + (len(more) if is_first else 0) + old.start - new.start
        for declaration in both.new_declarations:
            if (declaration.kind, declaration.name, declaration.start) == (new.kind, new.name, start):
                named = frozenset(line for line in header if name in line)
                return DuplicatedDeclaration(
                    alone, both, declaration, named, -len(more) if is_first else len(copy) + 1
                )
    return None
