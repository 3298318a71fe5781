"""The score of an edit that is shown while a person types: true, partly, wrong; and whether it flickered.

The replay never accepts. An edit is judged by what the person goes on to do: its range is tracked through later changes.

- **true**: at some time within the horizon, the range holds exactly the new text.
- **partly**: one of several hunks of the edit does, or at least half of the inserted text stood there as it is typed from
  its start.
- **wrong**: everything else.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from editahead_evals.data.key_sessions import Replacement
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.snapshot import split_lines
from editahead_prompts.typing_time import READ_S, seconds_saved

Status = Literal["true", "partly", "wrong"]

MAX_CHANGES = 60
"""Later changes, of any document, within which an edit may come true."""
MAX_S = 180.0
"""Seconds within which an edit may come true. The horizon ends with the earlier of `MAX_CHANGES` and `MAX_S`."""


@dataclass(slots=True)
class TrackedRange:
    """A range of a document that moves with the changes of its text.

    Text that is inserted at one of its ends belongs to it.
    """

    start: int
    end: int

    def on_change(self, replacement: Replacement) -> bool:
        """Follow a trimmed replacement, and return whether it changed the text of the range."""
        start, end, new = replacement
        growth = len(new) - (end - start)
        if end < self.start or (end == self.start and start < end):
            self.start += growth
            self.end += growth
            return False
        if start > self.end or (start == self.end and not new):
            return False
        self.start = min(self.start, start)
        self.end = max(self.end, end) + growth
        return True


@dataclass(slots=True)
class ShownEdit:
    """An edit that was shown, and what became of it.

    Attributes:
        id: the id of the suggestion.
        path: the document that it edits.
        key: the number of the key after which it was shown.
        at: when it was shown, in seconds.
        old: the text of its range.
        new: the text that it puts there.
        confidence: what the server told; None when it told none.
        keys: the numbers of the later keys that changed its range until it came true.
    """

    id: str
    path: str
    key: int
    at: float
    place: TrackedRange
    old: str
    new: str
    confidence: float | None = None
    status: Status = "wrong"
    keys: list[int] = field(default_factory=list)
    _changes: int = 0
    _hunks: list[tuple[TrackedRange, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        hunks = _hunks(self.old, self.new)
        if len(hunks) > 1:
            start = self.place.start
            self._hunks = [(TrackedRange(start + a, start + b), text) for a, b, text in hunks]

    @property
    def changes_nothing(self) -> bool:
        return self.old == self.new

    def on_change(
        self, path: str, replacements: Sequence[Replacement], text: str, at: float, key: int | None
    ) -> bool:
        """Follow a change of a document, and return whether the edit has to be followed any further.

        Args:
            path: the document.
            replacements: trimmed, the last one in the text first.
            text: the document's text after the change.
            at: when, in seconds.
            key: the number of the key that made the change, None when no key did.
        """
        self._changes += 1
        if self._changes > MAX_CHANGES or at - self.at > MAX_S or self.changes_nothing:
            return False
        if path != self.path:
            return True
        touched = [self.place.on_change(replacement) for replacement in replacements]
        for place, _ in self._hunks:
            for replacement in replacements:
                place.on_change(replacement)
        if not any(touched):
            return True
        if key is not None:
            self.keys.append(key)
        now = text[self.place.start : self.place.end]
        if now == self.new:
            self.status = "true"
            return False
        if is_half_typed(self.old, now, self.new) or any(
            text[place.start : place.end] == new for place, new in self._hunks
        ):
            self.status = "partly"
        return True


def trimmed(replacements: Sequence[Replacement], text: str) -> list[Replacement]:
    """Return replacements of `text` without what they put back at their ends, the last one in the text first."""
    out = []
    for start, end, new in reversed(replacements):
        head, tail = common_affixes(text[start:end], new)
        out.append((start + head, end - tail, new[head : len(new) - tail]))
    return out


def is_half_typed(old: str, now: str, new: str) -> bool:
    """Return whether at least half of what an edit inserts is typed, from its start, and nothing else."""
    head, tail = common_affixes(old, new)
    inserted = len(new) - head - tail
    if not inserted or not is_typed_towards(old, now, new):
        return False
    return 2 * (len(now) - head - tail) >= inserted


def is_typed_towards(old: str, now: str, new: str) -> bool:
    """Return whether a range is on the way from `old` to `new`: a part of the inserted text is still missing, no more.

    The missing part may lie before closing brackets, which editors insert with the opening ones.
    """
    if now == old or len(now) >= len(new):
        return False
    head, tail = common_affixes(now, new)
    kept_head, kept_tail = common_affixes(old, new)
    return head + tail == len(now) and head > kept_head and len(now) >= kept_head + kept_tail


def keys_saved(shown: Sequence[ShownEdit]) -> int:
    """Return how many keys taking the true edits saves: the keys that made each, less one for its accept.

    `shown` is in the order of time. A person who takes an edit does not type its text, and is shown no other edit while it
    is not typed: keys are counted once, and an edit shown after such a key is not taken.
    """
    saved: set[int] = set()
    accepts = 0
    for edit in shown:
        if edit.status == "true" and len(edit.keys) > 1 and edit.key not in saved:
            mine = set(edit.keys)
            if not mine & saved:
                saved |= mine
                accepts += 1
    return len(saved) - accepts


def time_saved(shown: Sequence[ShownEdit]) -> float:
    """Return the seconds that a person saves who reads every edit that is shown, and takes the true ones.

    Each edit costs its reading, a wrong one, too. A true one saves the typing of its keys, less the accept, where that is
    faster. `shown` is in the order of time: while the text of a taken edit is not typed, nothing is shown and read.
    """
    seconds = 0.0
    skipped: set[int] = set()
    for edit in shown:
        if edit.key in skipped:
            continue
        seconds -= READ_S
        mine = set(edit.keys) - skipped
        saved = seconds_saved(len(mine)) if edit.status == "true" else 0.0
        if saved:
            seconds += saved
            skipped |= mine
    return seconds


def _hunks(old: str, new: str) -> list[tuple[int, int, str]]:
    """Return the line hunks between two texts, as ranges of characters of `old` and what replaces them."""
    before, after = split_lines(old), split_lines(new)
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return [
        (starts[i1], starts[i2], "".join(after[j1:j2]))
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]
