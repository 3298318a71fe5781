"""The habits of a repository as next edits: what its mined rules expect after what was just edited.

A prediction costs a look at the names in the last edits. Only where one of them is added as a rule says, the index is asked
whether the name is new, and the file of the rule is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from editahead_inference.candidates import CLOSED, Candidate
from editahead_inference.codebase import Codebase
from editahead_inference.mined_rules.co_changes import AddedName, CoChange
from editahead_inference.mined_rules.commits import MinedCommit, hunks_of
from editahead_inference.mined_rules.missing import RulePlace, WrittenLine, find_missing
from editahead_inference.mined_rules.repository import RepositoryRules
from editahead_inference.mined_rules.rules import describe
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.snapshot import Snapshot

from .propagation.rule import rule_id

MAX_EDITS = 3
"""Past edits from which something follows, the newest ones."""
MAX_PLACES = 3
"""Places of one repository that are proposed."""


class Habits:
    """What follows from the last edits by the rules of repositories. For one thread at a time.

    Args:
        repositories: The rules. Only those by which a place is likely are used.
        codebase: The index of the files that are not open; None to look in open documents only.
    """

    def __init__(self, repositories: Sequence[RepositoryRules], codebase: Codebase | None) -> None:
        likely = (
            replace(one, rules=tuple(rule for rule in one.rules if rule.is_likely)) for one in repositories
        )
        self._repositories = tuple(one for one in likely if one.rules)
        self._codebase = codebase

    def propose(self, state: EditorState, check: Callable[[], None]) -> tuple[EditorState, list[Candidate]]:
        """Return the candidates, and the state with the closed files that they are in.

        Raises:
            Cancelled: By `check` only.
        """
        edits = [edit for edit in state.history[-MAX_EDITS:] if not _is_at_cursor(edit, state)]
        candidates: list[Candidate] = []
        for repository in self._repositories if edits else ():
            for place, snapshot in self._places(repository, state, edits, check):
                if state.snapshot(snapshot.uri) is None:
                    state = replace(state, closed_documents=(*state.closed_documents, snapshot))
                candidates.append(_candidate(place, snapshot, is_closed=not state.is_open(snapshot.uri)))
        return state, candidates

    def _places(
        self,
        repository: RepositoryRules,
        state: EditorState,
        edits: Sequence[PastEdit],
        check: Callable[[], None],
    ) -> Iterator[tuple[RulePlace, Snapshot]]:
        paths = {edit.uri: path for edit in edits if (path := repository.path_of(edit.uri)) is not None}
        change = MinedCommit("", 0.0, hunks_of(edits, paths))
        written = [
            WrittenLine(paths[edit.uri], edit.line + number)
            for edit in edits
            if edit.uri in paths
            for number in range(len(edit.new))
        ]
        read: dict[str, Snapshot | None] = {}

        def snapshot_of(path: str) -> Snapshot | None:
            if path not in read:
                check()
                uri = repository.uri_of(path)
                opened = (state.document, *state.other_documents)
                here = next((one for one in opened if repository.path_of(one.uri) == path), None)
                read[path] = here or (None if self._codebase is None else self._codebase.snapshot(uri))
            return read[path]

        def is_new(name: AddedName) -> bool:
            check()
            return self._is_new(name, state, edits)

        found = find_missing(repository.rules, change, written, snapshot_of, is_new)
        for _, place in zip(range(MAX_PLACES), found, strict=False):
            snapshot = read[place.path]
            assert snapshot is not None
            yield place, snapshot

    def _is_new(self, name: AddedName, state: EditorState, edits: Sequence[PastEdit]) -> bool:
        """Return whether a name is nowhere but in the lines of some edits."""
        spellings = tuple(name.spellings.values())
        ours = sum(line.count(one) for edit in edits for line in edit.new for one in spellings)
        opened = (state.document, *state.other_documents)
        if sum(document.text.count(one) for document in opened for one in spellings) > ours:
            return False
        if self._codebase is None:
            return True
        return not any(self._codebase.files_with(WORD.findall(one), 1) for one in spellings)


def _is_at_cursor(edit: PastEdit, state: EditorState) -> bool:
    """Return whether the cursor is in the lines of an edit, which may still go on."""
    if edit.uri != state.document.uri:
        return False
    line = state.document.line_at(state.cursor)
    return edit.line <= line < edit.line + max(len(edit.new), 1)


def _candidate(place: RulePlace, snapshot: Snapshot, *, is_closed: bool) -> Candidate:
    first = place.edit.replacements[0]
    what = place.rule.what
    kind = "co-change" if isinstance(what, CoChange) else "rewrite"
    features = {f"kind:mined-{kind}": 1.0} | ({CLOSED: 1.0} if is_closed else {})
    return Candidate(
        snapshot.uri,
        place.edit,
        first.start,
        first.start + len(first.text),
        "propagation",
        f"rule {place.rule.id}: {describe(what)}",
        rule_id(f"mined:{place.rule.id}"),
        features,
        what.confidence,
    )
