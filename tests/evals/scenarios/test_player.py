"""Scenarios played against a server that is known to predict that every `old_name` becomes `new_name`."""

from __future__ import annotations

import pytest

from editahead_evals.client.editor import Editor
from editahead_evals.errors import ScenarioError, ScenarioFailure
from editahead_evals.scenarios.player import play_scenario
from editahead_evals.scenarios.scenario_file import SCENARIOS, Scenario

NO_END = "\\ No newline at end of file\n"
HEAD = "# about\nlanguage: python\nfile: a.py\n"


def scenario(buffer: str, steps: str, expect: str, after: str | None = None, headers: str = "") -> Scenario:
    tail = "" if after is None else f"-- expect after accepts --\n{after}"
    return SCENARIOS.parse_one(
        f"{HEAD}{headers}-- buffer --\n{buffer}-- steps --\n{steps}-- expect --\n{expect}{tail}"
    )


NAMES = "x = old_name\ny = 2\nz = old_name\n"


@pytest.mark.parametrize(
    "played",
    [
        pytest.param(scenario("a\n", "", "silent\n"), id="silent"),
        pytest.param(scenario("a\n", "", "silent no-candidate\n"), id="silent for a reason"),
        pytest.param(scenario(NAMES, "", "edit\n@ 1\n-x = old_name\n+x = new_name\n"), id="edit"),
        pytest.param(scenario(NAMES, "", "jump 1\n"), id="jump to an edit"),
        pytest.param(scenario("a\nold_name elsewhere\n", "", "jump 2\n"), id="jump without an edit"),
        pytest.param(scenario(NAMES, "", "jump 1\n", NAMES.replace("old", "new")), id="after accepts"),
        pytest.param(scenario(NAMES, "accept\n", "jump 3\n"), id="accept"),
        pytest.param(scenario(NAMES, "accept\nundo\n", "jump 1\n"), id="accept taken back"),
        pytest.param(scenario(NAMES, "reject\n", "silent refused-before\n", NAMES), id="reject"),
        pytest.param(scenario(NAMES, "replace 1 `old_name` => `it`\n", "jump 3\n"), id="replace"),
        pytest.param(
            scenario(NAMES, "replace 1 `name\\ny` => ``\n", "jump 2\n"), id="replace over two lines"
        ),
        pytest.param(
            scenario(NAMES, "replace 1 `old_name` => `it`\nundo\n", "jump 1\n"), id="replace taken back"
        ),
        pytest.param(scenario(NAMES, "insert 1 `more text\\n`\n", "jump 2\n"), id="insert"),
        pytest.param(
            scenario("a\n", "insert 2 `é old_name`\n", "edit\n@ 2\n-é old_name\n+é new_name\n"),
            id="insert at the end",
        ),
        pytest.param(scenario(NAMES, "delete 1\n", "jump 2\n"), id="delete"),
        pytest.param(scenario(NAMES, "delete 1-3\n", "silent\n", ""), id="delete all"),
        pytest.param(
            scenario("a\n-- other: b.py --\nold_name\n", "open b.py\n", "jump 1\n", "new_name\n"),
            id="another document",
        ),
        pytest.param(
            scenario("a\n", "insert 1 `b\\nc\\n`\n", "silent\n", "b\nc\na\n", headers="eol: crlf\n"),
            id="Windows line ends",
        ),
        pytest.param(
            scenario(
                f"a old_name\n{NO_END}", "", "edit\n@ 1\n-a old_name\n+a new_name\n", f"a new_name\n{NO_END}"
            ),
            id="no line end at the end",
        ),
    ],
)
def test_what_comes_as_expected_passes(fake: Editor, played: Scenario) -> None:
    play_scenario(fake, played)
    assert fake.documents == {}


@pytest.mark.parametrize(
    ("played", "message"),
    [
        pytest.param(scenario(NAMES, "", "silent\n"), "-x = old_name\n+x = new_name", id="not silent"),
        pytest.param(scenario("a\n", "", "silent no-history\n"), "silent no-candidate", id="another reason"),
        pytest.param(scenario("a\n", "", "edit\n@ 1\n-a\n+b\n"), "shown\nsilent", id="silent"),
        pytest.param(
            scenario(NAMES, "", "edit\n@ 1\n-x = old_name\n+x = other\n"), "@ 1\n-x", id="another text"
        ),
        pytest.param(scenario(NAMES, "", "edit\n@ 2\n-y = 2\n+y = 3\n"), "@ 2\n-y", id="another place"),
        pytest.param(scenario(NAMES, "", "jump 3\n"), "line 3", id="another jump"),
        pytest.param(
            scenario("old_name elsewhere\n", "", "edit\n@ 1\n-old_name elsewhere\n+b\n"), "jump to", id="jump"
        ),
        pytest.param(scenario(NAMES, "", "jump 1\n", "x\n"), "after accepts", id="another end"),
        pytest.param(scenario("a\n", "accept\n", "silent\n"), "something to accept", id="nothing to accept"),
        pytest.param(scenario("a\n", "reject\n", "silent\n"), "something to reject", id="nothing to reject"),
    ],
)
def test_a_failure_shows_what_was_expected_and_what_came(
    fake: Editor, played: Scenario, message: str
) -> None:
    with pytest.raises(ScenarioFailure, match="case: about\n--- expected\n") as caught:
        play_scenario(fake, played)
    assert message in str(caught.value)
    assert '--- why\n{\n  "accepted"' in str(caught.value)
    assert fake.documents == {}


@pytest.mark.parametrize(
    ("played", "message"),
    [
        (scenario(NAMES, "replace 1 `none` => `b`\n", "silent\n"), "0 times 'none' in line 1"),
        (scenario("aa\n", "replace 1 `a` => `b`\n", "silent\n"), "2 times 'a'"),
        (scenario(NAMES, "insert 6 `b`\n", "silent\n"), "no line 6"),
        (scenario(NAMES, "undo\n", "silent\n"), "nothing to undo"),
        (scenario(NAMES, "", "edit\n@ 1\n-other\n+b\n"), "line 1 is not as expected"),
    ],
)
def test_steps_that_do_not_fit_the_text_are_mistakes(fake: Editor, played: Scenario, message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        play_scenario(fake, played)


def test_accepts_are_reported_to_the_server(fake: Editor) -> None:
    play_scenario(fake, scenario(NAMES, "accept\n", "jump 3\n", NAMES.replace("old", "new")))
    assert fake.execute("editahead.why").result["accepted"] == ["p-1", "p-1"]
