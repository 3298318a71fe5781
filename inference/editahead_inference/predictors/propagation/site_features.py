"""Features of sites, which the gate weighs. Each is a quantity that a programmer can name."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rapidfuzz import fuzz

from editahead_prompts.state import PastEdit
from editahead_prompts.text.word_patterns import WordPattern

from .bindings import RenameCache
from .document_index import DocumentIndex
from .import_rules import IMPORT
from .line_transforms import COMMENT
from .proposal import Proposal
from .rule import Rule
from .unfinished_edits import Typing

_DEFINES = (
    r"(?:\b(?:def|class|func|fn|function|type|interface|struct|enum|trait|const|let|var|val|macro|define|module|namespace)"
    r"\s+(?:\([^)]*\)\s*)?|\b(?:mut|static|final|int|void|bool|string|auto|char|float|double|long)\s+[*&]?)"
)

IndexLookup = Callable[[str], DocumentIndex | None]
"""The index of the document with this uri, if it is open."""


@dataclass(slots=True)
class Site:
    """An edit that one or more rules propose."""

    proposal: Proposal
    rules: list[tuple[Rule, int]] = field(default_factory=list)
    """The rules and the age of the edit that taught each (0 = the last edit)."""
    below: int = 10**6
    """Sites of its most selective rule below the last edit, this site included."""
    above: int = 10**6
    """Sites of its most selective rule above the last edit. The user may have seen and skipped them."""
    rank: int = 10**6
    """Sites of its most selective rule on the same side of the last edit that are nearer to the edit."""
    support: int = 1
    """Lines of past edits that are instances of one of its rules; the most of its rules."""
    streak: int = 0
    """Number of the last edits, without a gap, that are instances of one of its rules."""
    skipped: int = 0
    """Sites of its rules between past edits that were left as they are."""
    contradicted: int = 10**6
    """Number of other rewrites of the same old text that the last edits taught; the least of its rules."""
    combined: bool = False
    """Whether several rules each change a part of the line."""


def extract_features(
    sites: Sequence[Site],
    index: DocumentIndex,
    home: IndexLookup,
    names: RenameCache,
    edits: Sequence[PastEdit],
    edited_line: int,
    typing: Typing | None = None,
) -> list[tuple[Site, dict[str, float]]]:
    """Return each site with the features that the gate weighs.

    Distances are measured from the last edit, not from the cursor, so that a move of the cursor does not change them.

    Args:
        sites: The sites in one document.
        index: The index of that document.
        home: Returns the index of an open document by its uri.
        names: The renames behind the edits.
        edits: The past edits, newest first.
        edited_line: The 0-based last line of the newest edit, or 0 if the edit is in another document.
        typing: The edit at the cursor, if the user is still in its lines.
    """
    rivals = Counter(site.proposal.start for site in sites)
    nearest: dict[tuple[int, bool], int] = {}
    for site in sites:
        up = site.proposal.start < edited_line
        for age in {age for _, age in site.rules}:
            distance = abs(site.proposal.start - edited_line)
            nearest[age, up] = min(nearest.get((age, up), distance), distance)
    return [
        (
            site,
            _features(
                site,
                index,
                home,
                names,
                edits,
                edited_line,
                rivals[site.proposal.start] - 1,
                nearest,
                typing,
            ),
        )
        for site in sites
    ]


def _features(
    site: Site,
    index: DocumentIndex,
    home: IndexLookup,
    names: RenameCache,
    edits: Sequence[PastEdit],
    edited_line: int,
    rivals: int,
    nearest: dict[tuple[int, bool], int],
    typing: Typing | None,
) -> dict[str, float]:
    start, end, lines = site.proposal.start, site.proposal.end, site.proposal.lines
    bodies = index.bodies
    last_line = len(bodies) - 1
    age = min(age for _, age in site.rules)
    edit = edits[age]
    newest = [rule for rule, a in site.rules if a == age]
    at = min(start, last_line)
    origin = home(edit.uri) or index
    theirs = origin.bodies
    here = min(edit.line, len(theirs) - 1)
    is_here = origin is index
    up = start < edited_line
    distance = edited_line - max(start, end - 1) if up else start - edited_line
    old_text = "".join(body.strip() for body in bodies[start:end])
    new_text = "".join(line.strip() for line in lines)
    if end > start:
        similarity = max(fuzz.ratio(rule.example, bodies[start].strip()) for rule in newest)
    else:
        anchors = (bodies[at].strip(), bodies[max(at - 1, 0)].strip())
        similarity = max(fuzz.ratio(rule.example, anchor) for rule in newest for anchor in anchors)
    source = max((rule.source for rule in newest), key=len)
    name, target = next((rule.renames for rule in newest if rule.renames), ("", ""))
    around = "".join(b.strip() for b in (*bodies[max(start - 2, 0) : start], *bodies[end : end + 2]))
    stop = edit.line + len(edit.new)
    around_edit = "".join(
        b.strip() for b in (*theirs[max(edit.line - 2, 0) : edit.line], *theirs[stop : stop + 2])
    )
    values = {
        "age": float(age),
        "support": float(site.support),
        "streak": float(site.streak),
        "purity": round(site.streak / len(edits), 2),
        "sites-below": float(site.below),
        "sites-above": float(site.above),
        "skipped": float(site.skipped),
        "left": float(site.below + site.above),
        "converted": round(site.support / (site.support + site.below + site.above + site.skipped), 2),
        "rank": float(site.rank),
        "kin-nearer": float(abs(start - edited_line) > nearest[age, up]),
        "distance": float(distance),
        "edit-distance": float(abs(start - edit.line)) if is_here else 1e4,
        "up": float(up),
        "direction": _direction(edits),
        "similarity": round(similarity / 100, 2),
        "context": round(fuzz.ratio(around, around_edit) / 100, 2),
        "same-indent": float(index.indent(at) == origin.indent(here)),
        "same-block": float(is_here and index.block(at) == index.block(here)),
        "same-top": float(is_here and index.top(at) == index.top(here)),
        "source-length": float(len(source)),
        "source-count": float(index.words.get(name, 0)) if name else -1.0,
        "target-count": float(index.words.get(target, 0)) if target else -1.0,
        "votes": float(len({rule.kind for rule, _ in site.rules})),
        "teachers": float(len({age for _, age in site.rules})),
        "rivals": float(rivals),
        "contradicted": float(min(site.contradicted, 9)),
        "combined": float(site.combined),
        "old-lines": float(end - start),
        "new-lines": float(len(lines)),
        "edit-old-lines": float(len(edit.old)),
        "edit-new-lines": float(len(edit.new)),
        "history": float(len(edits)),
        "comment": float(bool(COMMENT.match(old_text or new_text))),
        "import": float(bool(IMPORT.match(old_text or new_text))),
        "edit-comment": float(bool(COMMENT.match("".join(edit.new or edit.old)))),
        "edit-import": float(bool(IMPORT.match("".join(edit.new or edit.old)))),
        "defines": float(
            bool(name) and bool(WordPattern(_DEFINES + re.escape(name) + r"(?!\w)").search(old_text))
        ),
        "edit-defines": float(
            bool(name)
            and bool(WordPattern(_DEFINES + re.escape(target) + r"(?!\w)").search("".join(edit.new)))
        ),
        "grows": float(len(new_text) - len(old_text)),
        "size": round(math.log1p(len(bodies)), 1),
    }
    renamed = names.get(name, target, edit) if target else None
    if renamed is not None:
        values |= renamed.features(start)
    if typing is not None and age == 0:
        values |= typing.features()
    for rule, _ in site.rules:
        values[f"kind:{rule.kind}"] = 1.0
    return values


def _direction(edits: Sequence[PastEdit]) -> float:
    """Return the direction of the last edits, newest first: from -1 (up) to 1 (down); 0 if unknown."""
    lines = [edit.line for edit in edits[:5] if edit.uri == edits[0].uri]
    moves = [1 if newer >= older else -1 for newer, older in itertools.pairwise(lines)]
    return round(sum(moves) / len(moves), 2) if moves else 0.0
