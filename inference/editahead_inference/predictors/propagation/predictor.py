"""The propagation predictor, which proposes the sites in the current and the other open documents as candidates."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from editahead_inference.candidates import CLOSED, Candidate, CandidateSource
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.syntax.language import words
from editahead_prompts.syntax.languages import family_of
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.diff import diff
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.indentation import indentation_length
from editahead_prompts.text.snapshot import Snapshot

from .awaited_calls import adds_await, follow_awaits
from .changed_arguments import repeat_arguments
from .changed_calls import follow_changed_parameters
from .changed_import_paths import changes_import_path, follow_changed_import_paths
from .constants import keeps_assignments
from .copied_blocks import continue_copies, find_copies
from .definition_renames import follow_renamed_definitions
from .document_index import DocumentIndex
from .enum_variants import follow_new_variants
from .extracted_helpers import follow_extractions
from .follow_up import FollowUp, Situation
from .mirrored_code import follow_mirrored
from .missing_imports import missing_imports
from .missing_includes import follow_missing_includes
from .moved_files import follow_moved_files
from .new_fields import follow_new_fields
from .passed_on import follow_passed_parameters
from .proposal import Proposal
from .repeated_edits import repeat_edits
from .replaced_literals import follow_replaced_literals, follow_replaced_messages, names_own_function
from .return_types import is_fitting
from .rule import rule_id
from .rule_induction import may_teach
from .signatures import changes_constructor, changes_inherited_signature, follow_signatures
from .site_features import Site
from .sites import NEAR_SITES, Lessons, SiteSearch
from .unfinished_edits import Typing, find_typing, finished_edits
from .witnessed_places import follow_witnessed, weigh

_REMEMBERED = 32
"""Documents whose index is cached: the open ones, and some that are not."""
_OTHERS = 8
"""Other open documents that are searched, most recently used first."""
_OTHERS_CHARS = 500_000
"""Characters of them together. A first search takes a second for a million."""
_MISSING_IMPORT = {"imported": 0.6, "defined": 0.4, "standard": 0.62}
"""Confidence (0..1) that a missing import is the next edit, by how it is known.

They are measured in small steps of commits (train-00, 02, 04 and 06 to 09): 36 of 59, 6 of 16 and 40 of 65 made whole
remaining hunks. Often a hunk has more imports: of 96, 73 were lines of the final text, and 88 named what it imports.
"""
_ADAPTED = 6
"""Past edits that may say nothing of places that are merely alike."""
_IMPORT_EDITS = 3
"""Past edits whose names may lack an import."""
_STATED = {"await-calls": 0.7, "import-unused": 0.43, "import-replaced": 0.5}
"""Confidence (0..1) of rules that commits in the order of their files tell too little of, by kind.

A call of a function that became asynchronous was right in 7 moments of 7. An import is above its uses, so a commit from
the top down has dropped it before the last use goes. Of 74 that an edit had just left unused, 20 were right where the hunks
were shuffled: half of the dropped imports had gone before. That makes 40 of 94 for a person who begins with the uses.
"""
_CARRIES_OVER = words("rename case span0 span1 span2 span-both line block argument-add argument-drop")
"""Kinds of rules specific enough for another document."""
CARRIES_OVER_CLOSED = _CARRIES_OVER | {"delete"}
"""Kinds of rules specific enough for a file that is not open."""
_UNSURE = frozenset({"mirrored"})
"""Kinds of follow-ups that may be likelier by their likeness."""
_BY_CANDOUR = [
    "rename",
    "argument-add",
    "argument-drop",
    "rename-cases",
    "rename-words",
    "span0",
    "part",
    "line",
]
"""Kinds of rules whose label is clearest to the user, best first."""

_FOLLOWS: tuple[Callable[[Situation], Iterator[FollowUp]], ...] = (
    continue_copies,
    follow_witnessed,
    follow_renamed_definitions,
    follow_changed_import_paths,
    repeat_edits,
    repeat_arguments,
    follow_awaits,
    follow_extractions,
    follow_changed_parameters,
    follow_passed_parameters,
    follow_signatures,
    follow_new_variants,
    follow_new_fields,
    follow_mirrored,
    follow_missing_includes,
    follow_replaced_literals,
    follow_replaced_messages,
    follow_moved_files,
)
"""What is concluded from past edits by what the code says."""
_FOLLOWS_ANYWHERE = (follow_replaced_literals, follow_moved_files)
"""What is concluded for files that are not open, whatever their language."""


@dataclass(frozen=True, slots=True)
class _Search:
    """What one state is searched with.

    Attributes:
        state: The state.
        others: The other documents that are searched.
        snapshots: All documents, by URI.
        home: Returns the index of one of the documents by its URI.
        typing: The edit at the cursor, if the user is still in its lines.
        finished: The past edits, newest first; None for one of which nothing is finished, or that is too large.
        lessons: The rules that they teach.
    """

    state: EditorState
    others: tuple[Snapshot, ...]
    snapshots: Mapping[str, Snapshot]
    home: Callable[[str], DocumentIndex | None]
    typing: Typing | None
    finished: Sequence[PastEdit | None]
    lessons: Lessons

    def is_related(self, other: Snapshot) -> bool:
        """Return whether a document shares names with the state's, by its language."""
        language = self.state.document.language
        return family_of(other.language) == family_of(language)


