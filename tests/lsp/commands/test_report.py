"""`editahead.report`: the scenario file of an edit that was expected, and of one that was wrong."""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from editahead_evals.scenarios.scenario_file import SCENARIOS, Shown, Silent
from editahead_evals.scenarios.script import Type
from machine_policy import write_policy
from server_harness import ServerHarness

__all__ = ["write_policy"]

URI = "file:///project/a.py"
OTHER = "file:///project/b.py"


@pytest.fixture
async def person(connect: Callable[..., ServerHarness], tmp_path: Path) -> ServerHarness:
    """A person who has renamed two of three uses."""
    harness = connect(state_folder=tmp_path / "state")
    await harness.initialize({"debounce_ms": 0, "exclude": ["b.py"]}, root=Path("/project"))
    harness.open(OTHER, "user = 'of a file that is excluded'\n")
    harness.open(URI, "user = 1\nprint(1)\nprint(user)\n\nprint(user)\nkey = 'AKIAIOSFODNN7EXAMPLE'\n")
    harness.change(URI, 2, (0, 0, 0, 4, "member"))
    harness.change(OTHER, 2, (0, 0, 0, 4, "member"))
    harness.change(URI, 3, (2, 6, 2, 10, "member"))
    return harness


def mode_of(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def read(file: Path) -> str:
    return file.read_text("utf-8")


async def report(harness: ServerHarness, kind: str) -> Any:
    return await harness.command("report", kind)


async def test_the_last_edit_was_expected(person: ServerHarness) -> None:
    found = await report(person, "missed")
    assert found["reason"] is None
    file = Path(found["file"])
    assert file.parent == person.server.scenario_folder and file.name.endswith("-missed.txt")
    assert mode_of(file) == 0o600 or sys.platform == "win32"
    (scenario,) = SCENARIOS.load(file)
    assert len(scenario.steps) == 1
    assert isinstance(scenario.expected, Shown)
    (hunk,) = scenario.expected.hunks
    assert (hunk.start, hunk.old, hunk.new) == (2, ("print(user)",), ("print(member)",))
    text = read(file)
    assert "AKIAIOSFODNN7EXAMPLE" not in text and "b.py" not in text and "excluded" not in text
    assert (await report(person, "missed"))["file"]


async def test_what_was_shown_is_wrong(person: ServerHarness) -> None:
    assert (await report(person, "wrong"))["reason"] == "Nothing has been shown in an open document yet."
    assert await person.predictions(URI, 3, 2, 12)
    person.change(URI, 4, (4, 0, 4, 0, "later "))
    found = await report(person, "wrong")
    (scenario,) = SCENARIOS.load(Path(found["file"]))
    assert isinstance(scenario.expected, Silent) and "later" not in read(Path(found["file"]))
    assert sum(isinstance(step, Type) for step in scenario.steps) == 2
    assert person.server.session.shown_predictions.counts.rejected == 1


async def test_why_there_is_no_file(connect: Callable[..., ServerHarness], tmp_path: Path) -> None:
    harness = connect(state_folder=tmp_path / "state")
    await harness.initialize({"debounce_ms": 0})
    assert "by hand" in (await report(harness, "missed"))["reason"]
    for arguments in ([], ["other"], [{}], [["missed"]]):
        reply = await harness.reply(
            harness.send("workspace/executeCommand", {"command": "editahead.report", "arguments": arguments})
        )
        assert reply["error"]["code"] == -32602


async def test_a_policy_without_recordings_allows_no_report(
    connect: Callable[..., ServerHarness], write_policy: Callable[[str], Path]
) -> None:
    write_policy('record = "off"')
    harness = connect()
    await harness.initialize({"debounce_ms": 0})
    assert "does not allow" in (await report(harness, "missed"))["reason"]
