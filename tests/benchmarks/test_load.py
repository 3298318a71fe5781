"""Benchmark of fifty users who type at once: waiting times, cancelled work, and growth of memory.

Each user has a language server in this process; all share one `editahead engine` with a small model. It needs vLLM,
which tools/environment/get-vllm.sh installs.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from editahead_inference.backends.base import CompletionRequest, StreamEnd, TextChunk, Usage
from editahead_inference.backends.engine import EngineBackend
from editahead_inference.backends.engine_runfile import FILE_NAME, EngineRunfile
from editahead_inference.errors import BackendError
from editahead_inference.pipeline import Pipeline
from editahead_lsp.prediction.coordinator import ALL_REUSE
from editahead_workspace.model_config import ModelConfig
from engine_process import engine, group
from figures import SHORT, percentile, show
from real_vllm import metric
from server_harness import ServerHarness, position_params
from small_model import TRAINED
from tiny_model import texts

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.skipif(find_spec("vllm") is None, reason="tools/environment/get-vllm.sh installs vLLM"),
    pytest.mark.filterwarnings("default"),
]

PEOPLE = 5 if SHORT else 50
SETTLING_S, LASTS_S, LOOKS = (5.0, 10.0, 2) if SHORT else (20.0, 480.0, 8)
"""Of typing: before figures are taken, while they are, and how often memory is looked at meanwhile: caches fill first, and
what still grows then grows for ever."""
KEYS, KEY_S, THINKS_S = 8, 0.15, (4.0, 8.0)
"""Of a burst: keys, and seconds between two; then the person looks at it for so long."""
LONGEST_LINES = 150
NAMES = ("prompt_tokens_total", "prompt_tokens_cached_total", "generation_tokens_total")
CANCELLED = -32800


@dataclass
class Tally:
    """The requests to the engine.

    Attributes:
        whole: The usage of completed requests.
        failed: The number of failed requests, by failure.
    """

    begun: int = 0
    ended: int = 0
    whole: list[Usage] = field(default_factory=list)
    failed: Counter[str] = field(default_factory=Counter)


class Counting(EngineBackend):
    def __init__(self, file: Path, secret: bytes, tally: Tally) -> None:
        super().__init__(file, secret=secret)
        self.tally = tally

    async def stream(self, query: CompletionRequest) -> AsyncGenerator[TextChunk | StreamEnd, None]:
        self.tally.begun += 1
        try:
            async with aclosing(super().stream(query)) as answer:
                async for piece in answer:
                    if isinstance(piece, StreamEnd) and piece.usage is not None:
                        self.tally.whole.append(piece.usage)
                    yield piece
        except BackendError as error:
            self.tally.failed[error.failure] += 1
            raise
        finally:
            self.tally.ended += 1


class Typist(ServerHarness):
    """A person, their file and their language server. waited: ms for each answer; cancelled: requests without one, as the
    next key came first."""

    def __init__(self, number: int, file: Path, tally: Tally) -> None:
        self.dice = random.Random(number)
        self._replies: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.waited: list[float] = []
        self.cancelled = self.shown = 0
        self.errors: list[Any] = []

        def create_model(wanted: ModelConfig) -> Any:
            return wanted.wrap_backend(Counting(file, self.dice.randbytes(32), tally))

        super().__init__(Pipeline(), create_model=create_model, reuse=ALL_REUSE)
        text = self.dice.choice(texts())
        self.lines = text.splitlines(keepends=True)[:LONGEST_LINES]
        self.uri = f"file:///home/{number}/{number}.py"
        self.version = 1

    def write(self, data: bytes) -> None:
        message = json.loads(data.partition(b"\r\n\r\n")[2])
        if "method" not in message:
            self._replies.pop(message["id"]).set_result(message)
        elif "id" in message:
            self.answer(message["id"], None)

    def asks(self, method: str, params: Any) -> tuple[int, asyncio.Future[dict[str, Any]]]:
        reply = self._replies[self._last + 1] = asyncio.get_running_loop().create_future()
        return self.send(method, params), reply

    async def start(self) -> None:
        options = {"editahead": {"backend": "engine", "format": "editahead"}}
        params = {"processId": None, "capabilities": {}, "initializationOptions": options}
        await self.asks("initialize", params)[1]
        self.notify("initialized", {})
        self.open(self.uri, "".join(self.lines))

    async def types(self, until: asyncio.Event) -> None:
        """Writes lines as there are others, a burst of keys after the other, and asks after each key, as editors do."""
        asked: list[asyncio.Task[None]] = []
        while not until.is_set():
            line = self.dice.randrange(len(self.lines))
            written = self.dice.choice(self.lines).rstrip("\r\n") + "\n"
            self._change(line, 0, "\n")
            self.lines.insert(line, "\n")
            for column, character in enumerate(written[:-1]):
                if until.is_set():
                    break
                if column % KEYS == 0:
                    await asyncio.sleep(
                        self.dice.uniform(*THINKS_S) if column else self.dice.uniform(0, THINKS_S[1])
                    )
                self._change(line, column, character)
                self.lines[line] = written[: column + 1] + "\n"
                for task in asked:
                    task.cancel()
                asked = [asyncio.ensure_future(self._ask(line, column + 1))]
                await asyncio.sleep(self.dice.uniform(0.5, 1.5) * KEY_S)
            if len(self.lines) > 2 * LONGEST_LINES:
                break
        await asyncio.gather(*asked, return_exceptions=True)

    def _change(self, line: int, column: int, text: str) -> None:
        self.version += 1
        self.change(self.uri, self.version, (line, column, line, column, text))

    async def _ask(self, line: int, column: int) -> None:
        began = time.perf_counter()
        id, reply = self.asks("editahead/nextEdit", position_params(self.uri, self.version, line, column))
        try:
            message = await asyncio.shield(reply)
        except asyncio.CancelledError:
            self.notify("$/cancelRequest", {"id": id})
            message = await reply  # it is answered all the same
        result = message.get("result") or {}
        if "error" in message:
            if message["error"]["code"] != CANCELLED:
                self.errors.append(message["error"])
            self.cancelled += 1
        elif (result.get("silence") or {}).get("reason") == "cancelled":
            self.cancelled += 1
        else:
            self.waited.append((time.perf_counter() - began) * 1000)
            self.shown += bool(result["predictions"])

    async def end(self) -> None:
        self.server.request_exit()
        await self.server.wait_closed()
        self.server.predictions.stop()
        self.server.session.close_all()


@asynccontextmanager
async def people(file: Path, tally: Tally) -> AsyncIterator[list[Typist]]:
    found = [Typist(number, file, tally) for number in range(PEOPLE)]
    try:
        for person in found:
            await person.start()
        yield found
    finally:
        for person in found:
            await person.end()


def memory(pids: list[int]) -> float:
    """Return the resident memory in megabytes."""
    pages = sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids)
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def counted(url: str) -> list[float]:
    return [await metric(url, f"vllm:{name}") for name in NAMES]


def computed(usage: Usage) -> int:
    return usage.prompt - (usage.cached or 0) + usage.completion


async def test_many_people(tmp_path: Path) -> None:
    state = tmp_path / "state"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EDITAHEAD_")}
    environment |= {"XDG_STATE_HOME": str(state), "XDG_CONFIG_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    environment |= {"VLLM_CPU_KVCACHE_SPACE": "1"}
    file = state / "editahead" / FILE_NAME
    tally = Tally()
    async with engine(TRAINED, environment) as running:
        await running.hears("Ready after")
        url, servers = EngineRunfile.read(file).url, group(running.server())
        async with people(file, tally) as found:
            over = asyncio.Event()
            typing = [asyncio.ensure_future(person.types(over)) for person in found]
            await asyncio.sleep(SETTLING_S)
            for person in found:
                person.waited.clear()
                person.cancelled = person.shown = 0
            begun, whole, before = tally.begun, len(tally.whole), await counted(url)
            engine_mb, own_mb = [memory(servers)], [memory([os.getpid()])]
            for _ in range(LOOKS):
                await asyncio.sleep(LASTS_S / LOOKS)
                engine_mb.append(memory(servers))
                own_mb.append(memory([os.getpid()]))
            over.set()
            await asyncio.gather(*typing)
            waited = [ms for person in found for ms in person.waited]
            cancelled = sum(person.cancelled for person in found)
            shown = sum(person.shown for person in found)
            assert not [error for person in found for error in person.errors]
            assert not any(person._replies for person in found), "each request is answered"
        # What was given up leaves nothing behind in the engine.
        while await metric(url, "vllm:num_requests_running") + await metric(url, "vllm:num_requests_waiting"):
            pass
        after = await counted(url)
        prompt, cached, said = (now - then for now, then in zip(after, before, strict=True))
        assert group(running.server()) == servers, "nothing died"
        await running.ends()
    answered = tally.whole[whole:]
    work, useful = prompt - cached + said, sum(map(computed, answered))
    rows = [
        ["answers", f"{len(waited)}, {shown} with an edit"],
        [
            "ms to an answer, p50 / p95 / p99",
            " / ".join(f"{percentile(waited, share):.0f}" for share in (0.5, 0.95, 0.99)),
        ],
        ["superseded by the next key", f"{cancelled}"],
        ["requests to the engine", f"{tally.begun - begun}, {len(answered)} answered whole"],
        ["failed", ", ".join(f"{count} {name}" for name, count in tally.failed.items()) or "none"],
        ["prompt tokens", f"{prompt:.0f}, {cached / max(prompt, 1):.0%} cached"],
        ["tokens computed", f"{work:.0f}, {work - useful:.0f} of them for what was given up"],
        ["engine, MB", " ".join(f"{mb:.0f}" for mb in engine_mb)],
        [f"{PEOPLE} language servers, MB", " ".join(f"{mb:.0f}" for mb in own_mb)],
    ]
    show(f"{PEOPLE} people typing for {LASTS_S:.0f} s", ["", ""], rows)
    assert waited and answered
    assert tally.begun == tally.ended, "nothing is still asked for"
    assert engine_mb[-1] < 1.2 * engine_mb[0] and own_mb[-1] < 1.5 * own_mb[0]
