"""Notebooks over each surface: the cells are one document, and each answer names the cell of its place."""

from __future__ import annotations

from typing import Any

import pytest

from editahead_inference.pipeline import Pipeline
from notebook_client import (
    SYNC,
    cell_uri,
    change_cell,
    change_notebook,
    close_notebook,
    open_notebook,
    splice,
    text_item,
)
from server_harness import ServerHarness, lsp_range, position_params

LOAD = "import math\n\n\ndef read_rows(path):\n    return path"
USE = "rows = read_rows('a')"
USE_MORE = "for row in read_rows('b'):\n    print(row)"


@pytest.fixture
def harness() -> Any:
    harness = ServerHarness(Pipeline())
    yield harness
    harness.finish()


async def start(harness: ServerHarness, **texts: str) -> None:
    await harness.initialize(
        {"eagerness": 1, "debounce_ms": 0},
        notebookDocument=SYNC,
        window={"showDocument": {"support": True}},
        workspace={"applyEdit": True, "workspaceEdit": {"documentChanges": True}},
    )
    open_notebook(harness, **texts)


def rename(harness: ServerHarness) -> None:
    change_cell(harness, "a", 2, (3, 4, 3, 13, "load_rows"))


async def predictions(harness: ServerHarness, name: str, version: int, *at: int) -> list[dict[str, Any]]:
    return await harness.predictions(cell_uri(name), version, *at, trigger="manual")


@pytest.mark.parametrize("is_able", [True, False])
async def test_notebooks_are_synced_with_clients_that_can(harness: ServerHarness, is_able: bool) -> None:
    found = await harness.initialize(**({"notebookDocument": SYNC} if is_able else {}))
    sync = found["capabilities"].get("notebookDocumentSync")
    assert sync == ({"notebookSelector": [{"notebook": "*"}], "save": True} if is_able else None)


async def test_a_rename_in_one_cell_goes_on_in_the_others(harness: ServerHarness) -> None:
    await start(harness, a=LOAD, m="Calls `read_rows`.", b=USE, c=USE_MORE)
    rename(harness)
    found = await predictions(harness, "a", 2, 4, 0)
    places = {(one["textDocument"]["uri"], one["textDocument"]["version"]) for one in found}
    assert {(cell_uri("b"), 1), (cell_uri("c"), 1)} <= places
    first = next(one for one in found if one["textDocument"]["uri"] == cell_uri("b"))
    assert first["edits"][0]["range"]["start"]["line"] == 0
    assert first["jump"] == first["edits"][0]["range"]["start"]
    assert first["cursorAfter"]["line"] == 0
    assert first["preview"]["new"] == "rows = load_rows('a')"


async def test_the_walk_goes_on_in_the_next_cell(harness: ServerHarness) -> None:
    await start(harness, a=LOAD, b=USE, c=USE_MORE)
    rename(harness)
    await predictions(harness, "a", 2, 4, 0)
    change_cell(harness, "b", 2, (0, 7, 0, 16, "load_rows"))
    first, *_ = await predictions(harness, "b", 2, 0, 16)
    assert first["textDocument"] == {"uri": cell_uri("c"), "version": 1}
    assert first["edits"][0]["range"]["start"]["line"] == 0


async def test_a_name_of_the_cell_above_completes_in_the_cell_below(harness: ServerHarness) -> None:
    await start(harness, a="measured_temperature = 3\nprint(measured_temperature)", b="")
    change_cell(harness, "b", 2, (0, 0, 0, 0, "print(measured_t"))
    found = await harness.inline_completions(cell_uri("b"), None, 0, 16)
    assert found[0]["insertText"].startswith("emperature") or "measured_temperature" in found[0]["insertText"]
    assert found[0]["range"]["end"] == {"line": 0, "character": 16}


async def test_markdown_is_no_code(harness: ServerHarness) -> None:
    await start(harness, a=LOAD, m="def read_rows(path):\n    return read_rows", b=USE)
    rename(harness)
    found = await predictions(harness, "a", 2, 4, 0)
    assert {one["textDocument"]["uri"] for one in found} == {cell_uri("b")}
    documents = {
        document.snapshot.language: document.snapshot for document in harness.server.session.documents
    }
    assert "return read_rows" not in documents["python"].text


