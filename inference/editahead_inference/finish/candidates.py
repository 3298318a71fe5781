"""The places where the rewrites of a change may go on, before it is decided which of them are likely."""

from __future__ import annotations

import math
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from editahead_inference.candidates import CLOSED, Candidate
from editahead_inference.closed_documents import Query, queries_of
from editahead_inference.codebase import Codebase
from editahead_inference.gate.calibration import logit
from editahead_inference.gate.gate import Gate
from editahead_inference.mined_rules.repository import RepositoryRules
from editahead_inference.predictors.propagation.moved_files import lines_written
from editahead_inference.predictors.propagation.predictor import CARRIES_OVER_CLOSED, Propagation
from editahead_inference.predictors.propagation.rule import rule_id
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.syntax.languages import PARSED_LANGUAGES
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.snapshot import Snapshot

from .file_kinds import file_kind
from .found_places import FinishCandidate, FinishSearch
from .left_uses import family
from .names import left_places, place_features
from .report import ChangedFile
from .repository_rules import KIND, place_kind_features, rule_label, rule_places, rule_reason
from .taught_rules import TaughtRule, windows
from .use_search import UseSearch

MIN_GATE = 0.03
"""The probability of the gate, as if the file were open, below which a place is not looked at any further."""
_MORE = re.compile(r" \(\d+ more\)\Z")
"""What the label of a prediction says of the other places, which a report lists themselves."""
REMEMBERED = 160
"""Documents whose index is cached: all of a usual change are looked at again and again, once for each window of edits."""
WHOLE_KINDS = frozenset({"rename", "case", "line", "block", "delete"})
"""Kinds of rules that replace a whole name, or whole lines that are equal."""
BATCH = 16
"""Files that are searched together, so that their indexes stay cached."""


class PlaceFinder:
    """The predictor that repeats edits, and the gate that tells how good its places are. For one thread at a time."""

    def __init__(self, trees: SyntaxTrees) -> None:
        self._propagation = Propagation(trees, remembered=REMEMBERED)
        self._gate = Gate(syntax=trees)

    def places(
        self,
        state: EditorState,
        targets: Sequence[Snapshot],
        check: Callable[[], None],
        kinds: Collection[str] = CARRIES_OVER_CLOSED,
    ) -> Iterator[tuple[Candidate, float]]:
        """Yield the places in some documents of a state, with the gate's probabilities as if these were open."""
        for candidate in self._propagation.propose_all(state, targets, check, kinds):
            if candidate.edit:
                probability = self._gate.confidence_if_open(state, candidate, in_order=False)
                if probability >= MIN_GATE:
                    yield candidate, probability

    def places_closed(
        self,
        state: EditorState,
        targets: Sequence[Snapshot],
        check: Callable[[], None],
        kinds: Collection[str] = CARRIES_OVER_CLOSED,
    ) -> Iterator[tuple[Candidate, float, Snapshot]]:
        """Yield the places in files that are not open, each with its file."""
        for first in range(0, len(targets), BATCH):
            batch = tuple(targets[first : first + BATCH])
            by_uri = {target.uri: target for target in batch}
            beside = replace(state, closed_documents=batch)
            for candidate, probability in self.places(beside, batch, check, kinds):
                yield candidate, probability, by_uri[candidate.uri]


def find_candidates(
    search: FinishSearch,
    finder: PlaceFinder,
    uses: UseSearch,
    check: Callable[[], None],
    on_step: Callable[[], None],
) -> list[FinishCandidate]:
    """Return the places where the rewrites of a change may go on, each edit of a file once.

    Args:
        search: What is looked for, and where.
        finder: What finds the places of edits.
        uses: The uses of what the change took away.
        check: Raises `Cancelled` if the result is no longer wanted.
        on_step: Called after each part of the search.
    """
    found = uses.candidates()
    for window in windows(search.edits, search.rules):
        found += (one for one in _repeated(search, window, finder, check) if not uses.contradict(one))
        on_step()
    found += _importers(search, finder, check)
    found += _left_names(search, uses, check)
    return _with_common_features(search, _distinct(found))


def _repeated(
    search: FinishSearch, window: Sequence[PastEdit], finder: PlaceFinder, check: Callable[[], None]
) -> Iterator[FinishCandidate]:
    """Yield the places where the edits of a window are repeated, or where something follows from them."""
    edited = {edit.uri: search.present[edit.uri] for edit in window}
    for document in edited.values():
        state = _state(window, document, edited)
        for candidate, probability in finder.places(state, [document], check):
            yield _as_finish(search, window, candidate, document, probability)
    rules = (rule for rule in search.rules.values() if set(rule.edits) & {*window})
    kinds = CARRIES_OVER_CLOSED | {rule.kind for rule in rules if _is_of_several_files(rule)}
    for name, targets in _answering(search, window, edited).items():
        anchor = next((one for one in edited.values() if family(one.language) == name), None)
        if anchor is None:
            continue
        state = _state(window, anchor, edited)
        for candidate, probability, target in finder.places_closed(state, targets, check, kinds):
            if _carries_over(candidate, search):
                yield _as_finish(search, window, candidate, target, probability)


