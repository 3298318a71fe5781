"""The translation of messages about cells: whatever a client sends, and back again."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from editahead_lsp.notebooks.notebook_store import NotebookStore
from editahead_lsp.notebooks.translation import NotebookTranslation
from editahead_lsp.protocol.custom_messages import TextDocumentItem
from editahead_lsp.protocol.notebook_messages import DidOpenNotebookParams, NotebookCell, NotebookDocument

TEXTS = ["a = 1\nb = 2", "", "c = '😀'\n", "d"]
NAMES = ("uri", "textDocument", "line", "character", "range", "newText", "version", "changes", "edits", "a")
scalars = st.sampled_from([None, True, -1, 0, 1, 2**40, "", "cell:0", "cell:2", "cell:9", "file:///x", 0.5])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)


def opened() -> NotebookStore:
    store = NotebookStore()
    items = [TextDocumentItem(f"cell:{n}", "python", 1, text) for n, text in enumerate(TEXTS)]
    cells = [NotebookCell(item.uri) for item in items]
    list(store.open(DidOpenNotebookParams(NotebookDocument("file:///tmp/a.ipynb", cells), items)))
    return store


@given(values)
def test_whatever_a_client_sends_is_translated(params: Any) -> None:
    NotebookTranslation(opened()).to_server(1, "editahead/nextEdit", params)


@given(st.integers(0, 3), st.data())
def test_a_position_that_the_server_repeats_is_the_clients_own(number: int, data: st.DataObject) -> None:
    lines = TEXTS[number].split("\n")
    line = data.draw(st.integers(0, len(lines) - 1))
    place = {"line": line, "character": data.draw(st.integers(0, len(lines[line])))}
    sent = {
        "textDocument": {"uri": f"cell:{number}", "version": 1},
        "position": place,
        "places": [{"uri": "file:///other.py", "range": {"start": place, "end": place}}],
        "edits": [{"range": {"start": place, "end": place}, "newText": "x"}],
    }
    translation = NotebookTranslation(opened())
    read = translation.to_server(7, "editahead/nextEdit", sent)
    assert read["textDocument"]["uri"] == "file:///tmp/a.ipynb#cells-python"
    assert read["places"] == sent["places"]
    (said,) = translation.to_client({"id": 7, "result": [read, {"position": read["position"]}]})
    assert said == {"id": 7, "result": [sent, {"position": place}]}
