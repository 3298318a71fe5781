"""The fit of what `finish` tells, on commits of our own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from installed import needs

pytest.importorskip("numpy", reason="fitting needs the extra `train`")

import zstandard

from editahead_inference.finish.weights import FinishWeights
from editahead_lab.training.finish.fit_finish import (
    FinishSample,
    FinishTrial,
    choose_thresholds,
    figures,
    reported,
    train,
)

pytestmark = needs("sklearn")

NAMES = ("user", "order", "cart", "stock", "price", "label", "route", "token")


def renaming(number: int) -> dict[str, Any]:
    """A commit that renames a function and its uses in two files, beside an edit that nothing repeats."""
    name = NAMES[number % len(NAMES)]
    files = [
        (
            f"{name}.py",
            f"def load_{name}(path):\n    return path\n\n\nload_{name}(1)\nload_{name}(2)\nx = 1\n",
        ),
        ("use.py", f"from {name} import load_{name}\n\n\nload_{name}(3)\ny = 2\nload_{name}(4)\n"),
    ]
    return {
        "id": f"owner/{number % 4}@{number}",
        "repo": f"owner/{number % 4}",
        "date": number,
        "files": [
            {
                "path": f"{number}/{path}",
                "status": "M",
                "language": "python",
                "before": text,
                "after": text.replace("load_", "read_").replace("= 1\n", f"= {number + 2}\n"),
            }
            for path, text in files
        ],
    }


@pytest.mark.slow
def test_renames_are_learnt(tmp_path: Path) -> None:
    commits, out = tmp_path / "commits.jsonl.zst", tmp_path / "weights.json"
    commits.write_bytes(
        zstandard.compress("".join(json.dumps(renaming(n)) + "\n" for n in range(60)).encode())
    )
    provenance = train(commits, out)
    data = json.loads(out.read_text())
    weights = FinishWeights(data)
    assert data["provenance"] == provenance
    assert provenance["figures"]["hunks"]["recall"] > 0.5
    assert provenance["figures"]["false alarms"] <= 0.04
    assert weights.threshold("code") < 1 and weights.threshold("translation") == 1


def test_too_few_commits(tmp_path: Path) -> None:
    commits = tmp_path / "commits.jsonl.zst"
    commits.write_bytes(zstandard.compress((json.dumps(renaming(1)) + "\n").encode()))
    with pytest.raises(ValueError, match="too few"):
        train(commits, tmp_path / "weights.json")


def sample(trial: int, right: bool, line: int, kind: str = "code") -> FinishSample:
    return FinishSample(trial, {}, right, kind, ("a", line, line + 1), (("a", line),) if right else ())


def test_the_likeliest_of_overlapping_edits_is_reported() -> None:
    samples = [sample(0, False, 1), sample(0, True, 1), sample(1, True, 1), sample(0, True, 3, "test")]
    assert reported(samples, [0.6, 0.9, 0.7, 0.95], {"code": 0.5}) == [1, 2]


def test_thresholds_keep_precision_and_false_alarms() -> None:
    trials = [FinishTrial("r", "hunks", frozenset({("a", 1)})) for _ in range(20)]
    trials += [FinishTrial("r", "none", frozenset()) for _ in range(20)]
    samples = [sample(number, number % 4 != 0, 1) for number in range(20)]
    samples += [sample(number, False, 1) for number in range(20, 24)]
    likely = [0.5 if number % 4 == 0 else 0.9 for number in range(20)] + [0.85] * 4
    thresholds = choose_thresholds(trials, samples, likely)
    assert 0.85 < thresholds["code"] <= 0.9
    found = figures(trials, samples, likely, thresholds)
    assert (
        found["false alarms"] == 0 and found["hunks"]["precision"] == 1 and found["hunks"]["recall"] == 0.75
    )
