"""The quality on a fixed sample of real edits, compared with `tests/baseline.json`, and the test's power to see a loss.

Scenarios have their own test in tests/scenarios.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

import quality_baseline
from editahead_evals.metrics.metrics import SERVER, Counts, FileResult, TypingCounts
from editahead_evals.replay.baselines import BASELINES
from editahead_evals.report.comparison import Difference
from editahead_evals.scenarios.scoring import ScenarioResult
from editahead_lab.tasks.player import TaskResult
from keyboard_baseline import PARTS, BaselinePart
from keyboard_baseline import Counts as KeyboardCounts

pytestmark = pytest.mark.slow


@pytest.mark.ratchet
def test_no_figure_is_significantly_worse_on_real_edits() -> None:
    if not quality_baseline.EDITS.exists():
        pytest.skip(f"there is no {quality_baseline.EDITS}: nothing to measure on")
    assert_none_is_worse(
        quality_baseline.differences(quality_baseline.measure_edits(), quality_baseline.read())
    )


@pytest.mark.ratchet
@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_no_figure_is_significantly_worse_at_the_keyboard(part: BaselinePart) -> None:
    if not part.data.exists():
        pytest.skip(f"there is no {part.data}: nothing to measure on")
    assert_none_is_worse(part.differences(part.measure(part.data), quality_baseline.read()))


def assert_none_is_worse(found: Sequence[Difference]) -> None:
    worse = [each for each in found if each.is_worse]
    told = [
        f"{each.figure}: {each.ours.value:.4f}, was {each.theirs.value:.4f}; "
        f"the difference is between {each.difference.low:.4f} and {each.difference.high:.4f} (95%)"
        for each in worse
    ]
    assert not worse, "\n".join(
        ["significantly worse:", *told, "If that is meant: quality_baseline.py --lower."]
    )


def files(covered: int = 5, wrong: int = 1) -> list[FileResult]:
    out = []
    for n in range(30):
        counts = {name: Counts() for name in (SERVER, *BASELINES)}
        right = min(covered, 4 + n % 3)
        counts[SERVER] = Counts(opportunities=10, covered=right, shown=8, correct=right, located=8, ends=1)
        typing = {SERVER: TypingCounts(keystrokes=100, wrong=wrong)}
        out.append(FileResult(f"o/n@{n}:a.py", "python", 1, counts, typing=typing))
    return out


def keyboard_counts(part: BaselinePart, **more: int) -> KeyboardCounts:
    """Return the counts of 30 items, each with some of everything, and more in the columns that end in these names."""
    rows = {}
    for n in range(30):
        row = {column: 100 if "keys" in column else 4 + n % 3 for column in part.columns}
        for column in part.columns:
            row[column] += next((add for name, add in more.items() if column.split()[-1] == name), 0)
        rows[f"o/n@{n}"] = list(row.values())
    return rows


@pytest.mark.parametrize(
    ("part", "more", "worse"),
    [
        (PARTS[0], {}, set()),
        (PARTS[0], {"seconds": 3, "shown": 3}, set()),
        (PARTS[0], {"seconds": -1}, {"inlineCompletion: time saved", "copilotInlineEdit: time saved"}),
        (PARTS[1], {"wrong": 1}, {"inlineCompletion: wrong/100", "copilotInlineEdit: wrong/100"}),
        (PARTS[1], {"flickers": 1}, {"inlineCompletion: flickered/100", "copilotInlineEdit: flickered/100"}),
        (PARTS[2], {"correct": -1}, {"coverage", "precision"}),
        (PARTS[2], {"wrong": 1, "false_ends": 1}, {"wrong/100", "false end"}),
    ],
)
def test_losses_at_the_keyboard(part: BaselinePart, more: dict[str, int], worse: set[str]) -> None:
    found = part.differences(keyboard_counts(part, **more), baseline())
    assert {each.figure for each in found if each.is_worse} == worse
    assert {each.figure for each in found} == set(part.figures)


def test_all_items_at_the_keyboard_must_be_measured() -> None:
    counts = keyboard_counts(PARTS[0])
    counts.popitem()
    with pytest.raises(ValueError, match="1 items of the baseline were not measured"):
        PARTS[0].differences(counts, baseline())


def baseline() -> quality_baseline.Baseline:
    scenarios = [
        ScenarioResult("met", None, shown=True, likeness=1.0),
        ScenarioResult("nearly", "as it failed", shown=True, likeness=0.704),
        ScenarioResult("silent", None, positions=4, quiet=4),
    ]
    tasks = [TaskResult("half", "key", "go", 4, 2, 1, True, ())]
    made = {
        "note": "what must not be lost",
        "scenarios": quality_baseline.written_scenarios(scenarios),
        "tasks": quality_baseline.written_tasks(tasks),
        "edits": quality_baseline.written_edits(files()),
        **{part.name: part.written(keyboard_counts(part)) for part in PARTS},
    }
    read: quality_baseline.Baseline = json.loads(quality_baseline._as_text(made))
    assert read == json.loads(json.dumps(made))
    return read


def worse(results: list[FileResult]) -> set[str]:
    return {each.figure for each in quality_baseline.differences(results, baseline()) if each.is_worse}


def test_the_same_is_no_loss_and_less_is() -> None:
    assert worse(files()) == set()
    assert worse(files(covered=9)) == set()
    assert worse(files(covered=4)) == {"coverage", "precision"}
    assert worse(files(wrong=2)) == {"typing: wrong/100"}


def test_all_files_must_be_measured() -> None:
    with pytest.raises(ValueError, match="1 files of the baseline were not measured"):
        quality_baseline.differences(files()[1:], baseline())


def test_nothing_of_the_files_is_in_it_but_counts() -> None:
    made = json.dumps(baseline())
    assert "o/n" not in made
    assert "a.py" not in made


@pytest.mark.parametrize(
    ("result", "lost"),
    [
        (ScenarioResult("met", None, shown=True, likeness=1.0), []),
        (ScenarioResult("met", "fails", shown=True, likeness=1.0), ["met: was met, and is not any more"]),
        (ScenarioResult("nearly", "fails", shown=True, likeness=0.7), []),
        (ScenarioResult("nearly", None, shown=True, likeness=0.9), []),
        (ScenarioResult("nearly", "fails", shown=True, likeness=0.6), ["nearly: deltaChrF 0.60, was 0.70"]),
        (ScenarioResult("nearly", "fails", likeness=0.0), ["nearly: deltaChrF 0.00, was 0.70"]),
        (ScenarioResult("silent", None, positions=4, quiet=3), ["silent: quiet at 3 places, was at 4"]),
        (ScenarioResult("new", "fails", likeness=0.0), []),
    ],
)
def test_what_a_scenario_loses(result: ScenarioResult, lost: list[str]) -> None:
    assert quality_baseline.lost_in_scenario(result, baseline()) == lost


@pytest.mark.parametrize(
    ("name", "right", "wrong", "lost"),
    [
        ("half", 2, 1, []),
        ("half", 3, 0, []),
        ("half", 1, 0, ["half: 1 of 4 places, was 2"]),
        ("half", 4, 2, ["half: 2 wrong lines, was 1"]),
        ("new", 0, 9, []),
    ],
)
def test_what_a_task_loses(name: str, right: int, wrong: int, lost: list[str]) -> None:
    result = TaskResult(name, "key", "go", 4, right, wrong, True, ())
    assert quality_baseline.lost_in_task(result, baseline()) == lost
