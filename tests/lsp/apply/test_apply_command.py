"""`editahead.apply` over the protocol: results, requests to the client, and refusals."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from editahead_inference.apply.merge.merge import merge
from editahead_lsp.apply.service import DEADLINE_S
from manual_clock import Clock
from schemas import validate
from server_harness import ServerHarness, lsp_range
from sketch_fixture import PATCH, SKETCH, TEXT, WANTED, applied

VERSIONED = {"documentChanges": True}
ANNOTATED = VERSIONED | {"changeAnnotationSupport": {"groupsOnLabel": True}}
FILES = {"resourceOperations": ["create", "rename", "delete"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


async def start(harness: ServerHarness, folder: Path | None = None, **workspace: Any) -> None:
    await harness.initialize(root=folder, workspace={"applyEdit": True, "workspaceEdit": workspace})


def command(**argument: Any) -> dict[str, Any]:
    return {"command": "editahead.apply", "arguments": [argument]}


async def apply(harness: ServerHarness, **argument: Any) -> Any:
    result = await harness.request("workspace/executeCommand", command(**argument))
    validate("command.editahead.apply", "arguments", [argument])
    validate("command.editahead.apply", "result", result)
    return result


async def refused(harness: ServerHarness, **argument: Any) -> Any:
    """Return the data of the refusal."""
    reply = await harness.reply(harness.send("workspace/executeCommand", command(**argument)))
    assert reply["error"]["code"] == -32803
    assert reply["error"]["message"]
    return reply["error"]["data"]


async def test_a_dry_run_gives_the_edit_and_sends_nothing(harness: ServerHarness, folder: Path) -> None:
    await start(harness, folder, **VERSIONED)
    uri = (folder / "a.py").as_uri()
    harness.open(uri, TEXT, version=7)
    result = await apply(harness, uri=uri, sketch=SKETCH, dryRun=True)
    (change,) = result["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": uri, "version": 7}
    assert applied(TEXT, change["edits"]) == applied(TEXT, result["hunks"]) == WANTED
    assert (result["method"], result["sketchKind"]) == ("merge", "markers")
    assert result["stats"].keys() == {
        "ms",
        "firstHunkMs",
        "modelTokens",
        "draftTokens",
        "acceptedDraftTokens",
    }
    (hunk,) = result["hunks"]
    assert (hunk["uri"], hunk["class"], hunk["origin"]) == (uri, "semantic", "matched")
    assert hunk["flags"] == ["Changes the constant `2` to `3`."]
    assert "changeAnnotations" not in result["edit"]


@pytest.mark.parametrize("half", ["\ud800", "\udfff"])
async def test_half_of_a_surrogate_pair_is_refused(harness: ServerHarness, folder: Path, half: str) -> None:
    await start(harness, folder, **VERSIONED)
    uri = (folder / "a.py").as_uri()
    harness.open(uri, TEXT)
    sketch = f"```python\n{TEXT}    # {half}\n```\n"
    assert (await refused(harness, uri=uri, sketch=sketch))["reason"] == "unparsed"
    harness.change(uri, 2, (0, 0, 0, 0, f"# {half}\ndef {half}g(): pass\n\n\n"))
    assert (await apply(harness, uri=uri, sketch=SKETCH, dryRun=True))["hunks"]


async def test_annotations_for_clients_that_have_them(harness: ServerHarness, folder: Path) -> None:
    await start(harness, folder, **ANNOTATED)
    uri = (folder / "a.py").as_uri()
    harness.open(uri, TEXT)
    sketch = SKETCH.replace(
        "# ... existing code ...\n\ndef", "import os\nimport sys\n# ... existing code ...\n\ndef", 1
    )
    result = await apply(harness, uri=uri, sketch=sketch, dryRun=True)
    annotations = result["edit"]["changeAnnotations"]
    edits = result["edit"]["documentChanges"][0]["edits"]
    assert [annotations[edit["annotationId"]]["needsConfirmation"] for edit in edits] == [False, True]
    assert [hunk["class"] for hunk in result["hunks"]] == ["import", "semantic"]
    assert annotations[edits[1]["annotationId"]] == {
        "label": "Changes what the code does, line 12",
        "needsConfirmation": True,
        "description": "Changes the constant `2` to `3`.",
    }


async def test_plain_edits_for_clients_that_know_no_versions(harness: ServerHarness, folder: Path) -> None:
    await start(harness, folder)
    uri = (folder / "a.py").as_uri()
    harness.open(uri, TEXT)
    result = await apply(harness, uri=uri, sketch=SKETCH, dryRun=True)
    assert applied(TEXT, result["edit"]["changes"][uri]) == WANTED
    assert result["edit"].keys() == {"changes"}


async def test_it_is_applied_and_is_not_typed(harness: ServerHarness, folder: Path) -> None:
    await start(harness, folder, **VERSIONED)
    uri = (folder / "a.py").as_uri()
    harness.open(uri, TEXT)
    id = harness.send("workspace/executeCommand", command(uri=uri, sketch=SKETCH))
    message = await harness.take(lambda m: m.get("method") == "workspace/applyEdit")
    assert message["params"]["label"] == "Apply sketch"
    (edit,) = message["params"]["edit"]["documentChanges"][0]["edits"]
    place = edit["range"]["start"], edit["range"]["end"]
    harness.change(uri, 2, (*(n for p in place for n in (p["line"], p["character"])), edit["newText"]))
    harness.answer(message["id"], {"applied": True})
    result = (await harness.reply(id))["result"]
    assert "applied" not in result
    (past,) = harness.server.session.history.edits
    assert past.origin == "accepted"
    assert harness.server.session.documents.get(uri).snapshot.text == WANTED


async def test_the_client_declines(harness: ServerHarness, folder: Path) -> None:
    await start(harness, folder, **VERSIONED)
    uri = (folder / "a.py").as_uri()
    harness.open(uri, TEXT)
    for answer, reason in (
        ({"applied": False, "failureReason": "It is locked."}, "It is locked."),
        ({"applied": False}, "The editor did not apply the edit."),
        (None, "The editor did not apply the edit."),
    ):
        id = harness.send("workspace/executeCommand", command(uri=uri, sketch=SKETCH))
        await harness.serves("workspace/applyEdit", answer)
        result = (await harness.reply(id))["result"]
        assert (result["applied"], result["failureReason"]) == (False, reason)
    assert harness.server.session.history.edits == ()


async def test_a_client_that_cannot_be_asked(client: ServerHarness) -> None:
    client.open("untitled:1", TEXT)
    result = await apply(client, uri="untitled:1", sketch=SKETCH)
    assert result["applied"] is False
    assert (
        result["failureReason"]
        == "The editor does not support `workspace/applyEdit`. Request the edit with `dryRun` and apply it."
    )


async def test_nothing_to_change(harness: ServerHarness, folder: Path) -> None:
    await start(harness, folder, **VERSIONED)
    uri = (folder / "a.py").as_uri()
    harness.open(uri, WANTED)
    result = await apply(harness, uri=uri, sketch=SKETCH)
    assert (result["edit"], result["hunks"], result["method"]) == ({"documentChanges": []}, [], "none")


async def test_a_refusal_says_which_part_and_changes_nothing(harness: ServerHarness, folder: Path) -> None:
    await start(harness, folder, **VERSIONED)
    uri = (folder / "a.py").as_uri()
    harness.open(uri, TEXT)
    block = "<<<<<<< SEARCH\n    return c * 7\n=======\n    return 8\n>>>>>>> REPLACE\n"
    data = await refused(harness, uri=uri, sketch=block)
    validate("command.editahead.apply", "refusal", data)
    assert data["reason"] == "unplaced"
    assert "return c * 7" in data["part"]
    assert await refused(harness, uri=uri, sketch="\n") == {"reason": "unparsed", "part": "", "near": []}


@pytest.mark.parametrize("arguments", [[], [{}], ["x"], [{"sketch": "x", "range": 1}]])
async def test_arguments_that_are_none(client: ServerHarness, arguments: list[Any]) -> None:
    message = {"command": "editahead.apply", "arguments": arguments}
    reply = await client.reply(client.send("workspace/executeCommand", message))
    assert reply["error"]["code"] == -32602


async def test_only_within_the_range(harness: ServerHarness, folder: Path) -> None:
    await start(harness, folder, **VERSIONED)
    uri = (folder / "a.py").as_uri()
    harness.open(uri, TEXT)
    within = await apply(harness, uri=uri, sketch=SKETCH, range=lsp_range(0, 0, 15, 0), dryRun=True)
    assert applied(TEXT, within["hunks"]) == WANTED
    data = await refused(harness, uri=uri, sketch=SKETCH, range=lsp_range(0, 0, 3, 0), dryRun=True)
    assert data["reason"] == "unplaced"


TWO = """\
a.py
```python
# ... existing code ...
def second(b):
    c = abs(b)
    d = c * 3  # twice
    return c + d
# ... existing code ...
```

