"""The replay with requests while a hunk is being typed: at every third keystroke within it."""

from __future__ import annotations

from editahead_evals.client.editor import Editor
from editahead_evals.data.commit_replay import Hunk, ReplayMoment, Step, replay
from editahead_evals.data.edit_records import Record
from editahead_evals.metrics.judge import changes, hunks_made, is_reversal
from editahead_evals.metrics.metrics import SERVER, FileResult, TypingCounts

from .baseline_replay import first_edit
from .baselines import BASELINES

EVERY = 3
"""Keystrokes of the replay (a deletion, or a piece of the new text) from one request within a hunk to the next."""


def replay_typing(editor: Editor, record: Record, result: FileResult) -> None:
    """Replay the record in a fresh editor with requests while typing; the counts go to `result.typing`."""
    uri = editor.uri(record.path)
    watchers = {name: TypingObserver() for name in (SERVER, *BASELINES)}
    editor.open(uri, record.language, record.before)
    for step in replay(record.before, record.after):
        for watcher in watchers.values():
            watcher.begin(step)
        for count, key in enumerate(step.keystrokes, 1):
            editor.type(uri, key)
            if count % EVERY or count == len(step.keystrokes):
                continue
            moment, rest = step.unfinished(count), step.to_type(count)
            watchers[SERVER].see(moment, rest, first_edit(editor, uri, moment)[0])
            for name, baseline in BASELINES.items():
                watchers[name].see(moment, rest, baseline(moment))
        first_edit(editor, uri, step.moment)  # judged in the replay without requests in between
    editor.close(uri)
    result.typing = {name: watcher.counts for name, watcher in watchers.items()}


class TypingObserver:
    """A counter of one predictor's answers while hunks are typed.

    An answer is right when it makes only remaining hunks, the rest of the one being typed among them, or when
    it inserts the next typed text, however little of it. Every other answer is wrong, each time it is shown.
    """

    def __init__(self) -> None:
        self.counts = TypingCounts()
        self._final: tuple[str, ...] = ()
        self._saved_to = 0
        self._before: tuple[str, tuple[Hunk, ...]] | None = None

    def begin(self, step: Step) -> None:
        """Start the next hunk."""
        self.counts.keystrokes += len(step.keystrokes)
        self.counts.characters += len(step.to_type(0))
        self._final = step.moment.lines
        self._saved_to = 0
        self._before = None

    def see(self, moment: ReplayMoment, rest: str, text: str | None) -> None:
        """Count one answer.

        `text` is the text after the shown edit, None for silence. `rest` is the text that the user goes on to
        type in this hunk.
        """
        counts, before = self.counts, self._before
        self._before = None
        counts.requests += 1
        if text is None:
            return
        counts.shown += 1
        target = tuple(text.split("\n"))
        shown = changes(moment.lines, target)
        typed = typed_next(moment, rest, text)
        made = hunks_made(moment.lines, moment.remaining, target)
        if not typed and 0 in made and text.startswith(moment.text[: moment.cursor] + rest):
            typed = len(rest)  # all of this hunk, and others with it
        if typed:
            # From a request to the next the same characters may be offered again: each is saved once.
            counts.saved += max(0, moment.cursor + typed - max(self._saved_to, moment.cursor))
            self._saved_to = max(self._saved_to, moment.cursor + typed)
        elif not made:
            counts.wrong += 1
            counts.fresh += before is None or not _same(before, (text, shown))
            counts.reversals += bool(shown) and is_reversal(moment, target, shown)
            self._before = text, shown
        line = moment.point[0]
        if shown and shown[0].old and shown[0].start == line:
            counts.begun += 1
            counts.begun_well += target[: line + 1] == self._final[: line + 1]


def typed_next(moment: ReplayMoment, rest: str, text: str) -> int:
    """Return how many of the next characters the edit inserts at the cursor; 0 if it does anything else."""
    length = len(text) - len(moment.text)
    inserted = text[moment.cursor : moment.cursor + length]
    if 0 < length <= len(rest) and rest.startswith(inserted):
        head, tail = moment.text[: moment.cursor], moment.text[moment.cursor :]
        return length if text == head + inserted + tail else 0
    return 0


def _same(before: tuple[str, tuple[Hunk, ...]], now: tuple[str, tuple[Hunk, ...]]) -> bool:
    """Return whether two predictions are the same: they lead to the same text, or change the same lines in the same way."""
    return before[0] == now[0] or [(h.old, h.new) for h in before[1]] == [(h.old, h.new) for h in now[1]]
