"""A notebook in a real server, as VS Code's client reports it. pytest-lsp reads each answer as such a client does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter
from pytest_lsp import LanguageClient

pytestmark = pytest.mark.slow

VSCODE = Path(__file__).parents[1] / "support" / "capabilities" / "vscode.json"
NOTEBOOK = "file:///tmp/trip.ipynb"
CELLS = [f"vscode-notebook-cell:/tmp/trip.ipynb#{name}" for name in "abc"]
TEXTS = ["x = 1", "%%bash\necho user", "y = 2\nz = user"]
CODE = types.NotebookCellKind.Code


def cell(uri: str) -> types.NotebookCell:
    return types.NotebookCell(CODE, uri)


def item(uri: str, text: str) -> types.TextDocumentItem:
    return types.TextDocumentItem(uri, "python", 1, text)


async def test_a_notebook_is_predicted_in_as_one_document(client: LanguageClient) -> None:
    said = json.loads(VSCODE.read_text("utf-8")) | {"processId": None}
    result = await client.initialize_session(get_converter().structure(said, types.InitializeParams))
    sync = result.capabilities.notebook_document_sync
    assert isinstance(sync, types.NotebookDocumentSyncOptions) and sync.save
    notebook = types.NotebookDocument(NOTEBOOK, "jupyter-notebook", 1, [cell(uri) for uri in CELLS[:2]])
    client.notebook_document_did_open(
        types.DidOpenNotebookDocumentParams(notebook, list(map(item, CELLS[:2], TEXTS)))
    )
    structure = types.NotebookDocumentCellChangeStructure(
        types.NotebookCellArrayChange(2, 0, [cell(CELLS[2])]), [item(CELLS[2], TEXTS[2])]
    )
    text = types.NotebookDocumentCellContentChanges(
        types.VersionedTextDocumentIdentifier(2, CELLS[0]),
        [types.TextDocumentContentChangePartial(_range(0, 0, 0), "w = 0\n")],
    )
    client.notebook_document_did_change(
        types.DidChangeNotebookDocumentParams(
            types.VersionedNotebookDocumentIdentifier(2, NOTEBOOK),
            types.NotebookDocumentChangeEvent(
                cells=types.NotebookDocumentCellChanges(structure, text_content=[text])
            ),
        )
    )
    here = types.TextDocumentIdentifier(CELLS[0])
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(here, _range(1, 0, 0), types.CodeActionContext([]))
    )
    assert actions
    assert isinstance(actions[0], types.CodeAction)
    accept = await client.code_action_resolve_async(actions[0])
    assert accept.edit and accept.edit.document_changes
    (change,) = accept.edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    assert (change.text_document.uri, change.text_document.version) == (CELLS[2], 1)
    assert change.edits == (types.TextEdit(_range(1, 4, 8), "account"),)


def _range(line: int, start: int, end: int) -> types.Range:
    return types.Range(types.Position(line, start), types.Position(line, end))
