"""The real server in this process with a scripted model, and a clock that only the test advances."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from editahead_inference.backends.base import CompletionRequest
from editahead_inference.gate.gate import Gate, Weights
from editahead_inference.pipeline import Pipeline
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_workspace.model_config import ModelConfig
from scripted_backend import ScriptedBackend, ScriptedReply
from server_harness import ServerHarness, position_params

A = "file:///project/a.py"
TEXT = "import money\n\n\ndef total(items, tax):\n    price = sum(items)\n    return money.euro(price)\n"
NEW = TEXT.replace("sum(items)", "sum(items) * (1 + tax)")
RENAMED = "def f(user):\n    a(user)\n    x = 1\n    b(user)\n    y = 2\n    c(user)\n"
OPENAI = {"backend": "openai", "url": "http://localhost:9", "model": "zeta-2", "format": "zeta-2"}


class Time:
    """A clock for tests.

    Attributes:
        asked: The seconds of all waits so far.
    """

    def __init__(self) -> None:
        self.now = 0.0
        self.asked: list[float] = []
        self._waits: list[tuple[float, asyncio.Event]] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.asked.append(seconds)
        over = asyncio.Event()
        self._waits.append((self.now + seconds, over))
        await over.wait()

    def passes(self, seconds: float) -> None:
        self.now += seconds
        for until, over in self._waits:
            if until <= self.now:
                over.set()


class Model:
    """A scripted model.

    Attributes:
        answers: Answers by a text in the prompt; the first that fits counts. Without one the model changes nothing.
        held: Holds the answer back until the test calls `go_on`.
        free: The number of lines of the first answer that are not held back.
    """

    def __init__(self, answers: dict[str, str] | None = None) -> None:
        self.answers = answers or {}
        self.backend = ScriptedBackend(self._reply, pause=self._pause)
        self.predictor = ModelPredictor(self.backend, "zeta-2")
        self.held = False
        self.free = 0
        self.wanted: list[ModelConfig] = []
        self._open = asyncio.Event()

    @property
    def prompts(self) -> list[str]:
        return [query.prompt for query in self.backend.queries]

    def go_on(self) -> None:
        self.held = False
        self._open.set()

    def create_model(self, wanted: ModelConfig) -> ModelPredictor | None:
        self.wanted.append(wanted)
        return self.predictor if wanted.backend == "openai" else None

    def _reply(self, query: CompletionRequest, sample: int) -> ScriptedReply:
        text = next((text for key, text in self.answers.items() if key in query.prompt), "NO_EDITS\n")
        return ScriptedReply(tuple(text.splitlines(keepends=True)))

    async def _pause(self) -> None:
        if self.held and self.backend.given >= self.free:
            await self._open.wait()


class ServerWithModel(ServerHarness):
    """The server with a model.

    Args:
        bias: The log-odds that the gate gives each candidate of the rules.
    """

    def __init__(self, model: Model, *, bias: float = 0.0, **arguments: Any) -> None:
        self.model, self.time = model, Time()
        gate = Gate(Weights({"features": [], "bias": bias, "trees": []}))
        arguments.setdefault("create_model", model.create_model)
        super().__init__(Pipeline(gate=gate), clock=self.time, sleep=self.time.sleep, **arguments)

    async def start(self, options: Any = None) -> None:
        await self.initialize(OPENAI | {"debounce_ms": 0} | (options or {}))

    async def start_held(self) -> int:
        """Start with TEXT open, and send a request while the model holds its answer back; return the request's id."""
        self.model.held = True
        await self.start()
        self.open(A, TEXT)
        id = self.send("editahead/nextEdit", self.at(4, 4))
        await until(lambda: bool(self.model.prompts))
        return id

    async def next(self, line: int = 0, character: int = 0, uri: str = A, **context: Any) -> Any:
        return await self.request("editahead/nextEdit", self.at(line, character, uri, **context))

    def at(self, line: int = 0, character: int = 0, uri: str = A, **context: Any) -> dict[str, Any]:
        document = self.server.session.documents.get(uri)
        assert document is not None
        return position_params(uri, document.snapshot.version, line, character, **context)

    def type(self, line: int, character: int, text: str, uri: str = A) -> None:
        document = self.server.session.documents.get(uri)
        assert document is not None
        self.change(uri, document.snapshot.version + 1, (line, character, line, character, text))

    async def end(self) -> None:
        """End the server as it ends by itself."""
        self.server.request_exit()
        await self.server.wait_closed()
        self.finish()


async def until(true: Callable[[], bool]) -> None:
    """Run the event loop until a condition is true."""
    over = time.monotonic() + 30
    while not true():
        if time.monotonic() > over:
            raise AssertionError("it never was so")
        await asyncio.sleep(0)


def rename_once(harness: ServerWithModel) -> None:
    """Rename a variable once, so that the rules have a prediction."""
    harness.open(A, RENAMED)
    harness.change(A, 2, (0, 6, 0, 10, "account"))
