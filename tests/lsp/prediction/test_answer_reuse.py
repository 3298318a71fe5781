"""The reuse of answers: typed into, cached, prefetched, shared; a shown list keeps its order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from editahead_inference.candidates import GateDecision, Prediction
from editahead_lsp.prediction.coordinator import PREFETCH_PAUSE_S, ReuseOptions
from editahead_lsp.prediction.scheduler import CACHE_SIZE
from editahead_prompts.state import EditorState
from server_harness import ScriptedPipeline, ServerHarness, lsp_range, position_params

A, B = "file:///tmp/a.py", "file:///tmp/b.py"
AHEAD = ReuseOptions(prefetch=True)


async def next_edit(
    harness: ServerHarness, line: int = 0, character: int = 0, uri: str = A
) -> dict[str, Any]:
    version = harness.server.session.documents.get(uri)
    assert version is not None
    result: dict[str, Any] = await harness.next_edit(uri, version.snapshot.version, line, character)
    return result


async def first(harness: ServerHarness, line: int = 0, character: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = (await next_edit(harness, line, character))["predictions"][0]
    return found


def layers(harness: ServerHarness) -> dict[str, int]:
    return {str(layer): count for layer, count in harness.server.predictions.answer_counts.items()}


# What was shown and is being typed


async def test_typing_what_was_predicted_keeps_it(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    client.open(A, "x = user\n")
    shown = await first(client, 0, 4)
    client.change(A, 2, (0, 4, 0, 8, ""))
    for column, letter in enumerate("acc"):
        client.change(A, 3 + column, (0, 4 + column, 0, 4 + column, letter))
    left = await first(client, 0, 7)
    assert left["id"] == shown["id"]
    assert left["edits"] == [{"range": lsp_range(0, 7, 0, 7), "newText": "ount"}]
    assert left["cursorAfter"] == shown["cursorAfter"] == {"line": 0, "character": 11}
    assert left["confidence"] == shown["confidence"]
    assert len(pipeline.calls) == 1
    assert layers(client) == {"computed": 1, "typed": 1}


async def test_all_surfaces_continue_a_typed_suggestion(
    client: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    client.open(A, "user\n")
    shown = await first(client)
    client.change(A, 2, (0, 0, 0, 4, "acc"))
    (item,) = await client.inline_completions(A, 2, 0, 3)
    (edit,) = await client.inline_edits(A, 2, 0, 3)
    assert item["insertText"] == edit["text"] == "ount"
    assert item["command"]["arguments"] == edit["command"]["arguments"] == [shown["id"]]
    assert len(pipeline.calls) == 1


async def test_other_suggestions_stay_behind_the_typed_one_on_all_surfaces(
    client: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    pipeline.script = {"user": "account", "user\n": "accounts\n", "user\nx": "access\nx"}
    client.open(A, "user\nx\n")
    before = [shown["id"] for shown in (await next_edit(client))["predictions"]]
    assert len(before) == 3
    client.change(A, 2, (0, 0, 0, 4, "a"))
    for column in (1, 2):
        client.change(A, 2 + column, (0, column, 0, column, "c"))
        after = (await next_edit(client, 0, 1 + column))["predictions"]
        assert [shown["id"] for shown in after] == before
    edits = await client.inline_edits(A, 4, 0, 3)
    assert [edit["command"]["arguments"][0] for edit in edits] == before[:1]
    assert len(pipeline.calls) == 1


async def test_typing_otherwise_drops_it(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    client.open(A, "user\n")
    await first(client)
    client.change(A, 2, (0, 0, 0, 4, "ac"))
    client.change(A, 3, (0, 2, 0, 2, "t"))
    assert (await next_edit(client, 0, 3))["predictions"] == []
    assert len(pipeline.calls) == 2


async def test_the_rest_is_shown_only_at_the_typed_position(
    client: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    client.open(A, "user\nx\n")
    await first(client)
    client.change(A, 2, (0, 0, 0, 4, "acc"))
    await next_edit(client, 1, 0)
    assert len(pipeline.calls) == 2, "the person has gone elsewhere"
    client.change(A, 3, (1, 1, 1, 1, "y"))
    await next_edit(client, 0, 3)
    assert len(pipeline.calls) == 3, "and has typed there"


async def test_the_suggestion_below_a_typed_one_stays(client: ServerHarness) -> None:
    client.open(A, "user\nuser\n")
    before = (await next_edit(client))["predictions"]
    client.change(A, 2, (0, 0, 0, 4, "acc"))
    after = (await next_edit(client, 0, 3))["predictions"]
    assert [p["id"] for p in after] == [p["id"] for p in before]
    assert after[1]["edits"] == before[1]["edits"]


async def test_the_cursor_after_is_that_of_the_same_text(
    client: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    """An answer that is overtaken by typing its own characters while it is computed."""
    client.open(A, "user\n")
    id = await client.hold_request("editahead/nextEdit", position_params(A, 1, 0, 0))
    client.change(A, 2, (0, 0, 0, 4, "acc"))
    pipeline.open.set()
    (left,) = (await client.reply(id))["result"]["predictions"]
    assert left["edits"] == [{"range": lsp_range(0, 3, 0, 3), "newText": "ount"}]
    assert left["cursorAfter"] == {"line": 0, "character": 7}


# Equal states


async def test_moving_the_cursor_predicts_each_line_once(
    client: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    client.open(A, "x\nuser\nuser\n")
    seen = [
        await next_edit(client, line, character)
        for line, character in [(0, 0), (0, 1), (2, 0), (0, 0), (2, 3)]
    ]
    assert len(pipeline.calls) == 2
    assert [p["predictions"][0]["edits"][0]["range"]["start"]["line"] for p in seen] == [1, 1, 2, 1, 2]
    assert layers(client) == {"computed": 2, "cache": 3}


async def test_silence_is_kept_too(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    client.open(A, "nothing\n")
    answers = [await next_edit(client, 0, k) for k in range(3)]
    assert answers[0]["silence"]["reason"] == "no-candidate"
    assert answers[0] == answers[1] == answers[2]
    assert len(pipeline.calls) == 1


async def test_a_failure_is_not_kept(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    client.open(A, "user\n")
    pipeline.fails = True
    assert (await next_edit(client))["silence"]["reason"] == "engine-unavailable"
    pipeline.fails = False
    assert (await next_edit(client))["predictions"]


async def test_an_answer_kept_is_given_for_the_present_version(
    client: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    client.open(A, "user\n")
    one = await first(client)
    client.close_document(A)
    client.open(A, "user\n", version=9)
    other = await first(client)
    assert len(pipeline.calls) == 1
    assert other["textDocument"]["version"] == 9
    assert (other["edits"], other["confidence"]) == (one["edits"], one["confidence"])
    assert other["id"] != one["id"], "what was shown in the closed document is over"


@pytest.mark.parametrize("change", ["text", "other", "reject", "eagerness", "language"])
async def test_what_a_prediction_depends_on_makes_it_anew(
    client: ServerHarness, pipeline: ScriptedPipeline, change: str
) -> None:
    client.open(A, "user user\n")
    shown = await first(client)
    if change == "text":
        client.change(A, 2, (0, 9, 0, 9, " "))
    elif change == "other":
        client.open(B, "user\n")
    elif change == "reject":
        client.notify("editahead/outcome", {"id": shown["id"], "event": "rejected"})
    elif change == "eagerness":
        client.configure(eagerness=0.9)
    else:
        client.close_document(A)
        client.open(A, "user user\n", language="go")
    await next_edit(client)
    assert len(pipeline.calls) == 2


async def test_old_answers_are_forgotten(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    client.open(A, "user\n" * (CACHE_SIZE + 1))
    for line in (*range(CACHE_SIZE + 1), CACHE_SIZE, 0):
        await next_edit(client, line)
    assert len(pipeline.calls) == CACHE_SIZE + 2


async def test_without_layers_everything_is_predicted(
    connect: Callable[..., ServerHarness], pipeline: ScriptedPipeline
) -> None:
    harness = connect(reuse=ReuseOptions(typed=False, cache_size=0, prefetch=False))
    await harness.initialize({"debounce_ms": 0})
    harness.open(A, "user\n")
    await next_edit(harness)
    await next_edit(harness)
    harness.change(A, 2, (0, 0, 0, 4, "acc"))
    await next_edit(harness, 0, 3)
    assert len(pipeline.calls) == 3


async def test_two_surfaces_share_the_running_job(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    pipeline.script = {"user": "users"}
    client.open(A, "user\n")
    pipeline.open.clear()
    surfaces = ("editahead/nextEdit", "textDocument/copilotInlineEdit", "textDocument/inlineCompletion")
    ids = [client.send(surface, position_params(A, 1, 0, k)) for k, surface in enumerate(surfaces)]
    await asyncio.to_thread(pipeline.started.wait, 10)
    pipeline.open.set()
    for id in ids:
        assert next(iter((await client.reply(id))["result"].values()))
    assert len(pipeline.calls) == 1
    assert layers(client) == {"computed": 1, "shared": 2}


# After the next accept


def accept(harness: ServerHarness, prediction: dict[str, Any], version: int, *, change_first: bool) -> None:
    """Make a one-line edit as an editor does, and say so."""
    ((edit),) = prediction["edits"]
    start, end = edit["range"]["start"], edit["range"]["end"]
    place = (start["line"], start["character"], end["line"], end["character"], edit["newText"])
    told = {"command": "editahead.accept", "arguments": [prediction["id"]]}
    if change_first:
        harness.change(A, version, place)
    harness.notify("workspace/executeCommand", told)
    if not change_first:
        harness.change(A, version, place)


async def settled(harness: ServerHarness) -> None:
    """Wait until the prefetch is done. The server starts it after the answer is sent."""
    for _ in range(3):
        await asyncio.sleep(0)
    async with asyncio.timeout(10):
        await asyncio.gather(*(c.done for c in harness.server.predictions._known.values()))


@pytest.mark.parametrize("change_first", [True, False])
async def test_after_an_accept_the_next_answer_is_there(
    connect: Callable[..., ServerHarness], pipeline: ScriptedPipeline, change_first: bool
) -> None:
    harness = connect(reuse=AHEAD)
    await harness.initialize({"debounce_ms": 0})
    harness.open(A, "user\nuser\nuser\n")
    harness.change(A, 2, (0, 0, 0, 4, "account"))
    for version, line in ((2, 1), (3, 2)):
        shown = await first(harness, line - 1, 7)
        assert shown["edits"][0]["range"] == lsp_range(line, 0, line, 4)
        await settled(harness)
        accept(harness, shown, version + 1, change_first=change_first)
    assert (await next_edit(harness, 2, 7))["silence"]["reason"] == "no-candidate"
    assert layers(harness) == {"computed": 1, "ahead": 2}
    assert len(pipeline.calls) == 3


async def test_after_an_accept_in_another_document(
    connect: Callable[..., ServerHarness], pipeline: ScriptedPipeline
) -> None:
    harness = connect(reuse=AHEAD)
    await harness.initialize({"debounce_ms": 0})
    harness.open(B, "user\n")
    harness.open(A, "x\n")
    shown = await first(harness)
    assert shown["textDocument"]["uri"] == B
    await settled(harness)
    harness.change(B, 2, (0, 0, 0, 4, "account"))
    harness.notify("workspace/executeCommand", {"command": "editahead.accept", "arguments": [shown["id"]]})
    assert (await next_edit(harness, 0, 7, uri=B))["predictions"] == []
    assert layers(harness) == {"computed": 1, "ahead": 1}


@pytest.mark.parametrize(("rest", "foreseen"), [("ount()", 2), ("ount(", 1)])
async def test_next_tokens_are_followed_up_after_a_pause_unless_a_bracket_is_open(
    connect: Callable[..., ServerHarness],
    pipeline: ScriptedPipeline,
    monkeypatch: pytest.MonkeyPatch,
    rest: str,
    foreseen: int,
) -> None:
    pauses = []
    loop = asyncio.get_running_loop()
    call_later = loop.call_later

    def at_once(pause: float, work: Callable[..., Any], *arguments: Any) -> asyncio.TimerHandle:
        if getattr(work, "__name__", "") == "_prefetch":
            pauses.append(pause)
            pause = 0.0
        return call_later(pause, work, *arguments)

    pipeline.script = {"acc": f"acc{rest}"}
    pipeline.completions.add("acc")
    harness = connect(reuse=AHEAD)
    await harness.initialize({"debounce_ms": 0})
    harness.open(A, "x = acc\n")
    monkeypatch.setattr(loop, "call_later", at_once)
    await next_edit(harness, 0, 7)
    monkeypatch.undo()
    await settled(harness)
    assert pauses == [PREFETCH_PAUSE_S] * (foreseen - 1)
    assert len(pipeline.calls) == foreseen


async def test_what_is_foreseen_waits_for_what_is_asked(
    connect: Callable[..., ServerHarness], pipeline: ScriptedPipeline
) -> None:
    harness = connect(reuse=AHEAD)
    await harness.initialize({"debounce_ms": 0})
    harness.open(A, "user\nuser\n")
    harness.open(B, "user\n")
    await first(harness)
    await settled(harness)
    calls = len(pipeline.calls)
    pipeline.once = True
    harness.change(A, 2, (1, 4, 1, 4, " "))
    await harness.reply(harness.send("editahead/nextEdit", position_params(A, 2, 0, 0)))
    await asyncio.to_thread(pipeline.started.wait, 10)  # now it looks ahead, and is held back
    pipeline.started.clear()
    asked = harness.send("editahead/nextEdit", position_params(B, 1, 0, 0))
    await asyncio.to_thread(pipeline.started.wait, 10)
    assert pipeline.calls[-1].document.uri == B, "it made room"
    pipeline.open.set()
    assert (await harness.reply(asked))["result"]["predictions"]
    await settled(harness)
    assert len(pipeline.calls) > calls + 3, "what made room was taken up again"


async def test_an_accept_does_not_wait_behind_what_was_foreseen(
    connect: Callable[..., ServerHarness], pipeline: ScriptedPipeline
) -> None:
    """Asked for while it is computed ahead: the same computation goes on, now in earnest."""
    harness = connect(reuse=AHEAD)
    await harness.initialize({"debounce_ms": 0})
    harness.open(A, "user\nuser\n")
    shown = await first(harness)
    pipeline.open.clear()
    accept(harness, shown, 2, change_first=True)
    asked = harness.send("editahead/nextEdit", position_params(A, 2, 0, 7, trigger="accepted"))
    pipeline.open.set()
    assert (await harness.reply(asked))["result"]["predictions"]
    assert len([state for state in pipeline.calls if state.document.text == "account\nuser\n"]) <= 2


# A shown list keeps its order


class Shuffled(ScriptedPipeline):
    """A pipeline whose candidates change their order with each prediction; `confidence` is that of the first."""

    def __init__(self, confidence: float = 0.9) -> None:
        super().__init__({"user": "account"})
        self.confidence = confidence

    def predict(self, state: EditorState, **more: Any) -> Prediction:
        made = super().predict(state, **more)
        decisions = list(made.shown)
        if len(self.calls) % 2 == 0:
            decisions.reverse()
            decisions[0] = GateDecision(decisions[0].candidate, self.confidence, None)
        return Prediction(state, tuple(decisions), made.silence, tuple(decisions))


@pytest.mark.parametrize(("confidence", "stays"), [(0.9, True), (1.0, True), (1.1, False)])
async def test_only_something_clearly_better_takes_its_place(
    tmp_path: Any, confidence: float, stays: bool
) -> None:
    harness = ServerHarness(Shuffled(confidence), user_folder=tmp_path)
    await harness.initialize({"debounce_ms": 0})
    harness.open(A, "x\nuser\nuser\n")
    harness.change(A, 2, (0, 1, 0, 1, "y"))
    before = await first(harness, 0, 2)
    harness.change(A, 3, (0, 2, 0, 2, "z"))
    after = await next_edit(harness, 0, 3)
    assert (after["predictions"][0]["id"] == before["id"]) is stays
    assert len(after["predictions"]) == 2
    harness.finish()


async def test_another_edit_makes_room_for_another_prediction(tmp_path: Any) -> None:
    harness = ServerHarness(Shuffled(), user_folder=tmp_path)
    await harness.initialize({"debounce_ms": 0})
    harness.open(A, "x\nuser\nuser\n\n\n\nx\n")
    harness.change(A, 2, (0, 1, 0, 1, "y"))
    before = await first(harness, 0, 2)
    harness.change(A, 3, (6, 1, 6, 1, "z"))
    assert (await first(harness, 6, 2))["id"] != before["id"]
    harness.finish()


async def test_what_is_no_longer_shown_does_not_stay(
    client: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    client.open(A, "x\nuser\n")
    client.change(A, 2, (0, 1, 0, 1, "y"))
    await first(client, 0, 2)
    pipeline.script = {"user": "person"}
    client.change(A, 3, (0, 2, 0, 2, "z"))
    assert (await first(client, 0, 3))["edits"][0]["newText"] == "person"


async def test_deleting_is_not_yet_typing_what_was_predicted(
    client: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    client.open(A, "user\nuser\n")
    await first(client)
    client.change(A, 2, (0, 0, 0, 4, ""))
    assert (await first(client))["edits"][0]["range"] == lsp_range(1, 0, 1, 4)
    assert len(pipeline.calls) == 2


# Completions at the cursor


@pytest.fixture
def completing(pipeline: ScriptedPipeline) -> ScriptedPipeline:
    pipeline.script, pipeline.completions = {"acc": "account", "old": "new"}, {"acc"}
    return pipeline


async def ghost(harness: ServerHarness, version: int, character: int) -> list[str]:
    items = await harness.inline_completions(A, version, 0, character)
    return [item["insertText"] for item in items]


async def test_ghost_text_shows_a_completion_first_and_the_others_a_next_edit(
    client: ServerHarness, completing: ScriptedPipeline
) -> None:
    client.open(A, "acc old\n")
    assert (await ghost(client, 1, 3))[0] == "ount"
    predictions = (await next_edit(client, 0, 3))["predictions"]
    assert [p["source"] for p in predictions] == ["propagation", "completion"]
    (edit,) = await client.inline_edits(A, 1, 0, 3)
    assert edit["text"] == "new"


async def test_a_completion_that_is_typed_hides_no_next_edit_elsewhere(
    client: ServerHarness, completing: ScriptedPipeline
) -> None:
    client.open(A, "acc old\n")
    await ghost(client, 1, 3)
    client.change(A, 2, (0, 3, 0, 3, "o"))
    (edit,) = await client.inline_edits(A, 2, 0, 4)
    assert edit["text"] == "new"
    assert (await ghost(client, 2, 4))[0] == "unt"


async def test_a_completion_stays_the_same_to_its_last_character(
    client: ServerHarness, completing: ScriptedPipeline
) -> None:
    del completing.script["old"]
    client.open(A, "acc\n")
    rest = "ount"
    assert await ghost(client, 1, 3) == [rest]
    for typed in range(1, len(rest)):
        column = 2 + typed
        client.change(A, 1 + typed, (0, column, 0, column, rest[typed - 1]))
        assert await ghost(client, 1 + typed, column + 1) == [rest[typed:]]
    assert len(completing.calls) == 1