@pytest.mark.parametrize("magic", ["%%bash", "%%writefile a.py"])
async def test_a_cell_of_another_language_by_its_magic_is_not_searched(
    harness: ServerHarness, magic: str
) -> None:
    await start(harness, a=LOAD, b=f"{magic}\n{USE}", c=USE_MORE)
    rename(harness)
    found = await predictions(harness, "a", 2, 4, 0)
    assert {one["textDocument"]["uri"] for one in found} == {cell_uri("c")}
    change_cell(harness, "b", 2, (0, 0, 1, 0, "%%time\n"))
    found = await predictions(harness, "a", 2, 4, 0)
    assert {one["textDocument"]["uri"] for one in found} == {cell_uri("b"), cell_uri("c")}


async def test_all_places_are_made_as_edits_of_their_cells(harness: ServerHarness) -> None:
    await start(harness, a=LOAD, b=USE, c=USE_MORE)
    rename(harness)
    (first, *_) = await predictions(harness, "a", 2, 4, 0)
    made = await harness.command("acceptAll", {"id": first["id"], "dryRun": True})
    changes = {one["textDocument"]["uri"]: one for one in made["edit"]["documentChanges"]}
    assert changes.keys() == {cell_uri("b"), cell_uri("c")}
    for change in changes.values():
        assert change["textDocument"]["version"] == 1
        assert [edit["range"]["start"]["line"] for edit in change["edits"]] == [0]


async def test_the_command_goes_to_the_next_edit_in_its_cell(harness: ServerHarness) -> None:
    await start(harness, a=LOAD, b=USE)
    rename(harness)
    at = {"uri": cell_uri("a"), "position": {"line": 4, "character": 0}}
    id = harness.send("workspace/executeCommand", {"command": "editahead.nextEdit", "arguments": [at]})
    shown = await harness.serves("window/showDocument", {"success": True})
    assert (shown["uri"], shown["selection"]["start"]["line"]) == (cell_uri("b"), 0)
    assert (await harness.reply(id))["result"]["did"] == "jumped"
    at = {"uri": cell_uri("b"), "position": shown["selection"]["start"]}
    id = harness.send("workspace/executeCommand", {"command": "editahead.nextEdit", "arguments": [at]})
    applied = await harness.serves("workspace/applyEdit", {"applied": False})
    (change,) = applied["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": cell_uri("b"), "version": 1}
    assert change["edits"][0]["range"]["start"]["line"] == 0
    await harness.reply(id)


async def test_why_answers_for_a_cell(harness: ServerHarness) -> None:
    await start(harness, a=LOAD, b=USE)
    rename(harness)
    await predictions(harness, "b", 1, 0, 3)
    answer = await harness.command("why", cell_uri("b"))
    assert answer["state"]["position"] == {"line": 0, "character": 3}


async def test_an_unknown_version_of_a_cell_is_not_answered(harness: ServerHarness) -> None:
    await start(harness, a=LOAD, b=USE)
    answer = await harness.next_edit(cell_uri("b"), 7, 0, 0)
    assert answer["silence"]["reason"] == "unknown-document"


async def test_cells_are_added_removed_and_moved(harness: ServerHarness) -> None:
    await start(harness, a=LOAD, b=USE, c=USE_MORE)
    change_notebook(
        harness,
        structure={"array": splice(0, 0, "n"), "didOpen": [text_item("n", "x = read_rows('n')\n")]},
    )
    change_notebook(harness, structure={"array": splice(1, 2, "b", "a")})
    change_notebook(harness, structure={"array": splice(3, 1), "didClose": [{"uri": cell_uri("c")}]})
    (document,) = harness.server.session.documents
    assert document.snapshot.text == f"x = read_rows('n')\n\n\n{USE}\n\n{LOAD}\n\n"
    rename(harness)
    found = await predictions(harness, "a", 2, 4, 0)
    assert {one["textDocument"]["uri"] for one in found} == {cell_uri("n"), cell_uri("b")}


async def test_a_closed_notebook_leaves_nothing(harness: ServerHarness) -> None:
    await start(harness, a=LOAD, m="text", b=USE)
    close_notebook(harness)
    assert not list(harness.server.session.documents)
    assert not harness.server.session.notebooks
    answer = await harness.next_edit(cell_uri("a"), 1, 0, 0)
    assert answer["silence"]["reason"] == "unknown-document"