class Propagation:
    """A predictor that repeats the last edits where they apply. For one thread at a time.

    Args:
        trees: The syntax trees of all documents.
        remembered: Documents whose index is cached; the least recently used one is dropped.
    """

    source: CandidateSource = "propagation"

    def __init__(self, trees: SyntaxTrees | None = None, *, remembered: int = _REMEMBERED) -> None:
        self._trees = trees or SyntaxTrees()
        self._remembered = remembered
        self._indexes: OrderedDict[str, DocumentIndex] = OrderedDict()

    def propose(self, state: EditorState, check: Callable[[], None]) -> list[Candidate]:
        """Return candidates, see `Predictor.propose`."""
        if not state.history and not state.moved_files:
            return []
        search = self._search(state)
        candidates = [*self._sites(search, state.document, check), *self._missing_imports(search)]
        for other in search.others:
            if search.is_related(other):
                kinds = _CARRIES_OVER if state.is_open(other.uri) else CARRIES_OVER_CLOSED
                candidates += self._sites(search, other, check, kinds)
        followed: list[Candidate] = []
        for snapshot in (state.document, *search.others):
            if search.is_related(snapshot) or not state.is_open(snapshot.uri):
                check()
                followed += self._follow_ups(search, snapshot, check)
        return self._weighed(search, followed, candidates)

    def propose_all(
        self,
        state: EditorState,
        targets: Sequence[Snapshot],
        check: Callable[[], None],
        kinds: Collection[str] = CARRIES_OVER_CLOSED,
    ) -> list[Candidate]:
        """Return the candidates in some documents, all places of each rule, however far.

        Args:
            state: The state.
            targets: Documents of the state.
            kinds: Kinds of rules that other documents than the state's own are searched for.
            check: Raises `Cancelled` if the result is no longer wanted.
        """
        search = self._search(state)
        candidates: list[Candidate] = []
        followed: list[Candidate] = []
        for target in targets:
            check()
            if target.uri == state.document.uri:
                candidates += self._sites(search, target, check, near=None)
            elif search.is_related(target):
                candidates += self._sites(search, target, check, kinds, near=None)
            followed += self._follow_ups(search, target, check)
        return self._weighed(search, followed, candidates)

    def _weighed(
        self, search: _Search, followed: Sequence[Candidate], candidates: Sequence[Candidate]
    ) -> list[Candidate]:
        """Return all candidates, with what other language servers say of them."""
        every = (*followed, *_beside(candidates, followed, search.snapshots))
        return weigh(every, search.state, search.home, self._trees)

    def _search(self, state: EditorState) -> _Search:
        others = (*_searched(state.other_documents), *state.closed_documents)
        snapshots = {snapshot.uri: snapshot for snapshot in (*others, state.document)}

        def home(uri: str) -> DocumentIndex | None:
            return self._index(snapshots[uri]) if uri in snapshots else None

        typing = find_typing(state, self._index(state.document), self._trees)
        edits = tuple(reversed(state.history))
        finished = [
            edit
            if edit is not None and may_teach(edit) and not _is_taken_back(edit, snapshots.get(edit.uri))
            else None
            for edit in finished_edits(edits, typing)
        ]
        lessons = Lessons(self._teaching(finished, snapshots), state)
        return _Search(state, others, snapshots, home, typing, finished, lessons)

    def _sites(
        self,
        search: _Search,
        snapshot: Snapshot,
        check: Callable[[], None],
        kinds: Collection[str] | None = None,
        near: int | None = NEAR_SITES,
    ) -> Iterator[Candidate]:
        """Yield the places of rules in a document; of some kinds in another one than the state's own."""
        situation = self._situation(search, snapshot)
        index = situation.index
        where = {} if kinds is None else {"elsewhere": 1.0}
        if kinds is not None and not search.state.is_open(snapshot.uri):
            where[CLOSED] = 1.0
        for site, features in SiteSearch(situation, search.lessons, check).find(kinds, near):
            is_wanted = (
                keeps_assignments(site.proposal, index)
                if kinds is None
                else any(rule.kind in kinds for rule, _ in site.rules)
            )
            if is_wanted and is_fitting(site.proposal, index, self._trees):
                edit = None if kinds is None else index.kept_edit(site.proposal, partial(to_edit, snapshot))
                yield _candidate(snapshot, site, features | where, edit)

    def _situation(self, search: _Search, snapshot: Snapshot) -> Situation:
        index = self._index(snapshot)
        return Situation(search.state, index, search.home, self._trees, search.finished, search.typing)

    def _follow_ups(self, search: _Search, snapshot: Snapshot, check: Callable[[], None]) -> list[Candidate]:
        follows = _FOLLOWS if search.is_related(snapshot) else _FOLLOWS_ANYWHERE
        found = list(_followed(snapshot, self._situation(search, snapshot), follows, check))
        return found if search.state.is_open(snapshot.uri) else list(map(_as_closed, found))

    def forget(self, uri: str) -> None:
        """Drop what is cached of a closed document."""
        self._indexes.pop(uri, None)

    def _teaching(
        self, edits: Sequence[PastEdit | None], snapshots: Mapping[str, Snapshot]
    ) -> list[PastEdit | None]:
        """Return the edits that may be repeated by likeness: not those of which the code says where they go on.

        These adapt a copy, await a call, name their own function in a text, change an import's path, or change the signature
        of a constructor or of a method that other types have, too.
        """
        settled: list[PastEdit] = []
        recent = [edit for edit in edits[:_ADAPTED] if edit is not None and edit.uri in snapshots]
        for uri in {edit.uri for edit in recent}:
            index = self._index(snapshots[uri])
            settled += [copy.edit for copy in find_copies(edits, index, self._trees)]
            settled += [edit for edit in recent if edit.uri == uri and self._is_settled(edit, index)]
        return [None if any(edit is other for other in settled) else edit for edit in edits]

    def _is_settled(self, edit: PastEdit, index: DocumentIndex) -> bool:
        return (
            adds_await(edit)
            or names_own_function(edit, index, self._trees)
            or changes_import_path(edit, index.snapshot.language, index.snapshot.lines)
            or changes_constructor(edit)
            or changes_inherited_signature(edit, index, self._trees)
        )

    def _missing_imports(self, search: _Search) -> Iterator[Candidate]:
        state, typing = search.state, search.typing
        index = self._index(state.document)
        edits = search.finished[:_IMPORT_EDITS]
        here = [edit for edit in edits if edit is not None and edit.uri == state.document.uri]
        others = (*_searched(state.other_documents), *state.import_sources)
        for found in missing_imports(here, index, others, self._trees, typing.word if typing else ""):
            names = ", ".join(found.names)
            yield _as_candidate(
                state.document,
                found.proposal,
                f"import {names}",
                f"import:{names}",
                {f"kind:missing-import-{found.witness}": 1.0},
                confidence=_MISSING_IMPORT[found.witness],
            )

    def _index(self, snapshot: Snapshot) -> DocumentIndex:
        known = self._indexes.get(snapshot.uri)
        if known is None or known.snapshot is not snapshot:
            known = self._indexes[snapshot.uri] = DocumentIndex(snapshot, known)
            if len(self._indexes) > self._remembered:
                self._indexes.popitem(last=False)
        self._indexes.move_to_end(snapshot.uri)
        return known


