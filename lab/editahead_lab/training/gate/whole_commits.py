"""Whole commits as moments of an editing session: all files open, each hunk typed, and what every file still lacks.

A commit does not tell the order of its files: they are shuffled. The hunks of a file are made in its order.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from editahead_evals.data.commit_replay import Hunk, diff
from editahead_inference.candidates import Candidate
from editahead_lab.training.data.replay_moments import ROOT, TrainingMoment, cursor_after
from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit, apply_to_lines
from editahead_prompts.text.snapshot import Snapshot, split_lines

MAX_FILES = 8
MAX_HUNKS = 40
"""Hunks of one commit that are replayed, so that no large commit dominates."""
KEY_S = 0.2
"""Seconds for a typed character."""


@dataclass(frozen=True)
class CommitMoment:
    """The state after some hunks of a commit, and the remaining hunks of each file, by uri."""

    state: EditorState
    remaining: Mapping[str, tuple[Hunk, ...]]

    @property
    def opportunity(self) -> bool:
        return any(self.remaining.values())

    def worth_of(self, candidate: Candidate) -> float:
        """Return the worth of an edit of any of the files; see `TrainingMoment.worth`."""
        snapshot = self.state.snapshot(candidate.uri)
        assert snapshot is not None  # candidates are for open documents
        return TrainingMoment(EditorState(snapshot, 0), self.remaining[candidate.uri]).worth_of(candidate)


def commit_moments(commit: Sequence[Mapping[str, Any]]) -> Iterator[CommitMoment]:
    """Yield the moments after each hunk of a commit's records (`before`, `after`, `path`, `language`, `id`)."""
    files = list(commit)
    random.Random(files[0]["id"]).shuffle(files)
    history = EditHistory()
    documents: dict[str, Snapshot] = {}
    waiting: dict[str, list[Hunk]] = {}
    for file in files[:MAX_FILES]:
        uri = f"{ROOT}/{file['path']}"
        documents[uri] = Snapshot.from_text(file["before"], uri=uri, language=file["language"])
        waiting[uri] = list(diff(documents[uri].lines, split_lines(file["after"])))
        history.on_open(documents[uri])
    order = [uri for uri, hunks in waiting.items() for _ in hunks]
    at = 0.0
    for number, uri in enumerate(order[:MAX_HUNKS], 1):
        before, (hunk, *rest) = documents[uri], waiting[uri]
        starts = (*before.starts, before.length)
        edit = Edit.replace(starts[hunk.start], starts[hunk.end], "".join(hunk.new))
        after = Snapshot(uri, before.language, number, apply_to_lines(before, edit))
        at += KEY_S * sum(map(len, hunk.new))
        history.record_change(before, after, edit, at=at)
        documents[uri] = after
        waiting[uri] = [later.moved(len(hunk.new) - len(hunk.old)) for later in rest]
        others = tuple(other for other in documents.values() if other.uri != uri)
        state = EditorState(after, cursor_after(after, hunk), history.edits, others, undone=history.undone)
        yield CommitMoment(state, {name: tuple(hunks) for name, hunks in waiting.items()})
