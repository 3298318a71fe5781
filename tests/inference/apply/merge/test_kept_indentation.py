"""A whole file in another indentation keeps that of the file."""

from __future__ import annotations

from textwrap import indent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merged_sketch import certain

UNITS = ["\t", "  ", "    ", "        "]

CODE = """\
package a

// F is here
func F(x int) int {
\tif x > 1 {
\t\treturn call(x,
\t\t            one)
\t}
\tfor i := range x {
\t\tx += i
\t}
\treturn 0
}

func G() int {
\treturn 1
}
"""

MAKEFILE = """\
NAME = demo

all: $(NAME)
\tcc -o $(NAME) main.c
\tstrip $(NAME)

clean:
\trm -f $(NAME)
"""


def whole(text: str) -> str:
    return f"a.x\n```\n{text}```\n"


@pytest.mark.parametrize("width", [2, 4, 8])
@pytest.mark.parametrize(
    ("text", "old", "new", "language"),
    [
        (CODE, "\treturn 0", "\treturn -1", "go"),
        (CODE, "\t\t            one)", "\t\t            two)", "go"),
        (CODE, "\t\tx += i\n", "\t\tx += i\n\t\tx += 1\n", "go"),
        (CODE, "\treturn 1\n", "\tif true {\n\t\treturn 1\n\t}\n\treturn 2\n", "go"),
        (CODE, "\t\treturn call(x,\n\t\t            one)\n\t}\n", "\t\treturn 5\n\t}\n", "go"),
        (MAKEFILE, "\tstrip $(NAME)\n", "\tstrip -s $(NAME)\n\tls\n", "makefile"),
    ],
)
def test_tabs_stay_where_the_sketch_has_spaces(
    width: int, text: str, old: str, new: str, language: str
) -> None:
    after = text.replace(old, new)
    assert certain(whole(after.replace("\t", " " * width)), text, language, "a.x") == after


@pytest.mark.parametrize("prefix", ["  ", "   ", "    ", "\t"])
def test_a_file_that_is_indented_as_a_whole_is_not(prefix: str) -> None:
    after = CODE.replace("return 0", "return -1")
    block = indent(f"a.x\n```go\n{after}```\n", prefix)
    assert certain(f"1. Change it:\n\n{block}", CODE, "go", "a.x") == after


@st.composite
def levels(draw: st.DrawFn) -> list[int]:
    """Return the levels of the lines of a file, each at most one deeper than the one above."""
    found = [0]
    for _ in range(draw(st.integers(6, 16))):
        found.append(draw(st.integers(0, min(found[-1] + 1, 4))))
    return found


@given(depths=levels(), data=st.data(), own=st.sampled_from(UNITS), shown=st.sampled_from(UNITS))
def test_the_edit_is_that_of_the_lines_in_the_units_of_the_file(
    depths: list[int], data: st.DataObject, own: str, shown: str
) -> None:
    lines = [(depth, f"step {number} of many {number * number}") for number, depth in enumerate(depths)]
    if max(depths) == 0:
        return
    changed = list(lines)
    at = data.draw(st.integers(1, len(lines) - 2))
    kind = data.draw(st.sampled_from(["reword", "add", "remove"]))
    if kind == "reword":
        changed[at] = lines[at][0], lines[at][1] + " more"
    elif kind == "add":
        changed.insert(at, (lines[at - 1][0], "an added one"))
    elif sum(depth > 0 for n, (depth, _) in enumerate(lines) if n != at):
        changed.pop(at)
    before, after, sketch = (
        "".join(f"{unit * depth}{text}\n" for depth, text in some)
        for some, unit in ((lines, own), (changed, own), (changed, shown))
    )
    assert certain(whole(sketch), before, "plaintext", "a.x") == after
