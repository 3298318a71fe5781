"""The places of the runs of a sketch in the result of a reading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.merge.placed_runs import PlacedRuns
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.sketches.sketch import Snippet
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot

FILE = """\
def load(path):
    check(path)
    return read(path)

def save(path, rows):
    check(path)
    write(path, rows)
    return rows
"""


def placed(sketch: str, *splices: Splice, text: str = FILE) -> PlacedRuns:
    original = Snapshot.from_text(text, uri="file:///a.py", language="python")
    content = parse_sketch(sketch, language="python").files[0].content
    assert isinstance(content, Snippet)
    return PlacedRuns(content, splices, Target(original, SyntaxTrees(), 0, len(original.lines), lambda: None))


def put(start: int, end: int, *lines: str) -> Splice:
    return Splice(start, end, lines, 0, 1)


@pytest.mark.parametrize(
    ("shown", "ends"),
    [
        ("def save(path, rows):\n    log(path)\n    check(path)\n    write(path, rows)\n", 2),
        ("def save(path, rows):\n    log(path)\n    check(path)\n", 2),
        ("    log(path)\n    check(path)\n    write(path, rows)\n", 1),
    ],
)
def test_lines_that_are_unique_in_the_file_are_an_end(shown: str, ends: int) -> None:
    runs = placed(f"# ... existing code ...\n{shown}# ... existing code ...\n", put(5, 5, "    log(path)"))
    assert runs.explain_all
    assert runs.told_ends() == ends
    assert runs.are_framed == shown.startswith("def")


def test_lines_of_an_elided_block_are_no_end() -> None:
    text = FILE.replace("def save", "# Writes them at once.\ndef save")
    sketch = (
        "# ...\n    return read(path)\n\ndef find(path):\n    return 1\n\n# Writes them at once.\n# ...\n"
    )
    runs = placed(sketch, put(4, 4, "def find(path):", "    return 1", ""), text=text)
    assert runs.explain_all
    assert runs.told_ends() == 1


def test_a_change_that_no_run_shows_is_not_explained() -> None:
    sketch = "# ...\n    check(path)\n    log(path)\n    write(path, rows)\n# ...\n"
    added = put(6, 6, "    log(path)")
    assert placed(sketch, added).explain_all
    assert not placed(sketch, put(2, 3), added).explain_all


def test_a_run_that_the_result_tears_apart_is_not_explained() -> None:
    sketch = "# ...\n    check(path)\n    log(path)\n    write(path, rows)\n# ...\n"
    assert not placed(sketch, put(5, 5, "    log(path)")).explain_all


@pytest.mark.parametrize(("blank", "agrees"), [("", True), ("\n", False)])
def test_blank_lines_around_new_lines_are_as_shown(blank: str, agrees: bool) -> None:
    sketch = f"# ...\n    check(path)\n{blank}    log(path)\n    write(path, rows)\n# ...\n"
    assert placed(sketch, put(6, 6, "    log(path)")).have_blank_lines == agrees


@pytest.mark.parametrize(("shown", "agrees"), [("", True), ("\n\n", False)])
def test_a_sketch_may_leave_out_a_blank_line_between_lines_that_stay(shown: str, agrees: bool) -> None:
    sketch = (
        f"# ...\n    return read(path)\n{shown}def save(path, rows):\n    log(path)\n    check(path)\n# ...\n"
    )
    assert placed(sketch, put(5, 5, "    log(path)")).have_blank_lines == agrees


def test_a_header_that_goes_without_its_block_beheads_it() -> None:
    sketch = "# ...\n    check(path)\n    write(path, rows)\n# ...\n"
    assert placed(sketch, put(2, 6)).behead
    assert not placed(sketch, put(4, 5, "def store(path, rows):")).behead
    assert not placed(sketch, put(4, 8)).behead
    assert placed(sketch, put(4, 6, "def store(path, rows):")).behead


LINES = st.lists(
    st.sampled_from(["alpha()", "beta()", "gamma()", "delta()", "omega()", ""]), min_size=6, max_size=12
)


@given(LINES, st.data())
def test_a_sure_excerpt_changes_only_what_is_between_the_ends_of_its_run(
    lines: list[str], data: st.DataObject
) -> None:
    """The result is the file with the run in place of some lines that begin and end as the run does."""
    start = data.draw(st.integers(1, len(lines) - 2))
    end = data.draw(st.integers(start, min(start + 2, len(lines) - 1)))
    new = data.draw(st.lists(st.sampled_from(["fresh()", "beta(1)", "alpha()"]), min_size=1, max_size=2))
    before, after = (data.draw(st.integers(1, 3)) for _ in range(2))
    run = [*lines[max(0, start - before) : start], *new, *lines[end : end + after]]
    text = "".join(f"{line}\n" for line in lines)
    sketch = "".join(f"{line}\n" for line in ["# ... existing code ...", *run, "# ... existing code ..."])
    parsed = parse_sketch(sketch, language="python")
    result = merge(parsed, parsed.files[0], Snapshot.from_text(text, uri="file:///a.py", language="python"))
    if result.refusal is not None or not result.edit:
        return
    shown = [line for line in run if line]
    filled = [line for line in lines if line]
    made = [line for line in result.guess.splitlines() if line]
    assert any(
        made == [*filled[:low], *shown, *filled[high:]]
        for low in range(len(filled) + 1)
        for high in range(low, len(filled) + 1)
    )


def test_a_block_that_the_sketch_shows_tells_the_ends_of_a_run_in_it() -> None:
    twins = "class {name}:\n    def get(self):\n        self.check()\n        return self.row\n\n"
    text = twins.format(name="First") + twins.format(name="Second")
    run = "        self.check()\n        self.count()\n        return self.row\n"
    added = put(8, 8, "        self.count()")
    assert placed(f"# ...\n{run}# ...\n", added, text=text).told_ends() == 0
    shown = f"# ...\nclass Second:\n    # ...\n{run}    # ...\n"
    assert placed(shown, added, text=text).told_ends() == 2


def test_a_line_that_comes_at_another_place_with_its_neighbour_moves() -> None:
    sketch = "# ...\n    write(path, rows)\n    return rows\n# ...\n"
    assert placed(sketch, put(1, 1, "    write(path, rows)", "    return rows"), put(6, 7)).move_lines
    assert not placed(sketch, put(1, 1, "    write(path, rows)"), put(6, 7)).move_lines
    assert not placed(sketch, put(6, 7, "    write(path, rows, 2)", "    write(path, rows)")).move_lines
