"""Answers that real models gave to small scenarios, recorded elsewhere: scored as they are, and through the server.

The folder has `exchanges.jsonl` (scenario, model, and the bodies that were sent and came) and `scenarios/*.txtar`, as
cursortab.nvim's evaluation writes them. Each scenario has one cursor for which there is an answer, so that silence is
measured there only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Column, Table

from editahead_evals.client.editor import Editor, Trigger
from editahead_evals.data.commit_replay import KEYSTROKE_CHARS
from editahead_evals.errors import RecordError
from editahead_evals.scenarios.player import SETTINGS
from editahead_evals.scenarios.scoring import TABS, text_likeness
from editahead_lab.json_types import EvalRecordedOutput, RecordedFigures, RecordedModel
from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.base import Format, ParsedEdit, PromptPaths, PromptRequest, parse_answer
from editahead_prompts.formats.next_edit.fim import FimFormat
from editahead_prompts.formats.registry import select_format
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.diff import diff
from editahead_prompts.text.snapshot import Snapshot, split_lines

from .fake_openai_server import CannedAnswer, FakeOpenAIServer

_AS_RECORDED = {"sweep": "sweep-cursortab"}
"""Formats as the models were really asked, by the beginning of a model's name, where that is not how they are asked now."""
_RECORDED_AT = {"30-suppress-js-fetch": (7, 14)}
"""This scenario has two cursors, and what was recorded is of the second one."""

ATTEMPTS = 3
"""Requests before silence counts. A response that comes too late for one request serves the next one."""

ROOT = "file:///project/"
"""The folder of the scenarios' files; paths in prompts are relative to it."""


@dataclass(frozen=True)
class RecordedScenario:
    """One scenario.

    Attributes:
        old: the text of the one earlier edit before it, with lines around it; "" where there was none.
        new: the text of the earlier edit after it, with lines around it; "" where there was none.
        wanted: None where nothing should be shown.
        cursor: an offset in `text`.
        fim_cursor: an offset in `text`, for models that fill in the middle.
    """

    name: str
    file: str
    language: str
    old: str
    new: str
    text: str
    wanted: str | None
    cursor: int
    fim_cursor: int

    @property
    def before(self) -> str:
        """The text before the earlier edit."""
        return self.text.replace(self.new, self.old, 1)

    def cursor_for(self, format: Format) -> int:
        return self.fim_cursor if isinstance(format, FimFormat) else self.cursor

    def request(self, format: Format, *, growing: bool = True) -> PromptRequest:
        """Return the request of an editor: the edit without the lines around it, at its place.

        `growing` says whether the edit is open.
        """
        document = Snapshot.from_text(self.text, uri=ROOT + self.file, language=self.language)
        state = EditorState(document, self.cursor_for(format), tuple(_past(self, document, growing)))
        return format.build(state, ESTIMATE, paths=PromptPaths((ROOT,)))


