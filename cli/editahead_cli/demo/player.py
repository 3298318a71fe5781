"""A player of scenes against the real server, which acts as a user at an editor and reports what happened.

The user has a goal: the text that each file is to become. The user types the first change and requests the next edit. A
prediction that leads to the goal is accepted with Tab, any other is declined, and the user types on. So the resulting
text decides on every prediction, and the files always end at the goal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import unquote

from editahead_prompts.typing_time import count_keys

from .scenes import Scene, count_keystrokes

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
    """The start of a scene."""

    kind: ClassVar[str] = "scene"
    number: int
    of: int
    title: str
    wish: str


@dataclass(frozen=True, slots=True)
class Typed:
    """A change that the user typed. See `count_keystrokes` for `keystrokes`."""

    kind: ClassVar[str] = "typed"
    change: LineChange
    keystrokes: int


@dataclass(frozen=True, slots=True)
class Predicted:
    """An edit that the server showed.

    `accepted`: the edit leads to the goal. `saved` counts keystrokes, less one for Tab. `ms` is the latency.
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
class Completed:
    """Ghost text that was accepted while the person typed. `saved` counts keystrokes, less one for Tab."""

    kind: ClassVar[str] = "completed"
    file: str
    line: int
    text: str
    ms: float
    saved: int


@dataclass(frozen=True, slots=True)
class LocationShown:
    """A place that the server showed without an edit. `line` is 1-based."""

    kind: ClassVar[str] = "pointed"
    file: str
    line: int
    label: str
    ms: float


@dataclass(frozen=True, slots=True)
class NothingShown:
    """An answer without a prediction. `left` is how many changes the user still has to make."""

    kind: ClassVar[str] = "silent"
    reason: str
    detail: str
    ms: float
    left: int


Event = SceneStarted | Typed | Completed | Predicted | LocationShown | NothingShown


@dataclass
class Tally:
    """A tally of the events."""

    typed: int = 0
    accepted: int = 0
    declined: int = 0
    silent: int = 0
    keystrokes_typed: int = 0
    keystrokes_saved: int = 0
    completed: int = 0
    answers_ms: list[float] = field(default_factory=list)

    def add(self, event: Event) -> None:
        match event:
            case Typed():
                self.typed += 1
                self.keystrokes_typed += event.keystrokes
            case Completed():
                self.completed += 1
                self.keystrokes_saved += event.saved
            case Predicted():
                self.accepted += event.accepted
                self.declined += not event.accepted
                self.keystrokes_saved += event.saved
            case NothingShown():
                self.silent += 1
        if isinstance(event, (Completed, Predicted, LocationShown, NothingShown)):
            self.answers_ms.append(event.ms)


def best_first(events: Sequence[Event]) -> list[Event]:
    """Return the events with the scenes in the order of the keys that predictions saved, the most first."""
    scenes: list[list[Event]] = []
    for event in events:
        if isinstance(event, SceneStarted):
            scenes.append([])
        scenes[-1].append(event)
    ordered = sorted(
        scenes,
        key=lambda scene: -sum(event.saved for event in scene if isinstance(event, (Completed, Predicted))),
    )
    return [
        replace(event, number=number) if isinstance(event, SceneStarted) else event
        for number, scene in enumerate(ordered, start=1)
        for event in scene
    ]


class Player:
    """A driver of one editor through scenes. Every event goes to `report` at once.

    `completes`: whether to ask for ghost text while a change is typed. What the person would type next is accepted.
    """

    def __init__(self, editor: Editor, report: Callable[[Event], None], *, completes: bool = False) -> None:
        self._editor = editor
        self._report = report
        self._completes = completes

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
        """Open the scene's files. A file that is open with another text is opened again."""
        wanted = {self._editor.uri(change.path): change for change in scene.changes}
        for uri, document in list(self._editor.documents.items()):
            if uri not in wanted or document.text != wanted[uri].before:
                self._editor.close(uri)
        for uri, change in wanted.items():
            if uri not in self._editor.documents:
                self._editor.open(uri, change.language, change.before)

    def _next_step(self, targets: dict[str, str]) -> tuple[str, Step] | None:
        """Return the first change that is still to be made, in the first file that needs one."""
        from editahead_evals.data.commit_replay import replay

        for uri, target in targets.items():
            step = next(replay(self._editor.documents[uri].text, target), None)
            if step is not None:
                return uri, step
        return None

    def _type(self, uri: str, step: Step) -> None:
        from editahead_evals.data.commit_replay import KEYSTROKE_CHARS

        hunk = step.moment.done[-1]
        self._editor.focus(uri)
        before = self._editor.documents[uri].text
        completed: list[Completed] = []
        rest = step.to_type(0)
        for key in step.keystrokes:
            if not key.text:
                self._editor.type(uri, key)
        at = step.moment.cursor - len(rest)
        while rest:
            piece = rest[:KEYSTROKE_CHARS]
            self._editor.replace(uri, at, at, piece)
            at, rest = at + len(piece), rest[len(piece) :]
            if self._completes and rest and (taken := self._complete(uri, at, rest)):
                completed.append(taken)
                at, rest = at + len(taken.text), rest[len(taken.text) :]
        change = LineChange(self._path(uri), hunk.start + 1, hunk.old, hunk.new)
        keystrokes = count_keystrokes(before, self._editor.documents[uri].text)
        self._report(Typed(change, max(0, keystrokes - sum(one.saved + 1 for one in completed))))
        for one in completed:
            self._report(one)

    def _complete(self, uri: str, at: int, rest: str) -> Completed | None:
        """Accept ghost text that says what is typed next, if there is some."""
        document = self._editor.documents[uri]
        answer = self._editor.inline_completion(uri, document.point(at))
        for item in answer.result["items"][:1]:
            start, end = (document.offset(item["range"][side]) for side in ("start", "end"))
            text = item["insertText"].removeprefix(document.text[start:at])
            keys = count_keys(text)
            if end == at and keys > 1 and rest.startswith(text):
                self._editor.replace(uri, at, at, text)
                self._editor.execute("editahead.accept", item["command"]["arguments"][0])
                line = document.point(at)[0] + 1
                return Completed(self._path(uri), line, text, answer.ms, keys - 1)
        return None

    def _follow_predictions(self, uri: str, at: Point, targets: dict[str, str]) -> None:
        """Request predictions as long as they lead to the goal."""
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
        """Accept the prediction and return True when it leads towards the target, else decline it."""
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
