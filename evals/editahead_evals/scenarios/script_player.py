"""Makes a script's steps against the real server, and presses Tab."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Self

from editahead_evals.client.editor import Document, Editor, Trigger
from editahead_evals.data.commit_replay import KEYSTROKE_CHARS, Hunk, Point
from editahead_evals.errors import ScenarioError, ScenarioFailure
from editahead_evals.metrics.judge import changes
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.snapshot import split_lines

from .script import (
    Accept,
    Cursor,
    Delete,
    Diagnose,
    Insert,
    Open,
    Reject,
    Replace,
    Script,
    Step,
    Type,
    Undo,
)

Prediction = Mapping[str, Any]


class ScriptPlayer:
    """The run of one script: a context in which its documents are open."""

    def __init__(self, editor: Editor, script: Script) -> None:
        self._editor = editor
        self._script = script
        self._uri = editor.uri(script.file)
        self._cursor: Point = (0, 0)
        self._trigger: Trigger = "cursor"
        self._before: dict[str, list[str]] = {}
        self._diagnostics: list[dict[str, Any]] = []
        self._documents = {**script.others, script.file: script.buffer}

    def __enter__(self) -> Self:
        for path, text in self._documents.items():
            self._editor.open(self._editor.uri(path), self._script.language_of(path), text)
        return self

    def __exit__(self, *error: object) -> None:
        for path in self._documents:
            self._editor.close(self._editor.uri(path))

    def make_steps(self) -> None:
        for step in self._script.steps:
            self._make(step)

    @property
    def document(self) -> Document:
        """The user's current document."""
        return self._editor.documents[self._uri]

    def press_tab(self) -> bool:
        """Request a prediction, and apply the first one shown; return whether there was one."""
        if (prediction := self._first()) is None:
            return False
        self._accept(prediction)
        return True

    def line_of(self, prediction: Prediction) -> int:
        """Return the line that a prediction leads to, or the first that it changes; 0-based."""
        if prediction["jump"] is not None:
            return int(prediction["jump"]["line"])
        return min(int(edit["range"]["start"]["line"]) for edit in prediction["edits"])

    def describe(self, prediction: Prediction) -> str:
        """Return a prediction as people read it: its label, source, confidence, place and change."""
        document = self._editor.documents[prediction["textDocument"]["uri"]]
        title = f"{prediction['label']} ({prediction['source']}, {prediction['confidence']:.2f})"
        if not prediction["edits"]:
            return f"{title}: jump to line {self.line_of(prediction) + 1} of {document.uri}"
        where = "" if document.uri == self._uri else f" in {document.uri}"
        return f"{title}{where}\n{difference(document.text, document.edited(prediction['edits']))}"

    def _make(self, step: Step) -> None:
        match step:
            case Replace() | Type():
                start = self._start_of(step)
                self._type(start, start + len(step.old), step.new)
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
                    raise ScenarioError(f"{self._script.name}: nothing to undo")
                self._restore(self._before[self._uri].pop())

    def _type(self, start: int, end: int, text: str) -> None:
        """Delete in one change, then type in pieces, none of which ends within a line end."""
        self._remember()
        if end > start:
            self._editor.replace(self._uri, start, end, "")
        plain, eol = text.replace("\r\n", "\n"), self._script.eol
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
        diagnostics, self._diagnostics = self._diagnostics, []
        asked = self._editor.next_edit(self._uri, self._cursor, self._trigger, diagnostics or None)
        answer: Mapping[str, Any] = asked.result
        return answer

    def _first(self) -> Prediction | None:
        return next(iter(self._ask()["predictions"]), None)

    def _failure(self, expected: str, shown: str) -> ScenarioFailure:
        why = json.dumps(
            self._editor.execute("editahead.why", self._uri).result, indent=2, ensure_ascii=False
        )
        return ScenarioFailure(
            f"{self._script.name}: {self._script.about}\n"
            f"--- expected\n{expected}\n--- shown\n{shown}\n--- why\n{why}"
        )

    def _remember(self) -> None:
        self._before.setdefault(self._uri, []).append(self.document.text)

    def _line_start(self, line: int) -> int:
        lines = split_lines(self.document.text)
        if line > len(lines):
            raise ScenarioError(f"{self._script.name}: no line {line + 1}")
        return sum(map(len, lines[:line]))

    def _start_of(self, step: Replace | Type) -> int:
        """Return the offset of the text that a step replaces."""
        if isinstance(step, Replace):
            return self._find(step.line, step.old)
        start = self._line_start(step.line) + step.column
        if not self.document.text.startswith(step.old, start):
            place = f"{step.line + 1}:{step.column + 1}"
            raise ScenarioError(f"{self._script.name}: no {step.old!r} at {place}")
        return start

    def _find(self, line: int, old: str) -> int:
        """Return the offset of the only `old` that begins in the line."""
        text, start, end = self.document.text, self._line_start(line), self._line_start(line + 1)
        found = [at for at in range(start, end) if text.startswith(old, at)]
        if len(found) != 1:
            raise ScenarioError(f"{self._script.name}: {len(found)} times {old!r} in line {line + 1}")
        return found[0]


def written(hunk: Hunk) -> str:
    """Return a hunk as scenario files write it."""
    return "\n".join(
        [f"@ {hunk.start + 1}", *("-" + line for line in hunk.old), *("+" + line for line in hunk.new)]
    )


def difference(old: str, new: str) -> str:
    """Return the hunks between two texts as scenario files write them."""
    return "\n".join(map(written, changes(tuple(old.split("\n")), tuple(new.split("\n")))))
