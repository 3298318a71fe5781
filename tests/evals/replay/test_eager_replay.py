from __future__ import annotations

from collections.abc import Iterator

import pytest

from editahead_evals.client.editor import Editor
from editahead_evals.client.shared_server import SharedServer
from editahead_evals.data.edit_records import Record
from editahead_evals.metrics.confidence_curve import Answer
from editahead_evals.replay.candidate_recall import candidate_recall
from editahead_evals.replay.eager_replay import EAGER, replay_eager
from editahead_prompts.state import EditorState


def record(before: str, after: str) -> Record:
    return Record("r@1:a.py", "r", "1", "Rename", "a.py", "python", before, after)


def test_every_moment_has_an_answer_with_its_confidence(fake: Editor) -> None:
    before = "old_name = 1\nx\ny = old_name\nz\nold_name elsewhere\n"
    after = "new_name = 1\nx\ny = new_name\nz\nold name elsewhere\n"
    assert replay_eager(fake, record(before, after)) == [
        Answer(True, True, True, 0.5, "propagation"),
        Answer(True),
        Answer(False),
    ]


def test_the_ceiling_asks_of_the_state_that_the_server_makes() -> None:
    before = "total = 1\n\nprint(total)\n\n\ndef show():\n    return total\n"
    states: list[EditorState] = []

    def propose(state: EditorState) -> Iterator[str]:
        states.append(state)
        yield state.document.text.replace("print(total)", "something else")
        yield state.document.text.replace("print(total)", "print(amount)")

    assert candidate_recall(record(before, before.replace("total", "amount")), propose) == (2, 1)
    assert [len(state.history) for state in states] == [1, 2]
    assert [edit.new for edit in states[0].history] == [("amount = 1\n",)]
    assert states[0].cursor == len("amount")
    assert candidate_recall(record("a\n", "b\n"), propose) == (0, 0)


@pytest.mark.slow
def test_what_is_shown_at_the_highest_eagerness_is_among_all_candidates() -> None:
    from editahead_cli.commands.eval import candidate_texts

    before = "total = 1\nprint(total)\n\n\ndef show():\n    return total\n"
    renamed = record(before, before.replace("total", "amount"))
    with SharedServer() as server, server.session(EAGER) as editor:
        assert any(answer.some for answer in replay_eager(editor, renamed))
    with candidate_texts() as propose:
        assert candidate_recall(renamed, propose)[1] > 0
