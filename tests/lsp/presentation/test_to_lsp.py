"""Three surfaces with a scripted prediction: the shape on each, and silence where an edit does not fit."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.candidates import Candidate, Silence
from editahead_lsp.presentation import to_lsp
from editahead_lsp.session.shown_predictions import Suggestion, SuggestionList
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.scripts import whole_letters
from editahead_prompts.text.snapshot import Snapshot, split_lines
from editahead_workspace.position_safe_edits import covering_replacement, position_safe_replacements
from editahead_workspace.positions import Encoding, offset_at
from manual_clock import Pauses
from server_harness import ScriptedPipeline, ServerHarness, lsp_range, position_params

A, B = "file:///tmp/a.py", "file:///tmp/b.py"


async def test_ghost_text_is_on_the_cursors_line(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    pipeline.script = {"user": "user_account"}
    client.open(A, "x = user\ny = user\n")
    result = await client.request(
        "textDocument/inlineCompletion", position_params(A, None, 1, 0, triggerKind=2)
    )
    (item,) = result["items"]
    assert item["insertText"] == "_account"
    assert item["range"] == lsp_range(1, 8, 1, 8)
    assert item["command"] == {
        "title": "Accept next edit",
        "command": "editahead.accept",
        "arguments": [item["command"]["arguments"][0]],
    }


async def test_ghost_text_has_several_lines(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    pipeline.script = {"if err": "if err != nil {\n\t\treturn err\n\t}"}
    client.open(A, "func f() {\n\tif err\n}\n")
    result = await client.request("textDocument/inlineCompletion", position_params(A, None, 1, 7))
    (item,) = result["items"]
    assert item["insertText"] == " != nil {\n\t\treturn err\n\t}"
    assert item["range"] == lsp_range(1, 7, 1, 7)


async def test_ghost_text_is_empty_when_the_edit_is_elsewhere(client: ServerHarness) -> None:
    client.open(A, "x\ny = user\n")
    assert await client.request("textDocument/inlineCompletion", position_params(A, None, 0, 0)) == {
        "items": []
    }


async def test_an_inline_edit_as_sidekick_asks_for_it(client: ServerHarness) -> None:
    client.open(A, "x\ny = user\nuser\n", version=12)
    client.notify("textDocument/didFocus", {"textDocument": {"uri": A}})
    result = await client.request(
        "textDocument/copilotInlineEdit", position_params(A, 12, 0, 0, triggerKind=2)
    )
    (edit,) = result["edits"]  # sidekick makes all that it gets at once
    assert edit["text"] == "account"
    assert edit["range"] == lsp_range(1, 4, 1, 8)
    assert edit["textDocument"] == {"uri": A, "version": 12}
    assert edit["command"]["command"] == "editahead.accept"


async def test_new_text_may_span_lines(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    pipeline.script = {"user": "user:\n    pass"}
    client.open(A, "def user\n")
    (item,) = await client.inline_completions(A, None, 0, 8)
    assert (item["insertText"], item["range"]) == (":\n    pass", lsp_range(0, 8, 0, 8))


@pytest.mark.parametrize(
    ("line", "old", "new", "cursor"),
    [
        ("x = user + 1", "user", "account", 0),
        ("x = user + 1", "user", "account", 8),
        ("x = user + 1", "user + ", "", 0),
        ("x = user + 1", "user", "the_user", 12),
        ("x = user + 1", "user", "the_user", 5),
    ],
)
async def test_what_a_client_cannot_draw_as_added_text_is_no_ghost_text(
    client: ServerHarness, pipeline: ScriptedPipeline, line: str, old: str, new: str, cursor: int
) -> None:
    """Neovim's own client draws nothing, or half of it, and its key makes the edit all the same."""
    pipeline.script = {old: new}
    client.open(A, line)
    assert await client.inline_completions(A, None, 0, cursor) == []
    assert await client.inline_edits(A, None, 0, cursor)


