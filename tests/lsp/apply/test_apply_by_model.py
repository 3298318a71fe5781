"""Apply with a model after an ambiguous merge: the answer needs confirmation, or the refusal remains."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import pytest_asyncio

from editahead_inference.backends.base import CompletionRequest
from editahead_inference.errors import BackendError
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_prompts.formats.base import Finish
from editahead_prompts.formats.next_edit.editahead_2611 import REGION, REGION_END
from editahead_workspace.apply.blocking_model import MODEL_TIMEOUT_S
from manual_clock import Clock
from schemas import validate
from scripted_backend import Script, ScriptedBackend, ScriptedReply, by_prompt
from server_harness import ScriptedPipeline, ServerHarness
from server_with_model import until
from sketch_fixture import AMBIGUOUS, NEW, OLD, REPLACED, SKETCH, TEXT, WANTED, applied

URI = "file:///project/a.py"
OPENAI = {"backend": "openai", "url": "http://localhost:9", "model": "editahead"}
ANNOTATED = {"documentChanges": True, "changeAnnotationSupport": {"groupsOnLabel": True}}


def right(region: str) -> str:
    return region.replace(OLD, NEW) + REGION_END


def says(answer: Callable[[str], str], **more: Any) -> Script:
    """Return a script that rewrites the region of an Apply prompt, and changes nothing for other prompts."""

    def script(query: CompletionRequest, sample: int) -> ScriptedReply:
        if "<|sketch|>" not in query.prompt:
            return ScriptedReply((f"<|silent|>{REGION_END}",))
        region = query.prompt.partition(f"{REGION}\n")[2].partition(REGION_END)[0]
        return ScriptedReply((answer(region),), **more)

    return script


class ApplyHarness(ServerHarness):
    """The server with a model of this format that says what the script says."""

    def __init__(self, script: Script, format: str = "editahead", *, user_folder: Path, **more: Any) -> None:
        self.backend = ScriptedBackend(script, **more)
        super().__init__(
            ScriptedPipeline({}),
            create_model=lambda wanted: ModelPredictor(self.backend, format),
            user_folder=user_folder,
        )

    async def start(self, workspace: Any = None) -> None:
        capabilities = {"applyEdit": True, "workspaceEdit": ANNOTATED if workspace is None else workspace}
        params = {
            "processId": None,
            "capabilities": {"workspace": capabilities},
            "initializationOptions": {"editahead": OPENAI},
        }
        await self.request("initialize", params)
        self.notify("initialized", {})
        self.open(URI, TEXT)

    async def apply(self, **argument: Any) -> Any:
        """Return the result, or the data of the error."""
        argument = {"uri": URI, "sketch": AMBIGUOUS, "dryRun": True} | argument
        command = {"command": "editahead.apply", "arguments": [argument]}
        reply = await self.reply(self.send("workspace/executeCommand", command))
        if "error" in reply:
            assert reply["error"]["code"] == -32803
            return reply["error"]["data"]
        validate("command.editahead.apply", "result", reply["result"])
        return reply["result"]

    def begin(self, **argument: Any) -> int:
        argument = {"uri": URI, "sketch": AMBIGUOUS, "dryRun": True, "partialResultToken": "p"} | argument
        return self.send("workspace/executeCommand", {"command": "editahead.apply", "arguments": [argument]})

    async def partial_result(self) -> dict[str, Any]:
        """Return the next partial result."""
        message = await self.take(lambda m: m.get("method") == "$/progress" and m["params"]["token"] == "p")
        value: dict[str, Any] = message["params"]["value"]
        validate("command.editahead.apply", "partial", value)
        return value

    async def status(self) -> Any:
        return await self.command("status")

    @property
    def asked(self) -> list[str]:
        return [query.prompt for query in self.backend.queries if "<|sketch|>" in query.prompt]


Connect: TypeAlias = Callable[..., ApplyHarness]


@pytest_asyncio.fixture
async def asked(tmp_path: Path) -> AsyncIterator[Connect]:
    made: list[ApplyHarness] = []

    def connect(script: Script, *partial_result: Any, **more: Any) -> ApplyHarness:
        made.append(ApplyHarness(script, *partial_result, user_folder=tmp_path / "config", **more))
        return made[-1]

    yield connect
    for harness in made:
        harness.server.request_exit()
        await harness.server.wait_closed()
        harness.finish()


async def test_its_rewrite_is_offered_as_its_own(asked: Connect) -> None:
    harness = asked(says(right))
    await harness.start()
    result = await harness.apply()
    assert applied(TEXT, result["hunks"]) == REPLACED
    assert result["method"] == "model"
    assert {hunk["origin"] for hunk in result["hunks"]} == {"model"}
    assert all("A model wrote this" in hunk["flags"][-1] for hunk in result["hunks"])
    annotations = result["edit"]["changeAnnotations"].values()
    assert all(annotation["needsConfirmation"] for annotation in annotations)
    assert result["stats"]["modelTokens"] > 0
    (prompt,) = harness.asked
    assert TEXT[TEXT.index("def second") : TEXT.index("    return c + d")] in prompt
    assert AMBIGUOUS in prompt


@pytest.mark.parametrize("uri", ["file:///project/.env", "untitled:/x/prod.env", "git:/x/secrets.yaml?ref"])
async def test_no_model_sees_an_excluded_file(asked: Connect, uri: str) -> None:
    harness = asked(says(right))
    await harness.start()
    harness.open(uri, TEXT)
    refusal = await harness.apply(uri=uri)
    assert refusal["reason"] == "ambiguous" and "secrets" in refusal["model"]
    assert harness.backend.queries == []


async def test_what_the_merge_is_sure_of_is_not_asked(asked: Connect) -> None:
    harness = asked(says(right))
    await harness.start()
    result = await harness.apply(sketch=SKETCH)
    assert applied(TEXT, result["hunks"]) == WANTED
    assert (result["method"], result["stats"]["modelTokens"]) == ("merge", 0)
    assert not harness.asked


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda region: right(region).replace("ValueError", "KeyError"), "stop"),
        (lambda region: right(region).replace("return a + 1\n", ""), "stop"),
        (lambda region: right(region).removesuffix(REGION_END), "length"),
        (lambda region: REGION_END, "stop"),
        (lambda region: f"<|sketch|>\n{right(region)}", "stop"),
        (lambda region: region + REGION_END, "stop"),
    ],
)
async def test_the_refusal_stays_where_the_answer_does_not_agree(
    asked: Connect, answer: Callable[[str], str], reason: Finish
) -> None:
    harness = asked(says(answer, reason=reason))
    await harness.start()
    refused = await harness.apply()
    validate("command.editahead.apply", "refusal", refused)
    assert refused["reason"] == "ambiguous" and refused["model"]
    assert len(harness.asked) == 2, "it is asked once more, with more around"
    assert len(harness.asked[0]) < len(harness.asked[1])
    status = (await harness.status())["apply"]
    assert status == {"asked": 1, "taken": 0, "firstHunkMs": None, "ms": None, "model": None}


async def test_the_refusal_stays_where_the_model_cannot_be_had(asked: Connect) -> None:
    harness = asked(by_prompt({"": ScriptedReply(error=BackendError("broken", "It is broken."))}))
    await harness.start()
    refused = await harness.apply()
    assert (refused["reason"], refused["model"]) == ("ambiguous", "It is broken.")
    assert (await harness.status())["apply"]["asked"] == 0


async def test_a_model_of_another_format_is_not_asked(asked: Connect) -> None:
    harness = asked(says(right), "zeta-2")
    await harness.start()
    refused = await harness.apply()
    assert (refused["reason"], refused["model"]) == ("ambiguous", "scripted is not asked about sketches.")
    assert not harness.asked


async def test_an_editor_that_asks_for_no_confirmation_gets_none_of_it(asked: Connect) -> None:
    harness = asked(says(right))
    await harness.start({"documentChanges": True})
    assert (await harness.apply(dryRun=False))["reason"] == "ambiguous"
    assert not harness.asked


async def test_it_may_change_the_selection_only(asked: Connect) -> None:
    harness = asked(says(right))
    await harness.start()
    start, end = {"line": 0, "character": 0}, {"line": 3, "character": 0}
    assert (await harness.apply(range={"start": start, "end": end}))["reason"] in ("ambiguous", "unplaced")


async def test_a_cancelled_request_ends_the_model_s(asked: Connect) -> None:
    started = asyncio.Event()

    async def pause() -> None:
        started.set()
        await asyncio.Event().wait()

    harness = asked(says(right), pause=pause)
    await harness.start()
    argument = {"uri": URI, "sketch": AMBIGUOUS, "dryRun": True}
    number = harness.send("workspace/executeCommand", {"command": "editahead.apply", "arguments": [argument]})
    await started.wait()
    harness.notify("$/cancelRequest", {"id": number})
    reply = await harness.reply(number)
    assert reply["error"]["code"] == -32800
    await until(lambda: harness.backend.stopped == 1)


WHOLE = {
    "instruct": ("Here it is:\n```python\n", "```\nDone.", "edit_sketch|>"),
    "fastapply": ("<updated-code>", "</updated-code>", "<update>"),
    "aixapply": ("<update_file>", "</update_file>", "<update_snippet>"),
}


def writes(text: str, format: str) -> Script:
    """Return a script that answers a sketch with a whole text, line by line, in the model's format."""
    before, after, mark = WHOLE[format]

    def script(query: CompletionRequest, sample: int) -> ScriptedReply:
        if mark not in query.prompt:
            return ScriptedReply(("None",))
        return ScriptedReply((before, *text.splitlines(keepends=True), after))

    return script


