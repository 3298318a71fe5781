from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import fake_server
from editahead_evals.client.editor import Editor
from editahead_evals.client.lsp_client import LanguageClient
from editahead_evals.errors import RecordError
from editahead_evals.scenarios.scenario_file import SCENARIOS, Scenario
from editahead_evals.scenarios.scoring import ScenarioReport, ScenarioResult, score, summarize

HEAD = "# about\nlanguage: python\nfile: a.py\n"


def scenario(buffer: str, steps: str, expect: str, after: str | None = None) -> Scenario:
    tail = "" if after is None else f"-- expect after accepts --\n{after}"
    return SCENARIOS.parse_one(
        f"{HEAD}-- buffer --\n{buffer}-- steps --\n{steps}-- expect --\n{expect}{tail}", "name"
    )


def session(settings: Mapping[str, Any]) -> Editor:
    """With the fake server, which predicts that every `old_name` becomes `new_name`."""
    assert fake_server.__file__ is not None
    return Editor(settings, client=LanguageClient([sys.executable, fake_server.__file__]))


def report(*results: ScenarioResult) -> ScenarioReport:
    return summarize("abc", "tests/scenarios", results)


def test_a_score_is_likeness_times_showing_and_silence() -> None:
    half_right = report(
        ScenarioResult("a", None, shown=True, likeness=1.0),
        ScenarioResult("b", "nothing", shown=False, likeness=0.0),
        ScenarioResult("c", None, shown=True),
        ScenarioResult("d", None, positions=4, quiet=3),
    )
    assert half_right.delta_chrf == 0.5
    assert half_right.show_rate == pytest.approx(2 / 3)
    assert half_right.quiet_rate == 0.75
    assert half_right.score == pytest.approx(0.5 * 2 * (2 / 3) * 0.75 / (2 / 3 + 0.75))
    assert half_right.met == 3


def test_nothing_shown_and_nothing_to_be_silent_about_score_nothing() -> None:
    assert report(ScenarioResult("a", "nothing", likeness=0.0)).score == 0
    assert report().score == 0


NAMES = "x = old_name\ny = 2\nz = old_name\n"


@pytest.mark.parametrize(
    ("played", "met", "expected"),
    [
        pytest.param(
            scenario(NAMES, "", "edit\n@ 1\n-x = old_name\n+x = new_name\n"),
            True,
            {"shown": True, "likeness": 1.0},
            id="one edit is one Tab",
        ),
        pytest.param(
            scenario(NAMES, "", "jump 1\n", NAMES.replace("old", "new")),
            True,
            {"shown": True, "likeness": 1.0},
            id="Tabs until silence",
        ),
        pytest.param(
            scenario("a\n", "", "edit\n@ 1\n-a\n+b\n"), False, {"shown": False, "likeness": 0.0}, id="silence"
        ),
        pytest.param(scenario(NAMES, "", "jump 1\n"), True, {"shown": True}, id="a place"),
        pytest.param(scenario("a\n", "", "silent\n"), True, {"positions": 4, "quiet": 4}, id="quiet"),
        pytest.param(scenario(NAMES, "", "silent\n"), False, {"positions": 4, "quiet": 0}, id="not quiet"),
        pytest.param(scenario("a\n", "accept\n", "silent\n"), False, {}, id="steps that cannot be made"),
        pytest.param(
            scenario("a\n", "accept\n", "edit\n@ 1\n-a\n+b\n"),
            False,
            {"likeness": 0.0},
            id="nor towards an edit",
        ),
    ],
)
def test_a_scenarios_score(played: Scenario, met: bool, expected: dict[str, Any]) -> None:
    result = score(session, played)
    assert result.met is met
    assert result == ScenarioResult("name", result.failure, **expected)


def test_another_edit_is_like_in_part() -> None:
    result = score(session, scenario(NAMES, "", "edit\n@ 1\n-x = old_name\n+x = new_names\n"))
    assert result.likeness is not None
    assert 0.3 < result.likeness < 1
    assert "x = new_name" in str(result.failure)


def test_no_more_than_six_tabs() -> None:
    many = "old_name\n" * 7
    result = score(session, scenario(many, "", "jump 1\n", many.replace("old", "new")))
    assert result.met
    assert result.likeness is not None
    assert 0.8 < result.likeness < 1


def test_files_that_are_none_are_said(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="no scenarios"):
        SCENARIOS.load_folder(tmp_path)
    (tmp_path / "a.txt").write_text("nothing")
    with pytest.raises(RecordError, match="what it is about"):
        SCENARIOS.load_folder(tmp_path)
