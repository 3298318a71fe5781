"""Finds what a change lacks: each of its rewrites is looked for in all files of the codebase."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from math import ceil
from urllib.parse import urlsplit

from editahead_inference.candidates import Candidate
from editahead_inference.codebase import Codebase
from editahead_inference.gate.filters import first_rejection, lines_after, touched_lines
from editahead_inference.mined_rules.repository import RepositoryRules
from editahead_prompts.state import EditorState, MovedFile, PastEdit
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot, split_lines

from .candidates import PlaceFinder, find_candidates, mined_candidates
from .found_places import FinishCandidate, FinishSearch
from .lookup import files_to_search
from .names import replaced_names
from .report import ChangedFile, FinishReport, FinishRule, MissingPlace
from .taught_rules import MAX_EDITS, WINDOW, past_edits, taught_rules
from .use_search import UseSearch
from .weights import FinishWeights, shipped_weights
from .witness import Witness, no_witness

MIN_CONFIDENCE = 0.1
"""The probability from which a place is in a report at all."""
MAX_PLACES = 500
"""Places of one report."""
MAX_SHOWN_AT = 20
"""Places of a rule in the change that a report names."""


def _never() -> None:
    pass


class Finisher:
    """A finder of what changes lack. It caches parses only. For one thread at a time.

    Args:
        codebase: The index of the files that are not open; None to look in the given documents only.
        weights: By default, the shipped ones.
        repository: The rules that were mined from the history of the repository.
        witness: Tells the uses of deleted names that a language server knows.
    """

    def __init__(
        self,
        codebase: Codebase | None = None,
        weights: FinishWeights | None = None,
        repository: RepositoryRules | None = None,
        witness: Witness = no_witness,
    ) -> None:
        self._codebase, self._repository, self._witness = codebase, repository, witness
        self._weights = weights or shipped_weights()
        self._trees = SyntaxTrees()
        self._finder = PlaceFinder(self._trees)

    def find(
        self,
        change: Sequence[ChangedFile],
        documents: Sequence[Snapshot] = (),
        *,
        check: Callable[[], None] = _never,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> FinishReport:
        """Return what a change lacks.

        Args:
            change: The files of the change.
            documents: Further documents that are searched, such as the open ones. The codebase's files are searched besides.
            check: Raises `Cancelled` if the result is no longer wanted.
            on_progress: Called with the number of steps that are done, and of all.

        Raises:
            Cancelled: By `check` only.
        """
        with self._trees.checked(check):
            return self._found(change, documents, check, on_progress)

    def _found(
        self,
        change: Sequence[ChangedFile],
        documents: Sequence[Snapshot],
        check: Callable[[], None],
        on_progress: Callable[[int, int], None],
    ) -> FinishReport:
        search = search_change(change, documents, self._codebase, check)
        total = ceil(min(len(search.edits), MAX_EDITS) / WINDOW)
        steps = count(1)
        uses = UseSearch(change, search, self._trees, self._codebase, check, self._witness)
        found = find_candidates(search, self._finder, uses, check, lambda: on_progress(next(steps), total))
        if self._repository is not None:
            found += mined_candidates(search, change, self._repository, self._codebase, check)
        report = self._report(search, found, self._places(search, found, check))
        left = uses.left(report.likely)
        listed = {snapshot.uri for snapshot in report.snapshots}
        others = (uses.document(uri) for uri in dict.fromkeys(use.uri for use in left) if uri not in listed)
        return replace(
            report,
            snapshots=(*report.snapshots, *others),
            uses=left,
            unsearched=tuple(dict.fromkeys(uses.unsearched)),
        )

    def _places(
        self, search: FinishSearch, found: Sequence[FinishCandidate], check: Callable[[], None]
    ) -> list[MissingPlace]:
        """Return the likeliest candidates of which none touches another, as places; equally likely ones in their order."""
        scored = sorted(
            (
                (self._weights.probability(candidate.features), number)
                for number, candidate in enumerate(found)
            ),
            reverse=True,
        )
        places: list[tuple[float, int, MissingPlace]] = []
        taken: dict[str, list[tuple[int, int]]] = {}
        rule_of: dict[str, str] = {}  # what the same words say is one rule, whatever found its places
        for probability, number in scored:
            candidate = found[number]
            if probability < MIN_CONFIDENCE or len(places) == MAX_PLACES:
                break
            check()
            start, end = touched_lines(candidate.snapshot, candidate.edit)
            lines = taken.setdefault(candidate.snapshot.uri, [])
            if any(_overlap((start, end), other) for other in lines) or self._is_rejected(search, candidate):
                continue
            lines.append((start, end))
            rule = rule_of.setdefault(candidate.label, candidate.rule)
            place = replace(self._place(candidate, probability, start, end), rule=rule)
            places.append((-probability, number, place))
        return [place for _, _, place in sorted(places, key=lambda scored: scored[:2])]

    def _is_rejected(self, search: FinishSearch, candidate: FinishCandidate) -> bool:
        """Return whether the edit would change nothing, take back a part of the change, or break the syntax."""
        snapshot, edit = candidate.snapshot, candidate.edit
        here = tuple(one for one in search.edits if one.uri == snapshot.uri)
        state = EditorState(snapshot, 0, here)
        proposed = Candidate(
            snapshot.uri, edit, edit.replacements[0].start, 0, "propagation", candidate.label, candidate.rule
        )
        return first_rejection(state, proposed, self._trees) is not None

    def _place(self, candidate: FinishCandidate, probability: float, start: int, end: int) -> MissingPlace:
        snapshot = candidate.snapshot
        return MissingPlace(
            snapshot.uri,
            start,
            end,
            snapshot.lines[start:end],
            tuple(filter(None, split_lines(lines_after(snapshot, candidate.edit, start, end)))),
            candidate.edit,
            candidate.rule,
            probability,
            candidate.place,
            self._weights.is_likely(probability, candidate.place, candidate.features),
            _reason(candidate),
        )

    def _report(
        self, search: FinishSearch, found: Sequence[FinishCandidate], places: Sequence[MissingPlace]
    ) -> FinishReport:
        by_id = {candidate.rule: candidate for candidate in found}
        with_places = dict.fromkeys(
            place.rule for place in sorted(places, key=lambda place: not place.is_likely)
        )
        rules = [
            FinishRule(rule, by_id[rule].label, by_id[rule].kind, _shown_at(by_id[rule].taught_by))
            for rule in with_places
        ]
        labels = {rule.label for rule in rules}
        rules += [
            FinishRule(rule, taught.label, taught.kind, _shown_at(taught.edits))
            for rule, taught in search.rules.items()
            if taught.label not in labels and taught.renames is not None and taught.kind == "rename"
        ]
        wanted = {place.uri for place in places}
        given = (*search.present.values(), *search.documents)
        by_uri = {snapshot.uri: snapshot for snapshot in (*given, *(one.snapshot for one in found))}
        snapshots = tuple(snapshot for uri, snapshot in by_uri.items() if uri in wanted)
        return FinishReport(tuple(rules), tuple(places), snapshots, len(given))


def search_change(
    change: Sequence[ChangedFile],
    documents: Sequence[Snapshot],
    codebase: Codebase | None,
    check: Callable[[], None] = _never,
) -> FinishSearch:
    """Return what is looked for, and where.

    Args:
        change: The files of the change.
        documents: Further documents.
        codebase: The index of all other files.
        check: Raises `Cancelled` if the result is no longer wanted.
    """
    present = {file.after.uri: file.after for file in change if file.after is not None}
    deleted = {file.before.uri for file in change if file.before is not None} - present.keys()
    edits = past_edits(change)
    names = replaced_names(change, edits)
    kept = (
        (file.before, file.after) for file in change if file.before is not None and file.after is not None
    )
    moves = tuple(MovedFile(before.uri, after.uri) for before, after in kept if before.uri != after.uri)
    others = {one.uri: one for one in documents if one.uri not in present and one.uri not in deleted}
    if codebase is not None:
        known = frozenset((*present, *deleted, *others))
        found = files_to_search(codebase, edits, names, moves, known, check)
        others.update((snapshot.uri, snapshot) for snapshot in found)
    rules = taught_rules(edits, {uri: snapshot.lines for uri, snapshot in present.items()}, check)
    return FinishSearch(edits, rules, names, moves, present, tuple(others.values()))


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Return whether two ranges of lines have a line in common, or insert at the same place."""
    return one == other or (one[0] < other[1] and other[0] < one[1])


def _shown_at(edits: Sequence[PastEdit]) -> tuple[tuple[str, int], ...]:
    return tuple((edit.uri, edit.line) for edit in edits[:MAX_SHOWN_AT])


def _reason(candidate: FinishCandidate) -> str:
    """Return what asks for a place, and where the change did it, as one sentence."""
    if candidate.reason:
        return candidate.reason
    count = len(candidate.taught_by)
    if not count:
        return "A file was moved, and this is its old path."
    first = candidate.taught_by[0]
    where = f"{posixpath.basename(urlsplit(first.uri).path)}:{first.line + 1}"
    made = f"once, at {where}" if count == 1 else f"{count} times, first at {where}"
    if candidate.kind == "name":
        return f"The change replaced this name {made}, and the old one is left here."
    if "stated" in candidate.features:
        return f"The change at {where} asks for this: {candidate.label}."
    return f"The change made the same {made}."
