"""The local backend with a stub model. tests/engine has a real one."""

from __future__ import annotations

import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.backends.base import CompletionRequest, Health, StreamEnd, TextChunk, Usage
from editahead_inference.backends.local.backend import LocalBackend
from editahead_inference.backends.local.stop_strings import StopScanner
from editahead_inference.errors import BackendError

QUERY = CompletionRequest("p", (), 3)


class Endless:
    """A model that answers until it is cancelled.

    Attributes:
        go: Whether the answer may continue.
        ended: Set at the end.
    """

    context = 100

    def __init__(self) -> None:
        self.go = threading.Event()
        self.ended = threading.Event()

    def generate(
        self, query: CompletionRequest, check: Callable[[], None]
    ) -> Iterator[TextChunk | StreamEnd]:
        try:
            if query.prompt == "fails":
                raise MemoryError
            if query.prompt == "short":
                yield StreamEnd("stop", 0, Usage(1))
                return
            yield TextChunk("a")
            while True:
                check()
                if query.prompt != "busy":
                    self.go.wait()
        finally:
            self.ended.set()


@pytest.fixture
def model() -> Endless:
    return Endless()


@pytest.fixture
async def backend(model: Endless) -> AsyncIterator[LocalBackend]:
    backend = LocalBackend(Path("folder/tiny"))
    backend._load = lambda: model
    yield backend
    model.go.set()
    await backend.close()


async def test_it_is_as_it_says(backend: LocalBackend) -> None:
    assert (backend.name, backend.model) == ("local tiny", "tiny")
    assert (backend.health, backend.capabilities.context) == (Health("starting"), None)
    await backend.prepare()
    assert (backend.health, backend.capabilities.context) == (Health("ready"), 100)


async def test_a_closed_answer_ends_between_two_steps(backend: LocalBackend, model: Endless) -> None:
    stream = backend.stream(QUERY)
    assert await anext(stream) == TextChunk("a")
    await stream.aclose()
    model.go.set()
    assert model.ended.wait(10)
    assert [piece async for piece in backend.stream(replace(QUERY, prompt="short"))] == [
        StreamEnd("stop", 0, Usage(1))
    ]


class Stepping(Endless):
    """A model that counts its steps."""

    steps = 0

    def generate(
        self, query: CompletionRequest, check: Callable[[], None]
    ) -> Iterator[TextChunk | StreamEnd]:
        for _ in range(query.max_tokens):
            check()
            self.steps += 1
            yield TextChunk("a")
        yield StreamEnd("length", 0, Usage(1))


@pytest.mark.parametrize("read", [1, 2, 5])
@pytest.mark.parametrize("background", [False, True])
async def test_a_step_is_computed_only_for_a_reader_who_goes_on(read: int, background: bool) -> None:
    backend = LocalBackend(Path("folder/tiny"))
    model = Stepping()
    backend._load = lambda: model
    stream = backend.stream(replace(QUERY, max_tokens=9, background=background))
    for _ in range(read):
        assert await anext(stream) == TextChunk("a")
    await stream.aclose()
    assert len([piece async for piece in backend.stream(replace(QUERY, max_tokens=2))]) == 3
    assert model.steps == read + 2
    assert [piece async for piece in backend.stream(QUERY)][-1] == StreamEnd("length", 0, Usage(1))
    await backend.close()


async def test_a_reader_who_pauses_holds_up_no_other() -> None:
    backend = LocalBackend(Path("folder/tiny"))
    model = Stepping()
    backend._load = lambda: model
    paused = backend.stream(QUERY)
    assert await anext(paused) == TextChunk("a")
    assert len([piece async for piece in backend.stream(QUERY)]) == 4
    assert len([piece async for piece in paused]) == 3
    await backend.close()


async def test_what_nobody_waits_for_makes_room(backend: LocalBackend) -> None:
    stream = backend.stream(replace(QUERY, prompt="busy", background=True))
    assert await anext(stream) == TextChunk("a")
    assert [piece async for piece in backend.stream(replace(QUERY, prompt="short"))]
    with pytest.raises(BackendError, match="made room") as raised:
        await anext(stream)
    assert raised.value.failure == "suspended"
    assert backend.health == Health("ready")


async def test_a_failing_model_is_a_sentence_and_the_next_request_is_fine(backend: LocalBackend) -> None:
    with pytest.raises(BackendError) as raised:
        await anext(backend.stream(replace(QUERY, prompt="fails")))
    assert (raised.value.failure, raised.value.detail) == (
        "broken",
        "The model in this process failed: MemoryError.",
    )
    assert backend.health.condition == "degraded"
    assert [piece async for piece in backend.stream(replace(QUERY, prompt="short"))]
    assert backend.health == Health("ready")


