"""Cases made after public bug reports (tests/reports): what their files mean, and how they are played and judged."""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from editahead_cli.main import main
from editahead_evals.client.shared_server import SharedServer
from editahead_evals.errors import ScenarioFailure
from editahead_evals.scenarios.case_file import Case, CaseKind
from editahead_evals.scenarios.player import MAX_ACCEPTS, SETTINGS, ScenarioPlayer, play_scenario
from editahead_evals.scenarios.scenario_file import SCENARIOS, Scenario

FOLDER = Path(__file__).parent.parent / "reports"
MAX_CHOICES = 4

Status = Literal["right", "wrong", "refused"]
"""`refused` also of a Tab that shows nothing where an edit is right, or some of it."""

_BYTE = re.compile(rb"<0x([0-9A-F]{2})>")


@dataclass(frozen=True)
class ApplyCase:
    """A sketch for the files of a folder.

    Attributes:
        before: The files by path.
        after: The files after the sketch; as before where a refusal is right.
        is_refused: Whether a refusal is right.
        has_choices: Whether it is right to ask which reading is meant, one of which gives `after`.
        own: The path of the file that the command gets, if any.
        so_far: Why the sketch is refused though it is clear, if it is.
    """

    name: str
    about: str
    before: Mapping[str, bytes]
    sketch: bytes
    after: Mapping[str, bytes]
    is_refused: bool
    has_choices: bool
    own: str | None
    so_far: str


@dataclass(frozen=True)
class TabCase:
    """A scenario, and why nothing is shown in it though an edit is right, if so."""

    scenario: Scenario
    so_far: str

    @property
    def name(self) -> str:
        return self.scenario.name


@dataclass(frozen=True)
class Result:
    status: Status
    detail: str = ""


def _read(case: Case) -> ApplyCase | TabCase:
    so_far = case.sections.get("refused so far", "") + case.sections.get("silent so far", "")
    if "buffer" in case.sections:
        return TabCase(SCENARIOS.read(case), so_far.strip())
    before = case.texts("file")
    gone = case.lines("gone")
    after = {path: text for path, text in before.items() if path not in gone} | case.texts("right")
    return ApplyCase(
        name=case.name,
        about=case.about,
        before={path: _with_bytes(text.encode()) for path, text in before.items()},
        sketch=_with_bytes(case.sections["sketch"].encode()),
        after={path: _with_bytes(text.encode()) for path, text in after.items()},
        is_refused="refused" in case.sections,
        has_choices="choices" in case.sections,
        own=case.headers.get("own"),
        so_far=so_far.strip(),
    )


def _with_bytes(text: bytes) -> bytes:
    return _BYTE.sub(lambda found: bytes([int(found[1], 16)]), text)


def play_apply(case: ApplyCase) -> Result:
    """Apply a sketch as the command does, in this process, and judge what came."""
    code, after, said = _apply(case)
    if after == case.before and code:
        if case.is_refused:
            return Result("right", said)
        if case.has_choices and any(
            _apply(case, "--choose", str(number))[1] == case.after for number in range(1, MAX_CHOICES + 1)
        ):
            return Result("right", said)
        return Result("refused", said)
    if case.is_refused or case.has_choices or after != case.after:
        written = b"\n".join(name.encode() + b":\n" + text for name, text in sorted(after.items()))
        return Result("wrong", f"{said}{written.decode(errors='replace')}")
    return Result("right", said)


def _apply(case: ApplyCase, *options: str) -> tuple[int, dict[str, bytes], str]:
    """Return the exit code, the files, and what the command says on stderr."""
    with tempfile.TemporaryDirectory() as name:
        folder, sketch = Path(name, "work").resolve(), Path(name, "sketch.txt").resolve()
        for path, data in case.before.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        sketch.write_bytes(case.sketch)
        own = [case.own] if case.own else []
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
        with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(["apply", *own, "--sketch", str(sketch), "--write", "--yes", "--json", *options])
        after = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }
        err.seek(0)
        return code, after, err.read()


def play_tab(case: TabCase, server: SharedServer) -> Result:
    """Play a scenario with a session of its own, and judge what came."""
    with server.session(SETTINGS) as editor:
        try:
            play_scenario(editor, case.scenario)
        except ScenarioFailure as failure:
            return Result("refused" if _is_less(case.scenario, server) else "wrong", str(failure))
    return Result("right")


def _is_less(scenario: Scenario, server: SharedServer) -> bool:
    """Return whether nothing is shown after the steps, or only some of the lines that are right."""
    with server.session(SETTINGS) as editor, ScenarioPlayer(editor, scenario) as player:
        try:
            player.make_steps()
        except ScenarioFailure:
            return True
        before, wanted = player.document, player.wanted()
        for _ in range(MAX_ACCEPTS):
            if not player.press_tab():
                break
        shown = editor.documents[before.uri].text
    if shown == before.text or wanted is None:
        return shown == before.text
    sides = [text.split("\n") for text in (before.text, wanted, shown)]
    return len(set(map(len, sides))) == 1 and all(
        here in (old, new) for old, new, here in zip(*sides, strict=True)
    )


REPORTS = CaseKind(
    what="reports",
    required=frozenset(),
    headers=SCENARIOS.headers | {"own"},
    sections=SCENARIOS.sections
    | {"file", "sketch", "right", "gone", "refused", "choices", "refused so far", "silent so far"},
    read=_read,
)
CASES = {
    f"{folder.name}/{case.name}": case
    for folder in sorted(each for each in FOLDER.iterdir() if each.is_dir())
    for path in sorted(folder.glob("*.txt"))
    for case in REPORTS.load(path)
}
