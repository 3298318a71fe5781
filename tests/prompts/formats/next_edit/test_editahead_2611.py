"""Our format for next edits: the growing edit, and long files."""

from __future__ import annotations

from dataclasses import replace

from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.next_edit.editahead_2611 import EDITAHEAD
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from history_typist import Typist

TEXT = "".join(f"line {n}\n" for n in range(60))


def typed(lines: int) -> EditorState:
    """Return a state with line 20 rewritten as a number of lines, and the cursor in the last of them."""
    typist = Typist(TEXT)
    typist.replace("line 20\n", "")
    at = typist.text.index("line 21")
    for n in range(lines):
        text = f"new {n}\n"
        typist.make(Edit.replace(at, at, text))
        at += len(text)
    return EditorState(typist.snapshot, at - 1, typist.past)


def test_of_the_growing_edit_the_region_shows_the_new_lines() -> None:
    text = EDITAHEAD.build(typed(1), ESTIMATE).prompt.text
    before, region = text.split("<|region|>")
    assert before.endswith("<|hist|>a.py\n-line 20\n")
    assert "line 19\nnew 0<|cursor|>\nline 21" in region
    assert region.endswith("<|/region|>\n<|next|>\n")


def test_new_lines_above_the_region_are_listed() -> None:
    text = EDITAHEAD.build(typed(20), ESTIMATE).prompt.text
    before, region = text.split("<|region|>\n")
    first = int(region.partition("\n")[0].removeprefix("new "))
    assert first > 8
    assert before.endswith("<|hist|>a.py\n-line 20\n" + "".join(f"+new {n}\n" for n in range(first)))
    # Elsewhere, all of it is.
    away = replace(typed(20), cursor=0)
    listed = "".join(f"+new {n}\n" for n in range(20))
    assert f"<|hist|>a.py\n-line 20\n{listed}<|region|>\nline 0" in away_text(away)


def away_text(state: EditorState) -> str:
    return EDITAHEAD.build(state, ESTIMATE).prompt.text.replace("<|cursor|>", "")


def test_where_one_typed_first_stays_in_sight() -> None:
    """The file is shown around the chapter's first edit until one goes far away."""
    long = Typist("".join(f"line {n}\n" for n in range(600)))
    long.replace("line 100\n", "new 100\n")

    def shown(line: int) -> str:
        state = EditorState(long.snapshot, long.text.index(f"line {line}\n"), long.past)
        return EDITAHEAD.build(state, ESTIMATE, budget=600).prompt.text.partition("<|hist|>")[0]

    assert "line 101\n" in shown(101)
    assert shown(140) == shown(101)
    assert "line 101\n" not in shown(400)


def test_the_slow_parts_never_crowd_out_the_region() -> None:
    long = Snapshot.from_text("".join(f"{'x' * 90} = {n}\n" for n in range(500)), uri="file:///a.py")
    others = tuple(replace(long, uri=f"file:///{n}.py") for n in range(5))
    for budget in (1000, 2500):
        prompt = EDITAHEAD.build(
            EditorState(long, long.length // 2, (), others), ESTIMATE, budget=budget
        ).prompt
        assert budget * 0.4 < prompt.tokens <= budget
        assert "<|cursor|>" in prompt.text
