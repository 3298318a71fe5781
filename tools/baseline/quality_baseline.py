"""The quality baseline: `tests/baseline.json`, its comparison with new results, and its update.

The file holds counts and scores by scenario, by task, and by file of a fixed sample of real edits. It holds no text of
these files, and names them by a digest of their ids. Run `python tools/baseline/quality_baseline.py [--lower] [PART ...]` to
measure anew and write. The parts are `scenarios`, `tasks`, `edits`, and those of `keyboard_baseline`; by default all are
measured.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from editahead_evals.client.shared_server import SharedServer
from editahead_evals.data.edit_records import read_records, sample
from editahead_evals.data.own_checkout import present_commit
from editahead_evals.metrics.metrics import SERVER, Counts, FileResult, TypingCounts
from editahead_evals.replay.baselines import BASELINES
from editahead_evals.replay.commit_evaluation import EvalPlan
from editahead_evals.replay.parallel import evaluate
from editahead_evals.report.comparison import Difference
from editahead_evals.report.report import compare_files
from editahead_evals.scenarios.scenario_file import SCENARIOS
from editahead_evals.scenarios.scoring import ScenarioResult, score
from editahead_lab.tasks.player import TaskResult, play_task
from editahead_lab.tasks.task_file import TASKS
from keyboard_baseline import PARTS

ROOT = Path(__file__).parents[2]
BASELINE = ROOT / "tests" / "baseline.json"
SCENARIO_FOLDER = ROOT / "tests" / "scenarios"
TASK_FOLDER = ROOT / "tests" / "tasks"
EDITS = ROOT.parent / "shared" / "data" / "edits" / "dev.jsonl.zst"
FILES, SEED, JOBS = 120, 5, 2

ROUNDING = 0.005
"""The rounding of scenario scores, which have two decimals."""
COLUMNS = (
    ["opportunities", "covered", "shown", "correct", "located", "jumps", "ends", "false_ends", "reversals"],
    ["keystrokes", "wrong"],
)
"""The stored counts of each file, at its changes and while typing."""
FIGURES = ("coverage", "precision", "location", "false end", "jump", "reversal", "typing: wrong/100")
"""The figures computed from the counts, none of which may become significantly worse."""

Baseline = dict[str, Any]


def read() -> Baseline:
    value: Baseline = json.loads(BASELINE.read_text("utf-8"))
    return value


def measure_edits() -> list[FileResult]:
    return list(evaluate(sample(read_records(EDITS), FILES, SEED), JOBS, EvalPlan()))


def measure_scenarios() -> list[ScenarioResult]:
    with SharedServer() as server:
        return [score(server.session, scenario) for scenario in SCENARIOS.load_folder(SCENARIO_FOLDER)]


def measure_tasks() -> list[TaskResult]:
    with SharedServer() as server:
        return [
            play_task(server.session, task, learning=True)  # as by default
            for task in TASKS.load_folder(TASK_FOLDER)
        ]


def lost_in_scenario(result: ScenarioResult, baseline: Baseline) -> list[str]:
    """Return what the baseline has of a scenario and the result lacks. A new scenario can lose nothing."""
    known = baseline["scenarios"].get(result.name)
    if known is None:
        return []
    lost = []
    if known["met"] and not result.met:
        lost.append(f"{result.name}: was met, and is not any more")
    if (known["likeness"] or 0.0) > (result.likeness or 0.0) + ROUNDING:
        lost.append(f"{result.name}: deltaChrF {result.likeness or 0.0:.2f}, was {known['likeness']:.2f}")
    if known["quiet"] > result.quiet:
        lost.append(f"{result.name}: quiet at {result.quiet} places, was at {known['quiet']}")
    return lost


def lost_in_task(result: TaskResult, baseline: Baseline) -> list[str]:
    """Return what the baseline has of a task and the result lacks. A new task can lose nothing."""
    known = baseline["tasks"].get(result.name)
    if known is None:
        return []
    lost = []
    if known["right"] > result.right:
        lost.append(f"{result.name}: {result.right} of {result.places} places, was {known['right']}")
    if known["wrong"] < result.wrong:
        lost.append(f"{result.name}: {result.wrong} wrong lines, was {known['wrong']}")
    return lost


def differences(results: Iterable[FileResult], baseline: Baseline) -> Sequence[Difference]:
    """Return the differences of the baseline's figures, paired by file."""
    known = baseline["edits"]["counts"]
    ours = [_named(result, digest(result.id)) for result in results]
    theirs = [_result(name, row) for name, row in known.items()]
    found = compare_files(ours, theirs, baseline["edits"]["commit"], SEED)
    if found.files < len(known):
        raise ValueError(f"{len(known) - found.files} files of the baseline were not measured")
    return [each for each in found.figures.values() if each.figure in FIGURES]


