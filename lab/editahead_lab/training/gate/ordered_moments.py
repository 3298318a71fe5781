"""Commits as moments of a person who makes them in small steps: all files open, each step typed, one moment after it.

The evaluation replays pull requests in the same way (`editahead_evals.replay.ordered_replay`); there the order is given.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from editahead_evals.data.commit_replay import KEYSTROKE_CHARS, Hunk, diff
from editahead_lab.commits.typed_commits import KEY_S
from editahead_lab.training.data.replay_moments import ROOT
from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.state import EditorState
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.edits import Edit, apply_to_lines
from editahead_prompts.text.snapshot import Snapshot, split_lines

from .ordered_steps import MAX_HUNKS, ordered_steps, split_hunk
from .whole_commits import MAX_FILES, CommitMoment

MAX_STEP_CHARACTERS = 2_000
"""Characters of a hunk, at most, in a commit that is replayed: a small step has fewer."""


def ordered_moments(commit: Sequence[Mapping[str, Any]]) -> Iterator[CommitMoment]:
    """Yield the moments after each step of a commit's records (`before`, `after`, `path`, `language`, `id`).

    None for a commit of a single hunk, of very many, or with a very long one.
    """
    rng = random.Random(commit[0]["id"])
    session = _Session(commit[:MAX_FILES], rng)
    hunks = [hunk for those in session.waiting.values() for hunk in those.values()]
    if not 2 <= len(hunks) <= MAX_HUNKS or any(_length(hunk) > MAX_STEP_CHARACTERS for hunk in hunks):
        return
    files = {uri: tuple(those.values()) for uri, those in session.waiting.items()}
    for uri, numbers in ordered_steps(files, rng):
        for number in numbers:
            session.type(uri, number)
        yield session.moment(uri)


def _length(hunk: Hunk) -> int:
    return max(sum(map(len, hunk.old)), sum(map(len, hunk.new)))


class _Session:
    """The open documents, the hunks that each still lacks, and the edits made so far."""

    def __init__(self, files: Sequence[Mapping[str, Any]], rng: random.Random) -> None:
        self._history = EditHistory()
        self._documents: dict[str, Snapshot] = {}
        self._final: dict[str, tuple[str, ...]] = {}
        self._remaining: dict[str, tuple[Hunk, ...]] = {}
        self.waiting: dict[str, dict[int, Hunk]] = {}
        self._at, self._cursor = 0.0, 0
        for file in files:
            uri = f"{ROOT}/{file['path']}"
            snapshot = Snapshot.from_text(file["before"], uri=uri, language=file["language"])
            self._documents[uri] = snapshot
            self._final[uri] = split_lines(file["after"])
            self._remaining[uri] = diff(snapshot.lines, self._final[uri])
            parts = [part for hunk in self._remaining[uri] for part in split_hunk(hunk, rng)]
            self.waiting[uri] = dict(enumerate(parts))
            self._history.on_open(snapshot)

    def type(self, uri: str, number: int) -> None:
        """Make a hunk key by key: what goes is deleted at once, what comes is typed."""
        hunk = self.waiting[uri].pop(number)
        snapshot = self._documents[uri]
        old, new = "".join(hunk.old), "".join(hunk.new)
        head, tail = common_affixes(old, new)
        at = (*snapshot.starts, snapshot.length)[hunk.start] + head
        deleted, typed = len(old) - tail - head, new[head : len(new) - tail]
        if deleted:
            self._change(uri, Edit.replace(at, at + deleted, ""))
        for start in range(0, len(typed), KEYSTROKE_CHARS):
            key = typed[start : start + KEYSTROKE_CHARS]
            self._change(uri, Edit.replace(at + start, at + start, key))
        self._cursor = at + len(typed)
        grown = len(hunk.new) - len(hunk.old)
        for later, other in self.waiting[uri].items():
            if later > number:
                self.waiting[uri][later] = other.moved(grown)
        self._documents = {
            uri: self._documents.pop(uri),
            **self._documents,
        }  # the most recently used one first

    def moment(self, uri: str) -> CommitMoment:
        """Return the present moment, with the cursor where a document was changed last."""
        document = self._documents[uri]
        others = tuple(other for other in self._documents.values() if other is not document)
        state = EditorState(document, self._cursor, self._history.edits, others, undone=self._history.undone)
        self._remaining[uri] = diff(document.lines, self._final[uri])
        return CommitMoment(state, dict(self._remaining))

    def _change(self, uri: str, edit: Edit) -> None:
        before = self._documents[uri]
        after = Snapshot(uri, before.language, before.version + 1, apply_to_lines(before, edit))
        self._at += KEY_S
        self._history.record_change(before, after, edit, at=self._at, cursor=self._cursor)
        self._documents[uri] = after
        self._cursor = edit.replacements[-1].start + len(edit.replacements[-1].text)
