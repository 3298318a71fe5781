"""A client's side of a notebook: its cells, and the messages of LSP 3.17 that report their changes."""

from __future__ import annotations

from typing import Any

from server_harness import ServerHarness, lsp_range

NOTEBOOK = "file:///tmp/trip.ipynb"
SYNC = {"synchronization": {"dynamicRegistration": True}}
"""The client's capability `notebookDocument`."""
CODE, MARKUP = 2, 1


def cell_uri(name: str, notebook: str = NOTEBOOK) -> str:
    """Return the URI of a cell as VS Code writes it."""
    return f"vscode-notebook-cell:{notebook.removeprefix('file://')}#{name}"


def text_item(name: str, text: str, language: str = "python", version: int = 1) -> dict[str, Any]:
    return {"uri": cell_uri(name), "languageId": language, "version": version, "text": text}


def cell_item(name: str, kind: int = CODE) -> dict[str, Any]:
    return {"kind": kind, "document": cell_uri(name)}


def open_notebook(harness: ServerHarness, uri: str = NOTEBOOK, **texts: str) -> None:
    """Open a notebook with cells by name. The names of markup cells begin with "m"."""
    kinds = {name: MARKUP if name.startswith("m") else CODE for name in texts}
    items = [
        text_item(name, text, "markdown" if kinds[name] == MARKUP else "python")
        for name, text in texts.items()
    ]
    cells = [cell_item(name, kind) for name, kind in kinds.items()]
    document = {"uri": uri, "notebookType": "jupyter-notebook", "version": 1, "cells": cells}
    harness.notify("notebookDocument/didOpen", {"notebookDocument": document, "cellTextDocuments": items})


def change_notebook(harness: ServerHarness, uri: str = NOTEBOOK, **cells: Any) -> None:
    """Send a change of a notebook. cells: the parts of `change.cells`."""
    params = {"notebookDocument": {"uri": uri, "version": 2}, "change": {"cells": cells}}
    harness.notify("notebookDocument/didChange", params)


def change_cell(harness: ServerHarness, name: str, version: int, *changes: Any) -> None:
    """Send changes of a cell; each item is (line, character, line, character, text)."""
    events = [{"range": lsp_range(*c[:4]), "text": c[4]} for c in changes]
    document = {"uri": cell_uri(name), "version": version}
    change_notebook(harness, textContent=[{"document": document, "changes": events}])


def splice(start: int, delete: int, *names: str) -> dict[str, Any]:
    return {"start": start, "deleteCount": delete, "cells": [cell_item(name) for name in names]}


def close_notebook(harness: ServerHarness, uri: str = NOTEBOOK) -> None:
    params = {"notebookDocument": {"uri": uri}, "cellTextDocuments": []}
    harness.notify("notebookDocument/didClose", params)