@pytest.mark.parametrize(
    ("old", "new", "text", "start"),
    [
        ("f()", "f(a)", "a", 2),
        ("f()", "f(a,\n  b)", "a,\n  b) + 1", 2),
        ("f()", "f()()", "()", 3),
        ("f()", "f(a)(b)", "a)(b", 2),
        (" + 1", " + 2 + 1", "2 + ", 6),
        (" + 1", " + 1 + 1", " + 1", 7),
    ],
)
async def test_ghost_text_before_other_text_repeats_it_where_the_line_would_else_be_drawn_wrong(
    client: ServerHarness, pipeline: ScriptedPipeline, old: str, new: str, text: str, start: int
) -> None:
    pipeline.script = {old: new}
    client.open(A, "f() + 1\n")
    (item,) = await client.inline_completions(A, None, 0, 2)
    whole = "f() + 1"[: item["range"]["start"]["character"]] + item["insertText"]
    assert whole + "f() + 1"[item["range"]["end"]["character"] :] == "f() + 1".replace(old, new)
    assert (item["insertText"], item["range"]["start"]["character"]) == (text, start)


async def test_what_is_replaced_may_span_lines(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    pipeline.script = {"one\ntwo": "three"}
    client.open(A, "one\ntwo\n")
    assert await client.request("textDocument/inlineCompletion", position_params(A, None, 0, 0)) == {
        "items": []
    }
    (edit,) = await client.inline_edits(A, 1, 0, 0)
    assert (edit["text"], edit["range"]) == ("three", lsp_range(0, 0, 1, 3))


async def test_alternatives_are_limited_to_five_and_the_best_is_first(client: ServerHarness) -> None:
    client.open(A, "user\n" * 7)
    predictions = await client.predictions(A, 1, 3, 0)
    assert len(predictions) == 5
    assert predictions[0]["jump"] is None
    assert sorted((p["confidence"] for p in predictions), reverse=True) == [
        p["confidence"] for p in predictions
    ]


@pytest.mark.parametrize("cross_file", [False, True])
async def test_other_documents_only_for_clients_that_want_them(
    harness: ServerHarness, cross_file: bool
) -> None:
    await harness.initialize({"crossFile": True} if cross_file else None)
    harness.open(B, "user\n", version=7)
    harness.open(A, "nothing here\n")
    inline = await harness.request("textDocument/copilotInlineEdit", position_params(A, 1, 0, 0))
    assert [edit["textDocument"] for edit in inline["edits"]] == (
        [{"uri": B, "version": 7}] if cross_file else []
    )
    (prediction,) = await harness.predictions(A, 1, 0, 0)
    assert prediction["textDocument"] == {"uri": B, "version": 7}
    assert prediction["jump"] == {"line": 0, "character": 0}


async def test_the_whole_answer(client: ServerHarness) -> None:
    client.open(A, "😀 user\nuser\n")
    result = await client.next_edit(A, 1, 0, 0, trigger="manual")
    assert result["silence"] is None
    here, there = result["predictions"]
    assert here == {
        "id": here["id"],
        "textDocument": {"uri": A, "version": 1},
        "edits": [{"range": lsp_range(0, 3, 0, 7), "newText": "account"}],
        "jump": None,
        "cursorAfter": {"line": 0, "character": 10},
        "confidence": 0.9,
        "source": "propagation",
        "label": "user -> account",
    }
    assert there["jump"] == {"line": 1, "character": 0}
    assert there["id"] != here["id"]


async def test_a_place_without_an_edit(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    pipeline.script = {"here": "here"}
    client.open(A, "x\nhere\nhere\n")
    first, second = await client.predictions(A, 1, 0, 0)
    assert (first["edits"], first["jump"]) == ([], {"line": 1, "character": 0})
    assert first["id"] != second["id"]
    assert (await client.request("textDocument/copilotInlineEdit", position_params(A, 1, 0, 0))) == {
        "edits": []
    }
    client.change(A, 2, (0, 0, 0, 0, "y"))
    status = await client.command("status")
    assert status["outcomes"]["accepted"] == 0


async def test_silence_has_a_reason(client: ServerHarness) -> None:
    client.open(A, "nothing\n")
    result = await client.next_edit(A, 1, 0, 0)
    assert result == {
        "predictions": [],
        "silence": {"reason": "no-candidate", "detail": "The script has nothing."},
    }


@pytest.mark.parametrize(("version", "reason"), [(1, None), (2, None), (3, "unknown-document"), (None, None)])
async def test_versions(
    client: ServerHarness, pipeline: ScriptedPipeline, version: int | None, reason: str | None
) -> None:
    pipeline.script = {"user": "users"}
    client.open(A, "user", version=1)
    client.change(A, 2, (0, 0, 0, 0, "x "))
    result = await client.next_edit(A, version, 0, 1)
    assert (result["silence"] or {"reason": None})["reason"] == reason
    edits = await client.inline_edits(A, version, 0, 1)
    assert [edit["textDocument"]["version"] for edit in edits] == ([] if reason else [2])
    items = await client.inline_completions(A, version, 0, 1)
    assert len(items) == (1 if version in (2, None) else 0)


async def test_unknown_documents_are_answered(client: ServerHarness) -> None:
    result = await client.next_edit(B, 1, 0, 0)
    assert result["silence"]["reason"] == "unknown-document"
    assert await client.request("textDocument/inlineCompletion", position_params(B, None, 0, 0)) == {
        "items": []
    }
    assert await client.request("textDocument/copilotInlineEdit", position_params(B, 1, 0, 0)) == {
        "edits": []
    }


async def test_the_uri_comes_back_as_the_client_wrote_it(client: ServerHarness) -> None:
    client.open("file:///c%3A/x%20y.py", "user\n")
    result = await client.request(
        "textDocument/copilotInlineEdit", position_params("file:///C:/x y.py", 1, 0, 0)
    )
    assert result["edits"][0]["textDocument"]["uri"] == "file:///c%3A/x%20y.py"


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 5), ("utf-16", 3), ("utf-32", 2)])
async def test_every_encoding(harness: ServerHarness, encoding: str, character: int) -> None:
    result = await harness.initialize(general={"positionEncodings": [encoding]})
    assert result["capabilities"]["positionEncoding"] == encoding
    harness.open(A, "😀 user\n")
    reply = await harness.request("textDocument/copilotInlineEdit", position_params(A, 1, 0, 0))
    assert reply["edits"][0]["range"] == lsp_range(0, character, 0, character + 4)