@pytest.mark.parametrize("format", WHOLE)
async def test_models_that_write_whole_files(asked: Connect, format: str) -> None:
    harness = asked(writes(REPLACED, format), format)
    await harness.start()
    result = await harness.apply()
    assert (applied(TEXT, result["hunks"]), result["method"]) == (REPLACED, "model")
    assert all("A model wrote this" in hunk["flags"][-1] for hunk in result["hunks"])
    (query,) = (query for query in harness.backend.queries if query.long)
    assert query.chat and AMBIGUOUS in query.prompt and TEXT in query.prompt


async def test_the_instruction_of_a_sketch_is_in_the_prompt(asked: Connect) -> None:
    harness = asked(writes(REPLACED, "instruct"), "instruct")
    await harness.start()
    await harness.apply(instruction="Refuse what is negative.")
    (query,) = (query for query in harness.backend.queries if query.long)
    assert "<|instruction|>\nRefuse what is negative.\n<|/instruction|>\n" in query.prompt


MORE = "".join(f"\n\ndef more_{n}(x):\n    return x + {n}\n" for n in range(6))


class Held:
    """An answer that stops after a number of chunks, until the test lets it go on."""

    def __init__(self, pieces: int) -> None:
        self.pieces, self.come, self.go = pieces, 0, asyncio.Event()
        self.reached = asyncio.Event()

    async def __call__(self) -> None:
        self.come += 1
        if self.come > self.pieces:
            self.reached.set()
            await self.go.wait()


