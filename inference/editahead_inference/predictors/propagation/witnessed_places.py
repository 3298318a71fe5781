"""Places of a symbol that another language server knows: they follow a rename, and they weigh what the rules propose.

The places of the server are certain. A place of the rules in code that the server reads, and does not name, is doubtful. In
comments, in strings and in other languages the server knows nothing, so that the rules decide there as they do without it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from editahead_inference.candidates import UNWITNESSED, WITNESSED, Candidate
from editahead_inference.gate.filters import lines_after
from editahead_prompts.state import EditorState
from editahead_prompts.symbol_evidence import NamedPlace, SymbolEvidence
from editahead_prompts.syntax.languages import family_of
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.snapshot import Snapshot

from .document_index import DocumentIndex
from .follow_up import FollowUp, Situation, follow_ups
from .named_places import MAX_WIDTH, matches_in, whole_word
from .proposal import Proposal
from .unfinished_edits import may_be_whole

KIND = "rename-witnessed"
_CERTAIN, _TYPED = 0.93, 0.45
"""Confidence that a place of the server follows a rename, and while the cursor is still behind the new name.

Both are chosen: commits hold no answers of language servers.
"""
_ABOVE = 8
"""Lines above a changed one in which its call may begin."""
_CALL_KINDS = ("call-", "argument-")
"""What the kinds of rules begin with that change the calls of a function."""


def new_name(evidence: SymbolEvidence, document: Snapshot | None) -> str:
    """Return what the person has made of a symbol's name; "" where it is the same, or no name."""
    name = "" if document is None else document.text[evidence.start : evidence.end]
    return name if name != evidence.name and WORD.fullmatch(name) else ""


def witness_files(state: EditorState) -> Iterator[str]:
    """Yield the files that are not open and that have places of the symbols that were edited."""
    for evidence in state.evidence:
        yield from dict.fromkeys(place.uri for place in evidence.closed_places)


def follow_witnessed(situation: Situation) -> Iterator[FollowUp]:
    """Yield the places that other language servers know of the symbols that were renamed."""
    for evidence in situation.state.evidence:
        new = new_name(evidence, situation.state.snapshot(evidence.uri))
        confidence = _confidence(evidence, new, situation) if new else None
        if confidence is not None:
            proposals = list(_renamed(evidence, new, situation.index))
            label = f"rename {evidence.name} -> {new}"
            yield from follow_ups(proposals, KIND, f"defined:{evidence.name}:{new}", label, confidence)


def _confidence(evidence: SymbolEvidence, new: str, situation: Situation) -> float | None:
    """Return the confidence that the places follow; None while the new name is half typed."""
    typing = situation.typing
    if typing is not None and typing.edit.uri == evidence.uri and typing.word == new:
        return _TYPED if may_be_whole(evidence.name, new, situation.index) else None
    return _CERTAIN


def _renamed(evidence: SymbolEvidence, new: str, index: DocumentIndex) -> Iterator[Proposal]:
    snapshot = index.snapshot
    by_line: defaultdict[int, list[NamedPlace]] = defaultdict(list)
    for place in places_in(evidence, index):
        by_line[snapshot.line_at(place.start)].append(place)
    for line, places in sorted(by_line.items()):
        body = index.bodies[line]
        for place in sorted(places, key=lambda place: place.start, reverse=True):
            column = place.start - snapshot.starts[line]
            rest = body[column + len(evidence.name) :]
            body = f"{body[:column]}{place.before}{new}{place.after}{rest}"
        yield index.rewrite(line, body)


def places_in(evidence: SymbolEvidence, index: DocumentIndex) -> list[NamedPlace]:
    """Return the places in a document that still have the name."""
    snapshot, name = index.snapshot, evidence.name
    places = [place for place in evidence.places if place.uri == snapshot.uri]
    for closed in evidence.closed_places:
        if closed.uri == snapshot.uri and closed.line < len(index.bodies):
            columns = [match.start() for _, match in matches_in([closed.line], name, index)]
            if columns:
                near = min(columns, key=lambda column: abs(column - closed.column))
                start = snapshot.starts[closed.line] + near
                places.append(NamedPlace(snapshot.uri, start, closed.before, closed.after))
    return [place for place in dict.fromkeys(places) if _has_name(place.start, name, index)]


def _has_name(start: int, name: str, index: DocumentIndex) -> bool:
    line = index.snapshot.line_at(start)
    body, column = index.bodies[line], start - index.snapshot.starts[line]
    return (
        len(body) <= MAX_WIDTH and body[column : column + len(name)] == name and _is_whole(body, column, name)
    )


def _is_whole(body: str, column: int, name: str) -> bool:
    return any(match.start() == column for match in whole_word(name).finditer(body))


def weigh(
    candidates: Iterable[Candidate],
    state: EditorState,
    home: Callable[[str], DocumentIndex | None],
    trees: SyntaxTrees,
) -> list[Candidate]:
    """Return the candidates with what other language servers say of their places.

    Args:
        candidates: The candidates, those of the servers' places among them.
        state: The state.
        home: Returns the index of one of its documents by its URI.
        trees: The syntax trees of all documents.
    """
    found = list(candidates)
    if not state.evidence:
        return found
    witnesses = _Witnesses(state, home, trees)
    told = {(c.uri, line) for c in found if c.kind == KIND for line in witnesses.lines(c)}
    return [
        _weighed(candidate, witnesses)
        for candidate in found
        if candidate.kind == KIND or not witnesses.is_told(candidate, told)
    ]


