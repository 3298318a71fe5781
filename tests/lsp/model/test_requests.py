"""Requests to the model beside the rules: asynchronous, with a deadline, and without excluded documents."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from editahead_lsp.prediction.coordinator import ReuseOptions
from editahead_lsp.prediction.scheduler import MODEL_WAIT_WITH_RULES_S, MODEL_WAIT_WITHOUT_RULES_S
from editahead_lsp.session.adaptive_debounce import MIN_MODEL_DELAY_S
from server_harness import lsp_range
from server_with_model import NEW, RENAMED, TEXT, A, Model, ServerWithModel, rename_once, until

AHEAD = ReuseOptions(prefetch=True)


# What it says is shown


async def test_all_surfaces_show_the_answer_of_the_model(harness: ServerWithModel, model: Model) -> None:
    await harness.start()
    harness.open(A, TEXT)
    (prediction,) = (await harness.next(4, 4))["predictions"]
    assert prediction["source"] == "engine" and prediction["jump"] is None
    assert prediction["edits"] == [{"range": lsp_range(4, 22, 4, 22), "newText": " * (1 + tax)"}]
    (item,) = (await harness.request("textDocument/inlineCompletion", harness.at(4, 22)))["items"]
    assert item["insertText"] == " * (1 + tax)"
    (edit,) = (await harness.request("textDocument/copilotInlineEdit", harness.at(4, 22)))["edits"]
    assert edit["text"] == " * (1 + tax)"
    assert len(model.prompts) == 1


async def test_what_lies_elsewhere_is_a_jump(harness: ServerWithModel) -> None:
    await harness.start()
    harness.open(A, TEXT)
    (prediction,) = (await harness.next(0, 0))["predictions"]
    assert prediction["jump"] == {"line": 4, "character": 22}
    assert (await harness.request("textDocument/inlineCompletion", harness.at(0, 0)))["items"] == []


async def test_separate_changes_are_walked_without_a_new_request(
    harness: ServerWithModel, model: Model
) -> None:
    old = "".join(f"a{n} = 1\nb{n} = 2\nc{n} = 3\n" for n in range(3))
    model.answers = {"a0": old.replace("= 2", "= 5")}
    await harness.start()
    harness.open(A, old)
    line, text = 0, old
    for accepted, expected in enumerate((1, 4, 7)):
        first = (await harness.next(line))["predictions"][0]
        (edit,) = first["edits"]
        assert edit["range"]["start"]["line"] == expected
        harness.change(A, 2 + accepted, (expected, 5, expected, 6, "5"))
        harness.notify("editahead/outcome", {"id": first["id"], "event": "accepted"})
        text = text.replace(f"b{accepted} = 2", f"b{accepted} = 5")
        line = expected
    document = harness.server.session.documents.get(A)
    assert document is not None and document.snapshot.text == text
    assert len(model.prompts) == 1
    await harness.next(line)
    assert len(model.prompts) == 2, "nothing is left of it"


async def test_rules_that_are_sure_answer_alone(
    connect: Callable[..., ServerWithModel], model: Model
) -> None:
    harness = connect(bias=2.0)
    await harness.start()
    rename_once(harness)
    assert (await harness.next(3, 0))["predictions"][0]["source"] == "propagation"
    assert model.prompts == []


async def test_rules_that_are_not_sure_are_joined(
    connect: Callable[..., ServerWithModel], model: Model
) -> None:
    harness = connect(bias=0.0)
    model.answers = {"account": RENAMED.replace("user", "account")}
    await harness.start()
    rename_once(harness)
    first = (await harness.next(0, 13))["predictions"][0]
    assert first["source"] == "propagation" and first["confidence"] > 0.6, "both say so"
    assert len(model.prompts) == 1


# In time


async def test_an_answer_waits_for_the_model_no_longer_than_is_said(
    harness: ServerWithModel, model: Model
) -> None:
    asked = await harness.start_held()
    await until(lambda: MODEL_WAIT_WITHOUT_RULES_S in harness.time.asked)
    assert not harness.answered(asked)
    harness.time.passes(MODEL_WAIT_WITHOUT_RULES_S)
    answer = (await harness.reply(asked))["result"]
    assert answer["predictions"] == [] and answer["silence"]["reason"] == "no-history"
    model.go_on()
    (prediction,) = (await harness.next(4, 5))["predictions"]
    assert prediction["source"] == "engine" and len(model.prompts) == 1, "its late answer is kept"


async def test_a_client_is_notified_of_a_late_answer(harness: ServerWithModel, model: Model) -> None:
    asked = await harness.start_held()
    params = harness.at(4, 5, trigger="cursor", refreshes=True)
    asked_again = harness.send("editahead/nextEdit", params)
    await until(lambda: harness.time.asked.count(MODEL_WAIT_WITHOUT_RULES_S) == 2)
    harness.time.passes(MODEL_WAIT_WITHOUT_RULES_S)
    assert [(await harness.reply(id))["result"]["predictions"] for id in (asked, asked_again)] == [[], []]
    model.go_on()
    told = await harness.take(lambda message: message.get("method") == "editahead/nextEdit/refresh")
    assert told["params"] == {"textDocument": {"uri": A, "version": harness.at()["textDocument"]["version"]}}
    (prediction,) = (await harness.request("editahead/nextEdit", params))["predictions"]
    assert prediction["source"] == "engine" and len(model.prompts) == 1


async def test_a_client_is_not_notified_of_an_answer_for_an_older_text(
    harness: ServerWithModel, model: Model
) -> None:
    model.held = True
    await harness.start()
    harness.open(A, TEXT)
    asked = harness.send("editahead/nextEdit", harness.at(4, 4, trigger="cursor", refreshes=True))
    await until(lambda: MODEL_WAIT_WITHOUT_RULES_S in harness.time.asked)
    harness.time.passes(MODEL_WAIT_WITHOUT_RULES_S)
    await harness.reply(asked)
    harness.type(0, 0, "# another line\n")
    model.go_on()
    await until(lambda: harness.server.predictions.models.idle)


async def test_rules_with_something_to_show_wait_less(
    connect: Callable[..., ServerWithModel], model: Model
) -> None:
    harness = connect(bias=0.0)
    model.held = True
    await harness.start()
    rename_once(harness)
    asked = harness.send("editahead/nextEdit", harness.at(0, 13))
    await until(lambda: MODEL_WAIT_WITH_RULES_S in harness.time.asked)
    harness.time.passes(MODEL_WAIT_WITH_RULES_S)
    assert (await harness.reply(asked))["result"]["predictions"][0]["source"] == "propagation"


async def test_rules_with_something_to_show_never_wait_for_a_model_in_this_process(
    connect: Callable[..., ServerWithModel], model: Model
) -> None:
    harness = connect(bias=0.0)
    model.backend.capabilities = replace(model.backend.capabilities, in_process=True)
    model.held = True
    model.answers = {"account": RENAMED.replace("user", "account")}
    await harness.start()
    rename_once(harness)
    first = (await harness.next(0, 13))["predictions"][0]  # no time passes
    assert first["source"] == "propagation"
    await until(lambda: bool(model.prompts))
    model.go_on()
    while (again := (await harness.next(0, 13))["predictions"][0])["confidence"] <= first["confidence"]:
        pass
    assert again["source"] == "propagation" and len(model.prompts) == 1, "both say so, once the model has"


async def test_changes_are_handled_while_the_model_thinks(harness: ServerWithModel, model: Model) -> None:
    asked = await harness.start_held()
    for _ in range(20):
        harness.type(6, 0, "#")
    document = harness.server.session.documents.get(A)
    assert document is not None and document.snapshot.text == TEXT + "#" * 20
    await harness.reply(asked)
    assert model.backend.stopped == 1


# Cancelling


async def test_a_cancelled_request_ends_the_models(harness: ServerWithModel, model: Model) -> None:
    asked = await harness.start_held()
    harness.notify("$/cancelRequest", {"id": asked})
    assert (await harness.reply(asked))["error"]["code"] == -32800
    await until(lambda: model.backend.stopped == 1)


async def test_one_of_two_who_wait_can_be_cancelled(harness: ServerWithModel, model: Model) -> None:
    model.held = True
    await harness.start()
    harness.open(A, TEXT)
    one = harness.send("editahead/nextEdit", harness.at(4, 4))
    other = harness.send("textDocument/copilotInlineEdit", harness.at(4, 4))
    await until(lambda: len(harness.time.asked) >= 2 and bool(model.prompts))
    harness.notify("$/cancelRequest", {"id": one})
    await harness.reply(one)
    model.go_on()
    assert (await harness.reply(other))["result"]["edits"]
    assert model.backend.stopped == 0 and len(model.prompts) == 1


async def test_some_who_wait_on_different_lines_can_be_cancelled(
    harness: ServerWithModel, model: Model
) -> None:
    """Their states differ, but one request of the model answers both: it ends with the last of them."""
    one = await harness.start_held()
    other = harness.send("textDocument/copilotInlineEdit", harness.at(3, 2))
    last = harness.send("textDocument/inlineCompletion", harness.at(5, 8))
    await until(lambda: harness.time.asked.count(MODEL_WAIT_WITHOUT_RULES_S) == 3)
    for id in (one, last):
        harness.notify("$/cancelRequest", {"id": id})
        await harness.reply(id)
    for _ in range(20):
        await asyncio.sleep(0)
    assert not harness.answered(other) and model.backend.stopped == 0
    harness.notify("$/cancelRequest", {"id": other})
    await harness.reply(other)
    await until(lambda: model.backend.stopped == 1)
    assert len(model.prompts) == 1


async def test_a_request_whose_place_a_newer_one_took_waits_for_nothing(
    harness: ServerWithModel, model: Model
) -> None:
    one = await harness.start_held()
    other = harness.send("editahead/nextEdit", harness.at(3, 2))
    await harness.reply(one)
    await until(lambda: harness.time.asked.count(MODEL_WAIT_WITHOUT_RULES_S) == 2)
    harness.notify("$/cancelRequest", {"id": other})
    await harness.reply(other)
    await until(lambda: model.backend.stopped == 1)


async def start_answer(harness: ServerWithModel, model: Model) -> int:
    """Send a request whose answer stops after five lines, and return the request's id."""
    model.held, model.free = True, 5
    await harness.start()
    harness.open(A, TEXT)
    id = harness.send("editahead/nextEdit", harness.at(4, 22))
    await until(lambda: model.backend.given == 5)
    return id


