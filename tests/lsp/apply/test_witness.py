"""The choices of `editahead.apply` in the order of the rules and a model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_workspace.apply import blocking_model
from merge_with_readings import READINGS, SECOND, SKETCH, TEXT, merge_with_readings
from schemas import validate
from scoring_backend import ScoringBackend
from server_harness import ScriptedPipeline, ServerHarness
from server_with_model import until
from sketch_fixture import applied

URI = "file:///project/a.py"
OPENAI = {"backend": "openai", "url": "http://localhost:9", "model": "editahead-coder"}
ANNOTATED = {"documentChanges": True, "changeAnnotationSupport": {"groupsOnLabel": True}}
LIKELIEST = [READINGS[0][0], READINGS[1][0]]


class Witnessed(ServerHarness):
    """The server with a model that thinks the second reading likelier by far."""

    def __init__(self, user_folder: Path) -> None:
        self.backend = ScoringBackend(lambda text: -0.1 if "more" in text else -3.0)
        super().__init__(
            ScriptedPipeline({}),
            create_model=lambda wanted: ModelPredictor(self.backend, "editahead-coder"),
            user_folder=user_folder,
        )
        self.server.apply_service.load = lambda: merge_with_readings(READINGS)

    async def start(self, uri: str = URI) -> None:
        params = {
            "processId": None,
            "capabilities": {"workspace": {"applyEdit": True, "workspaceEdit": ANNOTATED}},
            "initializationOptions": {"editahead": OPENAI},
        }
        await self.request("initialize", params)
        self.notify("initialized", {})
        self.open(uri, TEXT)

    def begin(self, **argument: Any) -> int:
        argument = {"uri": URI, "sketch": SKETCH, "dryRun": True} | argument
        return self.send("workspace/executeCommand", {"command": "editahead.apply", "arguments": [argument]})

    async def choices(self, **argument: Any) -> list[Any]:
        data = (await self.reply(self.begin(**argument)))["error"]["data"]
        validate("command.editahead.apply", "refusal", data)
        choices: list[Any] = data["choices"]
        return choices


@pytest_asyncio.fixture
async def harness(tmp_path: Path) -> AsyncIterator[Witnessed]:
    harness = Witnessed(tmp_path / "config")
    yield harness
    harness.server.request_exit()
    await harness.server.wait_closed()
    harness.finish()


async def test_the_likelier_text_comes_first(harness: Witnessed) -> None:
    await harness.start()
    choices = await harness.choices()
    assert [choice["title"] for choice in choices] == LIKELIEST[::-1]
    assert [choice["likelihood"] for choice in choices] == [0.3, 0.6], "those of the rules"
    reply = await harness.reply(harness.begin(choice=choices[0]["id"]))
    assert applied(TEXT, reply["result"]["hunks"]) == SECOND
    assert len(harness.backend.scored) == len({query.prompt for query, _ in harness.backend.scored})


async def test_nobody_waits_long(harness: Witnessed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocking_model, "WITNESS_TIMEOUT_S", 0.02)
    harness.backend.held = asyncio.Event()
    await harness.start()
    assert [choice["title"] for choice in await harness.choices()] == LIKELIEST
    await until(lambda: harness.backend.cancelled == len(harness.backend.scored))


async def test_a_cancelled_request_ends_the_scoring(harness: Witnessed) -> None:
    harness.backend.held = asyncio.Event()
    await harness.start()
    number = harness.begin()
    await harness.backend.began.wait()
    harness.notify("$/cancelRequest", {"id": number})
    assert (await harness.reply(number))["error"]["code"] == -32800
    await until(lambda: harness.backend.cancelled == 1)


async def test_no_model_judges_an_excluded_file(harness: Witnessed) -> None:
    uri = "file:///project/.env"
    await harness.start(uri)
    assert [choice["title"] for choice in await harness.choices(uri=uri)] == LIKELIEST
    assert not harness.backend.scored


async def test_a_model_that_fails_leaves_the_order(harness: Witnessed) -> None:
    harness.backend.fails = True
    await harness.start()
    assert [choice["title"] for choice in await harness.choices()] == LIKELIEST