@pytest.mark.parametrize(
    ("options", "reason"),
    [({"exclude": ["*.ipynb"]}, "excluded"), ({"languages": {"python": False}}, "language-off")],
)
async def test_settings_hold_for_cells_as_for_files(
    harness: ServerHarness, tmp_path: Any, options: dict[str, Any], reason: str
) -> None:
    await harness.initialize(options, root=tmp_path, notebookDocument=SYNC)
    open_notebook(harness, uri=(tmp_path / "a.ipynb").as_uri(), a=LOAD)
    answer = await harness.next_edit(cell_uri("a"), 1, 0, 0)
    assert answer["silence"]["reason"] == reason


async def test_the_edit_of_another_file_goes_on_in_a_cell(harness: ServerHarness) -> None:
    await start(harness, a="from rows import read_rows\n", b=USE)
    there = "file:///tmp/rows.py"
    harness.open(there, "def read_rows(path):\n    return path\n")
    harness.change(there, 2, (0, 4, 0, 13, "load_rows"))
    found = await harness.predictions(there, 2, 1, 0, trigger="manual")
    assert cell_uri("a") in {one["textDocument"]["uri"] for one in found}


async def test_a_hostile_client_does_not_end_the_server(harness: ServerHarness) -> None:
    await start(harness, a=LOAD, b=USE)
    change_notebook(harness, uri="file:///tmp/unknown.ipynb", structure={"array": splice(0, 1)})
    change_notebook(harness, structure={"array": splice(9, 9, "a", "unknown", "b")})
    change_notebook(harness, structure={"array": splice(-3, -1, "a")})
    change_notebook(harness, structure={"array": splice(0, 0), "didClose": [{"uri": cell_uri("a")}]})
    change_notebook(harness, data=[{"kind": 1, "document": cell_uri("unknown")}])
    change_cell(harness, "unknown", 2, (0, 0, 0, 0, "x"))
    harness.open(cell_uri("a"), "twice\n")
    harness.change(cell_uri("a"), 9, "twice\n")
    harness.close_document(cell_uri("a"))
    open_notebook(harness, uri="file:///tmp/other.ipynb", a="another owner")
    change_cell(harness, "b", 2, (-5, -5, -5, 3, ""), (70, 0, 99, 9, "\n# end"))
    (document,) = harness.server.session.documents
    assert document.snapshot.text == f"{LOAD}\n\n{USE}\n# end\n\n"
    assert await predictions(harness, "a", 1, 0, 0) == []
    for params in (
        None,
        {},
        {"notebookDocument": {"uri": 3}},
        {"notebookDocument": {"uri": "a"}, "change": 1},
    ):
        for event in ("didOpen", "didChange", "didSave", "didClose"):
            harness.notify(f"notebookDocument/{event}", params)
    deep: Any = {"uri": cell_uri("a")}
    for _ in range(400):
        deep = {"a": deep}
    reply = await harness.reply(
        harness.send("workspace/executeCommand", {"command": "none", "arguments": [deep]})
    )
    assert "error" in reply


async def test_a_cell_that_was_open_alone_is_of_the_notebook_then(harness: ServerHarness) -> None:
    await harness.initialize(notebookDocument=SYNC)
    harness.open(cell_uri("a"), "alone\n")
    open_notebook(harness, a="together")
    (document,) = harness.server.session.documents
    assert document.snapshot.text == "together\n\n"


async def test_hints_are_diagnostics_of_the_cells(harness: ServerHarness) -> None:
    await harness.initialize(
        {"eagerness": 1, "debounce_ms": 0, "hints": "diagnostic"},
        notebookDocument=SYNC,
        textDocument={"publishDiagnostics": {}},
    )
    open_notebook(harness, a=LOAD, b=USE)
    rename(harness)
    shown = await harness.take(lambda m: m.get("method") == "textDocument/publishDiagnostics")
    assert shown["params"]["uri"] == cell_uri("b")
    assert shown["params"]["diagnostics"][0]["range"]["start"]["line"] == 0
    close_notebook(harness)
    cleared = await harness.take(lambda m: m.get("method") == "textDocument/publishDiagnostics")
    assert cleared["params"] == {"uri": cell_uri("b"), "diagnostics": []}


async def test_a_question_about_a_cell_may_end_after_its_notebook(harness: ServerHarness) -> None:
    await start(harness, a=LOAD, b=USE)
    rename(harness)
    id = harness.send("editahead/nextEdit", position_params(cell_uri("a"), 2, 4, 0))
    close_notebook(harness)
    assert (await harness.reply(id))["result"]["predictions"] == []