async def test_typing_otherwise_ends_it(harness: ServerWithModel, model: Model) -> None:
    asked = await start_answer(harness, model)
    harness.type(4, 22, " + ")
    await until(lambda: model.backend.stopped == 1)
    model.go_on()
    later = harness.send("editahead/nextEdit", harness.at(4, 25))
    await harness.reply(asked)
    await harness.reply(later)
    assert len(model.prompts) == 2


async def test_typing_what_it_says_goes_on_with_it(harness: ServerWithModel, model: Model) -> None:
    """The answer to the request before the keystroke is the answer to the one behind it."""
    asked = await start_answer(harness, model)
    harness.type(4, 22, " * (")
    later = harness.send("editahead/nextEdit", harness.at(4, 26))
    await harness.reply(asked)
    model.go_on()
    (prediction,) = (await harness.reply(later))["result"]["predictions"]
    assert prediction["edits"] == [{"range": lsp_range(4, 26, 4, 26), "newText": "1 + tax)"}]
    assert len(model.prompts) == 1 and model.backend.stopped == 0


async def test_there_is_one_request_for_a_document(harness: ServerWithModel, model: Model) -> None:
    model.held = True
    await harness.start()
    far = TEXT + "x = 'a line that is not short'\n" * 302
    harness.open(A, far)
    one = harness.send("editahead/nextEdit", harness.at(4, 4))
    await until(lambda: len(model.prompts) == 1)
    other = harness.send("textDocument/copilotInlineEdit", harness.at(308, 4))
    await until(lambda: len(model.prompts) == 2)
    await until(lambda: model.backend.stopped == 1)
    model.go_on()
    for id in (one, other):
        await harness.reply(id)