def _weighed(candidate: Candidate, witnesses: _Witnesses) -> Candidate:
    answers = {witnesses.names(evidence, candidate) for evidence in witnesses.evidence} - {None}
    if candidate.kind == KIND or not candidate.edit or not answers:
        return candidate
    name = WITNESSED if True in answers else UNWITNESSED
    return replace(candidate, features={**candidate.features, name: 1.0})


def _covers(evidence: SymbolEvidence, home: Snapshot, document: Snapshot) -> bool:
    """Return whether a server should name all places in a document.

    One that names no other file than that of the declaration may not have read the others yet, as at its start.
    """
    if not evidence.is_complete or family_of(document.language) != family_of(home.language):
        return False
    if document.uri == home.uri:
        return bool(evidence.places or evidence.closed_places)
    return bool(evidence.closed_places) or any(place.uri != home.uri for place in evidence.places)


class _Witnesses:
    """What language servers say of candidates."""

    def __init__(
        self, state: EditorState, home: Callable[[str], DocumentIndex | None], trees: SyntaxTrees
    ) -> None:
        self._state, self._home, self._trees = state, home, trees
        self.evidence: Sequence[SymbolEvidence] = state.evidence
        self._starts: dict[tuple[str, str, int], frozenset[int]] = {}

    def lines(self, candidate: Candidate) -> set[int]:
        """Return the lines that a candidate changes."""
        index = self._home(candidate.uri)
        return (
            {index.snapshot.line_at(one.start) for one in candidate.edit.replacements}
            if index is not None
            else set()
        )

    def is_told(self, candidate: Candidate, told: set[tuple[str, int]]) -> bool:
        """Return whether a candidate only renames what the servers' places rename."""
        if not candidate.kind.startswith("rename"):
            return False
        lines = self.lines(candidate)
        return bool(lines) and all((candidate.uri, line) in told for line in lines)

    def names(self, evidence: SymbolEvidence, candidate: Candidate) -> bool | None:
        """Return whether a server names a place that a candidate changes; None where it says nothing of it."""
        index, home = self._home(candidate.uri), self._home(evidence.uri)
        if index is None or home is None or not candidate.edit:
            return None
        new = new_name(evidence, home.snapshot)
        if new:
            at = self._renamed_names(evidence, new, candidate, index)
        elif candidate.kind.startswith(_CALL_KINDS) and f"{evidence.name}()" in candidate.label:
            at = self._called_name(evidence, candidate, index)
        else:
            return None
        starts = self._starts_in(evidence, index)
        if any(start in starts for start in at):
            return True
        if not _covers(evidence, home.snapshot, index.snapshot):
            return None
        return False if any(self._is_code(start, evidence.name, index) for start in at) else None

    def _starts_in(self, evidence: SymbolEvidence, index: DocumentIndex) -> frozenset[int]:
        key = index.snapshot.uri, evidence.name, evidence.start
        if key not in self._starts:
            self._starts[key] = frozenset(place.start for place in places_in(evidence, index))
        return self._starts[key]

    def _renamed_names(
        self, evidence: SymbolEvidence, new: str, candidate: Candidate, index: DocumentIndex
    ) -> list[int]:
        """Return where a candidate puts the new name for the old one."""
        snapshot, changes = index.snapshot, candidate.edit.replacements
        found: list[int] = []
        for line in sorted(self.lines(candidate)):
            for _, match in matches_in([line], evidence.name, index):
                start = snapshot.starts[line] + match.start()
                if any(one.start <= start + len(match[0]) and start <= one.end for one in changes):
                    found.append(start)
        return found if found and self._brings(new, candidate, index) else []

    def _brings(self, name: str, candidate: Candidate, index: DocumentIndex) -> bool:
        """Return whether an edit adds a name to the lines that it changes."""
        edit, snapshot = candidate.edit, index.snapshot
        start = snapshot.line_at(edit.replacements[0].start)
        end = snapshot.line_at(edit.replacements[-1].end) + 1
        texts = "".join(snapshot.lines[start:end]), lines_after(snapshot, edit, start, end)
        before, after = (len(whole_word(name).findall(text)) for text in texts)
        return after > before

    def _called_name(self, evidence: SymbolEvidence, candidate: Candidate, index: DocumentIndex) -> list[int]:
        """Return the name of the function whose call a candidate changes: the last one before the change."""
        start = candidate.edit.replacements[0].start
        line = index.snapshot.line_at(start)
        lines = range(max(line - _ABOVE, 0), line + 1)
        before = [
            index.snapshot.starts[at] + match.start()
            for at, match in matches_in(lines, evidence.name, index)
            if index.snapshot.starts[at] + match.start() < start
        ]
        return before[-1:]

    def _is_code(self, start: int, name: str, index: DocumentIndex) -> bool:
        return self._trees.occurrence(index.snapshot, start, start + len(name)).role not in (
            "text",
            "unknown",
        )
