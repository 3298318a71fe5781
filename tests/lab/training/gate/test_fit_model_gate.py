"""The joint gate: what is fitted, and what is said of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from math import log
from pathlib import Path

import pytest

from editahead_lab.training.gate import fit_model_gate
from editahead_lab.training.gate.fit_model_gate import (
    JointCandidate,
    JointMoment,
    Shown,
    collect,
    figures,
    fit,
    interval,
    left_out,
    measured,
    shown,
)
from installed import needs

pytestmark = needs("scipy")


def asked(count: int, seed: int) -> list[JointMoment]:
    """Return moments whose right edits only the model knows: all others are unlikely to it."""
    rng = random.Random(seed)
    out = []
    for number in range(count):
        right = rng.random() < 0.4
        said = log(rng.uniform(0.5, 0.9) if right else rng.uniform(0.001, 0.1))
        candidates = (JointCandidate(0.35, said, right), JointCandidate(0.1, None, False))
        out.append(JointMoment(f"r{number // 3}", rng.random() < 0.9 or right, candidates))
    return out


@pytest.mark.slow
def test_what_a_model_knows_is_learned() -> None:
    table = measured(asked(400, 2), 0)
    assert table["with the model"]["precision"] > 0.95 > table["rules alone"]["precision"]
    assert table["with the model"]["false_end"] < table["rules alone"]["false_end"]


def test_each_source_adds_what_it_knows() -> None:
    rng = random.Random(3)
    moments = []
    for number in range(800):
        rules, said = rng.uniform(0.1, 0.9), rng.uniform(0.05, 0.9)
        right = rng.random() < (rules + said) / 2
        moments.append(JointMoment(f"r{number % 9}", True, (JointCandidate(rules, log(said), right),)))
    terms = fit(moments)
    assert terms["rule-odds"] > 0 and terms["model-odds"] > 0


def test_without_a_model_the_rules_are_taken_at_their_word() -> None:
    one = JointMoment("r", True, (JointCandidate(0.35, log(0.9), True), JointCandidate(0.5, None, False)))
    assert shown([one], None) == [Shown("r", True, False)]


def test_an_edit_that_no_rule_proposes_counts_only_with_the_model() -> None:
    one = JointMoment("r", True, (JointCandidate(None, log(0.9), True),))
    assert shown([one], None) == [Shown("r", True, None)]
    sure = {"one": 2.0, "rule": 0.0, "rule-odds": 0.0, "model-odds": 0.0}
    assert shown([one], sure) == [Shown("r", True, True)]


def test_every_moment_is_judged_once_by_terms_of_other_repositories(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = asked(90, 4)
    fitted: list[set[str]] = []

    def spy(known: list[JointMoment]) -> dict[str, float]:
        fitted.append({moment.repo for moment in known})
        return fit(known)

    monkeypatch.setattr(fit_model_gate, "fit", spy)
    found = left_out(moments)
    assert sorted(one.repo for one in found) == sorted(moment.repo for moment in moments)
    assert all(len(repos) < 30 for repos in fitted)


def test_the_interval_holds_the_figure() -> None:
    found = shown(asked(60, 4), None)
    low, high = interval(found, "coverage", 0)
    assert low <= figures(found)["coverage"] <= high
    assert figures([]) == {"opportunities": 0, "coverage": 0.0, "precision": 0.0, "false_end": 0.0}


def test_a_run_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Pool:
        def __init__(self, *args: object, **named: object) -> None: ...

        def __enter__(self) -> Pool:
            return self

        def __exit__(self, *args: object) -> None: ...

        def map(self, function: object, records: list[dict[str, str]]) -> Iterator[list[JointMoment]]:
            done.extend(record["id"] for record in records)
            for record in records:
                yield [JointMoment(record["id"], True, (JointCandidate(None, -0.5, True),))]

    done: list[str] = []
    monkeypatch.setattr(fit_model_gate, "process_pool", Pool)
    records = [{"id": name} for name in "abc"]
    kept = tmp_path / "answers.jsonl"
    first = collect(records, tmp_path, 1, kept)
    assert [next(first).repo, next(first).repo] == ["a", "b"]
    done.clear()
    assert [moment.repo for moment in collect(records, tmp_path, 1, kept)] == ["a", "b", "c"]
    assert done == ["c"] and len(kept.read_text().splitlines()) == 3
    assert [moment.repo for moment in collect(records[:2], tmp_path, 1, kept)] == ["a", "b"]
