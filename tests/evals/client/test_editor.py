from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_evals.client.editor import Document, Editor, position
from editahead_evals.client.lsp_client import LanguageClient
from editahead_evals.data.commit_replay import replay, utf16_length

TEXTS = st.text(alphabet="ab\n\r\u2028\x0cé𝒳", max_size=20)


def edit(line: int, start: int, end: int, text: str) -> dict[str, Any]:
    return {"range": {"start": position((line, start)), "end": position((line, end))}, "newText": text}


@given(TEXTS, st.integers(0, 20))
def test_points_and_offsets_are_each_others_inverse(text: str, at: int) -> None:
    offset = min(at, len(text))
    document = Document("u", "python", 1, text)
    line, character = document.point(offset)
    within_line_end = text[offset - 1 : offset] == "\r" or text[offset - 1 : offset + 1] == "\r\n"
    if not within_line_end:
        assert document.offset(position((line, character))) == offset


def test_positions_beyond_the_end_are_the_end() -> None:
    document = Document("u", "python", 1, "ab\r\nc")
    assert document.offset(position((0, 9))) == 2
    assert document.offset(position((7, 0))) == 5
    assert utf16_length("a𝒳") == 3


def test_text_edits_are_all_over_the_same_text(fake: Editor) -> None:
    edits = [edit(1, 0, 1, "long"), edit(0, 3, 3, "!"), edit(0, 0, 3, "é"), edit(0, 3, 3, "?")]
    document = fake.open(fake.uri("a.py"), "python", "a𝒳\nb\n")
    assert document.edited(edits) == "é!?\nlong\n"
    fake.apply(document.uri, edits)
    assert fake.documents[document.uri] == Document(document.uri, "python", 2, "é!?\nlong\n")


@given(TEXTS.filter(lambda text: "\r" not in text), TEXTS.filter(lambda text: "\r" not in text))
def test_typing_a_replay_keeps_the_text(before: str, after: str) -> None:
    editor = Editor.__new__(Editor)
    editor.client = Silent()
    editor.documents = {"u": Document("u", "python", 1, before)}
    for step in replay(before, after):
        for key in step.keystrokes:
            assert editor.documents["u"].point(key.start) == key.first
            editor.type("u", key)
    assert editor.documents["u"].text == after


class Silent(LanguageClient):
    def __init__(self) -> None:
        """Starts nothing."""

    def notify(self, method: str, params: Any = None) -> None:
        pass


def test_workspace_edits_are_applied_whole_or_not_at_all(fake: Editor) -> None:
    one, two = (fake.open(fake.uri(name), "python", "a\n").uri for name in ("one.py", "two.py"))
    apply = fake.client.requests["workspace/applyEdit"]

    def change(uri: str, version: int | None) -> dict[str, Any]:
        return {"textDocument": {"uri": uri, "version": version}, "edits": [edit(0, 0, 1, "b")]}

    stale = apply({"edit": {"documentChanges": [change(one, 1), change(two, 7)]}})
    assert stale == {"applied": False, "failureReason": f"{two} is no longer at version 7"}
    closed = apply({"edit": {"changes": {one: [edit(0, 0, 1, "b")], "file:///closed": []}}})
    assert closed == {"applied": False, "failureReason": "not open: ['file:///closed']"}
    assert fake.documents[one].text == "a\n"
    assert apply({"edit": {"documentChanges": [change(one, 1), change(two, None)]}}) == {"applied": True}
    assert [fake.documents[uri].text for uri in (one, two)] == ["b\n", "b\n"]


def test_what_the_server_shows_and_says_is_kept(fake: Editor) -> None:
    show = fake.client.requests["window/showDocument"]
    selection = {"start": position((3, 4)), "end": position((3, 4))}
    assert show({"uri": "file:///a", "selection": selection}) == {"success": True}
    assert fake.shown_document == ("file:///a", (3, 4))
    assert show({"uri": "file:///b"}) == {"success": True}
    assert fake.shown_document == ("file:///b", (0, 0))
    fake.client.notifications["window/showMessage"]({"type": 2, "message": "hello"})
    assert fake.messages == ["hello"]
    assert fake.client.requests["workspace/configuration"]({"items": [{}, {}]}) == [{}, {}]


def test_a_server_that_does_not_start_leaves_nothing_open(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="the server ended"):
        Editor(client=LanguageClient(["false"]))


@pytest.mark.slow
def test_the_real_server_answers_and_leaves() -> None:
    with Editor({"debounce_ms": 0}) as editor:
        document = editor.open(editor.uri("a.py"), "python", "a = 1\n")
        editor.focus(document.uri)
        assert editor.inline_edit(document.uri, (0, 0)).result == {"edits": []}
        assert editor.inline_completion(document.uri, (0, 0)).result == {"items": []}
        assert editor.next_edit(document.uri, (0, 0)).result["silence"]["reason"] == "no-history"
        editor.close(document.uri)
        assert editor.execute("editahead.status").result["documents"] == 0
