"""Apply with the real server process and the capabilities of real editors."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from server_process import REAL, spawned
from sketch_fixture import SKETCH, TEXT, WANTED, applied

pytestmark = pytest.mark.slow


FOLDER = Path(__file__).parents[1] / "support" / "capabilities"
APPLY = "refactor.rewrite.editahead.apply"
PASTED = TEXT + SKETCH
AT_ONCE = ("eglot", "kakoune-lsp", "vim-ale", "vim-lsp")
"""Editors that do not resolve code actions."""
DIFF = """\
@@ -10,4 +10,4 @@
 def second(b):
     c = abs(b)
-    d = c * 2
+    d = c * 3  # twice
     return c + d
"""
SELECTED = types.Range(types.Position(TEXT.count("\n"), 0), types.Position(PASTED.count("\n"), 0))


class Editor:
    """A client that knows its documents. changes: what it was asked to do, as JSON."""

    def __init__(self, client: LanguageClient, workspace: Path) -> None:
        self.client, self.workspace = client, workspace
        self.uri = (workspace / "a.py").as_uri()
        self.asked: list[Any] = []
        self._json = get_converter()
        client.progress_reports["w"] = []  # pytest-lsp takes no others

        @client.feature(types.WORKSPACE_APPLY_EDIT)
        def apply_edit(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            self.asked.append(self._json.unstructure(params.edit))
            return types.ApplyWorkspaceEditResult(applied=True)

    async def start(self, editor: str, text: str) -> None:
        said = json.loads((FOLDER / f"{editor}.json").read_text("utf-8"))
        params = self._json.structure(said | {"processId": None}, types.InitializeParams)
        params.workspace_folders = [types.WorkspaceFolder(self.workspace.as_uri(), "work")]
        params.initialization_options = {"editahead": {"hints": "off"}}
        await self.client.initialize_session(params)
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(self.uri, "python", 3, text))
        )

    async def apply(self, **argument: Any) -> Any:
        params = types.ExecuteCommandParams("editahead.apply", [argument])
        return plain(await self.client.workspace_execute_command_async(params))

    def edits(self, edit: Any) -> list[Any]:
        """Return the edits of the only document."""
        if edit.get("changes"):
            return list(edit["changes"][self.uri])
        (change,) = edit["documentChanges"]
        assert change["textDocument"] == {"uri": self.uri, "version": 3}
        return list(change["edits"])


def plain(value: Any) -> Any:
    if hasattr(value, "_asdict"):
        return {name: plain(item) for name, item in value._asdict().items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


@pytest_asyncio.fixture
async def editor(server_environment: dict[str, str], tmp_path: Path) -> AsyncIterator[Editor]:
    workspace = tmp_path / "work"
    workspace.mkdir()
    async with spawned(REAL, server_environment) as client:
        yield Editor(client, workspace)


@pytest.mark.parametrize("name", sorted(file.stem for file in FOLDER.glob("*.json")))
async def test_a_sketch_by_command_and_in_the_menu(editor: Editor, name: str) -> None:
    await editor.start(name, PASTED)
    result = await editor.apply(uri=editor.uri, sketch=DIFF, workDoneToken="w")
    assert result["method"] == "merge"
    # ALE declines edits that a server asks for: the edit is in the answer.
    (asked,) = editor.asked or [result["edit"]]
    assert bool(editor.asked) is (name != "vim-ale")
    assert applied(PASTED, editor.edits(asked)) == WANTED + SKETCH
    annotated = name in ("vscode", "neovim-0.12", "kakoune-lsp", "sublime-lsp")
    assert [("annotationId" in edit) for edit in editor.edits(asked)] == [annotated]
    if annotated:
        (annotation,) = asked["changeAnnotations"].values()
        assert annotation["needsConfirmation"] is True
    assert [report.kind for report in editor.client.progress_reports["w"]] == ["begin", "report", "end"]
    context = types.CodeActionContext([], only=[types.CodeActionKind.RefactorRewrite])
    actions = await editor.client.text_document_code_action_async(
        types.CodeActionParams(types.TextDocumentIdentifier(editor.uri), SELECTED, context)
    )
    assert actions is not None
    action = actions[0]
    assert isinstance(action, types.CodeAction)
    assert (action.title, action.kind) == ("Apply sketch in selection", APPLY)
    assert (action.edit is None) is (name not in AT_ONCE)
    if action.edit is None:
        action = await editor.client.code_action_resolve_async(action)
    assert applied(PASTED, editor.edits(get_converter().unstructure(action.edit))) == WANTED


async def test_files_on_the_disk_and_refusals(editor: Editor) -> None:
    await editor.start("vscode", TEXT)
    other = editor.workspace / "b.py"
    other.write_text(TEXT)
    both = f"a.py\n{SKETCH}\nb.py\n{SKETCH}"
    result = await editor.apply(sketch=both, dryRun=True)
    assert {hunk["uri"] for hunk in result["hunks"]} == {editor.uri, other.as_uri()}
    with pytest.raises(JsonRpcException) as caught:
        await editor.apply(sketch=both.replace("b.py", "../c.py"))
    assert caught.value.code == -32803
    assert plain(caught.value.data)["reason"] == "outside-workspace"
    assert editor.asked == []
    assert other.read_text() == TEXT
