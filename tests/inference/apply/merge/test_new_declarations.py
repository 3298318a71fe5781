"""Declarations that a file does not have, shown alone: a person chooses the place, and nothing is lost at any."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merged_sketch import merged

PYTHON = '''"""Ovens."""
import os


class Oven:
    def heat(self, degrees):
        self.degrees = degrees


class Shelf:
    def put(self, bread):
        self.loaves.append(bread)


def first(loaves):
    return loaves[0]


if __name__ == "__main__":
    print(first(os.listdir()))
'''


def choices(sketch: str, before: str) -> dict[str, str]:
    """Return the text after each choice, by its title."""
    result = merged(sketch, before)
    assert result.refusal is not None
    return {reading.title: reading.edit.apply(before) for reading in result.readings}


@pytest.mark.parametrize("space", ["", "    "])
def test_a_method_goes_to_the_end_of_a_class(space: str) -> None:
    """The class that shares names with it comes first."""
    sketch = f"{space}def count(self):\n{space}    return len(self.loaves)\n"
    found = choices(sketch, PYTHON)
    assert list(found)[:2] == ["add at the end of `Shelf`", "add at the end of `Oven`"]
    method = "\n    def count(self):\n        return len(self.loaves)\n"
    assert found["add at the end of `Shelf`"] == PYTHON.replace(
        "        self.loaves.append(bread)\n", f"        self.loaves.append(bread)\n{method}"
    )


@pytest.mark.parametrize(
    "sketch",
    [
        "def first(loaves):\n    return loaves[-1]\n",  # the file has one of this name
        "def start():\n    print(first(os.listdir()))\n",  # what the file has, in a function
        "print(last())\n",  # no declaration
        "def last(loaves:\n    return\n",  # no whole one
    ],
)
def test_other_sketches_are_as_before(sketch: str) -> None:
    result = merged(sketch, PYTHON)
    assert result.refusal is None or "nothing of this name" not in result.refusal.detail


NAMES = st.from_regex(r"[a-z]{4,8}", fullmatch=True)


@pytest.mark.slow
@given(
    name=NAMES,
    body=st.lists(NAMES, min_size=1, max_size=4),
    is_method=st.booleans(),
    ends=st.sampled_from(["", "\n", "\n\n\n"]),
    is_crlf=st.booleans(),
)
def test_no_choice_loses_a_line_of_the_file_or_of_the_sketch(
    name: str, body: list[str], is_method: bool, ends: str, is_crlf: bool
) -> None:
    sketch = f"def x{name}({'self' if is_method else 'a'}):\n" + "".join(f"    {word}()\n" for word in body)
    before = PYTHON.rstrip("\n") + ends
    before = before.replace("\n", "\r\n") if is_crlf else before
    found = choices(sketch, before)
    assert len(found) >= 2
    for after in found.values():
        left = iter(after.splitlines())
        assert all(line in left for line in before.splitlines() if line.strip())
        stripped = [line.strip() for line in after.splitlines()]
        for line in sketch.splitlines():
            assert line.strip() in stripped
        assert not is_crlf or "\n" not in after.replace("\r\n", "")
        again = merged(sketch, after)
        assert not again.readings or "nothing of this name" not in again.refusal.detail
