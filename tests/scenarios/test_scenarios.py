"""Scenario files with the real server; none may score less than in `tests/baseline.json`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import quality_baseline
from editahead_evals.client.shared_server import SharedServer
from editahead_evals.errors import ScenarioFailure
from editahead_evals.scenarios.scenario_file import load
from editahead_evals.scenarios.scoring import score

HERE = Path(__file__).parent

FAILING = dict(
    line.removeprefix("- ").split(": ", 1)
    for line in (HERE / "failing.md").read_text("utf-8").splitlines()
    if line.startswith("- ")
)
"""Scenarios that are not met yet, by name, and what is missing. One that comes to be met must leave the list."""

FILES = sorted(HERE.glob("*.txt"))


def expected(path: Path) -> object:
    known = FAILING.get(path.stem)
    marks = [pytest.mark.xfail(reason=known, raises=ScenarioFailure, strict=True)] if known else []
    return pytest.param(path, id=path.stem, marks=marks)


@pytest.fixture(scope="module")
def server() -> Iterator[SharedServer]:
    """Yield one server process; each scenario has a session of its own."""
    with SharedServer() as server:
        yield server


@pytest.mark.slow
@pytest.mark.parametrize("path", [expected(path) for path in FILES])
def test_scenario(path: Path, server: SharedServer) -> None:
    result = score(server.session, load(path))
    lost = quality_baseline.lost_in_scenario(result, quality_baseline.read())
    # Before the failure: that one may be expected, but not that more is lost.
    assert not lost, "\n".join(
        [*lost, "If that is meant: quality_baseline.py --lower.", result.failure or ""]
    )
    if result.failure is not None:
        raise ScenarioFailure(result.failure)


def test_there_is_a_twin_for_many() -> None:
    silent = {path.stem.removesuffix(".silent") for path in FILES if path.stem.endswith(".silent")}
    assert len(FILES) >= 80
    assert len(silent) >= (len(FILES) - len(silent)) / 3


def test_what_fails_exists() -> None:
    assert set(FAILING) <= {path.stem for path in FILES}


def test_what_the_baseline_has_exists() -> None:
    assert set(quality_baseline.read()["scenarios"]) <= {path.stem for path in FILES}