async def test_closing_the_document_ends_it(harness: ServerWithModel, model: Model) -> None:
    asked = await harness.start_held()
    harness.notify("textDocument/didClose", {"textDocument": {"uri": A}})
    await harness.reply(asked)
    assert model.backend.stopped == 1


# Pauses


async def test_a_burst_of_typing_asks_the_model_once(harness: ServerWithModel, model: Model) -> None:
    await harness.start({"debounce_ms": "auto"})
    harness.open(A, TEXT)
    asked = []
    for n in range(5):
        harness.time.passes(0.06)
        harness.type(2, n, "x")
        asked.append(harness.send("editahead/nextEdit", harness.at(2, n + 1, trigger="typed")))
        harness.time.passes(0.05)  # of the rules' own delay
    await until(lambda: any(harness.answered(id) for id in asked[:-1]))
    assert model.prompts == []
    while not all(harness.answered(id) for id in asked):
        harness.time.passes(0.1)
        await asyncio.sleep(0.001)
    for id in asked:
        await harness.reply(id)
    assert len(model.prompts) == 1 and "xxxxx" in model.prompts[0]


async def test_the_pause_is_not_the_models_time(
    connect: Callable[..., ServerWithModel], model: Model
) -> None:
    harness = connect(bias=0.0)
    model.held = True
    await harness.start({"debounce_ms": "auto"})
    rename_once(harness)
    harness.time.passes(1.0)
    asked = harness.send("editahead/nextEdit", harness.at(0, 13, trigger="typed"))
    pause = MIN_MODEL_DELAY_S
    await until(lambda: pause in harness.time.asked and pause + MODEL_WAIT_WITH_RULES_S in harness.time.asked)
    harness.time.passes(pause)
    await until(lambda: bool(model.prompts))
    assert not harness.answered(asked)
    harness.time.passes(MODEL_WAIT_WITH_RULES_S)
    assert (await harness.reply(asked))["result"]["predictions"]


