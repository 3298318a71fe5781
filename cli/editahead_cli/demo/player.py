"""Plays scenes against the real server, as a person at an editor would, and tells what happened.

The person has a wish: the text that each file is to become. They type its first change, ask for the next edit
after it, take over with Tab what leads to the wish, decline what does not, and type on. So every prediction
is judged by the text that it leads to, and whatever the server says, the files end as they should.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import unquote

from editahead_prompts.text.affixes import common_affixes

from .scenes import Scene

if TYPE_CHECKING:
    from editahead_evals.client.editor import Editor, Trigger
    from editahead_evals.data.commit_replay import Hunk, Point, Step


@dataclass(frozen=True, slots=True)
class LineChange:
    """Lines that become others, in one place of one file. `line` is 1-based, in the text before."""

    file: str
    line: int
    old: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SceneStarted:
    """A scene begins."""

    kind: ClassVar[str] = "scene"
    number: int
    of: int
    title: str
    wish: str


@dataclass(frozen=True, slots=True)
class Typed:
    """The person made a change by hand. `keystrokes`: see `keystrokes`."""

    kind: ClassVar[str] = "typed"
    change: LineChange
    keystrokes: int


@dataclass(frozen=True, slots=True)
class Predicted:
    """The server showed an edit.

    accepted: it was what the person wanted. saved: keystrokes, the Tab paid for.
    """

    kind: ClassVar[str] = "predicted"
    changes: tuple[LineChange, ...]
    label: str
    source: str
    confidence: float
    ms: float
    accepted: bool
    saved: int


@dataclass(frozen=True, slots=True)
class LocationShown:
    """The server named a place and no edit; the person looked and went on. `line` is 1-based."""

    kind: ClassVar[str] = "pointed"
    file: str
    line: int
    label: str
    ms: float


@dataclass(frozen=True, slots=True)
class NothingShown:
    """The server showed nothing. left: how many changes the person still had to make."""

    kind: ClassVar[str] = "silent"
    reason: str
    detail: str
    ms: float
    left: int


Event = SceneStarted | Typed | Predicted | LocationShown | NothingShown


@dataclass
class Tally:
    """What the events add up to."""

    typed: int = 0
    accepted: int = 0
    declined: int = 0
    silent: int = 0
    keystrokes_typed: int = 0
    keystrokes_saved: int = 0
    answers_ms: list[float] = field(default_factory=list)

    def add(self, event: Event) -> None:
        match event:
            case Typed():
                self.typed += 1
                self.keystrokes_typed += event.keystrokes
            case Predicted():
                self.accepted += event.accepted
                self.declined += not event.accepted
                self.keystrokes_saved += event.saved
            case NothingShown():
                self.silent += 1
        if isinstance(event, (Predicted, LocationShown, NothingShown)):
            self.answers_ms.append(event.ms)


class Player:
    """Drives one editor through scenes; every event goes to `tell` at the moment it happens."""

    def __init__(self, editor: Editor, report: Callable[[Event], None]) -> None:
        self._editor = editor
        self._report = report

    def play(self, scenes: Sequence[Scene]) -> None:
        for number, scene in enumerate(scenes, start=1):
            self._report(SceneStarted(number, len(scenes), scene.title, scene.wish))
            self._open(scene)
            targets = {self._editor.uri(change.path): change.after for change in scene.changes}
            while step := self._next_step(targets):
                uri, typing = step
                self._type(uri, typing)
                self._follow_predictions(uri, typing.moment.point, targets)

    def _open(self, scene: Scene) -> None:
        """Open the scene's files; what is open and reads otherwise (a file's older state) is opened anew."""
        wanted = {self._editor.uri(change.path): change for change in scene.changes}
        for uri, document in list(self._editor.documents.items()):
            if uri not in wanted or document.text != wanted[uri].before:
                self._editor.close(uri)
        for uri, change in wanted.items():
            if uri not in self._editor.documents:
                self._editor.open(uri, change.language, change.before)

    def _next_step(self, targets: dict[str, str]) -> tuple[str, Step] | None:
        """The first change that is still to be made, in the first file that needs one."""
        from editahead_evals.data.commit_replay import replay

        for uri, target in targets.items():
            step = next(replay(self._editor.documents[uri].text, target), None)
            if step is not None:
                return uri, step
        return None

    def _type(self, uri: str, step: Step) -> None:
        hunk = step.moment.done[-1]
        self._editor.focus(uri)
        before = self._editor.documents[uri].text
        for key in step.keystrokes:
            self._editor.type(uri, key)
        change = LineChange(self._path(uri), hunk.start + 1, hunk.old, hunk.new)
        self._report(Typed(change, count_keystrokes(before, self._editor.documents[uri].text)))

    def _follow_predictions(self, uri: str, at: Point, targets: dict[str, str]) -> None:
        """Ask, and go on asking as long as the answers are what the person wants."""
        trigger: Trigger = "typed"
        while True:
            answer = self._editor.next_edit(uri, at, trigger)
            if not answer.result["predictions"]:
                silence = answer.result["silence"]
                left = sum(len(self._remaining_hunks(uri, target)) for uri, target in targets.items())
                self._report(NothingShown(silence["reason"], silence["detail"], answer.ms, left))
                return
            best = answer.result["predictions"][0]
            uri = best["textDocument"]["uri"]
            if not best["edits"]:
                self._report(
                    LocationShown(self._path(uri), best["jump"]["line"] + 1, best["label"], answer.ms)
                )
                return
            if not self._judge(best, targets.get(uri), answer.ms):
                return
            at = (best["cursorAfter"]["line"], best["cursorAfter"]["character"])
            trigger = "accepted"

    def _judge(self, prediction: Any, target: str | None, ms: float) -> bool:
        """Accept the prediction when it leads towards the target, else decline it. True when accepted."""
        from editahead_evals.metrics.judge import changes, hunks_made

        uri = prediction["textDocument"]["uri"]
        before = self._editor.documents[uri].text
        after = self._editor.documents[uri].edited(prediction["edits"])
        lines, shown = tuple(before.split("\n")), tuple(after.split("\n"))
        accepted = target is not None and bool(hunks_made(lines, self._remaining_hunks(uri, target), shown))
        if accepted:
            self._editor.apply(uri, prediction["edits"])
            self._editor.execute("editahead.accept", prediction["id"])
        else:
            self._editor.execute("editahead.reject", prediction["id"])
        self._report(
            Predicted(
                tuple(LineChange(self._path(uri), c.start + 1, c.old, c.new) for c in changes(lines, shown)),
                prediction["label"],
                prediction["source"],
                prediction["confidence"],
                ms,
                accepted,
                count_keystrokes(before, after) - 1 if accepted else 0,
            )
        )
        return accepted

    def _remaining_hunks(self, uri: str, target: str) -> tuple[Hunk, ...]:
        from editahead_evals.data.commit_replay import diff

        return diff(tuple(self._editor.documents[uri].text.split("\n")), tuple(target.split("\n")))

    def _path(self, uri: str) -> str:
        return unquote(uri.removeprefix(self._editor.root.as_uri() + "/"))


def count_keystrokes(before: str, after: str) -> int:
    """How many keys make one text of the other: one for each character typed, one for each stretch deleted.

    Moving about is not counted, so that what is saved is not overstated.
    """
    from editahead_evals.metrics.judge import changes

    count = 0
    for change in changes(tuple(before.split("\n")), tuple(after.split("\n"))):
        pairs = (
            zip(change.old, change.new, strict=True)
            if len(change.old) == len(change.new)
            else [("\n".join(change.old), "\n".join(change.new))]
        )
        for old, new in pairs:
            head, tail = common_affixes(old, new)
            count += len(new) - head - tail + (len(old) > head + tail)
        if not change.old:
            count += 1
    return count