async def held_back(asked: Connect, text: str) -> tuple[ApplyHarness, Held]:
    """Return a server and an answer of its model that lacks the last lines of a text."""
    held = Held(len(text.splitlines()) - 4)
    harness = asked(writes(text, "fastapply"), "fastapply", pause=held)
    await harness.start()
    harness.change(URI, 2, (17, 0, 17, 0, MORE))
    return harness, held


async def test_hunks_are_reported_while_the_model_writes(asked: Connect) -> None:
    harness, held = await held_back(asked, REPLACED + MORE)
    number = harness.begin()
    partial = await harness.partial_result()
    assert not harness.answered(number), "the rest of the answer has not come"
    assert applied(TEXT + MORE, partial["hunks"]) == REPLACED + MORE
    assert {hunk["origin"] for hunk in partial["hunks"]} == {"model"}
    held.go.set()
    result = (await harness.reply(number))["result"]
    assert result["hunks"] == partial["hunks"]
    assert 0 <= result["stats"]["firstHunkMs"] <= result["stats"]["ms"]
    status = (await harness.status())["apply"]
    assert (status["asked"], status["taken"]) == (1, 1)
    assert 0 <= status["firstHunkMs"] <= status["ms"]


async def test_hunks_of_a_selected_sketch_are_reported_without_its_removal(asked: Connect) -> None:
    text, sketch = REPLACED + MORE, f"```python\n{AMBIGUOUS}```\n"
    held = Held(len(text.splitlines()) - 4)
    harness = asked(writes(text, "fastapply"), "fastapply", pause=held)
    await harness.start()
    lines = (TEXT + MORE).count("\n")
    harness.change(URI, 2, TEXT + MORE + sketch)
    place = {
        "start": {"line": lines, "character": 0},
        "end": {"line": lines + sketch.count("\n"), "character": 0},
    }
    data = {"uri": URI, "version": 2, "sketch": place, "partialResultToken": "p"}
    number = harness.send("codeAction/resolve", {"title": "Apply", "data": data})
    partial = await harness.partial_result()
    assert not harness.answered(number), "the rest of the answer has not come"
    assert applied(TEXT + MORE + sketch, partial["hunks"]) == text + sketch
    held.go.set()
    (change,) = (await harness.reply(number))["result"]["edit"]["documentChanges"]
    assert applied(TEXT + MORE + sketch, change["edits"]) == text


