"""Answers that real models gave to small scenarios, recorded elsewhere.

The folder has `exchanges.jsonl` (scenario, model, and the bodies that were sent and came) and `scenarios/*.txtar`, as
cursortab.nvim's evaluation writes them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.base import Format, PromptPaths, PromptRequest
from editahead_prompts.formats.next_edit.fim import FimFormat
from editahead_prompts.formats.registry import select_format
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.snapshot import Snapshot, split_lines
from fake_openai_server import CannedAnswer

_AS_RECORDED = {"sweep": "sweep-cursortab"}
"""Formats as the models were really asked, by the beginning of a model's name, where that is not how they are asked now."""
_RECORDED_AT = {"30-suppress-js-fetch": (7, 14)}
"""This scenario has two cursors, and what was recorded is of the second one."""

ROOT = "file:///project/"
"""The folder of the scenarios' files; paths in prompts are relative to it."""


@dataclass(frozen=True)
class RecordedScenario:
    """One scenario.

    Attributes:
        old: the text of the one earlier edit before it, with lines around it; "" where there was none.
        new: the text of the earlier edit after it, with lines around it; "" where there was none.
        cursor: an offset in `text`.
        fim_cursor: an offset in `text`, for models that fill in the middle.
        expected: what a person would want; None where nothing should be shown.
    """

    name: str
    file: str
    language: str
    old: str
    new: str
    text: str
    cursor: int
    fim_cursor: int
    expected: str | None = None

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


def load(folder: Path) -> list[Recording]:
    """Return the recordings in a folder."""
    scenes = {
        path.stem: _scene(path.stem, path.read_text("utf-8"))
        for path in sorted((folder / "scenarios").glob("*.txtar"))
    }
    lines = (folder / "exchanges.jsonl").read_text("utf-8").split("\n")
    return [one for line in filter(None, lines) for one in _recordings(json.loads(line), scenes)]


def _recordings(line: Any, scenes: Mapping[str, RecordedScenario]) -> Iterator[Recording]:
    scene = scenes[line["scenario"]]
    for exchange in line["exchanges"]:
        choice = exchange["response"]["choices"][0]
        text = choice["text"] if "text" in choice else choice["message"]["content"]
        said = CannedAnswer(text, "length" if choice["finish_reason"] == "length" else "stop")
        yield Recording(line["model"], scene, exchange["request"], said)


def _scene(name: str, source: str) -> RecordedScenario:
    head, *sections = re.split(r"^-- (.+) --\n", source, flags=re.MULTILINE)
    parts = dict(zip(sections[::2], sections[1::2], strict=True))
    header = dict(line.split(": ", 1) for line in head.splitlines()[1:] if ": " in line)
    # They were sent as an editor's list of lines: the last one has no end.
    text = parts["buffer.txt"].removesuffix("\n")
    old = new = ""
    if "history" in parts:
        edit = re.match(r"<\|file\|> .*\n<\|old\|>\n(.*)<\|new\|>\n(.*)", parts["history"], re.DOTALL)
        assert edit is not None and edit[2] in text
        old, new = edit.groups()
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
        cursor(),
        cursor("fim-" if "fim-row" in header else ""),
        parts["expected"].removesuffix("\n") if "expected" in parts else None,
    )


def _past(scene: RecordedScenario, document: Snapshot, growing: bool) -> Iterator[PastEdit]:
    """Yield the earlier edit in whole lines."""
    old, new = split_lines(scene.before), document.lines
    if old == new:
        return
    head, tail = common_affixes(old, new)
    yield PastEdit(document.uri, head, old[head : len(old) - tail], new[head : len(new) - tail], open=growing)
