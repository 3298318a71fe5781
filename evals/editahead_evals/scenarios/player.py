"""Plays scenarios against the real server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Self

from editahead_evals.client.editor import Document, Editor, Trigger
from editahead_evals.data.commit_replay import KEYSTROKE_CHARS, Hunk, Point
from editahead_evals.errors import ScenarioError, ScenarioFailure
from editahead_evals.metrics.judge import changes
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.snapshot import line_body, split_lines

from .scenario_file import (
    Accept,
    Cursor,
    Delete,
    Diagnose,
    Insert,
    Jump,
    Open,
    Reject,
    Replace,
    Scenario,
    Shown,
    Silent,
    Step,
    Undo,
    language_for,
)

MAX_ACCEPTS = 20

SETTINGS = {"debounce_ms": 0}

Prediction = Mapping[str, Any]


def play_scenario(editor: Editor, scenario: Scenario) -> None:
    """Play a scenario, and check its expectation.

    Raises:
        ScenarioFailure: the server's answer differs from the expectation.
        ScenarioError: the steps do not fit the text.
    """
    with ScenarioPlayer(editor, scenario) as player:
        player.make_steps()
        player.check()


class ScenarioPlayer:
    """The run of one scenario: a context in which its documents are open."""

    def __init__(self, editor: Editor, scenario: Scenario) -> None:
        self._editor = editor
        self._scenario = scenario
        self._uri = editor.uri(scenario.file)
        self._cursor: Point = (0, 0)
        self._trigger: Trigger = "cursor"
        self._before: dict[str, list[str]] = {}
        self._diagnostics: list[dict[str, Any]] = []
        self._documents = {**scenario.others, scenario.file: scenario.buffer}

    def __enter__(self) -> Self:
        for path, text in self._documents.items():
            self._editor.open(self._editor.uri(path), language_for(self._scenario, path), text)
        return self

    def __exit__(self, *error: object) -> None:
        for path in self._documents:
            self._editor.close(self._editor.uri(path))

    def make_steps(self) -> None:
        for step in self._scenario.steps:
            self._make(step)

    def check(self) -> None:
        """Request a prediction, and compare it with the expectation."""
        self._check_next()
        if self._scenario.after is not None:
            self._check_after_accepts(self._scenario.after)

    @property
    def document(self) -> Document:
        """The user's current document."""
        return self._editor.documents[self._uri]

    def wanted(self) -> str | None:
        """Return the expected text of the user's current document; None where no text is expected."""
        if self._scenario.after is not None:
            return self._scenario.after
        expected = self._scenario.expected
        return self._with(expected.hunks) if isinstance(expected, Shown) else None

    def press_tab(self) -> bool:
        """Request a prediction, and apply the first one shown; return whether there was one."""
        if (prediction := self._first()) is None:
            return False
        self._accept(prediction)
        return True

    def is_quiet_at(self, offset: int | None = None) -> bool:
        """Return whether nothing is shown at the cursor, or at this offset."""
        if offset is not None:
            self._cursor, self._trigger = self.document.point(offset), "cursor"
        return self._first() is None

    def _make(self, step: Step) -> None:
        match step:
            case Replace(line, old, new):
                start = self._find(line, old)
                self._type(start, start + len(old), new)
            case Insert(line, text):
                start = self._line_start(line)
                self._type(start, start, text)
            case Delete(first, last):
                self._type(self._line_start(first), self._line_start(last + 1), "")
            case Open(path):
                self._uri = self._editor.uri(path)
                self._editor.focus(self._uri)
                self._cursor, self._trigger = (0, 0), "cursor"
            case Cursor(line, column):
                self._cursor = self.document.point(self._line_start(line) + column)
                self._trigger = "cursor"
            case Accept():
                if (prediction := self._first()) is None:
                    raise self._failure("something to accept", "nothing")
                self._accept(prediction)
            case Reject():
                if (prediction := self._first()) is None:
                    raise self._failure("something to reject", "nothing")
                self._editor.execute("editahead.reject", prediction["id"])
            case Diagnose(line, text, message):
                start = self._find(line, text)
                ends = (self.document.point(at) for at in (start, start + len(text)))
                points = ({"line": at[0], "character": at[1]} for at in ends)
                place = dict(zip(("start", "end"), points, strict=True))
                self._diagnostics.append({"range": place, "message": message, "severity": 1})
            case Undo():
                if not self._before.get(self._uri):
                    raise ScenarioError(f"{self._scenario.name}: nothing to undo")
                self._restore(self._before[self._uri].pop())

    def _type(self, start: int, end: int, text: str) -> None:
        """Delete in one change, then type in pieces, none of which ends within a line end."""
        self._remember()
        if end > start:
            self._editor.replace(self._uri, start, end, "")
        plain, eol = text.replace("\r\n", "\n"), self._scenario.eol
        for at in range(0, len(plain), KEYSTROKE_CHARS):
            piece = plain[at : at + KEYSTROKE_CHARS].replace("\n", eol)
            self._editor.replace(self._uri, start, start, piece)
            start += len(piece)
        self._cursor, self._trigger = self.document.point(start), "typed"

    def _restore(self, text: str) -> None:
        """Restore a text of the document in one change of what differs, as an editor's undo does."""
        now = self.document.text
        head, tail = common_affixes(now, text)
        self._editor.replace(self._uri, head, len(now) - tail, text[head : len(text) - tail])
        self._cursor, self._trigger = self.document.point(len(text) - tail), "typed"

    def _accept(self, prediction: Prediction) -> None:
        """Accept as editors do: apply the edit, then notify the server. Go to a prediction without an edit."""
        self._uri = prediction["textDocument"]["uri"]
        if not prediction["edits"]:
            place = prediction["jump"]
            self._cursor, self._trigger = (place["line"], place["character"]), "cursor"
            return
        self._remember()
        self._editor.apply(self._uri, prediction["edits"])
        self._editor.execute("editahead.accept", prediction["id"])
        place = prediction["cursorAfter"]
        self._cursor, self._trigger = (place["line"], place["character"]), "accepted"

    def _ask(self) -> Mapping[str, Any]:
        told, self._diagnostics = self._diagnostics, []
        asked = self._editor.next_edit(self._uri, self._cursor, self._trigger, told or None)
        answer: Mapping[str, Any] = asked.result
        return answer

    def _first(self) -> Prediction | None:
        return next(iter(self._ask()["predictions"]), None)

    def _check_next(self) -> None:
        answer = self._ask()
        first: Prediction | None = next(iter(answer["predictions"]), None)
        shown = "silent " + answer["silence"]["reason"] if first is None else self._describe(first)
        match self._scenario.expected:
            case Silent(reason):
                if first is not None or reason not in (None, answer["silence"]["reason"]):
                    raise self._failure(f"silent {reason or ''}".rstrip(), shown)
            case Jump(line):
                if first is None or self._line_of(first) != line:
                    raise self._failure(f"a prediction at line {line + 1}", shown)
            case Shown(hunks):
                wanted = self._with(hunks)
                if first is None or not first["edits"] or first["textDocument"]["uri"] != self._uri:
                    raise self._failure("\n".join(map(_written, hunks)), shown)
                if self.document.edited(first["edits"]) != wanted:
                    raise self._failure("\n".join(map(_written, hunks)), shown)

    def _check_after_accepts(self, wanted: str) -> None:
        uri = self._uri
        for _ in range(MAX_ACCEPTS):
            if not self.press_tab():
                break
        if self._editor.documents[uri].text != wanted:
            difference = _difference(wanted, self._editor.documents[uri].text)
            raise self._failure("after accepts, the text as written", f"(- expected, + got)\n{difference}")

    def _with(self, hunks: tuple[Hunk, ...]) -> str:
        """Return the present text after the expected hunks."""
        lines = list(split_lines(self.document.text))
        for hunk in reversed(hunks):
            present = [line_body(line) for line in lines[hunk.start : hunk.end]]
            if tuple(present) != hunk.old:
                raise ScenarioError(
                    f"{self._scenario.name}: line {hunk.start + 1} is not as expected: {present}"
                )
            new = [line + self._scenario.eol for line in hunk.new]
            if new and hunk.end == len(lines):
                new[-1] = line_body(new[-1])
            lines[hunk.start : hunk.end] = new
        return "".join(lines)

    def _line_of(self, prediction: Prediction) -> int:
        if prediction["jump"] is not None:
            return int(prediction["jump"]["line"])
        return min(int(edit["range"]["start"]["line"]) for edit in prediction["edits"])

    def _describe(self, prediction: Prediction) -> str:
        document = self._editor.documents[prediction["textDocument"]["uri"]]
        title = f"{prediction['label']} ({prediction['source']}, {prediction['confidence']:.2f})"
        if not prediction["edits"]:
            return f"{title}: jump to line {self._line_of(prediction) + 1} of {document.uri}"
        where = "" if document.uri == self._uri else f" in {document.uri}"
        return f"{title}{where}\n{_difference(document.text, document.edited(prediction['edits']))}"

    def _failure(self, expected: str, shown: str) -> ScenarioFailure:
        why = json.dumps(
            self._editor.execute("editahead.why", self._uri).result, indent=2, ensure_ascii=False
        )
        return ScenarioFailure(
            f"{self._scenario.name}: {self._scenario.about}\n"
            f"--- expected\n{expected}\n--- shown\n{shown}\n--- why\n{why}"
        )

    def _remember(self) -> None:
        self._before.setdefault(self._uri, []).append(self.document.text)

    def _line_start(self, line: int) -> int:
        lines = split_lines(self.document.text)
        if line > len(lines):
            raise ScenarioError(f"{self._scenario.name}: no line {line + 1}")
        return sum(map(len, lines[:line]))

    def _find(self, line: int, old: str) -> int:
        """Return the offset of the only `old` that begins in the line."""
        text, start, end = self.document.text, self._line_start(line), self._line_start(line + 1)
        found = [at for at in range(start, end) if text.startswith(old, at)]
        if len(found) != 1:
            raise ScenarioError(f"{self._scenario.name}: {len(found)} times {old!r} in line {line + 1}")
        return found[0]


def _written(hunk: Hunk) -> str:
    return "\n".join(
        [f"@ {hunk.start + 1}", *("-" + line for line in hunk.old), *("+" + line for line in hunk.new)]
    )


def _difference(old: str, new: str) -> str:
    return "\n".join(map(_written, changes(tuple(old.split("\n")), tuple(new.split("\n")))))
