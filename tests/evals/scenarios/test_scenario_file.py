"""The format of scenario files. What the server makes of them is in tests/scenarios."""

from __future__ import annotations

import pytest

from editahead_evals.data.commit_replay import Hunk
from editahead_evals.errors import ScenarioError
from editahead_evals.scenarios.scenario_file import SCENARIOS, Jump, Scenario, Shown, Silent
from editahead_evals.scenarios.script import (
    Accept,
    Cursor,
    Delete,
    Insert,
    Open,
    Reject,
    Replace,
    Undo,
)

SCENARIO = """\
# all there is
language: python
file: app/models.py
-- buffer --
a = 1

b = 2
-- other: app/views.go --
v
-- steps --
replace 1 `a` => `x\\ny`
replace 2 `= 1` => ``
insert 3 `  q\\n`
delete 4
delete 5-6
open app/views.go
cursor 7 12
accept
reject
undo
-- expect --
edit
@ 1
-a = 1
+c = 1

@ 3
+d
-- expect after accepts --
after
"""


def changed(old: str, new: str) -> Scenario:
    assert old in SCENARIO
    return SCENARIOS.parse_one(SCENARIO.replace(old, new), "name")


def test_all_there_is() -> None:
    scenario = SCENARIOS.parse_one(SCENARIO, "name")
    assert scenario == Scenario(
        name="name",
        about="all there is",
        language="python",
        file="app/models.py",
        buffer="a = 1\n\nb = 2\n",
        others={"app/views.go": "v\n"},
        steps=(
            Replace(0, "a", "x\ny"),
            Replace(1, "= 1", ""),
            Insert(2, "  q\n"),
            Delete(3, 3),
            Delete(4, 5),
            Open("app/views.go"),
            Cursor(6, 11),
            Accept(),
            Reject(),
            Undo(),
        ),
        expected=Shown((Hunk(0, 1, ("a = 1",), ("c = 1",)), Hunk(2, 2, (), ("d",)))),
        after="after\n",
    )
    assert scenario.language_of("app/models.py") == "python"
    assert scenario.language_of("app/views.go") == "go"


@pytest.mark.parametrize(
    ("written", "expected"),
    [("silent", Silent(None)), ("silent no-history", Silent("no-history")), ("jump 3", Jump(2))],
)
def test_other_expectations(written: str, expected: object) -> None:
    assert (
        changed(
            SCENARIO[SCENARIO.index("edit\n@ 1") : SCENARIO.index("-- expect after")], written + "\n"
        ).expected
        == expected
    )


def test_line_ends() -> None:
    crlf = changed("-- buffer", "eol: crlf\n-- buffer")
    assert crlf.buffer == "a = 1\r\n\r\nb = 2\r\n"
    assert crlf.steps[0] == Replace(0, "a", "x\r\ny")
    end = "\\ No newline at end of file\n"
    assert changed("b = 2\n", f"b = 2\n{end}").buffer == "a = 1\n\nb = 2"
    assert changed("after\n", f"after\n{end}").after == "after"
    assert changed("v\n", f"v\n{end}").others == {"app/views.go": "v"}


def test_characters_that_are_hard_to_see() -> None:
    assert changed("b = 2", "<U+002D>- text --<U+0020>").buffer == "a = 1\n\n-- text -- \n"


def test_a_file_of_several_cases() -> None:
    block = SCENARIO.removeprefix("# all there is\n")
    first, second = SCENARIOS.parse(f"=== the first\n{block}=== the second\n{block}", "name")
    assert (first.name, first.about) == ("name: the first", "the first")
    assert (second.name, second.after) == ("name: the second", "after\n")
    with pytest.raises(ScenarioError, match="name: text above the first title: '# all there is'"):
        SCENARIOS.parse(f"{SCENARIO}=== the second\n{block}", "name")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("# all", "all", "what it is about"),
        ("language: python\n", "", "no header 'language'"),
        ("language:", "tongue:", "unknown header"),
        ("-- buffer --\n", "", "unknown header"),
        ("-- buffer", "-- text", "unknown section 'text'"),
        ("-- expect --", "-- buffer --", "twice"),
        ("delete 4", "remove 4", "no such step"),
        ("open app/views.go", "open nowhere.py", "no document nowhere.py"),
        ("edit\n@ 1\n", "edit\n", "begins with its line"),
        ("-a = 1", "?a = 1", "begins with - or"),
        ("edit\n", "something\n", "unknown expectation: .something"),
        ("-- buffer", "eol: mac\n-- buffer", "lf, crlf or cr"),
    ],
)
def test_mistakes_are_named(old: str, new: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=f"name: .*{message}"):
        changed(old, new)
