"""`editahead stats --compare`: two arms on the days of a log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from command_line import CommandLine
from editahead_cli.arm_comparison import MIN_BLOCKS, compare_arms
from editahead_workspace.day_arms import Arm, Comparison, arm_of
from editahead_workspace.outcome_log import FILE_NAME, Outcome, OutcomeLog, TypedCharacters
from editahead_workspace.settings import SettingsSource, resolve_settings
from schemas import validate

SETTINGS = {"compare": {"eagerness": 0.8}}
COMPARISON = Comparison.from_settings(resolve_settings([SettingsSource("user", "mine", SETTINGS)]))
assert COMPARISON is not None
FIRST = date(2026, 3, 3)
ONE = Outcome(
    run="r", number=0, at=0.0, language="python", source="propagation", kind="rename", confidence=0.7, shipped=0.6,
    recent=0.0, size=12, distance=3, latency_ms=4.0, shown_ms=2000.0, seen=True, event="accepted",
)  # fmt: skip  # a table

Accepted = Callable[[Arm, int], int]
"""Returns how many of the ten edits of a day are accepted, by its arm and its number."""


def by_arm(arm: Arm, day: int) -> int:
    return 3 + day // 2 % 2 + 3 * (arm == "b")


def log_of(
    days: int, accepted: Accepted, name: str = COMPARISON.name
) -> tuple[list[Outcome], list[TypedCharacters]]:
    outcomes, counted = [], []
    for number in range(days):
        day = FIRST + timedelta(number)
        arm = arm_of(name, day)
        noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp()
        for edit in range(10):
            taken = edit < accepted(arm, number)
            outcomes.append(
                replace(
                    ONE, number=10 * number + edit, at=noon + edit, event="accepted" if taken else "ignored",
                    kept_300=1.0 if taken else None, arm=f"{name}/{arm}",
                )
            )  # fmt: skip  # a table
        counted.append(TypedCharacters(day.isoformat(), "python", 500, 12 * accepted(arm, number)))
    return outcomes, counted


def compare(days: int, accepted: Accepted) -> Any:
    found = compare_arms(Path("x.db"), *log_of(days, accepted), COMPARISON)
    assert found is not None
    return found


def test_a_better_arm_is_clear() -> None:
    found = compare(20, by_arm)
    assert found.settings == {"eagerness": [0.5, 0.8]}
    assert (found.first, found.last, found.days, found.blocks_missing) == (
        "2026-03-03",
        "2026-03-22",
        {"a": 10, "b": 10},
        0,
    )
    measure = found.measures["accepted"]
    assert (measure.a, measure.b) == (0.35, 0.65)
    assert measure.chance == round(2 / 2**10, 4), "of all draws, this one and its mirror image"
    assert found.measures["made"].b > found.measures["made"].a
    assert found.measures["unwanted"].b < found.measures["unwanted"].a


def test_equal_arms_are_not() -> None:
    measures = compare(60, lambda _, day: 5 + day % 3).measures
    assert all(one.chance > 0.2 for one in measures.values())


def test_few_days_are_not_enough() -> None:
    found = compare(6, by_arm)
    assert found.blocks_missing == MIN_BLOCKS - 3
    assert found.measures["accepted"].chance > 0.05


def test_a_day_with_other_settings_is_left_out() -> None:
    outcomes, counted = log_of(8, by_arm)
    stray = replace(outcomes[35], number=999, arm="")
    found = compare_arms(Path("x.db"), [*outcomes[:36], stray, *outcomes[36:]], counted, None)
    assert found is not None and sum(found.days.values()) == 7 and found.settings is None


def test_the_newest_comparison_counts() -> None:
    (old, old_counts), (new, new_counts) = log_of(4, by_arm, "00000000"), log_of(4, by_arm)
    later = [replace(one, number=one.number + 100, at=one.at + 4 * 86_400) for one in new]
    later = [
        replace(
            one,
            arm=f"{COMPARISON.name}/{arm_of(COMPARISON.name, datetime.fromtimestamp(one.at, UTC).date())}",
        )
        for one in later
    ]
    found = compare_arms(Path("x.db"), [*old, *later], [*old_counts, *new_counts], COMPARISON)
    assert found is not None and (found.first, found.last) == ("2026-03-07", "2026-03-10")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("EDITAHEAD_COMPARE", '{"eagerness": 0.8}')
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path / "state" / "editahead" / FILE_NAME


def write(file: Path) -> None:
    outcomes, counted = log_of(20, by_arm)
    log = OutcomeLog(file, lambda: 0.0)
    for outcome in outcomes:
        log.write(outcome)
    log.count(counted)
    log.stop()


def test_a_table(file: Path, editahead: CommandLine) -> None:
    write(file)
    out = editahead("stats", "--compare").out
    assert "a: eagerness = 0.5; b: eagerness = 0.8" in out
    rows = {
        line.rsplit(maxsplit=3)[0].strip(): line.split()[-3:]
        for line in out.splitlines()
        if line.endswith("%")
    }
    assert rows["accepted, of those seen"] == ["35.0%", "65.0%", "0%"]


def test_json(file: Path, editahead: CommandLine) -> None:
    write(file)
    output = editahead.json("stats", "--compare")
    validate("output.stats-compare", "output", output)
    assert output["days"] == {"a": 10, "b": 10}


def test_nothing_to_compare_yet(file: Path, editahead: CommandLine) -> None:
    assert "no outcomes of a comparison" in editahead("stats", "--compare", code=1).out
    assert "--html" in editahead.error("stats", "--compare", "--html", "page.html")