lib/b.py
```python
# ... existing code ...
def fourth():
    a = 1
    b = 5
    return a + b
# ... existing code ...
```
"""
OTHER = "def fourth():\n    a = 1\n    b = 4\n    return a + b\n\n\ndef fifth():\n    return 5\n"


async def test_files_that_are_open_and_files_that_are_not(harness: ServerHarness, folder: Path) -> None:
    await start(harness, folder, **VERSIONED)
    (folder / "lib").mkdir()
    (folder / "lib" / "b.py").write_bytes(("\ufeff" + OTHER).replace("\n", "\r\n").encode())
    a, b = (folder / "a.py").as_uri(), (folder / "lib" / "b.py").as_uri()
    harness.open(a, TEXT, version=3)
    result = await apply(harness, sketch=TWO, dryRun=True, partialResultToken="p", workDoneToken=9)
    changes = {c["textDocument"]["uri"]: c for c in result["edit"]["documentChanges"]}
    assert {uri: c["textDocument"]["version"] for uri, c in changes.items()} == {a: 3, b: None}
    assert changes[b]["edits"][0]["range"] == lsp_range(2, 8, 2, 9)
    told = [await harness.take(lambda m: m.get("method") == "$/progress") for _ in range(6)]
    values = [m["params"]["value"] for m in told if m["params"]["token"] == "p"]
    for value in values:
        validate("command.editahead.apply", "partial", value)
    assert [hunk for value in values for hunk in value["hunks"]] == result["hunks"]
    work = [m["params"]["value"] for m in told if m["params"]["token"] == 9]
    assert [value["kind"] for value in work] == ["begin", "report", "report", "end"]
    assert work[0]["cancellable"] is True


async def test_a_range_of_what_is_not_open(harness: ServerHarness, folder: Path) -> None:
    await start(harness, folder, **VERSIONED)
    (folder / "a.py").write_text(TEXT)
    uri = (folder / "a.py").as_uri()
    result = await apply(harness, uri=uri, sketch=SKETCH, range=lsp_range(0, 0, 15, 0), dryRun=True)
    assert applied(TEXT, result["hunks"]) == WANTED


async def test_created_deleted_and_moved_files(harness: ServerHarness, folder: Path) -> None:
    await start(harness, folder, **ANNOTATED, **FILES)
    (folder / "b.py").write_text(OTHER)
    uri = (folder / "a.py").as_uri()
    harness.open(uri, TEXT)
    result = await apply(harness, sketch=PATCH, dryRun=True)
    changes = result["edit"]["documentChanges"]
    what = [change.get("kind", "edit") for change in changes]
    assert sorted(what) == ["create", "delete", "edit", "edit", "rename"]
    assert what.index("create") < what.index("edit")
    by_kind = {change.get("kind"): change for change in changes}
    assert by_kind["create"]["uri"] == (folder / "new" / "c.py").as_uri()
    assert by_kind["delete"]["uri"] == (folder / "b.py").as_uri()
    assert by_kind["rename"]["newUri"] == (folder / "d.py").as_uri()
    annotations = result["edit"]["changeAnnotations"]
    for kind in ("create", "delete", "rename"):
        assert annotations[by_kind[kind]["annotationId"]]["needsConfirmation"] is True


ENVRC = "*** Begin Patch\n*** Add File: .envrc\n+export A=1\n*** End Patch\n"


async def test_a_new_file_that_programs_run_is_flagged(harness: ServerHarness, folder: Path) -> None:
    await start(harness, folder, **ANNOTATED, **FILES)
    result = await apply(harness, sketch=ENVRC, dryRun=True)
    (hunk,) = result["hunks"]
    assert any("read it first" in flag for flag in hunk["flags"])
    annotations = result["edit"]["changeAnnotations"].values()
    assert all(a["needsConfirmation"] and "read it first" in a["description"] for a in annotations)


async def test_a_new_file_that_programs_run_is_not_made_unread(harness: ServerHarness, folder: Path) -> None:
    await start(harness, folder, **VERSIONED, **FILES)
    assert (await refused(harness, sketch=ENVRC))["reason"] == "unplaced"
    assert (await apply(harness, sketch=ENVRC, dryRun=True))["hunks"]


@pytest.mark.parametrize("workspace", [{}, VERSIONED, VERSIONED | {"resourceOperations": ["create"]}])
async def test_a_client_that_cannot_do_it_to_files(
    harness: ServerHarness, folder: Path, workspace: Any
) -> None:
    await start(harness, folder, **workspace)
    (folder / "b.py").write_text(OTHER)
    harness.open((folder / "a.py").as_uri(), TEXT)
    assert (await refused(harness, sketch=PATCH, dryRun=True))["reason"] == "unplaced"


class Held:
    """A merge that waits in the middle."""

    def __init__(self) -> None:
        self.begun, self.go = threading.Event(), threading.Event()

    def __call__(self, *arguments: Any, check: Any, **more: Any) -> Any:
        self.begun.set()
        while not self.go.wait(0.001):
            check()
        return merge(*arguments, check=check, **more)


@pytest.fixture
def held(harness: ServerHarness) -> Held:
    held = Held()
    harness.server.apply_service.load = lambda: held
    return held


async def begun(harness: ServerHarness, held: Held, **argument: Any) -> int:
    id = harness.send("workspace/executeCommand", command(**argument))
    assert await asyncio.to_thread(held.begun.wait, 10)
    return id


async def test_an_edit_is_moved_along_with_what_is_typed_elsewhere(client: ServerHarness, held: Held) -> None:
    client.open("untitled:1", TEXT)
    id = await begun(client, held, uri="untitled:1", sketch=SKETCH, dryRun=True)
    client.change("untitled:1", 2, (0, 0, 0, 0, "# typed\n"))
    held.go.set()
    result = (await client.reply(id))["result"]
    assert applied("# typed\n" + TEXT, result["hunks"]) == "# typed\n" + WANTED


@pytest.mark.parametrize("change", [(11, 4, 11, 4, "x = "), (11, 0, 12, 0, ""), (3, 0, 14, 0, "")])
async def test_typing_on_the_same_lines(client: ServerHarness, held: Held, change: Any) -> None:
    client.open("untitled:1", TEXT)
    id = await begun(client, held, uri="untitled:1", sketch=SKETCH, dryRun=True)
    client.change("untitled:1", 2, change)
    held.go.set()
    assert (await client.reply(id))["error"]["data"]["reason"] == "stale"


async def test_a_document_that_is_closed_meanwhile(client: ServerHarness, held: Held) -> None:
    client.open("untitled:1", TEXT)
    id = await begun(client, held, uri="untitled:1", sketch=SKETCH, dryRun=True)
    client.close_document("untitled:1")
    client.open("untitled:1", TEXT)
    held.go.set()
    assert (await client.reply(id))["error"]["data"]["reason"] == "stale"


async def test_a_file_that_is_opened_meanwhile(harness: ServerHarness, held: Held, folder: Path) -> None:
    await start(harness, folder, **VERSIONED)
    uri = (folder / "a.py").as_uri()
    (folder / "a.py").write_text(TEXT)
    for text, stale in ((TEXT, False), (TEXT + "\n", True)):
        held.begun.clear()
        held.go.clear()
        id = await begun(harness, held, uri=uri, sketch=SKETCH, dryRun=True)
        harness.open(uri, text, version=5)
        held.go.set()
        reply = await harness.reply(id)
        if stale:
            assert reply["error"]["data"]["reason"] == "stale"
        else:
            assert reply["result"]["edit"]["documentChanges"][0]["textDocument"]["version"] == 5
        harness.close_document(uri)


@pytest.mark.parametrize("by", ["request", "progress"])
async def test_it_can_be_cancelled(client: ServerHarness, held: Held, by: str) -> None:
    client.open("untitled:1", TEXT)
    id = await begun(client, held, uri="untitled:1", sketch=SKETCH, dryRun=True, workDoneToken="w")
    if by == "request":
        client.notify("$/cancelRequest", {"id": id})
    else:
        client.notify("window/workDoneProgress/cancel", {"token": "w"})
    assert (await client.reply(id))["error"]["code"] == -32800
    told = [await client.take(lambda m: m.get("method") == "$/progress") for _ in range(2)]
    assert [m["params"]["value"].get("message") for m in told] == [None, "Cancelled"]
    held.begun.clear()
    held.go.set()
    again = await begun(
        client, held, uri="untitled:1", sketch=SKETCH, dryRun=True
    )  # the thread is free again
    assert "result" in await client.reply(again)


async def test_there_is_an_end_to_patience(connect: Callable[..., ServerHarness]) -> None:
    clock = Clock()
    harness, held = connect(clock=clock), Held()
    harness.server.apply_service.load = lambda: held
    await harness.initialize()
    harness.open("untitled:1", TEXT)
    id = await begun(harness, held, uri="untitled:1", sketch=SKETCH, dryRun=True)
    clock.now += DEADLINE_S + 1
    assert (await harness.reply(id))["error"]["data"]["reason"] == "too-large"


async def test_the_end_of_the_server_ends_it(client: ServerHarness, held: Held) -> None:
    client.open("untitled:1", TEXT)
    id = await begun(client, held, uri="untitled:1", sketch=SKETCH, dryRun=True)
    client.server.apply_service.stop()  # would wait for longer than the test may take
    assert "error" in await client.reply(id)


async def test_predictions_go_on_meanwhile(client: ServerHarness, held: Held) -> None:
    client.open("untitled:1", TEXT)
    client.open("untitled:2", "user\n")
    id = await begun(client, held, uri="untitled:1", sketch=SKETCH, dryRun=True)
    position = {"textDocument": {"uri": "untitled:2", "version": 1}, "position": {"line": 0, "character": 0}}
    answer = await client.request("editahead/nextEdit", position)
    assert answer["predictions"]
    held.go.set()
    await client.reply(id)


async def test_as_a_notification_it_is_applied_too(harness: ServerHarness, folder: Path) -> None:
    await start(harness, folder, **VERSIONED)
    uri = (folder / "a.py").as_uri()
    harness.open(uri, TEXT)
    harness.notify("workspace/executeCommand", command(uri=uri, sketch=SKETCH))
    await harness.serves("workspace/applyEdit", {"applied": True})


async def test_positions_are_in_the_encoding_agreed_on(client: ServerHarness) -> None:
    text = TEXT.replace("c * 2", "'𝔘é' * 2")
    client.open("untitled:1", text)
    sketch = SKETCH.replace("c * 3  # twice", "'𝔘é' * 3")
    (hunk,) = (await apply(client, uri="untitled:1", sketch=sketch, dryRun=True))["hunks"]
    assert hunk["range"] == lsp_range(11, 16, 11, 17)


async def test_with_check_new_problems_keep_it_from_being_applied(
    harness: ServerHarness, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = folder.parent / "bin" / "ruff"
    tool.parent.mkdir()
    tool.write_text(
        '#!/bin/sh\nset -- "$6"\n'
        'if grep -q twice "$1"; then printf \'[{"filename":"%s/a.py","location":{"row":12,"column":3},'
        '"code":"X1","message":"twice"}]\' "$PWD"; else echo "[]"; fi\n'
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")
    await start(harness, folder, **VERSIONED)
    uri = (folder / "a.py").as_uri()
    harness.open(uri, TEXT)
    result = await apply(harness, uri=uri, sketch=SKETCH, check=True)
    assert result["applied"] is False
    assert result["problems"] == [
        {"uri": uri, "range": lsp_range(11, 2, 11, 2), "message": "X1: twice", "source": "ruff"}
    ]


_MODE = "diff --git a/a.py b/a.py\nold mode 100644\nnew mode 100755\n"
_NEW = "diff --git a/b.sh b/b.sh\nnew file mode 100755\n--- /dev/null\n+++ b/b.sh\n@@ -0,0 +1 @@\n+echo\n"


@pytest.mark.parametrize(("sketch", "name"), [(_MODE, "a.py"), (_NEW, "b.sh"), (_MODE + _NEW, "a.py")])
@pytest.mark.parametrize("dry_run", [False, True])
async def test_who_may_run_a_file_is_no_matter_of_editors(
    harness: ServerHarness, folder: Path, sketch: str, name: str, dry_run: bool
) -> None:
    (folder / "a.py").write_text(TEXT)
    await start(harness, folder, **VERSIONED | FILES)
    reply = await harness.reply(
        harness.send("workspace/executeCommand", command(sketch=sketch, dryRun=dry_run))
    )
    assert reply["error"]["data"]["reason"] == "unparsed"
    assert f"may run {name}" in reply["error"]["message"]
    (folder / "a.py").chmod(0o755)
    if sketch == _MODE:
        assert (await apply(harness, sketch=sketch, dryRun=dry_run))["hunks"] == []