@dataclass(frozen=True)
class Recording:
    """A model's answer to a scenario; `sent` is the body of the request."""

    model: str
    scene: RecordedScenario
    sent: Mapping[str, Any]
    said: CannedAnswer

    @property
    def format(self) -> Format:
        setting = next((name for start, name in _AS_RECORDED.items() if self.model.startswith(start)), None)
        return select_format(self.model, setting)


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one recording.

    Attributes:
        likeness: deltaChrF of the text after the shown edit and the wanted one, 0 to 1; 0 when nothing was
            shown, None when nothing is wanted.
    """

    model: str
    shown: bool
    likeness: float | None


@dataclass(frozen=True)
class Score:
    """The score of one model, as docs/measurements/evaluation.md defines it."""

    results: Sequence[Result]

    @property
    def likeness(self) -> float:
        return _mean([r.likeness for r in self.results if r.likeness is not None])

    @property
    def show_rate(self) -> float:
        return _mean([r.shown for r in self.results if r.likeness is not None])

    @property
    def quiet_rate(self) -> float:
        return _mean([not r.shown for r in self.results if r.likeness is None])

    @property
    def score(self) -> float:
        both = self.show_rate + self.quiet_rate
        return self.likeness * 2 * self.show_rate * self.quiet_rate / both if both else 0.0


def load(folder: Path) -> list[Recording]:
    """Return the recordings in a folder.

    Raises:
        RecordError: a file cannot be read, or holds no recorded answers.
    """
    try:
        scenes = {path.stem: _scene(path) for path in sorted((folder / "scenarios").glob("*.txtar"))}
        lines = (folder / "exchanges.jsonl").read_text("utf-8").split("\n")
    except OSError as error:
        raise RecordError(f"{error.filename}: no recorded answers: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RecordError(f"{folder}: recorded answers that are not UTF-8 text") from error
    out: list[Recording] = []
    for number, line in enumerate(lines, 1):
        try:
            out += _recordings(json.loads(line), scenes) if line else ()
        except (ValueError, KeyError, TypeError, IndexError) as error:
            detail = f"{type(error).__name__}: {error}"
            raise RecordError(
                f"{folder}/exchanges.jsonl, line {number}: no recorded answer ({detail})"
            ) from error
    if not out:
        raise RecordError(f"{folder}/exchanges.jsonl: no recorded answers")
    return out


def score_raw(recording: Recording) -> Result:
    """Score the model's answer as its format parses it: without gate or rules, the whole rewrite at once."""
    scene, format = recording.scene, recording.format
    answer = parse_answer(format, scene.request(format), recording.said.text, recording.said.finish)
    if not isinstance(answer, ParsedEdit):
        return _result(recording, None)
    return _result(recording, answer.edit.apply(scene.text))


def score_through_server(recording: Recording) -> Result:
    """Score what a server of its own shows when a real socket serves it the same answer.

    The result is the text after up to `TABS` accepts. Requests with other prompts get an empty answer. The server is on
    stdio, as no client over TCP may name a model.
    """
    scene, format = recording.scene, recording.format
    asked: list[str] = []

    def answer(prompt: str) -> list[CannedAnswer]:
        asked.append(prompt)
        return [recording.said if prompt == asked[0] else CannedAnswer("")]

    with FakeOpenAIServer(recording.model, answer) as models:
        settings = {"backend": "openai", "url": models.url, "model": recording.model, "format": format.name}
        with Editor({**SETTINGS, **settings}) as editor:
            return _result(recording, _played(editor, scene, scene.cursor_for(format)))


def scores(results: Sequence[Result]) -> dict[str, Score]:
    """Return the scores by model, in the order of the recordings."""
    models = dict.fromkeys(result.model for result in results)
    return {model: Score([r for r in results if r.model == model]) for model in models}


def render(raw: Mapping[str, Score], through: Mapping[str, Score], commit: str, console: Console) -> None:
    table = Table(
        Column("", no_wrap=True), "score", "deltaChrF", "show", "quiet", "score", "deltaChrF", "show", "quiet"
    )
    for model, score in raw.items():
        table.add_row(model, *_figures(score), *_figures(through[model]))
    console.print("Recorded answers: as they are (left), through the server (right)", highlight=False)
    console.print(table)
    console.print(f"commit {commit}", highlight=False)


def as_json(raw: Mapping[str, Score], through: Mapping[str, Score], commit: str) -> EvalRecordedOutput:
    def figures(score: Score) -> RecordedFigures:
        return {
            "score": score.score,
            "deltaChrf": score.likeness,
            "showRate": score.show_rate,
            "quietRate": score.quiet_rate,
        }

    models: list[RecordedModel] = [
        {"model": m, "raw": figures(raw[m]), "through": figures(through[m])} for m in raw
    ]
    return {"measure": "recorded models", "commit": commit, "models": models}


def _figures(score: Score) -> Iterator[str]:
    for value in (score.score, score.likeness, score.show_rate, score.quiet_rate):
        yield f"{value:.2f}"