def _answering(
    search: FinishSearch, window: Sequence[PastEdit], edited: Mapping[str, Snapshot]
) -> Mapping[str, list[Snapshot]]:
    """Return the other files that may have what the edits of a window look for, by the family of their language."""
    queries = {query for edit in window for query in queries_of(edit)}
    families: defaultdict[str, list[Snapshot]] = defaultdict(list)
    for target in (*search.present.values(), *search.documents):
        if target.uri not in edited and any(_answers(target.text, query) for query in queries):
            families[family(target.language)].append(target)
    return families


def _carries_over(candidate: Candidate, search: FinishSearch) -> bool:
    """Return whether a rule goes on in other files: one that Tab takes there, or that the change made in several files.

    A new form of a call goes on in files that the change left alone only if it made the form in several files.
    """
    rule = search.rules.get(candidate.rule)
    if rule is None or _is_of_several_files(rule):
        return True
    return rule.kind in (CARRIES_OVER_CLOSED if candidate.uri in search.present else WHOLE_KINDS)


def _is_of_several_files(rule: TaughtRule) -> bool:
    return len({edit.uri for edit in rule.edits}) > 1


def _answers(text: str, query: Query) -> bool:
    """Return whether a text may have what an edit looks for."""
    return query in text if isinstance(query, str) else all(name in text for name in query)


def _importers(
    search: FinishSearch, finder: PlaceFinder, check: Callable[[], None]
) -> Iterator[FinishCandidate]:
    """Yield the imports of moved files, and the relative ones in them."""
    moved_here = [search.present[moved.new] for moved in search.moves if moved.new in search.present]
    if not moved_here:
        return
    for document in moved_here:
        state = EditorState(document, 0, moved_files=search.moves)
        written = lines_written(search.edits, document, document.uri)
        for candidate, probability in finder.places(state, [document], check):
            if document.line_at(candidate.edit.replacements[0].start) not in written:
                found = _as_finish(search, (), candidate, document, probability)
                yield replace(found, reason="The file was moved, and this path starts at its old place.")
    anchor = moved_here[0]
    targets = [one for one in (*search.present.values(), *search.documents) if one.uri != anchor.uri]
    state = EditorState(anchor, 0, moved_files=search.moves)
    for candidate, probability, target in finder.places_closed(state, targets, check):
        yield _as_finish(search, (), candidate, target, probability)


def _state(window: Sequence[PastEdit], document: Snapshot, edited: Mapping[str, Snapshot]) -> EditorState:
    """Return the state after the edits of a window, those of the document last."""
    last = [edit for edit in window if edit.uri == document.uri]
    history = (*(edit for edit in window if edit.uri != document.uri), *last)
    line = min(last[-1].line, len(document.lines) - 1)
    others = tuple(other for other in edited.values() if other.uri != document.uri)
    return EditorState(document, document.starts[line], history, others)


def _as_finish(
    search: FinishSearch,
    window: Sequence[PastEdit],
    candidate: Candidate,
    snapshot: Snapshot,
    probability: float,
) -> FinishCandidate:
    rule = search.rules.get(candidate.rule)
    features = {name: value for name, value in candidate.features.items() if name != CLOSED}
    features["gate"] = round(logit(probability), 3)
    if candidate.confidence is not None:
        features["stated"] = candidate.confidence
    return FinishCandidate(
        snapshot,
        candidate.edit,
        candidate.rule,
        _MORE.sub("", candidate.label),
        candidate.kind,
        rule.edits if rule else _concerned(window, candidate.label),
        file_kind(snapshot.uri, is_code=snapshot.language in PARSED_LANGUAGES),
        features,
    )


def _concerned(window: Sequence[PastEdit], label: str) -> tuple[PastEdit, ...]:
    """Return the edits that have to do with what a label names; all if none has."""
    names = set(WORD.findall(label))
    found = [edit for edit in window if names & set(WORD.findall("".join((*edit.old, *edit.new))))]
    return tuple(found or window)


