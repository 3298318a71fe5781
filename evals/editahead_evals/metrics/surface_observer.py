"""What one surface of the server shows during a session, request by request, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editahead_evals.data.key_sessions import Replacement

from .key_judge import ShownEdit, TrackedRange, is_typed_towards


@dataclass(frozen=True, slots=True)
class SurfaceAnswer:
    """The edit that a surface shows at a request: `old`, from offset `start`, becomes `new`."""

    id: str
    start: int
    old: str
    new: str

    def applied_to(self, text: str) -> str:
        """Return the text of the document after the edit."""
        return text[: self.start] + self.new + text[self.start + len(self.old) :]


class SurfaceObserver:
    """An observer of one surface in one session. Every suggestion is judged once, from when it is first shown.

    Attributes:
        shown: all suggestions, in the order of time.
        flickers: suggestions that changed or vanished under a key that typed their text.
    """

    def __init__(self) -> None:
        self.shown: list[ShownEdit] = []
        self.flickers = 0
        self._known: set[str] = set()
        self._followed: list[ShownEdit] = []
        self._on_screen: tuple[str, TrackedRange, SurfaceAnswer] | None = None
        self._expected: str | None = None

    def is_new(self, answer: SurfaceAnswer) -> bool:
        """Return whether a suggestion is shown for the first time."""
        return answer.id not in self._known

    def on_change(
        self,
        path: str,
        replacements: Sequence[Replacement],
        text: str,
        at: float,
        key: int | None,
    ) -> None:
        """Follow a change; the arguments are those of `ShownEdit.on_change`."""
        self._followed = [
            edit for edit in self._followed if edit.on_change(path, replacements, text, at, key)
        ]
        self._expected = None
        if self._on_screen is not None and key is not None:
            where, place, answer = self._on_screen
            touched = where == path and [place.on_change(each) for each in replacements]
            now = text[place.start : place.end]
            if touched and any(touched) and is_typed_towards(answer.old, now, answer.new):
                self._expected = text[: place.start] + answer.new + text[place.end :]
        self._on_screen = None

    def on_answer(
        self,
        path: str,
        text: str,
        answer: SurfaceAnswer | None,
        key: int,
        at: float,
        confidence: float | None,
    ) -> None:
        """Take the answer to a request for a document with this text.

        Args:
            path: the document.
            text: its text.
            answer: None when nothing is shown.
            key: the number of the key after which the request was sent.
            at: when, in seconds.
            confidence: of a suggestion that is shown for the first time.
        """
        if self._expected is not None and (answer is None or answer.applied_to(text) != self._expected):
            self.flickers += 1
        self._expected = None
        if answer is None:
            return
        place = TrackedRange(answer.start, answer.start + len(answer.old))
        self._on_screen = path, place, answer
        if answer.id in self._known:
            return
        self._known.add(answer.id)
        place = TrackedRange(answer.start, answer.start + len(answer.old))
        edit = ShownEdit(answer.id, path, key, at, place, answer.old, answer.new, confidence)
        self.shown.append(edit)
        self._followed.append(edit)