def _searched(others: Sequence[Snapshot]) -> Iterator[Snapshot]:
    """Yield the other open documents that are searched: the first ones, without those that are too large."""
    left = _OTHERS_CHARS
    for other in others[:_OTHERS]:
        if other.length <= left:
            left -= other.length
            yield other


def _is_taken_back(edit: PastEdit, snapshot: Snapshot | None) -> bool:
    """Return whether the old lines are there again, as after a document was read anew from its file."""
    if snapshot is None or not edit.old or len(edit.old) != len(edit.new):
        return False
    return snapshot.lines[edit.line : edit.line + len(edit.old)] == edit.old


def _followed(
    snapshot: Snapshot,
    situation: Situation,
    follows: Sequence[Callable[[Situation], Iterator[FollowUp]]],
    check: Callable[[], None],
) -> Iterator[Candidate]:
    """Yield the follow-ups in a document as candidates."""
    found: dict[FollowUp, None] = {}
    for follow in follows:
        check()
        found.update(dict.fromkeys(follow(situation)))
    for follow_up in found:
        yield _as_candidate(
            snapshot,
            follow_up.proposal,
            follow_up.label,
            follow_up.key,
            {f"kind:{follow_up.kind}": 1.0},
            confidence=follow_up.confidence,
        )


def _as_closed(candidate: Candidate) -> Candidate:
    """Return the candidate with the feature of an edit in a file that is not open."""
    return replace(candidate, features={**candidate.features, CLOSED: 1.0})


