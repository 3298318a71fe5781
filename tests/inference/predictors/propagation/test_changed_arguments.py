"""An argument that calls got by hand goes on to calls of the same function and shape, on however many lines they are."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from follow_ups import follow_ups
from state_builder import Person

MEANT = ("load({a})", "load(\n        {a}\n    )", "load(\n        {a},\n    )", "print(load({a}), 1)")
OTHERS = (
    "load({a}, 1)",
    "load()",
    "load(*{a}, 2)",
    "store.load({a})",
    "unload({a})",
    "load.all({a})",
    "[{a}]",
)
CALLS = st.lists(st.tuples(st.sampled_from(MEANT + OTHERS), st.sampled_from(("x", "y[0]"))), max_size=6)
KINDS = ("twice-argument", "argument-add", "span0", "span1", "span2", "span-both", "twice")


def folded(text: str) -> str:
    """Return a text without white space and without commas after last arguments."""
    return "".join(text.split()).replace(",)", ")")


@given(calls=CALLS)
def test_only_calls_of_the_function_and_shape_get_the_argument(calls: list[tuple[str, str]]) -> None:
    lines = ["load(a)", "load(b)", *(call.replace("{a}", argument) for call, argument in calls)]
    person = Person("def run(a, b, x, y, store):\n    " + "\n    ".join([*lines, ""]))
    for name in "ab":
        person = person.replace(f"load({name})", f"load({name}, retries=3)")
    edits = [each.edit for each in follow_ups(person, *KINDS, cursor=person.snapshot.length)]
    for edit in edits:
        made = folded(edit.apply(person.text))
        passed = re.findall(r"(?<![\w.])load\((?:a|b|x|y\[0\]),retries=3\)", made)
        assert len(passed) == made.count("retries=3") > 2
        assert re.sub(",retries=3", "", made) == re.sub(",retries=3", "", folded(person.text))
    assert bool(edits) == any(call in MEANT for call, _ in calls)
