"""What is already known answers first: typed into, kept, foreseen, shared; and what stands there is not shuffled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from editahead_inference.candidates import GateDecision, Prediction
from editahead_lsp.prediction.coordinator import ReuseOptions
from editahead_lsp.prediction.scheduler import CACHE_SIZE
from editahead_prompts.state import EditorState
from server_harness import ScriptedPipeline, ServerHarness, ask, span

A, B = "file:///tmp/a.py", "file:///tmp/b.py"
AHEAD = ReuseOptions(prefetch=True)


async def next_edit(wired: ServerHarness, line: int = 0, character: int = 0, uri: str = A) -> dict[str, Any]:
    version = wired.server.session.documents.get(uri)
    assert version is not None
    result: dict[str, Any] = await wired.request(
        "editahead/nextEdit", ask(uri, version.snapshot.version, line, character)
    )
    return result


async def first(wired: ServerHarness, line: int = 0, character: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = (await next_edit(wired, line, character))["predictions"][0]
    return found


def layers(wired: ServerHarness) -> dict[str, int]:
    return {str(layer): count for layer, count in wired.server.predictions.answer_counts.items()}


# What was shown and is being typed


async def test_typing_what_was_predicted_keeps_it(wired: ServerHarness, pipeline: ScriptedPipeline) -> None:
    await wired.initialize()
    wired.open(A, "x = user\n")
    shown = await first(wired, 0, 4)
    wired.change(A, 2, (0, 4, 0, 8, ""))
    for column, letter in enumerate("acc"):
        wired.change(A, 3 + column, (0, 4 + column, 0, 4 + column, letter))
    left = await first(wired, 0, 7)
    assert left["id"] == shown["id"]
    assert left["edits"] == [{"range": span(0, 7, 0, 7), "newText": "ount"}]
    assert left["cursorAfter"] == shown["cursorAfter"] == {"line": 0, "character": 11}
    assert left["confidence"] == shown["confidence"]
    assert len(pipeline.calls) == 1
    assert layers(wired) == {"computed": 1, "typed": 1}


async def test_every_face_is_told_what_is_being_typed(
    wired: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    await wired.initialize()
    wired.open(A, "user\n")
    shown = await first(wired)
    wired.change(A, 2, (0, 0, 0, 4, "acc"))
    (item,) = (await wired.request("textDocument/inlineCompletion", ask(A, 2, 0, 3)))["items"]
    (edit,) = (await wired.request("textDocument/copilotInlineEdit", ask(A, 2, 0, 3)))["edits"]
    assert item["insertText"] == edit["text"] == "ount"
    assert item["command"]["arguments"] == edit["command"]["arguments"] == [shown["id"]]
    assert len(pipeline.calls) == 1


async def test_others_that_are_typed_along_stay_behind_it_for_every_face(
    wired: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    pipeline.script = {"user": "account", "user\n": "accounts\n", "user\nx": "access\nx"}
    await wired.initialize()
    wired.open(A, "user\nx\n")
    before = [shown["id"] for shown in (await next_edit(wired))["predictions"]]
    assert len(before) == 3
    wired.change(A, 2, (0, 0, 0, 4, "a"))
    for column in (1, 2):
        wired.change(A, 2 + column, (0, column, 0, column, "c"))
        after = (await next_edit(wired, 0, 1 + column))["predictions"]
        assert [shown["id"] for shown in after] == before
    edits = (await wired.request("textDocument/copilotInlineEdit", ask(A, 4, 0, 3)))["edits"]
    assert [edit["command"]["arguments"][0] for edit in edits] == before[:1]
    assert len(pipeline.calls) == 1


async def test_typing_otherwise_drops_it(wired: ServerHarness, pipeline: ScriptedPipeline) -> None:
    await wired.initialize()
    wired.open(A, "user\n")
    await first(wired)
    wired.change(A, 2, (0, 0, 0, 4, "ac"))
    wired.change(A, 3, (0, 2, 0, 2, "t"))
    assert (await next_edit(wired, 0, 3))["predictions"] == []
    assert len(pipeline.calls) == 2


async def test_the_rest_stands_only_where_it_is_typed(
    wired: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    await wired.initialize()
    wired.open(A, "user\nx\n")
    await first(wired)
    wired.change(A, 2, (0, 0, 0, 4, "acc"))
    await next_edit(wired, 1, 0)
    assert len(pipeline.calls) == 2, "the person has gone elsewhere"
    wired.change(A, 3, (1, 1, 1, 1, "y"))
    await next_edit(wired, 0, 3)
    assert len(pipeline.calls) == 3, "and has typed there"


async def test_what_stands_beside_it_stays(wired: ServerHarness) -> None:
    await wired.initialize()
    wired.open(A, "user\nuser\n")
    before = (await next_edit(wired))["predictions"]
    wired.change(A, 2, (0, 0, 0, 4, "acc"))
    after = (await next_edit(wired, 0, 3))["predictions"]
    assert [p["id"] for p in after] == [p["id"] for p in before]
    assert after[1]["edits"] == before[1]["edits"]


async def test_the_cursor_after_is_that_of_the_same_text(
    wired: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    """An answer that is overtaken by typing its own characters while it is computed."""
    await wired.initialize()
    wired.open(A, "user\n")
    pipeline.open.clear()
    id = wired.send("editahead/nextEdit", ask(A, 1, 0, 0))
    await asyncio.to_thread(pipeline.started.wait, 10)
    wired.change(A, 2, (0, 0, 0, 4, "acc"))
    pipeline.open.set()
    (left,) = (await wired.reply(id))["result"]["predictions"]
    assert left["edits"] == [{"range": span(0, 3, 0, 3), "newText": "ount"}]
    assert left["cursorAfter"] == {"line": 0, "character": 7}


# Equal states


async def test_moving_the_cursor_predicts_each_line_once(
    wired: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    await wired.initialize()
    wired.open(A, "x\nuser\nuser\n")
    seen = [
        await next_edit(wired, line, character)
        for line, character in [(0, 0), (0, 1), (2, 0), (0, 0), (2, 3)]
    ]
    assert len(pipeline.calls) == 2
    assert [p["predictions"][0]["edits"][0]["range"]["start"]["line"] for p in seen] == [1, 1, 2, 1, 2]
    assert layers(wired) == {"computed": 2, "cache": 3}


async def test_silence_is_kept_too(wired: ServerHarness, pipeline: ScriptedPipeline) -> None:
    await wired.initialize()
    wired.open(A, "nothing\n")
    answers = [await next_edit(wired, 0, k) for k in range(3)]
    assert answers[0]["silence"]["reason"] == "no-candidate"
    assert answers[0] == answers[1] == answers[2]
    assert len(pipeline.calls) == 1


async def test_a_failure_is_not_kept(wired: ServerHarness, pipeline: ScriptedPipeline) -> None:
    await wired.initialize()
    wired.open(A, "user\n")
    pipeline.fails = True
    assert (await next_edit(wired))["silence"]["reason"] == "engine-unavailable"
    pipeline.fails = False
    assert (await next_edit(wired))["predictions"]


async def test_an_answer_kept_is_given_for_the_present_version(
    wired: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    await wired.initialize()
    wired.open(A, "user\n")
    one = await first(wired)
    wired.notify("textDocument/didClose", {"textDocument": {"uri": A}})
    wired.open(A, "user\n", version=9)
    other = await first(wired)
    assert len(pipeline.calls) == 1
    assert other["textDocument"]["version"] == 9
    assert (other["edits"], other["confidence"]) == (one["edits"], one["confidence"])
    assert other["id"] != one["id"], "what was shown in the closed document is over"


@pytest.mark.parametrize("change", ["text", "other", "reject", "eagerness", "language"])
async def test_what_a_prediction_depends_on_makes_it_anew(
    wired: ServerHarness, pipeline: ScriptedPipeline, change: str
) -> None:
    await wired.initialize()
    wired.open(A, "user user\n")
    shown = await first(wired)
    if change == "text":
        wired.change(A, 2, (0, 9, 0, 9, " "))
    elif change == "other":
        wired.open(B, "user\n")
    elif change == "reject":
        wired.notify("editahead/outcome", {"id": shown["id"], "event": "rejected"})
    elif change == "eagerness":
        wired.notify("workspace/didChangeConfiguration", {"settings": {"editahead": {"eagerness": 0.9}}})
    else:
        wired.notify("textDocument/didClose", {"textDocument": {"uri": A}})
        wired.open(A, "user user\n", language="go")
    await next_edit(wired)
    assert len(pipeline.calls) == 2


async def test_old_answers_are_forgotten(wired: ServerHarness, pipeline: ScriptedPipeline) -> None:
    await wired.initialize()
    wired.open(A, "user\n" * (CACHE_SIZE + 1))
    for line in (*range(CACHE_SIZE + 1), CACHE_SIZE, 0):
        await next_edit(wired, line)
    assert len(pipeline.calls) == CACHE_SIZE + 2


async def test_without_layers_everything_is_predicted(
    connect: Callable[..., ServerHarness], pipeline: ScriptedPipeline
) -> None:
    wired = connect(reuse=ReuseOptions(typed=False, cache_size=0, prefetch=False))
    await wired.initialize()
    wired.open(A, "user\n")
    await next_edit(wired)
    await next_edit(wired)
    wired.change(A, 2, (0, 0, 0, 4, "acc"))
    await next_edit(wired, 0, 3)
    assert len(pipeline.calls) == 3


async def test_two_faces_share_what_is_being_computed(
    wired: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    await wired.initialize()
    wired.open(A, "user\n")
    pipeline.open.clear()
    faces = ("editahead/nextEdit", "textDocument/copilotInlineEdit", "textDocument/inlineCompletion")
    ids = [wired.send(face, ask(A, 1, 0, k)) for k, face in enumerate(faces)]
    await asyncio.to_thread(pipeline.started.wait, 10)
    pipeline.open.set()
    for id in ids:
        assert next(iter((await wired.reply(id))["result"].values()))
    assert len(pipeline.calls) == 1
    assert layers(wired) == {"computed": 1, "shared": 2}


# After the next accept


def accept(wired: ServerHarness, prediction: dict[str, Any], version: int, *, change_first: bool) -> None:
    """Make a one-line edit as an editor does, and say so."""
    ((edit),) = prediction["edits"]
    start, end = edit["range"]["start"], edit["range"]["end"]
    place = (start["line"], start["character"], end["line"], end["character"], edit["newText"])
    told = {"command": "editahead.accept", "arguments": [prediction["id"]]}
    if change_first:
        wired.change(A, version, place)
    wired.notify("workspace/executeCommand", told)
    if not change_first:
        wired.change(A, version, place)


async def settled(wired: ServerHarness) -> None:
    """Until what is foreseen is computed. The server begins with that once its answer is on its way."""
    for _ in range(3):
        await asyncio.sleep(0)
    async with asyncio.timeout(10):
        await asyncio.gather(*(c.done for c in wired.server.predictions._known.values()))


@pytest.mark.parametrize("change_first", [True, False])
async def test_after_an_accept_the_next_answer_is_there(
    connect: Callable[..., ServerHarness], pipeline: ScriptedPipeline, change_first: bool
) -> None:
    wired = connect(reuse=AHEAD)
    await wired.initialize()
    wired.open(A, "user\nuser\nuser\n")
    wired.change(A, 2, (0, 0, 0, 4, "account"))
    for version, line in ((2, 1), (3, 2)):
        shown = await first(wired, line - 1, 7)
        assert shown["edits"][0]["range"] == span(line, 0, line, 4)
        await settled(wired)
        accept(wired, shown, version + 1, change_first=change_first)
    assert (await next_edit(wired, 2, 7))["silence"]["reason"] == "no-candidate"
    assert layers(wired) == {"computed": 1, "ahead": 2}
    assert len(pipeline.calls) == 3


async def test_after_an_accept_in_another_document(
    connect: Callable[..., ServerHarness], pipeline: ScriptedPipeline
) -> None:
    wired = connect(reuse=AHEAD)
    await wired.initialize()
    wired.open(B, "user\n")
    wired.open(A, "x\n")
    shown = await first(wired)
    assert shown["textDocument"]["uri"] == B
    await settled(wired)
    wired.change(B, 2, (0, 0, 0, 4, "account"))
    wired.notify("workspace/executeCommand", {"command": "editahead.accept", "arguments": [shown["id"]]})
    assert (await next_edit(wired, 0, 7, uri=B))["predictions"] == []
    assert layers(wired) == {"computed": 1, "ahead": 1}


async def test_what_is_foreseen_waits_for_what_is_asked(
    connect: Callable[..., ServerHarness], pipeline: ScriptedPipeline
) -> None:
    wired = connect(reuse=AHEAD)
    await wired.initialize()
    wired.open(A, "user\nuser\n")
    wired.open(B, "user\n")
    await first(wired)
    await settled(wired)
    calls = len(pipeline.calls)
    pipeline.once = True
    wired.change(A, 2, (1, 4, 1, 4, " "))
    await wired.reply(wired.send("editahead/nextEdit", ask(A, 2, 0, 0)))
    await asyncio.to_thread(pipeline.started.wait, 10)  # now it looks ahead, and is held back
    pipeline.started.clear()
    asked = wired.send("editahead/nextEdit", ask(B, 1, 0, 0))
    await asyncio.to_thread(pipeline.started.wait, 10)
    assert pipeline.calls[-1].document.uri == B, "it made room"
    pipeline.open.set()
    assert (await wired.reply(asked))["result"]["predictions"]
    await settled(wired)
    assert len(pipeline.calls) > calls + 3, "what made room was taken up again"


async def test_an_accept_does_not_wait_behind_what_was_foreseen(
    connect: Callable[..., ServerHarness], pipeline: ScriptedPipeline
) -> None:
    """Asked for while it is computed ahead: the same computation goes on, now in earnest."""
    wired = connect(reuse=AHEAD)
    await wired.initialize()
    wired.open(A, "user\nuser\n")
    shown = await first(wired)
    pipeline.open.clear()
    accept(wired, shown, 2, change_first=True)
    asked = wired.send("editahead/nextEdit", ask(A, 2, 0, 7, trigger="accepted"))
    pipeline.open.set()
    assert (await wired.reply(asked))["result"]["predictions"]
    assert len([state for state in pipeline.calls if state.document.text == "account\nuser\n"]) <= 2


# What stands there is not shuffled


class Shuffled(ScriptedPipeline):
    """Each prediction has its candidates in another order. confidence: of the first."""

    def __init__(self, confidence: float = 0.9) -> None:
        super().__init__({"user": "account"})
        self.confidence = confidence

    def predict(self, state: EditorState, **more: Any) -> Prediction:
        made = super().predict(state, **more)
        verdicts = list(made.shown)
        if len(self.calls) % 2 == 0:
            verdicts.reverse()
            verdicts[0] = GateDecision(verdicts[0].candidate, self.confidence, None)
        return Prediction(state, tuple(verdicts), made.silence, tuple(verdicts))


@pytest.mark.parametrize(("confidence", "stays"), [(0.9, True), (1.0, True), (1.1, False)])
async def test_only_something_clearly_better_takes_its_place(
    tmp_path: Any, confidence: float, stays: bool
) -> None:
    wired = ServerHarness(Shuffled(confidence), user_folder=tmp_path)
    await wired.initialize()
    wired.open(A, "x\nuser\nuser\n")
    wired.change(A, 2, (0, 1, 0, 1, "y"))
    before = await first(wired, 0, 2)
    wired.change(A, 3, (0, 2, 0, 2, "z"))
    after = await next_edit(wired, 0, 3)
    assert (after["predictions"][0]["id"] == before["id"]) is stays
    assert len(after["predictions"]) == 2
    wired.finish()


async def test_another_edit_makes_room_for_another_prediction(tmp_path: Any) -> None:
    wired = ServerHarness(Shuffled(), user_folder=tmp_path)
    await wired.initialize()
    wired.open(A, "x\nuser\nuser\n\n\n\nx\n")
    wired.change(A, 2, (0, 1, 0, 1, "y"))
    before = await first(wired, 0, 2)
    wired.change(A, 3, (6, 1, 6, 1, "z"))
    assert (await first(wired, 6, 2))["id"] != before["id"]
    wired.finish()


async def test_what_is_no_longer_shown_does_not_stay(
    wired: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    await wired.initialize()
    wired.open(A, "x\nuser\n")
    wired.change(A, 2, (0, 1, 0, 1, "y"))
    await first(wired, 0, 2)
    pipeline.script = {"user": "person"}
    wired.change(A, 3, (0, 2, 0, 2, "z"))
    assert (await first(wired, 0, 3))["edits"][0]["newText"] == "person"


async def test_deleting_is_not_yet_typing_what_was_predicted(
    wired: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    await wired.initialize()
    wired.open(A, "user\nuser\n")
    await first(wired)
    wired.change(A, 2, (0, 0, 0, 4, ""))
    assert (await first(wired))["edits"][0]["range"] == span(1, 0, 1, 4)
    assert len(pipeline.calls) == 2
