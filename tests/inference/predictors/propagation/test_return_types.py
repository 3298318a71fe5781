"""A return type goes on to the functions that return what it says, whatever their parameters are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from follow_ups import follow_ups
from state_builder import Person

BODIES = {
    "print(1)": True,
    "return": True,
    "for item in items:\n        print(item)": True,
    "def key(item):\n        return item\n    sort(key)": True,
    "return 1": False,
    "yield 1": False,
    "with items as item:\n        return item": False,
    "item = yield from items": False,
    "...": False,
    "raise NotImplementedError": False,
}
"""Bodies of functions, with whether they surely return nothing."""
PARAMETERS = ("", "items", "items: list[int], *, size: int = 3", "*items, **more")


@given(
    functions=st.lists(
        st.tuples(st.sampled_from(PARAMETERS), st.sampled_from(sorted(BODIES))), min_size=1, max_size=6
    ),
    examples=st.tuples(st.sampled_from(PARAMETERS), st.sampled_from(PARAMETERS)),
)
def test_nothing_is_returned_where_none_is_written(
    functions: list[tuple[str, str]], examples: tuple[str, str]
) -> None:
    written = [(parameters, "print(0)") for parameters in examples] + functions
    text = "\n\n".join(
        f"def f{n}({parameters}):\n    {body}\n" for n, (parameters, body) in enumerate(written)
    )
    person = Person(text)
    for n, parameters in enumerate(examples):
        person = person.replace(f"def f{n}({parameters}):", f"def f{n}({parameters}) -> None:")
    reached = set()
    for candidate in follow_ups(person):
        made = candidate.edit.apply(person.text)
        reached |= {
            n for n, (parameters, _) in enumerate(written) if f"def f{n}({parameters}) -> None:" in made
        }
    assert reached - {0, 1} == {n for n, (_, body) in enumerate(functions, 2) if BODIES[body]}
