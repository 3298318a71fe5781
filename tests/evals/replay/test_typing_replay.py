from __future__ import annotations

import pytest

from editahead_evals.client.editor import Editor
from editahead_evals.data.commit_replay import Step, replay
from editahead_evals.data.edit_records import Record
from editahead_evals.metrics.metrics import SERVER, Counts, FileResult, TypingCounts
from editahead_evals.replay.baselines import BASELINES
from editahead_evals.replay.typing_replay import TypingObserver, replay_typing

BEFORE = "first = 1\nlast = 2\n"
AFTER = "first = 1\nbetween = first + 1\nmore = 3\nlast = 2\nend = last\n"


@pytest.fixture
def step() -> Step:
    return next(replay(BEFORE, AFTER))


def watched(step: Step, *answers: tuple[int, str | None]) -> TypingCounts:
    """Each answer: keystrokes before it, and the text that is shown."""
    watcher = TypingObserver()
    watcher.begin(step)
    for count, text in answers:
        watcher.see(step.unfinished(count), step.to_type(count), text)
    return watcher.counts


def with_typed(step: Step, count: int, more: int) -> str:
    """The text in which so many more characters stand at the cursor."""
    moment = step.unfinished(count)
    at = moment.cursor
    return moment.text[:at] + step.to_type(count)[:more] + moment.text[at:]


def test_what_is_typed_next_is_right_and_saves_each_character_once(step: Step) -> None:
    counts = watched(
        step, (3, with_typed(step, 3, 8)), (4, with_typed(step, 4, 8)), (6, with_typed(step, 6, 1))
    )
    assert (counts.requests, counts.shown, counts.wrong) == (3, 3, 0)
    assert counts.saved == 8 + 4 + 1
    assert (counts.keystrokes, counts.characters) == (
        len(step.keystrokes),
        len("between = first + 1\nmore = 3\n"),
    )


def test_the_rest_of_the_hunk_is_right(step: Step) -> None:
    counts = watched(step, (3, step.moment.text))
    assert (counts.wrong, counts.saved) == (0, len(step.to_type(3)))
    with_another = watched(step, (3, AFTER))
    assert (with_another.wrong, with_another.saved) == (0, len(step.to_type(3)))


def test_a_hunk_elsewhere_is_right_and_saves_nothing_here(step: Step) -> None:
    moment = step.unfinished(3)
    counts = watched(step, (3, moment.text + "end = last\n"))
    assert (counts.shown, counts.wrong, counts.saved, counts.begun) == (1, 0, 0, 0)


def test_what_stands_there_still_is_wrong_again_but_not_fresh(step: Step) -> None:
    def elsewhere(count: int, text: str) -> tuple[int, str]:
        return count, step.unfinished(count).text.replace("first = 1", text)

    counts = watched(step, elsewhere(3, "first = 3"), elsewhere(4, "first = 3"), elsewhere(5, "first = 4"))
    assert (counts.wrong, counts.fresh) == (3, 2)
    interrupted = watched(step, elsewhere(3, "first = 3"), (4, None), elsewhere(5, "first = 3"))
    assert (interrupted.wrong, interrupted.fresh) == (2, 2)
    typed_into = watched(step, (3, with_typed(step, 3, 8) + "x"), (4, with_typed(step, 4, 4) + "x"))
    assert (typed_into.wrong, typed_into.fresh) == (2, 1)


def test_the_first_line_is_that_of_the_cursor(step: Step) -> None:
    moment = step.unfinished(2)
    assert moment.lines[1] == "between last = 2"
    end = moment.text.index("last")
    completed = moment.text[:end] + "= first + 1\nother\n" + moment.text[end:]
    counts = watched(step, (2, completed), (2, completed.replace("+ 1", "+ 2")), (2, moment.text + "x"))
    assert (counts.begun, counts.begun_well, counts.wrong) == (2, 1, 3)


def test_taking_back_is_a_reversal() -> None:
    step = next(replay("count = 1\nx\n", "quantities = 1\nx\n"))
    moment = step.unfinished(3)
    assert moment.lines[0] == "quantiti = 1"
    counts = watched(step, (3, "count = 1\nx\n"), (3, "quantities = 1\nx\n"), (3, "quanti = 1\nx\n"))
    assert (counts.wrong, counts.reversals) == (2, 1)


def test_a_record_is_typed_through(fake: Editor) -> None:
    record = Record(
        "r@1:a.py", "r", "1", "s", "a.py", "python", "old_name\nb\n", "old_name\nsixteen letters.\nb\n"
    )
    result = FileResult("r", "python", 2, {name: Counts() for name in (SERVER, *BASELINES)})
    replay_typing(fake, record, result)
    # Asked after 12 of the 17 characters; the fake server wants to rename the other line.
    assert result.typing[SERVER] == TypingCounts(
        keystrokes=5, characters=17, requests=1, shown=1, wrong=1, fresh=1
    )
    assert result.typing["silence"] == TypingCounts(keystrokes=5, characters=17, requests=1)
    assert fake.documents == {}