async def test_surfaces_share_one_prediction_job(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    client.open(A, "user\n")
    pipeline.open.clear()
    ids = [
        client.send(f, position_params(A, 1, 0, 0))
        for f in ("editahead/nextEdit", "textDocument/copilotInlineEdit")
    ]
    pipeline.open.set()
    prediction = (await client.reply(ids[0]))["result"]["predictions"][0]
    edit = (await client.reply(ids[1]))["result"]["edits"][0]
    assert edit["command"]["arguments"] == [prediction["id"]]
    assert len(pipeline.calls) == 1


@pytest.mark.parametrize(
    "surface", ["editahead/nextEdit", "textDocument/copilotInlineEdit", "textDocument/inlineCompletion"]
)
async def test_a_newer_request_ends_the_older(
    client: ServerHarness, pipeline: ScriptedPipeline, surface: str
) -> None:
    pipeline.script = {"user": "users"}
    client.open(A, "user user\n")
    pipeline.open.clear()
    older = client.send(surface, position_params(A, 1, 0, 0))
    newer = client.send(surface, position_params(A, 1, 0, 1))
    result = (await client.reply(older))["result"]
    assert result.get("items", result.get("edits", result.get("predictions"))) == []
    assert "silence" not in result or result["silence"]["reason"] == "cancelled"
    assert not client.answered(newer)
    pipeline.open.set()
    assert next(iter((await client.reply(newer))["result"].values())) != []


async def test_requests_in_other_documents_and_surfaces_live_on(
    client: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    client.open(A, "user\n")
    client.open(B, "user\n")
    pipeline.open.clear()
    surface = "textDocument/copilotInlineEdit"
    asked = [
        client.send(surface, position_params(A, 1, 0, 0)),
        client.send(surface, position_params(B, 1, 0, 0)),
    ]
    asked.append(client.send("editahead/nextEdit", position_params(A, 1, 0, 2)))
    pipeline.open.set()
    for id in asked:
        assert next(iter((await client.reply(id))["result"].values())) != []


async def test_cancelling_stops_the_work(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    client.open(A, "user\n")
    id = await client.hold_request("editahead/nextEdit", position_params(A, 1, 0, 0))
    client.notify("$/cancelRequest", {"id": id})
    reply = await client.reply(id)
    assert reply["error"]["code"] == -32800
    # The gate is still closed: the worker is free again only because the work was given up.
    client.change(A, 2, (0, 0, 0, 0, "BOOM "))
    next_one = client.send("editahead/nextEdit", position_params(A, 2, 0, 0))
    pipeline.open.set()
    assert (await client.reply(next_one))["result"]["silence"]["reason"] == "engine-unavailable"


async def test_one_of_two_cancelled_leaves_the_other_its_answer(
    client: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    client.open(A, "user\n")
    pipeline.open.clear()
    one = client.send("editahead/nextEdit", position_params(A, 1, 0, 0))
    other = client.send("textDocument/copilotInlineEdit", position_params(A, 1, 0, 0))
    client.notify("$/cancelRequest", {"id": one})
    assert (await client.reply(one))["error"]["code"] == -32800
    pipeline.open.set()
    assert len((await client.reply(other))["result"]["edits"]) == 1


async def test_an_answer_is_rebased_over_typing_elsewhere(
    client: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    client.open(A, "a\nuser\n")
    id = await client.hold_request("textDocument/copilotInlineEdit", position_params(A, 1, 0, 0))
    client.change(A, 2, (0, 0, 0, 0, "new line\n"))
    pipeline.open.set()
    (edit,) = (await client.reply(id))["result"]["edits"]
    assert edit["range"] == lsp_range(2, 0, 2, 4)
    assert edit["textDocument"]["version"] == 2


async def test_an_answer_overtaken_by_typing_is_dropped(
    client: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    client.open(A, "a\nuser\n")
    id = await client.hold_request("editahead/nextEdit", position_params(A, 1, 0, 0))
    client.change(A, 2, (1, 0, 1, 4, "other"))
    pipeline.open.set()
    result = (await client.reply(id))["result"]
    assert result["predictions"] == []
    assert result["silence"]["reason"] == "stale"


async def test_automatic_requests_are_debounced(connect: Callable[..., ServerHarness]) -> None:
    pauses = Pauses()
    harness = connect(sleep=pauses)
    await harness.initialize({"debounce_ms": 250})
    harness.open(A, "user\n")
    older = harness.send("editahead/nextEdit", position_params(A, 1, 0, 0, trigger="typed"))
    seconds, _ = await pauses.asked.get()
    assert seconds == 0.25
    newer = harness.send("editahead/nextEdit", position_params(A, 1, 0, 1, trigger="typed"))
    assert (await harness.reply(older))["result"]["silence"]["reason"] == "debounced"
    await pauses.end_one()
    assert (await harness.reply(newer))["result"]["predictions"]
    manual = await harness.next_edit(A, 1, 0, 2, trigger="manual")
    assert manual["predictions"]
    assert pauses.asked.empty()


async def test_a_failing_predictor_costs_one_answer(
    client: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    client.open(A, "user\n")
    pipeline.fails = True
    result = await client.next_edit(A, 1, 0, 0)
    assert result["silence"]["reason"] == "engine-unavailable"
    pipeline.fails = False
    assert await client.predictions(A, 1, 0, 0)


# Edits to ranges

characters = st.sampled_from(["a", "b", "\n", "\r", "\r\n", "😀"])
texts = st.lists(characters, max_size=8).map("".join)


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, Edit]:
    text = draw(texts)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=6)))
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    return text, Edit(tuple(Replacement(start, end, draw(texts)) for start, end in pairs))


@given(edited())
def test_a_covering_range_does_what_the_edit_does(case: tuple[str, Edit]) -> None:
    text, edit = case
    whole = covering_replacement(edit, text)
    assert Edit((whole,)).apply(text) == edit.apply(text)


@given(edited(), st.sampled_from(["utf-16", "utf-8", "utf-32"]))
def test_text_edits_applied_by_a_client_do_what_the_edit_does(
    case: tuple[str, Edit], encoding: Encoding
) -> None:
    text, edit = case
    snapshot = Snapshot.from_text(text)
    replacements = []
    for piece in to_lsp.text_edits(snapshot, edit, encoding):
        start, end = (
            offset_at(snapshot, p.line, p.character, encoding) for p in (piece.range.start, piece.range.end)
        )
        replacements.append(Replacement(start, end, piece.new_text))
    assert Edit.from_replacements(replacements, len(text)).apply(text) == edit.apply(text)


@given(edited(), st.integers(0, 40))
def test_the_cursor_after(case: tuple[str, Edit], offset: int) -> None:
    text, edit = case
    snapshot = Snapshot.from_text(text)
    after = edit.apply(text)
    candidate = Candidate(snapshot.uri, edit, 0, offset, "local", "label", "rule")
    offer = Suggestion("p-1", snapshot, edit, 0, offset, 0.5, candidate)
    answer = SuggestionList((offer,), Silence("no-change", ""), snapshot, 0)
    place = to_lsp.next_edit(answer, "utf-32").predictions[0].cursor_after
    lines = split_lines(after)
    assert place.line < len(lines)
    at = sum(map(len, lines[: place.line])) + place.character
    assert at in (min(offset, len(after)), min(offset, len(after)) - 1)


@pytest.mark.parametrize(
    ("text", "edit", "range_", "new"),
    [
        ("gro\u0308ße", Edit.replace(3, 4, ""), (2, 4), "o"),
        ("gro\u0308ße", Edit.replace(2, 3, "a"), (2, 4), "a\u0308"),
        ("ที่นี่", Edit.replace(1, 2, "\u0e36"), (0, 3), "ท\u0e36\u0e48"),
        ("कि", Edit.replace(1, 2, "ी"), (0, 2), "की"),
        ("👍🏽", Edit.replace(1, 2, "🏿"), (0, 2), "👍🏿"),
        ("👨\u200d👩\u200d👧", Edit.replace(4, 5, "👦"), (0, 5), "👨\u200d👩\u200d👦"),
    ],
)
def test_a_letter_is_replaced_with_its_accents(
    text: str, edit: Edit, range_: tuple[int, int], new: str
) -> None:
    (made,) = position_safe_replacements(edit, text)
    assert ((made.start, made.end), made.text) == (range_, new)
    assert covering_replacement(edit, text) == made


@given(st.text("eox \n\u0301\u0308ก\u0e48👍🏽\u200d", max_size=12), st.data())
def test_no_range_cuts_a_letter_from_its_accents(text: str, data: st.DataObject) -> None:
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    edit = Edit.replace(start, end, data.draw(st.text("ab\u0301", max_size=3)))
    for made in (*position_safe_replacements(edit, text), covering_replacement(edit, text)):
        assert whole_letters(text, made.start, made.end) == (made.start, made.end)
        assert "\n" in text or Edit((made,)).apply(text) == edit.apply(text)