def _played(editor: Editor, scene: RecordedScenario, cursor: int) -> str | None:
    """Return the text after all accepted edits; None when nothing was shown."""
    uri = editor.uri(scene.file)
    editor.open(uri, scene.language, scene.before)
    for r in diff(scene.before, scene.text).replacements:
        editor.replace(uri, r.start, r.end, "")
        for at in range(0, len(r.text), KEYSTROKE_CHARS):
            start = r.start + at
            editor.replace(uri, start, start, r.text[at : at + KEYSTROKE_CHARS])
    point, shown = editor.documents[uri].point(cursor), False
    for _ in range(TABS):
        trigger: Trigger = "accepted" if shown else "cursor"
        for _ in range(ATTEMPTS):  # a response that comes too late for one request serves the next
            found = editor.next_edit(uri, point, trigger).result["predictions"]
            if found:
                break
        if not found or not found[0]["edits"] or found[0]["textDocument"]["uri"] != uri:
            break
        shown = True
        editor.apply(uri, found[0]["edits"])
        editor.execute("editahead.accept", found[0]["id"])
        point = found[0]["cursorAfter"]["line"], found[0]["cursorAfter"]["character"]
    return editor.documents[uri].text if shown else None


def _result(recording: Recording, text: str | None) -> Result:
    scene = recording.scene
    if scene.wanted is None:
        return Result(recording.model, text is not None, None)
    if text is None:
        return Result(recording.model, False, 0.0)
    return Result(recording.model, True, text_likeness(scene.text, scene.wanted, text))


def _recordings(line: Any, scenes: Mapping[str, RecordedScenario]) -> Iterator[Recording]:
    scene = scenes[line["scenario"]]
    for exchange in line["exchanges"]:
        choice = exchange["response"]["choices"][0]
        text = choice["text"] if "text" in choice else choice["message"]["content"]
        said = CannedAnswer(text, "length" if choice["finish_reason"] == "length" else "stop")
        if not isinstance(text, str) or not isinstance(line["model"], str):
            raise TypeError("model and text are texts")
        yield Recording(line["model"], scene, exchange["request"], said)


def _scene(path: Path) -> RecordedScenario:
    try:
        return _parsed(path.stem, path.read_text("utf-8"))
    except (ValueError, KeyError, IndexError) as error:
        raise RecordError(f"{path}: not a scenario ({type(error).__name__}: {error})") from error


def _parsed(name: str, source: str) -> RecordedScenario:
    head, *sections = re.split(r"^-- (.+) --\n", source, flags=re.MULTILINE)
    parts = dict(zip(sections[::2], sections[1::2], strict=True))
    header = dict(line.split(": ", 1) for line in head.splitlines()[1:] if ": " in line)
    # They were sent as an editor's list of lines: the last one has no end.
    text = parts["buffer.txt"].removesuffix("\n")
    old = new = ""
    if "history" in parts:
        edit = re.match(r"<\|file\|> .*\n<\|old\|>\n(.*)<\|new\|>\n(.*)", parts["history"], re.DOTALL)
        if edit is None or edit[2] not in text:
            raise ValueError("its history does not fit its text")
        old, new = edit.groups()
    wanted = parts.get("expected")
    starts = Snapshot.from_text(text).starts

    def cursor(prefix: str = "") -> int:
        """Return the offset of a cursor whose row counts from 1."""
        row, column = int(header[f"{prefix}row"]), int(header[f"{prefix}col"])
        row, column = _RECORDED_AT.get(name, (row, column))
        return starts[row - 1] + column

    return RecordedScenario(
        name,
        header["file"],
        header["language"],
        old,
        new,
        text,
        None if wanted is None else wanted.rstrip("\n"),
        cursor(),
        cursor("fim-" if "fim-row" in header else ""),
    )


def _past(scene: RecordedScenario, document: Snapshot, growing: bool) -> Iterator[PastEdit]:
    """Yield the earlier edit in whole lines."""
    old, new = split_lines(scene.before), document.lines
    if old == new:
        return
    head, tail = common_affixes(old, new)
    yield PastEdit(document.uri, head, old[head : len(old) - tail], new[head : len(new) - tail], open=growing)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