async def test_reported_hunks_are_void_where_the_rewrite_is_rejected(asked: Connect) -> None:
    harness, held = await held_back(asked, REPLACED.replace("ValueError", "KeyError") + MORE)
    number = harness.begin()
    assert (await harness.partial_result())["hunks"]
    held.go.set()
    assert await harness.partial_result() == {"hunks": [], "withdrawn": URI}
    error = (await harness.reply(number))["error"]
    assert error["data"]["reason"] == "ambiguous" and "was rejected" in error["data"]["model"]


async def test_a_request_cancelled_between_hunks_ends_at_the_server(asked: Connect) -> None:
    harness, held = await held_back(asked, REPLACED + MORE)
    number = harness.begin()
    await harness.partial_result()
    await held.reached.wait()
    harness.notify("$/cancelRequest", {"id": number})
    assert (await harness.reply(number))["error"]["code"] == -32800
    await until(lambda: harness.backend.stopped == 1)


async def test_the_end_of_the_server_ends_the_request(asked: Connect) -> None:
    harness, _ = await held_back(asked, REPLACED + MORE)
    number = harness.begin()
    await harness.partial_result()
    harness.server.apply_service.stop()
    assert "error" in await harness.reply(number)
    await until(lambda: harness.backend.stopped == 1)


async def test_what_the_merge_is_sure_of_does_not_wait_for_a_model(asked: Connect) -> None:
    harness, held = await held_back(asked, REPLACED + MORE)
    number = harness.begin()
    await harness.partial_result()
    result = await harness.apply(sketch=SKETCH)
    assert (result["method"], harness.answered(number)) == ("merge", False)
    assert result["stats"]["firstHunkMs"] <= result["stats"]["ms"]
    held.go.set()
    assert (await harness.reply(number))["result"]["method"] == "model"


async def test_there_is_an_end_to_waiting_for_a_model(asked: Connect) -> None:
    clock = Clock()
    held = Held(3)
    harness = asked(writes(REPLACED, "instruct"), "instruct", pause=held)
    harness.server.apply_service.clock = clock
    await harness.start()
    number = harness.begin()
    await held.reached.wait()
    clock.now += MODEL_TIMEOUT_S + 1
    data = (await harness.reply(number))["error"]["data"]
    assert data["reason"] == "ambiguous" and "took longer" in data["model"]
    await until(lambda: harness.backend.stopped == 1)