def _left_names(
    search: FinishSearch, uses: UseSearch, check: Callable[[], None]
) -> Iterator[FinishCandidate]:
    """Yield the places that have the old spelling of a replaced name, where no rule for code looks."""
    languages = {family(snapshot.language) for snapshot in search.present.values()}
    names = [
        name for name in search.names if uses.locals.isdisjoint({*name.tokens} - {*WORD.findall(name.new)})
    ]
    for target in (*search.present.values(), *search.documents):
        check()
        place = file_kind(target.uri, is_code=target.language in PARSED_LANGUAGES)
        for name in names:
            if name.source == "word" and place in ("code", "test") and family(target.language) in languages:
                continue
            for line, edit in left_places(name, target):
                features = name.features() | place_features(name, target, line)
                rule = rule_id(f"name:{name.old}:{name.new}")
                label = f"{name.old} -> {name.new}"
                yield FinishCandidate(target, edit, rule, label, "name", name.edits, place, features)


def mined_candidates(
    search: FinishSearch,
    change: Sequence[ChangedFile],
    repository: RepositoryRules,
    codebase: Codebase | None,
    check: Callable[[], None],
) -> list[FinishCandidate]:
    """Return the places that a change lacks by the rules of its repository.

    Args:
        search: What is looked for, and where.
        change: The files of the change.
        repository: The rules.
        codebase: The index of the files that are not open.
        check: Raises `Cancelled` if the result is no longer wanted.
    """
    known = {**search.present, **{document.uri: document for document in search.documents}}
    found: list[FinishCandidate] = []
    for place, snapshot, edits in rule_places(repository, change, search.edits, known, codebase):
        check()
        found.append(
            FinishCandidate(
                snapshot,
                place.edit,
                rule_id(f"mined:{place.rule.id}"),
                rule_label(place),
                KIND,
                edits,
                file_kind(snapshot.uri, is_code=snapshot.language in PARSED_LANGUAGES),
                place_kind_features(place),
                rule_reason(place),
            )
        )
    return found


def _distinct(found: Sequence[FinishCandidate]) -> list[FinishCandidate]:
    """Return one candidate for each edit of a file: one that the code asks for, else that which the most edits teach."""
    best: dict[tuple[str, Edit], FinishCandidate] = {}
    for candidate in found:
        key = candidate.snapshot.uri, candidate.edit
        if key not in best or _weight(best[key]) < _weight(candidate):
            best[key] = candidate
    return list(best.values())


def _weight(candidate: FinishCandidate) -> tuple[float, int]:
    return candidate.features.get("stated", 0.0), len(candidate.taught_by)


def _with_common_features(search: FinishSearch, found: Sequence[FinishCandidate]) -> list[FinishCandidate]:
    """Return the candidates with what is known of the whole change."""
    left = Counter(candidate.rule for candidate in found)
    left_in_change = Counter(
        candidate.rule for candidate in found if candidate.snapshot.uri in search.present
    )
    left_here = Counter((candidate.rule, candidate.snapshot.uri) for candidate in found)
    files: defaultdict[str, set[str]] = defaultdict(set)
    for candidate in found:
        files[candidate.rule].add(candidate.snapshot.uri)
    folders = {posixpath.dirname(uri) for uri in search.present}
    same = Counter((candidate.snapshot.uri, _line(candidate)) for candidate in found)
    out = []
    for candidate in found:
        uri, taught = candidate.snapshot.uri, candidate.taught_by
        taught_here = sum(edit.uri == uri for edit in taught)
        out.append(
            replace(
                candidate,
                features={
                    **candidate.features,
                    f"kind:{candidate.kind}": 1.0,
                    f"place:{candidate.place}": 1.0,
                    "taught": float(len(taught)),
                    "taught-files": float(len({edit.uri for edit in taught})),
                    "taught-here": float(taught_here),
                    "places": float(left[candidate.rule]),
                    "places-files": float(len(files[candidate.rule])),
                    "done": len(taught) / (len(taught) + left[candidate.rule]),
                    "left-in-change": float(left_in_change[candidate.rule]),
                    "done-in-change": len(taught) / max(len(taught) + left_in_change[candidate.rule], 1),
                    "left-here": float(left_here[candidate.rule, uri]),
                    "done-here": taught_here / (taught_here + left_here[candidate.rule, uri]),
                    "rivals-all": float(same[uri, _line(candidate)] - 1),
                    "hunks": math.log1p(len(search.edits)),
                    "changed-files": float(len(search.present)),
                    "in-change": float(uri in search.present),
                    "same-folder": float(posixpath.dirname(uri) in folders),
                },
            )
        )
    return out


def _line(candidate: FinishCandidate) -> int:
    return candidate.snapshot.line_at(candidate.edit.replacements[0].start)
