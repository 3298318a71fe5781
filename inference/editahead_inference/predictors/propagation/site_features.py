"""Features of sites, which the gate weighs. Each is a quantity that a programmer can name."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from rapidfuzz import fuzz

from editahead_prompts.state import PastEdit
from editahead_prompts.text.word_patterns import WordPattern

from .document_index import DocumentIndex
from .follow_up import Situation
from .import_rules import IMPORT
from .line_transforms import COMMENT
from .proposal import Proposal
from .rename_cache import RenameCache
from .rule import Rule

_DEFINES = (
    r"(?:\b(?:def|class|func|fn|function|type|interface|struct|enum|trait|const|let|var|val|macro|define|module|namespace)"
    r"\s+(?:\([^)]*\)\s*)?|\b(?:mut|static|final|int|void|bool|string|auto|char|float|double|long)\s+[*&]?)"
)


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

    @property
    def age(self) -> int:
        """The age of the newest edit that taught one of its rules."""
        return min(age for _, age in self.rules)

    def add(self, other: Site) -> None:
        """Add the rules of another site with the same proposal."""
        self.rules += other.rules
        if other.below + other.above < self.below + self.above:
            self.below, self.above, self.rank = other.below, other.above, other.rank
        self.support = max(self.support, other.support)
        self.streak = max(self.streak, other.streak)
        self.skipped = max(self.skipped, other.skipped)
        self.contradicted = min(self.contradicted, other.contradicted)


@dataclass(frozen=True, slots=True)
class FeatureExtractor:
    """The features that the gate weighs of the sites in one document.

    Distances are measured from the last edit, not from the cursor, so that a move of the cursor does not change them.

    Attributes:
        situation: What is searched.
        names: The renames behind the edits.
        edits: The past edits, newest first.
        edited_line: The 0-based last line of the newest edit, or 0 if the edit is in another document.
    """

    situation: Situation
    names: RenameCache
    edits: Sequence[PastEdit]
    edited_line: int

    @property
    def index(self) -> DocumentIndex:
        """The index of the document."""
        return self.situation.index

    def _origin(self, edit: PastEdit) -> DocumentIndex:
        return self.situation.home(edit.uri) or self.index

    def extract(self, sites: Sequence[Site]) -> list[tuple[Site, dict[str, float]]]:
        """Return each site with its features."""
        rivals = Counter(site.proposal.start for site in sites)
        nearest: dict[tuple[int, bool], int] = {}
        for site in sites:
            up, distance = self._is_above(site), self._distance(site)
            for age in {age for _, age in site.rules}:
                nearest[age, up] = min(nearest.get((age, up), distance), distance)
        return [
            (
                site,
                self._features(
                    site, rivals[site.proposal.start] - 1, nearest[site.age, self._is_above(site)]
                ),
            )
            for site in sites
        ]

    def _is_above(self, site: Site) -> bool:
        return site.proposal.start < self.edited_line

    def _distance(self, site: Site) -> int:
        return abs(site.proposal.start - self.edited_line)

    def _features(self, site: Site, rivals: int, nearest: int) -> dict[str, float]:
        """Return the features of one site.

        Args:
            site: The site.
            rivals: The number of other sites that begin at its line.
            nearest: The least distance of a site that the same edit taught, on the same side of the last edit.
        """
        edit = self.edits[site.age]
        newest = [rule for rule, age in site.rules if age == site.age]
        name, target = next((rule.renames for rule in newest if rule.renames), ("", ""))
        values = {
            **self._evidence(site),
            "kin-nearer": float(self._distance(site) > nearest),
            **self._position(site, edit),
            **self._likeness(site.proposal, edit, newest),
            "source-length": float(len(max((rule.source for rule in newest), key=len))),
            "source-count": float(self.index.words.get(name, 0)) if name else -1.0,
            "target-count": float(self.index.words.get(target, 0)) if target else -1.0,
            "votes": float(len({rule.kind for rule, _ in site.rules})),
            "teachers": float(len({age for _, age in site.rules})),
            "rivals": float(rivals),
            "contradicted": float(min(site.contradicted, 9)),
            "combined": float(site.combined),
            **self._text(site.proposal, edit, name, target),
            "size": round(math.log1p(len(self.index.bodies)), 1),
        }
        renamed = self.names.get(name, target, edit) if target else None
        if renamed is not None:
            values |= renamed.features(site.proposal.start)
        if self.situation.typing is not None and site.age == 0:
            values |= self.situation.typing.features()
        for rule, _ in site.rules:
            values[f"kind:{rule.kind}"] = 1.0
        return values

    def _evidence(self, site: Site) -> dict[str, float]:
        """Return how often the rules were applied, and how often they could be."""
        left = site.below + site.above
        return {
            "age": float(site.age),
            "support": float(site.support),
            "streak": float(site.streak),
            "purity": round(site.streak / len(self.edits), 2),
            "sites-below": float(site.below),
            "sites-above": float(site.above),
            "skipped": float(site.skipped),
            "left": float(left),
            "converted": round(site.support / (site.support + left + site.skipped), 2),
            "rank": float(site.rank),
        }

    def _position(self, site: Site, edit: PastEdit) -> dict[str, float]:
        """Return where the site is, seen from the last edit and from the one that taught it."""
        start, end, is_above = site.proposal.start, site.proposal.end, self._is_above(site)
        distance = self.edited_line - max(start, end - 1) if is_above else start - self.edited_line
        is_here = self._origin(edit) is self.index
        return {
            "distance": float(distance),
            "edit-distance": float(abs(start - edit.line)) if is_here else 1e4,
            "up": float(is_above),
            "direction": _direction(self.edits),
        }

    def _likeness(self, proposal: Proposal, edit: PastEdit, rules: Sequence[Rule]) -> dict[str, float]:
        """Return how much the site and its surroundings are like those of the edit."""
        index, origin = self.index, self._origin(edit)
        at, here = min(proposal.start, len(index.bodies) - 1), min(edit.line, len(origin.bodies) - 1)
        lines = [at] if proposal.end > proposal.start else [at, max(at - 1, 0)]
        anchors = [index.bodies[line].strip() for line in lines]
        similarity = max(fuzz.ratio(rule.example, anchor) for rule in rules for anchor in anchors)
        around = _around(index, proposal.start, proposal.end)
        around_edit = _around(origin, edit.line, edit.line + len(edit.new))
        is_here = origin is index
        return {
            "similarity": round(similarity / 100, 2),
            "context": round(fuzz.ratio(around, around_edit) / 100, 2),
            "same-indent": float(index.indent(at) == origin.indent(here)),
            "same-block": float(is_here and index.block(at) == index.block(here)),
            "same-top": float(is_here and index.top(at) == index.top(here)),
        }

    def _text(self, proposal: Proposal, edit: PastEdit, name: str, target: str) -> dict[str, float]:
        """Return what the lines of the site and of the edit are, before and after."""
        old_text = "".join(body.strip() for body in self.index.bodies[proposal.start : proposal.end])
        new_text = "".join(line.strip() for line in proposal.lines)
        text, edited = old_text or new_text, "".join(edit.new or edit.old)
        return {
            "old-lines": float(proposal.end - proposal.start),
            "new-lines": float(len(proposal.lines)),
            "edit-old-lines": float(len(edit.old)),
            "edit-new-lines": float(len(edit.new)),
            "history": float(len(self.edits)),
            "comment": float(bool(COMMENT.match(text))),
            "import": float(bool(IMPORT.match(text))),
            "edit-comment": float(bool(COMMENT.match(edited))),
            "edit-import": float(bool(IMPORT.match(edited))),
            "defines": float(bool(name) and _defines(name, old_text)),
            "edit-defines": float(bool(name) and _defines(target, "".join(edit.new))),
            "grows": float(len(new_text) - len(old_text)),
        }


def _around(index: DocumentIndex, start: int, end: int) -> str:
    """Return the two lines above and the two below some lines, as one text."""
    bodies = index.bodies
    return "".join(body.strip() for body in (*bodies[max(start - 2, 0) : start], *bodies[end : end + 2]))


def _defines(name: str, text: str) -> bool:
    return bool(WordPattern(_DEFINES + re.escape(name) + r"(?!\w)").search(text))


def _direction(edits: Sequence[PastEdit]) -> float:
    """Return the direction of the last edits, newest first: from -1 (up) to 1 (down); 0 if unknown."""
    lines = [edit.line for edit in edits[:5] if edit.uri == edits[0].uri]
    moves = [1 if newer >= older else -1 for newer, older in itertools.pairwise(lines)]
    return round(sum(moves) / len(moves), 2) if moves else 0.0
