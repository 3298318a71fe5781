"""The server with the capabilities of real editors.

The files in `support/capabilities` are what Neovim 0.11.4 and 0.12.4, Helix 25.07, Emacs 28 with Eglot 1.9 and VS Code
1.139.1 (code-server, vscode-languageclient 11), Emacs 30 with lsp-mode 10.0 and Vim 9.2 with ALE 4.0 sent with
`initialize`, recorded by tools/editors/record_capabilities.py. The files with a `source` are of editors that no package
gives: what matters here, read in their source. pytest-lsp warns of answers that such a client could not read, and warnings
are errors here.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter
from pytest_lsp import LanguageClient

from server_process import REAL, SCRIPT, SCRIPTED, change_document, connected, listening

pytestmark = pytest.mark.slow


FOLDER = Path(__file__).parents[1] / "support" / "capabilities"
A = "file:///tmp/a.py"
TEXT = "x = 1\ny = user\n"
TOTAL = "total = 1\n"
ACCEPT, GOTO = "refactor.rewrite.editahead.accept", "refactor.rewrite.editahead.goto"


@dataclass(frozen=True)
class Editor:
    """The capabilities of an editor that matter.

    Attributes:
        ghosts: Supports inline completion, and needs neither completion items nor markers.
        marks: Shows diagnostics, and says so.
        lazy: Resolves the edit of a code action when the user chooses it.
        commands: Runs a command behind the edit of a code action that was not resolved.
        versioned: Edits name a version.
        jumps: Supports `window/showDocument`.
    """

    name: str
    encoding: str
    ghosts: bool = False
    marks: bool = True
    lazy: bool = True
    commands: bool = True
    versioned: bool = True
    jumps: bool = True


EDITORS = [
    Editor("vscode", "utf-16", ghosts=True),
    Editor("neovim-0.11", "utf-32", versioned=False),
    Editor("neovim-0.12", "utf-32", ghosts=True, versioned=False),
    Editor("eglot", "utf-16", lazy=False, jumps=False),
    Editor("helix-25", "utf-32"),
    Editor("lsp-mode", "utf-32"),  # its inline completion is null: it has the feature, and does not say so
    Editor("vim-ale", "utf-16", lazy=False, commands=False, versioned=False, jumps=False),
    Editor("vim-yegappan-lsp", "utf-32", versioned=False, jumps=False),
    Editor("vim-lsp", "utf-16", marks=False, lazy=False, versioned=False, jumps=False),
    Editor("kakoune-lsp", "utf-16", lazy=False, jumps=False),
    Editor("sublime-lsp", "utf-16"),
    Editor("lsp4ij", "utf-16"),
    Editor("zed", "utf-16", jumps=False),
]


@pytest.fixture(params=EDITORS, ids=lambda editor: editor.name)
def editor(request: pytest.FixtureRequest) -> Editor:
    found: Editor = request.param
    return found


def said_by(editor: Editor) -> types.InitializeParams:
    said = json.loads((FOLDER / f"{editor.name}.json").read_text("utf-8"))
    read = get_converter()
    params: types.InitializeParams = read.structure(said | {"processId": None}, types.InitializeParams)
    return params


async def start(
    client: LanguageClient, params: types.InitializeParams, text: str = TEXT
) -> types.ServerCapabilities:
    result = await client.initialize_session(params)
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(A, "python", 1, text))
    )
    return result.capabilities


async def marked(client: LanguageClient, *, is_marked: bool = True) -> list[types.Diagnostic]:
    """Return the marks of the document as soon as there are some, or none again. They may have come before."""
    while bool(client.diagnostics.get(A)) is not is_marked:
        await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        await asyncio.sleep(0)  # the client keeps what has come
    return list(client.diagnostics.get(A, ()))


async def outcomes(client: LanguageClient) -> Any:
    status: Any = await client.workspace_execute_command_async(types.ExecuteCommandParams("editahead.status"))
    return status["outcomes"]


def place(line: int, character: int) -> types.TextDocumentPositionParams:
    return types.TextDocumentPositionParams(types.TextDocumentIdentifier(A), types.Position(line, character))


USER = types.Range(types.Position(1, 4), types.Position(1, 8))
TAX = types.Range(types.Position(0, 9), types.Position(0, 9))


async def test_what_each_is_notified_of(client: LanguageClient, editor: Editor) -> None:
    capabilities = await start(client, said_by(editor))
    assert capabilities.position_encoding == editor.encoding
    assert (capabilities.completion_provider is None) is editor.ghosts
    assert capabilities.inlay_hint_provider is None
    if editor.marks and not editor.ghosts:
        assert await marked(client)
        client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(A)))
        assert await marked(client, is_marked=False) == []


async def test_code_actions(client: LanguageClient, editor: Editor) -> None:
    await start(client, said_by(editor))
    here = types.Position(0, 0)
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(
            types.TextDocumentIdentifier(A), types.Range(here, here), types.CodeActionContext([])
        )
    )
    assert actions is not None
    kinds = [action.kind for action in actions if isinstance(action, types.CodeAction)]
    assert kinds == ([ACCEPT, GOTO] if editor.jumps else [ACCEPT])
    accept = actions[0]
    assert isinstance(accept, types.CodeAction)
    assert (accept.edit is None) is editor.lazy
    assert (accept.command is not None) is (editor.commands and not editor.lazy)
    if editor.lazy:
        accept = await client.code_action_resolve_async(accept)
    assert accept.edit is not None
    edit = types.TextEdit(USER, "account")
    if editor.versioned:
        document = types.OptionalVersionedTextDocumentIdentifier(uri=A, version=1)
        assert accept.edit.document_changes == (types.TextDocumentEdit(document, (edit,)),)
    else:
        assert accept.edit.changes == {A: (edit,)}
    if editor.marks and not editor.ghosts:
        assert [diagnostic.range for diagnostic in await marked(client)] == [USER]
    change_document(client, A, 2, USER, "account")
    if accept.command is not None:
        await client.workspace_execute_command_async(
            types.ExecuteCommandParams(accept.command.command, accept.command.arguments)
        )
    assert await outcomes(client) == {"shown": 1, "accepted": 1, "rejected": 0}
    if editor.marks and not editor.ghosts:
        assert await marked(client, is_marked=False) == []


async def test_at_the_cursor(client: LanguageClient, editor: Editor) -> None:
    """The edit at the cursor is ghost text where the editor supports it, else a completion item."""
    params = said_by(editor)
    params.initialization_options = {"editahead": {"hints": "off"}}
    await start(client, params, TOTAL if editor.ghosts else TEXT)
    at = place(1, 8)
    if editor.ghosts:
        at = place(0, 9)
        context = types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic)
        ghosts = await client.text_document_inline_completion_async(
            types.InlineCompletionParams(context, at.text_document, at.position)
        )
        assert isinstance(ghosts, types.InlineCompletionList)
        assert [(item.insert_text, item.range) for item in ghosts.items] == [(" + tax", TAX)]
        return
    listed = await client.text_document_completion_async(
        types.CompletionParams(at.text_document, at.position)
    )
    assert isinstance(listed, types.CompletionList) and listed.is_incomplete
    (item,) = listed.items
    assert item.text_edit == types.TextEdit(USER, "account")
    assert (item.preselect, item.filter_text) == (True, "user")


async def test_ghost_text_for_an_editor_that_did_not_announce_it(client: LanguageClient) -> None:
    """lsp-mode 10 says null, and what LSP4IJ says is not known: both get ghost text once they request it."""
    await start(client, said_by(Editor("lsp-mode", "utf-32")), TOTAL)
    assert await marked(client)
    at = place(0, 9)
    context = types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic)
    ghosts = await client.text_document_inline_completion_async(
        types.InlineCompletionParams(context, at.text_document, at.position)
    )
    assert isinstance(ghosts, types.InlineCompletionList)
    assert [(item.insert_text, item.range) for item in ghosts.items] == [(" + tax", TAX)]
    assert list(client.diagnostics[A]) == []
    listed = await client.text_document_completion_async(
        types.CompletionParams(at.text_document, at.position)
    )
    assert isinstance(listed, types.CompletionList) and not listed.items, "not twice"


async def test_hints_for_an_editor_on_request(client: LanguageClient) -> None:
    """As docs/untested-editors.md sets them for editors with ghost text alone, and for vim-lsp."""
    params = said_by(Editor("vim-lsp", "utf-16"))
    params.initialization_options = {"editahead": {"hints": "diagnostic"}}
    await start(client, params)
    assert [diagnostic.range for diagnostic in await marked(client)] == [USER]
    client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(A)))
    assert await marked(client, is_marked=False) == []


async def test_two_editors_on_one_port_of_which_one_dies(server_environment: dict[str, str]) -> None:
    vscode, helix = EDITORS[0], EDITORS[4]
    async with listening([*SCRIPTED, SCRIPT, "0"], server_environment) as port:
        async with connected(port) as one:
            async with connected(port) as other:
                await start(one, said_by(vscode), TOTAL)
                await start(other, said_by(helix))
                assert await marked(other)
                other.capabilities = None  # it does not say goodbye
                other.diagnostics.clear()
                other.protocol.writer.transport.abort()
            context = types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic)
            at = place(0, 9)
            ghosts = await one.text_document_inline_completion_async(
                types.InlineCompletionParams(context, at.text_document, at.position)
            )
            assert isinstance(ghosts, types.InlineCompletionList) and len(ghosts.items) == 1
        async with connected(port) as third:
            await start(third, said_by(vscode))


async def test_other_machines_show_a_token(server_environment: dict[str, str]) -> None:
    command = [*REAL, "--tcp", "127.0.0.1:0", "--allow-remote"]
    async with listening(command, server_environment) as port, connected(port) as client:
        await start(client, said_by(EDITORS[0]))
