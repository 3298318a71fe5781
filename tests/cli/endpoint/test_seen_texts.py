"""What a client has edited that sends only the text before and behind the cursor."""

from __future__ import annotations

from functools import partial
from itertools import count

from editahead_cli.endpoint.seen_texts import SeenTexts
from editahead_prompts.formats.reading.fim import read_halves

LINES = [f"line {number} = value_{number}\n" for number in range(40)]


def ask(
    seen: SeenTexts, lines: list[str], line: int
) -> list[tuple[int, tuple[str, ...], tuple[str, ...], bool]]:
    """Return the history that a request with the cursor at the end of a line gets."""
    before = "".join(lines[: line + 1]).removesuffix("\n")
    prompt = seen.with_history(read_halves(before, "\n" + "".join(lines[line + 1 :])))
    return [(edit.line, edit.old, edit.new, edit.open) for edit in prompt.state.history]


def test_edits_between_requests_are_past_edits() -> None:
    seen = SeenTexts(partial(next, count(0.0, 400.0)))
    assert len(ask(seen, LINES[:30], 3)) == 1, "only the line that is being typed"
    changed = [*LINES]
    changed[5] = "line 5 = other\n"
    ask(seen, changed[:30], 5)
    history = ask(seen, changed[:30], 20)
    assert (5, (LINES[5],), ("line 5 = other\n",), False) in history
    assert history[-1][3] and history[-1][0] == 20


def test_a_window_that_moves_is_no_edit() -> None:
    seen = SeenTexts(partial(next, count(0.0, 400.0)))
    changed = [*LINES]
    ask(seen, LINES[:30], 8)
    changed[8] = "line 8 = other\n"
    ask(seen, changed[:30], 8)
    history = ask(seen, changed[6:40], 20)
    assert [edit[:3] for edit in history[:-1]] == [(2, (LINES[8],), ("line 8 = other\n",))]


def test_another_text_has_its_own_edits() -> None:
    seen = SeenTexts(partial(next, count(0.0, 400.0)))
    ask(seen, LINES[:30], 3)
    ask(seen, [LINES[0], "x\n", *LINES[2:30]], 1)
    assert len(ask(seen, [f"other {number}\n" for number in range(30)], 3)) == 1


def test_the_line_that_grows_has_its_old_text() -> None:
    seen = SeenTexts(partial(next, count(0.0, 400.0)))
    ask(seen, [*LINES[:5], "total = sum(\n", *LINES[6:30]], 5)
    history = ask(seen, [*LINES[:5], "total = sum(items\n", *LINES[6:30]], 5)
    assert history == [(5, ("total = sum(\n",), ("total = sum(items\n",), True)]
