"""Where the merge is not sure and a model of ours is set: what it says is offered to be confirmed, or the refusal stays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import pytest_asyncio

from editahead_inference.backends.backend import BackendError, Query
from editahead_inference.backends.scripted import Reply, Script, ScriptedBackend, by_prompt
from editahead_inference.modelling.predictor import ModelPredictor
from editahead_prompts.formats.format import Finish
from editahead_prompts.formats.own import REGION, REGION_END
from modelled import until
from schemas import validate
from scripted import Scripted, Wired
from sketching import AMBIGUOUS, REPLACED, SKETCH, TEXT, WANTED, applied

URI = "file:///project/a.py"
OPENAI = {"backend": "openai", "url": "http://localhost:9", "model": "editahead"}
ANNOTATED = {"documentChanges": True, "changeAnnotationSupport": {"groupsOnLabel": True}}
OLD, NEW = "    d = c * 2\n    return c + d\n", "    if c > 7:\n        raise ValueError(b)\n    return c\n"


def right(region: str) -> str:
    return region.replace(OLD, NEW) + REGION_END


def says(answer: Callable[[str], str], **more: Any) -> Script:
    """What is made of the region that the prompt shows; to anything else, that nothing is to be done."""

    def script(query: Query, sample: int) -> Reply:
        if "<|sketch|>" not in query.prompt:
            return Reply((f"<|silent|>{REGION_END}",))
        region = query.prompt.partition(f"{REGION}\n")[2].partition(REGION_END)[0]
        return Reply((answer(region),), **more)

    return script


class Asked(Wired):
    """The server with a model of this format that says what the script says."""

    def __init__(self, script: Script, format: str = "editahead", *, user_folder: Path, **more: Any) -> None:
        self.backend = ScriptedBackend(script, **more)
        super().__init__(
            Scripted({}), reach=lambda wanted: ModelPredictor(self.backend, format), user_folder=user_folder
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
        """The result, or the error's data."""
        argument = {"uri": URI, "sketch": AMBIGUOUS, "dryRun": True} | argument
        command = {"command": "editahead.apply", "arguments": [argument]}
        reply = await self.reply(self.send("workspace/executeCommand", command))
        if "error" in reply:
            assert reply["error"]["code"] == -32803
            return reply["error"]["data"]
        validate("command.editahead.apply", "result", reply["result"])
        return reply["result"]

    @property
    def asked(self) -> list[str]:
        return [query.prompt for query in self.backend.queries if "<|sketch|>" in query.prompt]


Connect: TypeAlias = Callable[..., Asked]


@pytest_asyncio.fixture
async def asked(tmp_path: Path) -> AsyncIterator[Connect]:
    made: list[Asked] = []

    def connect(script: Script, *told: Any, **more: Any) -> Asked:
        made.append(Asked(script, *told, user_folder=tmp_path / "config", **more))
        return made[-1]

    yield connect
    for wired in made:
        wired.server.end()
        await wired.server.ended()
        wired.finish()


async def test_its_rewrite_is_offered_as_its_own(asked: Connect) -> None:
    wired = asked(says(right))
    await wired.start()
    result = await wired.apply()
    assert applied(TEXT, result["hunks"]) == REPLACED
    assert result["method"] == "model"
    assert {hunk["origin"] for hunk in result["hunks"]} == {"model"}
    assert all("A model wrote this" in hunk["flags"][-1] for hunk in result["hunks"])
    annotations = result["edit"]["changeAnnotations"].values()
    assert all(annotation["needsConfirmation"] for annotation in annotations)
    assert result["stats"]["modelTokens"] > 0
    (prompt,) = wired.asked
    assert TEXT[TEXT.index("def second") : TEXT.index("    return c + d")] in prompt
    assert AMBIGUOUS in prompt


async def test_what_the_merge_is_sure_of_is_not_asked(asked: Connect) -> None:
    wired = asked(says(right))
    await wired.start()
    result = await wired.apply(sketch=SKETCH)
    assert applied(TEXT, result["hunks"]) == WANTED
    assert (result["method"], result["stats"]["modelTokens"]) == ("merge", 0)
    assert not wired.asked


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
    wired = asked(says(answer, reason=reason))
    await wired.start()
    assert (await wired.apply())["reason"] == "ambiguous"
    assert len(wired.asked) == 1


async def test_the_refusal_stays_where_the_model_cannot_be_had(asked: Connect) -> None:
    wired = asked(by_prompt({"": Reply(error=BackendError("broken", "It is broken."))}))
    await wired.start()
    assert (await wired.apply())["reason"] == "ambiguous"


async def test_a_model_of_another_format_is_not_asked(asked: Connect) -> None:
    wired = asked(says(right), "zeta-2")
    await wired.start()
    assert (await wired.apply())["reason"] == "ambiguous"
    assert not wired.asked


async def test_an_editor_that_asks_for_no_confirmation_gets_none_of_it(asked: Connect) -> None:
    wired = asked(says(right))
    await wired.start({"documentChanges": True})
    assert (await wired.apply(dryRun=False))["reason"] == "ambiguous"
    assert not wired.asked


async def test_it_may_change_the_selection_only(asked: Connect) -> None:
    wired = asked(says(right))
    await wired.start()
    start, end = {"line": 0, "character": 0}, {"line": 3, "character": 0}
    assert (await wired.apply(range={"start": start, "end": end}))["reason"] in ("ambiguous", "unplaced")


async def test_a_cancelled_request_ends_the_model_s(asked: Connect) -> None:
    started = asyncio.Event()

    async def pause() -> None:
        started.set()
        await asyncio.Event().wait()

    wired = asked(says(right), pause=pause)
    await wired.start()
    argument = {"uri": URI, "sketch": AMBIGUOUS, "dryRun": True}
    number = wired.send("workspace/executeCommand", {"command": "editahead.apply", "arguments": [argument]})
    await started.wait()
    wired.notify("$/cancelRequest", {"id": number})
    reply = await wired.reply(number)
    assert reply["error"]["code"] == -32800
    await until(lambda: wired.backend.stopped == 1)
