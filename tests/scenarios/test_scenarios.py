"""Scenario files with the real server; none may score less than in `tests/baseline.json`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import quality_baseline
from editahead_evals.client.shared_server import SharedServer
from editahead_evals.errors import ScenarioFailure
from editahead_evals.scenarios.scenario_file import SCENARIOS, Scenario
from editahead_evals.scenarios.scoring import score

HERE = Path(__file__).parent

FAILING = dict(
    line.removeprefix("- ").split(": ", 1)
    for line in (HERE / "failing.md").read_text("utf-8").splitlines()
    if line.startswith("- ")
)
"""Scenarios that are not met yet, by name, and what is missing. One that comes to be met must leave the list."""

CASES = SCENARIOS.load_folder(HERE)


def expected(scenario: Scenario) -> object:
    known = FAILING.get(scenario.name)
    marks = [pytest.mark.xfail(reason=known, raises=ScenarioFailure, strict=True)] if known else []
    return pytest.param(scenario, id=scenario.name, marks=marks)


@pytest.fixture(scope="module")
def server() -> Iterator[SharedServer]:
    """Yield one server process; each scenario has a session of its own."""
    with SharedServer() as server:
        yield server


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [expected(scenario) for scenario in CASES])
def test_scenario(scenario: Scenario, server: SharedServer) -> None:
    result = score(server.session, scenario)
    lost = quality_baseline.lost_in_scenario(result, quality_baseline.read())
    # Before the failure: that one may be expected, but not that more is lost.
    assert not lost, "\n".join(
        [*lost, "If that is meant: quality_baseline.py --lower.", result.failure or ""]
    )
    if result.failure is not None:
        raise ScenarioFailure(result.failure)


def test_there_is_a_twin_for_many() -> None:
    silent = {case.name.removesuffix(".silent") for case in CASES if case.name.endswith(".silent")}
    assert len(CASES) >= 80
    assert len(silent) >= (len(CASES) - len(silent)) / 3


def test_what_fails_exists() -> None:
    assert set(FAILING) <= {scenario.name for scenario in CASES}


def test_what_the_baseline_has_exists() -> None:
    assert set(quality_baseline.read()["scenarios"]) <= {scenario.name for scenario in CASES}