def _beside(
    candidates: Sequence[Candidate], followed: Sequence[Candidate], snapshots: Mapping[str, Snapshot]
) -> Iterator[Candidate]:
    """Yield the candidates besides the follow-ups: where the code says what follows in a line, likeness adds nothing."""
    said = {(c.uri, line) for c in followed for line in _lines(c, snapshots[c.uri])}
    edits = {(c.uri, c.edit) for c in followed if c.kind in _UNSURE}
    for candidate in candidates:
        lines = _lines(candidate, snapshots[candidate.uri])
        is_same = (candidate.uri, candidate.edit) in edits  # the gate knows which of both is the likelier
        if (
            is_same
            or candidate.confidence is not None
            or not any((candidate.uri, line) in said for line in lines)
        ):
            yield candidate


def _lines(candidate: Candidate, snapshot: Snapshot) -> set[int]:
    """Return the lines that a candidate changes."""
    return {snapshot.line_at(replacement.start) for replacement in candidate.edit.replacements}


def _candidate(
    snapshot: Snapshot, site: Site, features: dict[str, float], edit: Edit | None = None
) -> Candidate:
    rule = min(
        (rule for rule, _ in site.rules), key=lambda rule: (rule.kind not in _STATED, _candour(rule.kind))
    )
    confidence = _STATED.get(rule.kind)
    if confidence is not None:
        features = {f"kind:{rule.kind}": 1.0, "age": features["age"]}
    more = site.below + site.above - 1
    label = f"{rule.label} ({more} more)" if more > 0 else rule.label
    return _as_candidate(snapshot, site.proposal, label, rule.key, features, confidence=confidence, edit=edit)


def _as_candidate(
    snapshot: Snapshot,
    proposal: Proposal,
    label: str,
    key: str,
    features: dict[str, float],
    *,
    confidence: float | None = None,
    edit: Edit | None = None,
) -> Candidate:
    edit = to_edit(snapshot, proposal) if edit is None else edit
    if edit:
        place = edit.replacements[0].start
        cursor_after = edit.replacements[-1].end + edit.growth
    else:  # a place without an edit: the line's first character that is not white space
        line = snapshot.lines[proposal.start]
        place = cursor_after = snapshot.starts[proposal.start] + indentation_length(line)
    return Candidate(
        snapshot.uri, edit, place, cursor_after, "propagation", label, rule_id(key), features, confidence
    )


def _candour(kind: str) -> int:
    return _BY_CANDOUR.index(kind) if kind in _BY_CANDOUR else len(_BY_CANDOUR)


def to_edit(snapshot: Snapshot, proposal: Proposal) -> Edit:
    """Return a proposal as the smallest edit of the snapshot's text."""
    base = snapshot.starts[proposal.start]
    old = "".join(snapshot.lines[proposal.start : proposal.end])
    inner = diff(old, "".join(proposal.lines))
    return Edit(tuple(Replacement(r.start + base, r.end + base, r.text) for r in inner.replacements))
