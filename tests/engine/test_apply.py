"""Apply with models on a real vLLM: a trained one behind `editahead engine`, and a tiny one with random answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.results import MergeResult, Refusal
from editahead_inference.backends.engine_runfile import FILE_NAME
from editahead_inference.backends.openai.backend import OpenAIBackend
from editahead_inference.predictors.model.predictor import ModelPredictor
from engine_process import engine
from real_vllm import metric
from schemas import validate
from server_harness import ScriptedPipeline, ServerHarness
from sketch_fixture import AMBIGUOUS, TEXT, applied
from small_model import TRAINED

pytest.importorskip("vllm", reason="tools/environment/get-vllm.sh installs what this takes")

LONGEST_S = 900
FILE = """\
import os
import sys


def main():
    print(sys.argv)
    return 0


def other():
    print(os.environ)
    return main()
"""
SKETCH = """\
# ... existing code ...
def main():
    print(sys.argv)
    return 1
# ... existing code ...
"""
WANTED = FILE.replace("return 0", "return 1")


def unsure(*arguments: Any, **more: Any) -> MergeResult:
    """Treat every merge as uncertain, so that the model gets a request."""
    found = merge(*arguments, **more)
    return replace(found, refusal=found.refusal or Refusal("ambiguous", "It may be otherwise."))


class Person(ServerHarness):
    """A user with one file, which is also on the disk."""

    longest_s = LONGEST_S

    def __init__(self, folder: Path, text: str, **more: Any) -> None:
        self.file = folder / "a.py"
        self.file.write_text(text)
        super().__init__(ScriptedPipeline({}), user_folder=folder / "config", **more)

    async def start(self, backend: dict[str, str]) -> None:
        workspace = {
            "applyEdit": True,
            "workspaceEdit": {"documentChanges": True, "changeAnnotationSupport": {}},
        }
        params = {
            "processId": None,
            "rootUri": self.file.parent.as_uri(),
            "capabilities": {"workspace": workspace},
            "initializationOptions": {"editahead": backend},
        }
        await self.request("initialize", params)
        self.notify("initialized", {})
        self.open(self.file.as_uri(), self.file.read_text())

    def begin(self, sketch: str) -> int:
        argument = {"uri": self.file.as_uri(), "sketch": sketch, "dryRun": True, "partialResultToken": "p"}
        return self.send("workspace/executeCommand", {"command": "editahead.apply", "arguments": [argument]})

    async def ends(self) -> None:
        self.server.request_exit()
        await self.server.wait_closed()


async def test_a_trained_model_applies_a_sketch(
    tmp_path: Path, engine_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Served by `editahead engine`, found by its notice, with drafts from guess, file and sketch."""
    state = engine_environment["XDG_STATE_HOME"]
    monkeypatch.setenv("XDG_STATE_HOME", state)
    async with engine(TRAINED, engine_environment) as running, asyncio.timeout(LONGEST_S):
        await running.hears("Ready after")
        person = Person(tmp_path, FILE)
        person.server.apply_service.load = lambda: unsure
        await person.start({"backend": "engine", "format": "editahead"})
        number = person.begin(SKETCH)
        reply = await person.reply(number)
        assert "result" in reply, reply
        result = reply["result"]
        message = await person.take(lambda m: m.get("method") == "$/progress")
        partial = message["params"]["value"]
        validate("command.editahead.apply", "partial", partial)
        assert applied(FILE, result["hunks"]) == WANTED
        assert partial["hunks"] == result["hunks"]
        assert result["method"] == "model" and {hunk["origin"] for hunk in result["hunks"]} == {"model"}
        stats = result["stats"]
        assert 0 < stats["firstHunkMs"] <= stats["ms"]
        url = json.loads((Path(state) / "editahead" / FILE_NAME).read_text())["url"]
        accepted = await metric(url, "vllm:spec_decode_num_accepted_tokens_total")
        assert accepted > stats["modelTokens"] / 2, "most of it was drafted"
        status = await person.request("workspace/executeCommand", {"command": "editahead.status"})
        assert (status["apply"]["asked"], status["apply"]["taken"]) == (1, 1)
        assert person.file.read_text() == FILE
        await person.ends()
        await running.ends()


@pytest_asyncio.fixture
async def nonsense(vllm: OpenAIBackend, tmp_path: Path) -> AsyncIterator[Person]:
    """Return a user whose model answers at random."""
    person = Person(tmp_path, TEXT, create_model=lambda wanted: ModelPredictor(vllm, wanted.format))
    yield person
    await person.ends()


@pytest.mark.parametrize("format", ["instruct", "fastapply", "aixapply", "editahead"])
async def test_an_answer_that_is_nonsense_leaves_the_refusal(nonsense: Person, format: str) -> None:
    await nonsense.start({"backend": "openai", "url": "http://localhost:9", "format": format})
    error = (await nonsense.reply(nonsense.begin(AMBIGUOUS)))["error"]
    assert error["code"] == -32803
    assert error["data"]["reason"] == "ambiguous" and error["message"].startswith(
        "The sketch does not show whether"
    )
    assert error["data"]["model"]
    status = await nonsense.request("workspace/executeCommand", {"command": "editahead.status"})
    assert (status["apply"]["asked"], status["apply"]["taken"]) == (1, 0)
    assert nonsense.file.read_text() == TEXT


async def test_cancelling_ends_the_request_at_the_server(nonsense: Person, vllm_url: str) -> None:
    """The file is so long that the answer would take many seconds."""
    text = TEXT + "".join(f"\n\ndef more_{n}(x):\n    y = x + {n}\n    return y * {n}\n" for n in range(150))
    nonsense.file.write_text(text)
    nonsense.server.apply_service.load = lambda: unsure
    await nonsense.start({"backend": "openai", "url": "http://localhost:9", "format": "instruct"})
    number = nonsense.begin(AMBIGUOUS)
    async with asyncio.timeout(LONGEST_S):
        while await metric(vllm_url, "vllm:num_requests_running") == 0:
            assert not nonsense.answered(number)
        nonsense.notify("$/cancelRequest", {"id": number})
        assert (await nonsense.reply(number))["error"]["code"] == -32800
        while await metric(vllm_url, "vllm:num_requests_running") > 0:
            pass
    assert nonsense.file.read_text() == text
