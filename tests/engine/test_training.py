"""A training run that takes seconds, on examples that a small model can learn."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="`make engine-test` installs what this takes")
pytest.importorskip("transformers", reason="`make engine-test` installs what this takes")

from editahead_training import loop, packed  # noqa: E402
from editahead_training.examples import TASKS, Example, plain  # noqa: E402

PLAN = loop.Plan(size="tiny", dense=False, minutes=None, steps=24, seed=3, row=512, rate=5e-3, exact=True)


def counting(count: int, seed: int) -> Iterator[Example]:
    """Tokens that count up, by ones, twos or threes."""
    chance = random.Random(seed)
    for number in range(count):
        start, step, long = chance.randrange(100), 1 + number % 3, chance.randint(12, 40)
        tokens = [300 + (start + step * at) % 100 for at in range(long)]
        task = TASKS[number % len(TASKS)]
        read = 0 if task == "code" else long // 2
        yield plain(task, tokens[:read], tokens[read:])


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> packed.Packed:
    return packed.write(tmp_path_factory.mktemp("examples") / "train", counting(120, 1), {})


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> packed.Packed:
    return packed.write(tmp_path_factory.mktemp("examples") / "held", counting(30, 2), {})


@pytest.fixture(scope="module")
def trained(
    examples: packed.Packed, held: packed.Packed, tmp_path_factory: pytest.TempPathFactory
) -> tuple[loop.Ended, list[dict[str, Any]]]:
    lines: list[dict[str, Any]] = []
    ended = loop.train(PLAN, examples, held, tmp_path_factory.mktemp("run"), resume=False, tell=lines.append)
    return ended, lines


def test_what_is_lost_gets_less(trained: tuple[loop.Ended, list[dict[str, Any]]]) -> None:
    ended, lines = trained
    tests = [line["held"] for line in lines if "held" in line]
    assert ended.finished and ended.held == tests[-1]
    assert set(ended.held) == {*TASKS, "all"}
    assert ended.held["all"] < 0.6 * tests[0]["all"]


@pytest.mark.parametrize("dense", [False, True])
def test_an_interrupted_run_ends_as_one_that_was_not(
    examples: packed.Packed, held: packed.Packed, tmp_path: Path, dense: bool
) -> None:
    plan = replace(PLAN, dense=dense)
    whole = loop.train(plan, examples, held, tmp_path / "whole", resume=False, tell=lambda _: None)

    def interrupt(line: dict[str, Any]) -> None:
        if line["step"] >= 10:
            os.kill(os.getpid(), signal.SIGTERM)

    first = loop.train(plan, examples, held, tmp_path / "parts", resume=False, tell=interrupt)
    assert not first.finished and 10 <= first.where.step < 24
    second = loop.train(plan, examples, held, tmp_path / "parts", resume=True, tell=lambda _: None)
    assert second.finished and second.held == whole.held
    assert (second.where.tokens, second.where.at) == (whole.where.tokens, whole.where.at)
    ends = second.model.state_dict()
    assert all(torch.equal(weights, ends[name]) for name, weights in whole.model.state_dict().items())