def written_scenarios(results: Iterable[ScenarioResult]) -> Baseline:
    return {
        result.name: {
            "met": result.met,
            "likeness": None if result.likeness is None else round(result.likeness, 2),
            "quiet": result.quiet,
        }
        for result in sorted(results, key=lambda result: result.name)
    }


def written_tasks(results: Iterable[TaskResult]) -> Baseline:
    return {
        result.name: {"right": result.right, "wrong": result.wrong}
        for result in sorted(results, key=lambda result: result.name)
    }


def written_edits(results: Iterable[FileResult]) -> Baseline:
    return {
        "commit": present_commit(),
        "data": EDITS.name,
        "files": FILES,
        "seed": SEED,
        "columns": [*COLUMNS[0], *(f"typing {column}" for column in COLUMNS[1])],
        "counts": {
            digest(result.id): [
                *(getattr(result.counts[SERVER], column) for column in COLUMNS[0]),
                *(getattr(result.typing[SERVER], column) for column in COLUMNS[1]),
            ]
            for result in sorted(results, key=lambda result: digest(result.id))
        },
    }


def digest(id: str) -> str:
    return blake2b(id.encode(), digest_size=6).hexdigest()


def _named(result: FileResult, name: str) -> FileResult:
    return FileResult(name, "", 0, result.counts, typing=result.typing)


def _result(name: str, row: Sequence[int]) -> FileResult:
    """Return the stored part of a file's result."""
    ours = len(COLUMNS[0])
    counts = {predictor: Counts() for predictor in (SERVER, *BASELINES)}
    counts[SERVER] = Counts(**dict(zip(COLUMNS[0], row[:ours], strict=True)))
    typing = TypingCounts(**dict(zip(COLUMNS[1], row[ours:], strict=True)))
    return FileResult(name, "", 0, counts, typing={SERVER: typing})


def _as_text(baseline: Baseline) -> str:
    """Return JSON with one line for each scenario and each file, for readable diffs."""

    def lines(rows: Mapping[str, Any], indent: str) -> str:
        each = (f"{indent}{json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())
        return "{\n" + ",\n".join(each) + "\n" + indent[1:] + "}"

    parts = {
        "note": json.dumps(baseline["note"]),
        "scenarios": lines(baseline["scenarios"], "  "),
        "tasks": lines(baseline["tasks"], "  "),
    }
    for name in ("edits", *(part.name for part in PARTS)):
        part = baseline[name]
        head = "".join(f"  {json.dumps(k)}: {json.dumps(v)},\n" for k, v in part.items() if k != "counts")
        parts[name] = "{\n" + head + '  "counts": ' + lines(part["counts"], "   ") + "\n }"
    return "{\n" + ",\n".join(f' "{name}": {part}' for name, part in parts.items()) + "\n}\n"


def main(arguments: Sequence[str]) -> int:
    everything = ["scenarios", "tasks", "edits", *(part.name for part in PARTS)]
    parts = [word for word in arguments if word != "--lower"] or everything
    before = read()
    after, lost = dict(before), []
    if "scenarios" in parts:
        scenarios = measure_scenarios()
        lost += [line for result in scenarios for line in lost_in_scenario(result, before)]
        after["scenarios"] = written_scenarios(scenarios)
    if "tasks" in parts:
        tasks = measure_tasks()
        lost += [line for result in tasks for line in lost_in_task(result, before)]
        after["tasks"] = written_tasks(tasks)
    if "edits" in parts and not EDITS.exists():
        print(f"there is no {EDITS}: its part of the baseline stays as it is")
    elif "edits" in parts:
        results = measure_edits()
        lost += _losses(differences(results, before))
        after["edits"] = written_edits(results)
    for part in PARTS:
        if part.name not in parts:
            continue
        if not part.data.exists():
            print(f"there is no {part.data}: its part of the baseline stays as it is")
            continue
        counts = part.measure(part.data)
        lost += _losses(part.differences(counts, before) if part.name in before else ())
        after[part.name] = part.written(counts)
    if lost and "--lower" not in arguments:
        print("not written, for something would be lost (--lower writes it all the same):", *lost, sep="\n  ")
        return 1
    BASELINE.write_text(_as_text(after), "utf-8")
    print(f"written: {BASELINE}")
    return 0


def _losses(found: Iterable[Difference]) -> list[str]:
    """Print differences, and return the significant losses."""
    lost = []
    for each in found:
        values = ("-" if value is None else f"{value:.4f}" for value in (each.ours.value, each.theirs.value))
        print(f"{each.figure}: {', was '.join(values)}")
        if each.is_worse:
            lost.append(f"{each.figure}: significantly worse")
    return lost


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
