"""Pull requests replayed edit by edit, against a server that renames `old_name` wherever it is next."""

from __future__ import annotations

from typing import Any

import pytest

from editahead_evals.client.editor import Editor
from editahead_evals.client.lsp_client import Response
from editahead_lab.ordered.ordered_edits import FileSteps, PullRequest
from editahead_lab.ordered.ordered_metrics import OrderedCounts
from editahead_lab.ordered.ordered_replay import replay_ordered

REQUEST = PullRequest(
    "pr",
    [
        FileSteps("pr", "a.py", ("old_name\n\nold_name\n", "new_name\n\nold_name\n", "new_name\n\nnew_name\n"), (1, 3)),
        FileSteps("pr", "b.py", ("x = 1\n", "x = old_name\n"), (2,)),
    ],
)  # fmt: skip  # a table


class ScriptedEditor:
    """Documents that are edited as an editor does, with scripted answers in the place of a server's."""

    def __init__(self, editor: Editor, answers: list[tuple[str, int, str] | None]) -> None:
        self.editor, self.answers = editor, answers
        self.times: list[float] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.editor, name)

    def report_time(self, seconds: float) -> None:
        self.times.append(seconds)

    def inline_edit(self, uri: str, at: Any) -> Response:
        self.now = self.answers.pop(0)
        if self.now is None:
            return Response({"edits": []}, 1.0)
        path, line, new = self.now
        target = self.editor.documents[self.editor.uri(path)]
        length = len(target.text.split("\n")[line])
        place = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": length}}
        self.edit = {"textDocument": {"uri": target.uri}, "range": place, "text": new}
        return Response({"edits": [self.edit | {"command": {"arguments": ["p-1"]}}]}, 1.0)

    def inline_completion(self, uri: str, at: Any) -> Response:
        return Response({"items": []}, 1.0)

    def next_edit(self, uri: str, at: Any) -> Response:
        edits = [{"range": self.edit["range"], "newText": self.edit["text"]}]
        same = {"id": "p-9", "textDocument": self.edit["textDocument"], "edits": edits, "confidence": 0.75}
        return Response({"predictions": [same | {"edits": []}, same]}, 1.0)


@pytest.mark.parametrize(
    ("answers", "counts"),
    [
        ([None, None, None], {}),
        (
            [("b.py", 0, "x = old_name"), ("a.py", 2, "new_name"), None],
            {"shown": 2, "correct": 2, "next": 2, "elsewhere": 2},
        ),
        ([("a.py", 2, "new_name"), None, None], {"shown": 1, "correct": 1}),
        ([("a.py", 0, "old_name"), None, None], {"shown": 1, "wrong": 1, "reversals": 1}),
        ([None, None, ("b.py", 0, "x = 3")], {"false_ends": 1, "wrong": 1}),
    ],
)
def test_what_is_counted(
    fake: Editor, answers: list[tuple[str, int, str] | None], counts: dict[str, int]
) -> None:
    editor = ScriptedEditor(fake, answers)
    result = replay_ordered(editor, REQUEST)
    always = {"requests": 3, "opportunities": 2, "ends": 1}
    assert result.counts == OrderedCounts(**(always | counts))
    assert len(result.answers) == len(result.ms) == 3
    assert {answer.confidence for answer in result.answers} <= {None, 0.75}
    assert editor.times == sorted(editor.times)
