"""The format of task files. What the server makes of them is in tests/tasks."""

from __future__ import annotations

import pytest

from editahead_evals.errors import ScenarioError
from editahead_evals.scenarios.script import Replace
from editahead_lab.tasks.task_file import TASKS, Place, Task

TASK = """\
# all there is
kind: rename
language: python
file: app/models.py
-- buffer --
a = 1
b = a
c = a
a.b
-- other: app/views.go --
v
-- steps --
replace 1 `a` => `x`
-- follow --
@ 2
-b = a
-c = a
+b = x
+c = x
@ 4
+new
or
+neu
-- follow: app/views.go --
@ 1
-v
-- may --
@ 5
+end
-- keep --
@ 4
=a.b
"""


def changed(old: str, new: str) -> Task:
    assert TASK.count(old) == 1
    return TASKS.parse_one(TASK.replace(old, new), "name")


def test_a_task_has_a_script_and_places() -> None:
    task = TASKS.parse_one(TASK, "name")
    assert (task.name, task.about, task.kind) == ("name", "all there is", "rename")
    assert task.steps == (Replace(0, "a", "x"),)
    assert task.paths == ("app/models.py", "app/views.go")
    assert task.follow["app/models.py"] == (
        Place(1, ("b = a",), (("b = x",),)),
        Place(2, ("c = a",), (("c = x",),)),
        Place(3, (), (("new",), ("neu",))),
    )
    assert task.follow["app/views.go"] == (Place(0, ("v",), ((),)),)
    assert task.may == {"app/models.py": (Place(4, (), (("end",),)),)}
    assert task.keep == {"app/models.py": (Place(3, ("a.b",), (("a.b",),)),)}


def test_a_line_of_a_block_that_stays_is_no_place() -> None:
    task = changed("+b = x\n", "+b = a\n")
    assert [place.start for place in task.follow["app/models.py"]] == [2, 3]


def test_options_of_a_line_are_reported_once() -> None:
    task = changed("+c = x\n", "+c = x\nor\n+b = x\n+c = y\n")
    assert task.follow["app/models.py"][:2] == (
        Place(1, ("b = a",), (("b = x",),)),
        Place(2, ("c = a",), (("c = x",), ("c = y",))),
    )


def test_silence_needs_no_places() -> None:
    task = TASKS.parse_one(TASK[: TASK.index("-- follow --")], "name")
    assert task.follow == task.may == task.keep == {}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("kind: rename\n", "", "no header 'kind'"),
        ("kind: rename", "sort: rename", "unknown header"),
        ("-- buffer --", "-- text --", "unknown section 'text'|no section 'buffer'"),
        (
            "-- follow: app/views.go --",
            "-- follow: nowhere.py --",
            "no document of section 'follow: nowhere.py'",
        ),
        ("@ 2\n", "", "begins with its line"),
        ("+new", "*new", "begins with -, \\+ or ="),
        ("@ 4\n+new", "@ 2\n+new", "belongs below"),
    ],
)
def test_mistakes_are_named(old: str, new: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=f"name: .*({message})"):
        changed(old, new)
