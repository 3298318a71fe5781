"""The places that a change lacks by the rules mined from the repository's history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from editahead_inference.codebase import Codebase
from editahead_inference.mined_rules.co_changes import AddedName
from editahead_inference.mined_rules.commits import FileHunk, MinedCommit, make_hunk
from editahead_inference.mined_rules.missing import RulePlace, WrittenLine, find_missing
from editahead_inference.mined_rules.repository import RepositoryRules
from editahead_inference.mined_rules.rules import describe
from editahead_prompts.state import PastEdit
from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.snapshot import Snapshot

from .report import ChangedFile

KIND = "mined"
"""The kind of rule of these places."""


def rule_places(
    repository: RepositoryRules,
    change: Sequence[ChangedFile],
    edits: Sequence[PastEdit],
    known: Mapping[str, Snapshot],
    codebase: Codebase | None,
) -> Iterator[tuple[RulePlace, Snapshot, tuple[PastEdit, ...]]]:
    """Yield the places that a change lacks by rules: the place, the file, and the edits that it follows from.

    Args:
        repository: The rules.
        change: The files of the change.
        edits: The edits of the change.
        known: The present texts of the change's files and of the given documents, by URI.
        codebase: The index of all other files.
    """
    snapshots: dict[str, Snapshot | None] = {}

    def snapshot_of(path: str) -> Snapshot | None:
        uri = repository.uri_of(path)
        if path not in snapshots:
            here = next((one for one in known.values() if repository.path_of(one.uri) == path), None)
            snapshots[path] = here or (None if codebase is None else codebase.snapshot(uri))
        return snapshots[path]

    before = [file.before.text for file in change if file.before is not None]
    own = {file.after.uri for file in change if file.after is not None}

    def is_new(name: AddedName) -> bool:
        spellings = [one for one in name.spellings.values() if WORD.search(one)]
        if any(one in text for one in spellings for text in before):
            return False
        if codebase is None:
            return bool(spellings)
        return not any(
            uri not in own
            for one in spellings
            for uri in codebase.files_with(WORD.findall(one), len(own) + 1)
        )

    hunks: list[FileHunk] = []
    new_files: list[str] = []
    written: list[WrittenLine] = []
    for edit in edits:
        path = repository.path_of(edit.uri)
        if path is not None:
            hunks.append(make_hunk(path, edit.old, edit.new))
            written += (WrittenLine(path, edit.line + number) for number in range(len(edit.new)))
    for file in change:
        path = None if file.after is None else repository.path_of(file.after.uri)
        if file.before is None and file.after is not None and path is not None:
            hunks.append(make_hunk(path, (), file.after.lines))
            new_files.append(path)
            written += (WrittenLine(path, number) for number in range(len(file.after.lines)))
    commit = MinedCommit("", 0.0, tuple(hunks), tuple(new_files))
    for place in find_missing(repository.rules, commit, written, snapshot_of, is_new):
        snapshot = snapshots[place.path]
        assert snapshot is not None
        yield place, snapshot, tuple(edit for edit in edits if _taught(edit, place, snapshot))


def rule_label(place: RulePlace) -> str:
    """Return the rule of a place as a phrase."""
    return f"rule {place.rule.id}: {describe(place.rule.what)}"


def rule_reason(place: RulePlace) -> str:
    """Return why a place is the same, as one sentence."""
    what = place.rule.what
    example = f", as in {what.examples[0][:9]}" if what.examples else ""
    commits = "1 commit" if what.support == 1 else f"{what.support} commits"
    return f"The history of the repository has it in {commits}{example}."


def place_kind_features(place: RulePlace) -> dict[str, float]:
    """Return what the gate's own term for mined rules needs."""
    what = place.rule.what
    return {
        f"kind:{KIND}": 1.0,
        "mined": what.confidence,
        "mined-likely": float(place.rule.is_likely),
    }


def _taught(edit: PastEdit, place: RulePlace, snapshot: Snapshot) -> bool:
    if place.names:
        return any(name in line for name in place.names for line in edit.new)
    line = snapshot.line_at(place.edit.replacements[0].start)
    return edit.uri == snapshot.uri and edit.line <= line < edit.line + len(edit.new)
