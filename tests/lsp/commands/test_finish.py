"""`editahead.finish`: what a change with unsaved documents still lacks, found by a process, in the client's positions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from editahead_lsp.finish import finish_counter, service
from editahead_workspace import uris
from editahead_workspace.finish.messages import FinishTask, Found, FoundPlace, FoundRule
from git_repository import git, make_repository
from server_harness import ScriptedPipeline, ServerHarness

pytestmark = pytest.mark.slow


MODELS = "def total(user):\n    return user.sum\n"
BILLS = "from models import total\n\nprint('\U0001f600', total(user))\n"
RENAMED = MODELS.replace("total", "sum_of")
ANNOTATES = {
    "workspace": {
        "workspaceEdit": {"documentChanges": True, "changeAnnotationSupport": {"groupsOnLabel": True}}
    }
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", {"models.py": MODELS, "bills.py": BILLS})


@pytest_asyncio.fixture
async def harness(root: Path, tmp_path: Path) -> AsyncIterator[ServerHarness]:
    harness = ServerHarness(
        ScriptedPipeline({}),
        user_folder=tmp_path / "config",
        state_folder=tmp_path / "state",
        cache_folder=tmp_path / "cache",
    )
    yield harness
    harness.server.finish_counter.stop()
    harness.server.index.stop()
    harness.finish()


async def start(harness: ServerHarness, root: Path, **options: Any) -> None:
    await harness.initialize({"index": "off", **options}, root=root, **ANNOTATES)


def open_file(harness: ServerHarness, path: Path, text: str | None = None, version: int = 1) -> str:
    uri = uris.path_to_uri(path)
    harness.open(uri, path.read_text() if text is None else text, version)
    return uri


async def test_unsaved_documents_are_part_of_the_change(harness: ServerHarness, root: Path) -> None:
    await start(harness, root)
    models = open_file(harness, root / "models.py", RENAMED, 7)
    result = await harness.command("finish", {})
    assert not result["complete"]
    (rule, *_) = result["rules"]
    assert rule["label"] == "rename total -> sum_of"
    assert rule["shownAt"] == [{"uri": models, "line": 0}]
    assert len(result["places"]) == 2
    (place,) = [place for place in result["places"] if "print" in place["old"]]
    assert place["uri"] == uris.path_to_uri(root / "bills.py")
    assert place["version"] is None
    assert place["range"] == {"start": {"line": 2, "character": 0}, "end": {"line": 3, "character": 0}}
    assert place["old"] == "print('\U0001f600', total(user))\n"
    assert place["new"] == "print('\U0001f600', sum_of(user))\n"
    assert place["likely"] and place["why"]
    assert root.joinpath("bills.py").read_text() == BILLS


async def test_the_edit_makes_each_place_with_a_confirmation(harness: ServerHarness, root: Path) -> None:
    await start(harness, root)
    open_file(harness, root / "models.py", RENAMED)
    bills = open_file(harness, root / "bills.py", None, 4)
    edit = (await harness.command("finish", {}))["edit"]
    (change,) = edit["documentChanges"]
    assert change["textDocument"] == {"uri": bills, "version": 4}
    (made,) = [one for one in change["edits"] if one["range"]["start"]["line"] == 2]
    assert made["range"]["start"] == {"line": 2, "character": 12}  # the emoji counts as two
    annotation = edit["changeAnnotations"][made["annotationId"]]
    assert annotation["needsConfirmation"] is True
    assert annotation["label"].startswith("rename total -> sum_of, line 3 (")


async def test_a_complete_change_has_no_place(harness: ServerHarness, root: Path) -> None:
    await start(harness, root)
    open_file(harness, root / "models.py", RENAMED)
    open_file(harness, root / "bills.py", BILLS.replace("total", "sum_of"))
    result = await harness.command("finish", {})
    assert result["complete"] and result["places"] == []
    assert result["looked"]["files"] == 2


async def test_it_tells_how_far_it_is(harness: ServerHarness, root: Path) -> None:
    await start(harness, root)
    open_file(harness, root / "models.py", RENAMED)
    result = await harness.command("finish", {"workDoneToken": "t"})
    values = []
    while not values or values[-1]["kind"] != "end":
        message = await harness.take(lambda m: m.get("method") == "$/progress")
        assert message["params"]["token"] == "t"
        values.append(message["params"]["value"])
    assert values[0]["kind"] == "begin" and values[0]["cancellable"]
    assert any(value.get("percentage") == 100 for value in values)
    assert values[-1]["message"] == f"{len(result['places'])} places left"


async def test_a_cancelled_search_ends_its_process(harness: ServerHarness, root: Path) -> None:
    await start(harness, root)
    open_file(harness, root / "models.py", RENAMED)
    arguments = {"command": "editahead.finish", "arguments": [{"workDoneToken": 3}]}
    request = harness.send("workspace/executeCommand", arguments)
    await harness.take(lambda m: m.get("method") == "$/progress")
    harness.notify("window/workDoneProgress/cancel", {"token": 3})
    reply = await harness.reply(request)
    assert reply["error"]["code"] == -32800
    end = await harness.take(
        lambda m: m.get("method") == "$/progress" and m["params"]["value"]["kind"] == "end"
    )
    assert end["params"]["value"]["message"] == "Cancelled"


async def test_a_typed_key_is_answered_while_it_searches(harness: ServerHarness, root: Path) -> None:
    await start(harness, root)
    uri = open_file(harness, root / "models.py", RENAMED)
    request = harness.send("workspace/executeCommand", {"command": "editahead.finish", "arguments": []})
    params = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}, "context": {}}
    await harness.request("editahead/nextEdit", params)
    assert not harness.answered(request)
    await harness.reply(request)


@pytest.mark.parametrize(
    ("argument", "reason"),
    [
        ({"uri": "file:///elsewhere/a.py"}, "is in no folder"),
        ({"uri": "untitled:1"}, "open a file of the repository"),
    ],
)
async def test_outside_of_the_workspace(
    harness: ServerHarness, root: Path, argument: dict[str, str], reason: str
) -> None:
    await start(harness, root)
    arguments = {"command": "editahead.finish", "arguments": [argument]}
    reply = await harness.reply(harness.send("workspace/executeCommand", arguments))
    assert reply["error"]["code"] == -32803
    assert reason in reply["error"]["message"].replace("Open", "open")


async def test_a_workspace_inside_of_a_repository_is_the_limit(
    harness: ServerHarness, tmp_path: Path
) -> None:
    repository = make_repository(tmp_path / "all", {"shop/models.py": MODELS, "bills.py": BILLS})
    repository.joinpath("bills.py").write_text("changed outside\n")
    await start(harness, repository / "shop")
    open_file(harness, repository / "shop" / "models.py", RENAMED)
    result = await harness.command("finish", {"all": True})
    assert result["places"] == []
    (left_out,) = result["leftOut"]
    assert left_out["path"] == "bills.py" and "outside" in left_out["reason"]


async def test_without_version_control(harness: ServerHarness, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    await start(harness, folder)
    arguments = {"command": "editahead.finish", "arguments": []}
    reply = await harness.reply(harness.send("workspace/executeCommand", arguments))
    assert "no git repository" in reply["error"]["message"]


# What is found, moved to the present texts

TEXT = "a = 1\nuser = 2\nb = 3\n"


def found_in(uri: str, text: str) -> Found:
    from editahead_workspace.finish.messages import text_digest

    place = FoundPlace(
        uri,
        text_digest(text),
        ((6, 10, "account"),),
        ((1, 0, 1, 4),),
        (1, 0, 2, 0),
        "user = 2\n",
        "account = 2\n",
        "r",
        0.9,
        "code",
        True,
        "It is the same.",
    )
    return Found("the working tree", (FoundRule("r", "user -> account", ()),), (place,), (), 1)


@pytest.mark.parametrize(
    ("change", "range"),
    [
        ((0, 0, 0, 0, "first\n"), (2, 0, 3, 0)),
        ((0, 0, 1, 0, ""), (0, 0, 1, 0)),
        ((2, 0, 2, 1, "c"), (1, 0, 2, 0)),
        ((1, 0, 1, 4, "guest"), None),
    ],
)
async def test_a_place_moves_with_the_text(
    harness: ServerHarness,
    root: Path,
    change: tuple[int, int, int, int, str],
    range: tuple[int, int, int, int] | None,
) -> None:
    await start(harness, root)
    uri = open_file(harness, root / "models.py", TEXT)
    finish = harness.server.finish_service
    job = finish.create_job(None)
    harness.change(uri, 2, change)
    places = finish.to_current(job, found_in(uri, TEXT).places)
    if range is None:
        assert places == []
        return
    (place,) = places
    assert place.version == 2
    found = place.range
    assert (found.start.line, found.start.character, found.end.line, found.end.character) == range
    (edit,) = place.edits
    assert (edit.range.start.line, edit.new_text) == (range[0], "account")


async def test_a_file_that_is_opened_meanwhile_counts_if_it_is_the_same(
    harness: ServerHarness, root: Path
) -> None:
    await start(harness, root)
    finish = harness.server.finish_service
    job = finish.create_job(None)
    uri = open_file(harness, root / "models.py", TEXT, 5)
    assert finish.to_current(job, found_in(uri, "another\ntext\n").places) == []
    (place,) = finish.to_current(job, found_in(uri, TEXT).places)
    assert place.version == 5
    harness.change(uri, 6, (0, 0, 0, 0, "first\n"))
    (place,) = finish.to_current(job, found_in(uri, TEXT).places)
    assert (place.version, place.range.start.line) == (6, 2)


# The count in the status


class Clock:
    """Pauses that a test ends."""

    def __init__(self) -> None:
        self.waiting: list[asyncio.Future[None]] = []
        self.begun = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        self.waiting.append(asyncio.get_running_loop().create_future())
        self.begun.set()
        await self.waiting[-1]

    def end_pauses(self) -> None:
        for waiting in self.waiting:
            if not waiting.done():
                waiting.set_result(None)
        self.waiting.clear()


async def test_the_places_are_counted_in_a_pause(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[FinishTask] = []

    async def find(task: FinishTask, on_progress: object) -> Found:
        asked.append(task)
        return found_in("file:///a.py", TEXT)

    monkeypatch.setattr(service, "run_finish", find)
    clock = Clock()
    harness = ServerHarness(
        ScriptedPipeline({}),
        sleep=clock.sleep,
        user_folder=tmp_path / "config",
        state_folder=tmp_path / "state",
        cache_folder=tmp_path / "cache",
    )
    await start(harness, root, index="on", placesLeft=True, hints="off")
    uri = open_file(harness, root / "models.py")
    harness.change(uri, 2, RENAMED)
    await clock.begun.wait()
    assert asked == []
    clock.end_pauses()
    told = await harness.take(lambda m: m.get("method") == "editahead/placesLeft")
    assert told["params"] == {"uri": uris.path_to_uri(root), "places": 1, "message": "1 place left"}
    (task,) = asked
    assert task.niceness == service.IDLE_NICENESS
    assert (await harness.command("status"))["placesLeft"] == 1
    harness.server.finish_counter.stop()
    harness.server.index.stop()
    harness.finish()


async def test_no_count_without_being_asked_for(harness: ServerHarness, root: Path) -> None:
    await start(harness, root)
    uri = open_file(harness, root / "models.py")
    harness.change(uri, 2, RENAMED)
    assert (await harness.command("status"))["placesLeft"] is None


def test_the_count_in_words() -> None:
    assert [finish_counter.places_message(count) for count in (1, 2)] == ["1 place left", "2 places left"]


# Shown by the server, for a client without a list of its own


async def test_places_are_shown_as_diagnostics_and_made_by_code_actions(
    harness: ServerHarness, root: Path
) -> None:
    literals = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}
    await harness.initialize(
        {"index": "off", "hints": "off"},
        root=root,
        textDocument={"publishDiagnostics": {}, "codeAction": literals},
        workspace={"workspaceEdit": {"documentChanges": True}},
    )
    open_file(harness, root / "models.py", RENAMED)
    bills = uris.path_to_uri(root / "bills.py")
    assert (await harness.command("finish"))["places"]
    shown = await harness.take(lambda m: m.get("method") == "textDocument/publishDiagnostics")
    assert shown["params"]["uri"] == bills
    assert {one["range"]["start"]["line"] for one in shown["params"]["diagnostics"]} == {0, 2}
    assert all(
        one["message"].startswith("Left: rename total -> sum_of (") for one in shown["params"]["diagnostics"]
    )
    told = await harness.take(lambda m: m.get("method") == "window/showMessage")
    assert told["params"]["message"] == "Editahead: 2 places left in bills.py."

    async def actions(line: int) -> dict[str, Any]:
        at = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 1}}
        asked = {"textDocument": {"uri": bills}, "range": at, "context": {"diagnostics": []}}
        return {one["title"]: one for one in await harness.request("textDocument/codeAction", asked)}

    open_file(harness, root / "bills.py")
    found = await actions(2)
    assert list(found) == ["Make this edit: rename total -> sum_of", "Make all 2 edits that the change lacks"]
    (change,) = found["Make this edit: rename total -> sum_of"]["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": bills, "version": 1}
    assert list(await actions(1)) == []
    # One place is made: the other one is left, and follows the text.
    harness.change(bills, 2, (0, 0, 0, 0, "# first\n"), (3, 13, 3, 18, "sum_of"))
    assert list(await actions(3)) == []
    assert list(await actions(1)) == ["Make this edit: rename total -> sum_of"]
    while True:
        follows = await harness.take(lambda m: m.get("method") == "textDocument/publishDiagnostics")
        if [one["range"]["start"]["line"] for one in follows["params"]["diagnostics"]] == [1]:
            break
    harness.server.finish_diagnostics.stop()


async def test_a_complete_change_is_said(harness: ServerHarness, root: Path) -> None:
    options = {"index": "off", "hints": "off"}
    await harness.initialize(options, root=root, textDocument={"publishDiagnostics": {}})
    open_file(harness, root / "models.py")
    assert (await harness.command("finish"))["complete"]
    told = await harness.take(lambda m: m.get("method") == "window/showMessage")
    assert told["params"]["message"] == "Editahead: Complete."


# A commit message


async def test_a_message_of_what_is_saved(harness: ServerHarness, root: Path) -> None:
    await start(harness, root)
    open_file(harness, root / "models.py", MODELS.replace("total", "unsaved"))
    root.joinpath("models.py").write_text(RENAMED)
    root.joinpath("bills.py").write_text(BILLS.replace("total", "sum_of"))
    result = await harness.command("commitMessage", {})
    assert result["message"] == result["subject"] == "Rename total to sum_of in 2 files"
    assert result["body"] == []
    assert result["source"] == "the working tree against HEAD"


async def test_a_message_of_what_is_staged(harness: ServerHarness, root: Path) -> None:
    await start(harness, root)
    root.joinpath("models.py").write_text(RENAMED)
    git(root, "add", "models.py")
    root.joinpath("new.py").write_text("x = 1\n")
    result = await harness.command("commitMessage", {"uri": uris.path_to_uri(root)})
    assert result["message"] == "Rename total to sum_of in models.py"
    assert "staged" in result["source"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [(MODELS, "Nothing was changed."), (MODELS + "\nx = 1\n", "Nothing in the change has")],
)
async def test_no_message(harness: ServerHarness, root: Path, text: str, reason: str) -> None:
    await start(harness, root)
    root.joinpath("models.py").write_text(text)
    open_file(harness, root / "models.py")
    arguments = {"command": "editahead.commitMessage", "arguments": []}
    reply = await harness.reply(harness.send("workspace/executeCommand", arguments))
    assert reply["error"]["code"] == -32803
    assert reply["error"]["message"].startswith(reason)
