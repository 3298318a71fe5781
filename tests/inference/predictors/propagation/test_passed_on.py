"""A function passes its new parameter on: to itself, and to the functions that have a parameter of that name."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from follow_ups import followed
from state_builder import Person


@given(st.lists(st.sampled_from("abcde"), unique=True, max_size=5), st.data())
def test_a_function_passes_its_own_parameters_to_itself_in_their_order(
    names: list[str], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(names)))
    new = [*names[:place], "new", *names[place:]]
    call = f"    f({', '.join(f'{name}.x' for name in names)})"
    person = Person(f"def f({', '.join(names)}):\n{call}\n")
    person.replace(f"def f({', '.join(names)})", f"def f({', '.join(new)})")
    args = ["new" if name == "new" else f"{name}.x" for name in new]
    assert followed(person, "call-add").splitlines()[1] == f"    f({', '.join(args)})"