async def test_five_cursors_in_a_cell_are_five_changes(harness: ServerHarness) -> None:
    await start(harness, a="x = 1\n\n\n" * 5, b="x = 1")
    change_cell(harness, "a", 2, *((line, 4, line, 5, "2") for line in range(12, -1, -3)))
    assert len(harness.server.session.history.edits) == 5


async def test_surfaces_of_one_document_show_no_edit_of_another_cell(harness: ServerHarness) -> None:
    await harness.initialize(
        {"eagerness": 1, "debounce_ms": 0, "completion_item": "on", "hints": "off"}, notebookDocument=SYNC
    )
    open_notebook(harness, a=LOAD, b=USE)
    rename(harness)
    assert await predictions(harness, "a", 2, 4, 0)
    here = position_params(cell_uri("a"), 2, 4, 0)
    assert (await harness.request("textDocument/completion", here))["items"] == []
    assert await harness.inline_edits(cell_uri("a"), 2, 4, 0) == []
    (edit,) = await harness.inline_edits(cell_uri("b"), 1, 0, 0)
    assert edit["textDocument"] == {"uri": cell_uri("b"), "version": 1}
    (item,) = (await harness.request("textDocument/completion", position_params(cell_uri("b"), 1, 0, 0)))[
        "items"
    ]
    assert item["textEdit"]["range"]["start"]["line"] == 0


async def test_another_language_server_names_places_in_other_cells(harness: ServerHarness) -> None:
    await start(
        harness, a="class Apple:\n    def weigh(self):\n        return 1", b="x = 1", c="y = 2\nit.weigh()"
    )
    await harness.next_edit(cell_uri("a"), 1, 1, 10, trigger="cursor", evidence=True)
    asked = (await harness.take(lambda m: m.get("method") == "editahead/askEvidence"))["params"]
    assert asked["textDocument"] == {"uri": cell_uri("a"), "version": 1}
    assert asked["symbol"]["range"] == lsp_range(1, 8, 1, 13)
    rename = {"uri": cell_uri("c"), "range": lsp_range(1, 3, 1, 8), "newText": asked["symbol"]["new"]}
    harness.notify("editahead/evidence", {"source": "other", "complete": True, **asked, "renames": [rename]})
    change_cell(harness, "a", 2, (1, 8, 1, 13, "weight_of"))
    (found,) = await predictions(harness, "a", 2, 2, 0)
    assert found["textDocument"]["uri"] == cell_uri("c")
    assert found["edits"][0]["range"]["start"]["line"] == 1


ADDED = "\n\ndef write_rows(path):\n    return 1"


@pytest.mark.parametrize(
    ("sketch", "made"),
    [
        (f"def read_rows(path):\n    return path\n{ADDED}\n", (4, 15, 4, 15, f"\n{ADDED}")),
        ("def read_rows(path):\n    return 1\n", (4, 11, 4, 15, "1")),
    ],
)
async def test_a_sketch_changes_its_cell(
    harness: ServerHarness, tmp_path: Any, sketch: str, made: tuple[Any, ...]
) -> None:
    await harness.initialize({"index": "off"}, root=tmp_path, notebookDocument=SYNC)
    open_notebook(harness, uri=(tmp_path / "a.ipynb").as_uri(), a=LOAD, b=USE)
    argument = {"uri": cell_uri("a"), "sketch": sketch, "dryRun": True}
    (edits,) = (await harness.command("apply", argument))["edit"]["changes"].items()
    assert edits == (cell_uri("a"), [{"range": lsp_range(*made[:4]), "newText": made[4]}])


async def test_a_choice_names_the_line_in_its_cell(harness: ServerHarness, tmp_path: Any) -> None:
    await harness.initialize({"index": "off"}, root=tmp_path, notebookDocument=SYNC)
    open_notebook(harness, uri=(tmp_path / "a.ipynb").as_uri(), a=LOAD, c=USE_MORE)
    argument = {"uri": cell_uri("a"), "sketch": "for row in read_rows('b'):\n    print(row, row)\n"}
    id = harness.send("workspace/executeCommand", {"command": "editahead.apply", "arguments": [argument]})
    error = (await harness.reply(id))["error"]
    assert error["data"]["choices"][0]["places"] == [{"uri": cell_uri("c"), "line": 1}]