async def test_who_asks_explicitly_does_not_wait(harness: ServerWithModel, model: Model) -> None:
    await harness.start({"debounce_ms": "auto"})
    harness.open(A, TEXT)
    assert (await harness.next(4, 4, trigger="manual"))["predictions"]
    assert set(harness.time.asked) <= {MODEL_WAIT_WITHOUT_RULES_S}


# Ahead


async def test_what_follows_an_accept_is_asked_ahead(
    connect: Callable[..., ServerWithModel], model: Model
) -> None:
    """Only where nothing is left of the answer before; at low priority; and it answers the next request."""
    harness = connect(reuse=AHEAD)
    later = NEW.replace("euro(price)", "euro(price, tax)")
    model.answers = {"sum(items) * ": later, "def total": NEW}
    await harness.start()
    harness.open(A, TEXT)
    shown = (await harness.next(4, 22))["predictions"][0]
    await until(lambda: len(model.prompts) == 2)
    assert [query.background for query in model.backend.queries] == [False, True]
    await until(lambda: harness.server.predictions.models.idle)
    harness.type(4, 22, " * (1 + tax)")
    harness.notify("workspace/executeCommand", {"command": "editahead.accept", "arguments": [shown["id"]]})
    first = (await harness.next(4, 34, trigger="accepted"))["predictions"][0]
    assert first["edits"] == [{"range": lsp_range(5, 27, 5, 27), "newText": ", tax"}]
    assert len([prompt for prompt in model.prompts if "euro(price, tax)" not in prompt]) == 2


async def test_what_was_asked_ahead_is_given_up_when_it_is_stale(
    connect: Callable[..., ServerWithModel], model: Model
) -> None:
    harness = connect(reuse=AHEAD)
    model.held, model.free = True, len(NEW.splitlines()) + 1
    await harness.start()
    harness.open(A, TEXT)
    await harness.next(4, 22)
    await until(lambda: len(model.prompts) == 2)
    harness.type(4, 22, " * ")
    await asyncio.sleep(0)
    assert model.backend.stopped == 0, "on the way to the accept"
    harness.type(0, 0, "# no\n")
    await until(lambda: model.backend.stopped == 1)
