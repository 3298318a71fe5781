from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from editahead_evals.client.editor import Editor
from editahead_evals.client.lsp_client import LanguageClient
from editahead_evals.data.edit_records import Record
from editahead_evals.replay.accepting_replay import AcceptReplay, replay_accepting
from editahead_evals.replay.baseline_replay import SETTINGS

pytestmark = pytest.mark.slow


SERVER_HARNESS = str(Path(__file__).parents[2] / "support" / "server_harness.py")


@pytest.fixture
def editor() -> Iterator[Editor]:
    """Of a server that predicts `old` -> `new`, and looks ahead."""
    client = LanguageClient([sys.executable, SERVER_HARNESS, json.dumps({"old": "new"})])
    with Editor(SETTINGS, client=client) as editor:
        yield editor


def record(before: str, after: str) -> Record:
    return Record("r@1:a.py", "r", "1", "Rename", "a.py", "python", before, after)


def test_after_an_accept_the_next_answer_is_there(editor: Editor) -> None:
    before = "old = 1\nx\ny = old\nz\nold()\n"
    assert replay_accepting(editor, record(before, before.replace("old", "new"))) == AcceptReplay(
        accepts=2, hits=2
    )
    assert editor.documents == {}


def test_what_is_not_correct_is_not_accepted(editor: Editor) -> None:
    assert replay_accepting(editor, record("a\nb\nold\n", "A\nb\nold\n")) == AcceptReplay()


def test_what_was_accepted_is_not_typed_again(editor: Editor) -> None:
    before = "a = old\nb\nc\nd = old\ne\nf\n"
    after = "a = new\nb\nC\nd = new\ne\nF\n"
    assert replay_accepting(editor, record(before, after)) == AcceptReplay(accepts=1, hits=1)