@pytest.mark.parametrize("asked", ["prepare", "stream"])
async def test_what_cannot_be_loaded_is_unavailable_with_the_reason(asked: str, tmp_path: Path) -> None:
    backend = LocalBackend(tmp_path / "nowhere")
    ask: Any = {
        "prepare": backend.prepare,
        "stream": lambda: anext(backend.stream(QUERY)),
    }[asked]
    with pytest.raises(BackendError) as raised:
        await ask()
    detail = f"There is no model in {tmp_path / 'nowhere'}."
    assert (raised.value.failure, raised.value.detail) == ("refused", detail)
    assert backend.health == Health("gone", detail)
    await backend.close()


class Saying:
    """A model with a fixed answer and fixed scores."""

    context = 10

    def __init__(self, text: str) -> None:
        self.text = text

    def generate(
        self, query: CompletionRequest, check: Callable[[], None]
    ) -> Iterator[TextChunk | StreamEnd]:
        check()
        yield TextChunk(self.text)
        yield StreamEnd("stop", 0, Usage(1))

    def score(
        self, query: CompletionRequest, continuations: list[str], check: Callable[[], None]
    ) -> list[tuple[float, ...]]:
        check()
        return [(-float(len(text)),) for text in continuations]


async def test_other_weights_take_their_place_between_two_requests_and_damaged_ones_do_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    weights = tmp_path / "model.safetensors"

    def load() -> Any:
        text = weights.read_text()
        if "damaged" in text:
            raise ValueError("incomplete metadata, file not fully covered\nmore")
        return Saying(text)

    async def said() -> str:
        return "".join([piece.text async for piece in backend.stream(QUERY) if isinstance(piece, TextChunk)])

    async def settled() -> str:
        """Request until no load of weights is running, and return the last answer."""
        before = await said()
        while ((task := backend._swapping) is not None and not task.done()) or await said() != before:
            before = await said()
        return before

    weights.write_text("one")
    backend = LocalBackend(tmp_path)
    backend._load = load
    assert await settled() == "one"
    weights.write_text("second")
    while await said() == "one":
        assert backend.health == Health("ready")
    assert await settled() == "second"
    weights.write_text("damaged, or only half of it is there")
    while not backend.health.detail:
        assert await said() == "second"
    detail = f"The model in {tmp_path} cannot be loaded: incomplete metadata, file not fully covered."
    assert backend.health == Health("ready", f"The weights before stay: {detail}")
    assert await settled() == "second"
    assert backend.health.detail and caplog.text.count(detail) == 1
    with pytest.raises(BackendError, match="incomplete"):
        await backend.reload_weights()
    weights.write_text("the third")
    await backend.reload_weights()
    assert (await said(), backend.health) == ("the third", Health("ready"))
    await backend.close()


async def test_a_folder_that_gets_a_model_later(tmp_path: Path) -> None:
    backend = LocalBackend(tmp_path)
    for _ in range(2):
        with pytest.raises(BackendError, match="There is no model"):
            await backend.prepare()
    (tmp_path / "config.json").write_text("{}")
    backend._load = lambda: Saying("here")
    assert await backend.score(QUERY, ["ab", "c"]) == [(-2.0,), (-1.0,)]
    await backend.close()


@pytest.mark.parametrize(
    ("library", "file", "extra"),
    [("onnxruntime", "model.onnx", "local"), ("torch", "model.safetensors", "transformers")],
)
async def test_without_its_library_it_says_so(
    library: str, file: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / file).touch()
    monkeypatch.setitem(sys.modules, library, None)
    backend = LocalBackend(tmp_path)
    with pytest.raises(BackendError, match=f"{library} is not installed; the extra `{extra}`"):
        await backend.prepare()
    await backend.close()


@given(st.text("ab<>", max_size=30), st.lists(st.text("ab<>", max_size=3), max_size=3), st.data())
def test_text_ends_at_the_first_stop_string_however_it_comes(
    text: str, stops: list[str], data: st.DataObject
) -> None:
    scanner = StopScanner(stops)
    given_on, rest = "", text
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        given_on += scanner.feed(rest[:size])
        rest = rest[size:]
    given_on += scanner.finish()
    found = [at for stop in stops if stop and (at := text.find(stop)) >= 0]
    # Of stop strings that overlap, the one that is complete first ends the text.
    ends = [text.find(stop) + len(stop) for stop in stops if stop and stop in text]
    if not found:
        assert (given_on, scanner.stopped) == (text, False)
    else:
        assert scanner.stopped
        assert text.startswith(given_on) and min(found) <= len(given_on) <= min(ends)


def test_what_may_be_the_beginning_of_a_stop_string_is_held_back() -> None:
    scanner = StopScanner(["<end>"])
    assert [scanner.feed(text) for text in ("a<", "e", "x<en", "d>more", "b")] == ["a", "", "<ex", "", ""]
    assert scanner.stopped
    scanner = StopScanner(["<end>"])
    assert (scanner.feed("a<en"), scanner.finish()) == ("a", "<en")
