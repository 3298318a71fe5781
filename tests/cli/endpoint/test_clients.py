"""What real clients send, answered over HTTP: bodies as llama.vim, minuet, Zed, cursortab.nvim and others make them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import httpx2
import pytest

from editahead_cli.endpoint.api import Api
from editahead_cli.endpoint.completer import Completer
from editahead_cli.endpoint.http_server import MAX_BODY_BYTES, HttpResponse, HttpServer
from editahead_inference.backends.openai.backend import OpenAIBackend
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.base import PromptPaths
from editahead_prompts.formats.next_edit.sweep import SWEEP_CURSORTAB
from editahead_prompts.formats.next_edit.zeta2 import ZETA_2
from editahead_prompts.formats.next_edit.zeta21 import ZETA_2_1
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace.settings import Settings
from fake_openai_server import CannedAnswer, FakeOpenAIServer

pytestmark = pytest.mark.slow

TOKEN = "secret-of-the-test"
URI = "file:///project/shop/cart.py"
TEXT = """\
import money

def total(items):
    cost = sum(items)
    log(price)
    return money.euro(price)
"""
RENAMED = TEXT.replace("price", "cost")
CURSOR = TEXT.index("cost") + len("cost")
BEFORE, TYPED, BEHIND = (
    "import os\n\ndef first_value(values):\n    return values[0]\n\n",
    "print(first_",
    ")\n",
)


def renaming() -> EditorState:
    document = Snapshot.from_text(TEXT, uri=URI, language="python")
    edit = PastEdit(URI, 3, ("    price = sum(items)\n",), ("    cost = sum(items)\n",), open=True)
    return EditorState(document, CURSOR, (edit,))


def prompt_of(format: Any) -> dict[str, Any]:
    request = format.build(renaming(), ESTIMATE, paths=PromptPaths(("file:///project",)))
    return {"model": "any", "prompt": request.prompt.text, "max_tokens": 512}


class Endpoint:
    """An endpoint in this process, with a client."""

    def __init__(self, base: str, server: HttpServer) -> None:
        self.base, self.server = base, server
        self.client = httpx2.AsyncClient(timeout=20, trust_env=False)

    async def post(self, path: str, body: Any, **headers: str) -> httpx2.Response:
        return await self.client.post(self.base + path, json=body, headers=headers)

    async def answer(self, path: str, body: Any) -> Any:
        """Return the answer to a body, with the token in the URL."""
        response = await self.post(f"/{TOKEN}{path}", body)
        assert response.status_code == 200, response.text
        return response.json()


async def start(
    settings: Settings | None = None, model: ModelPredictor | None = None
) -> tuple[Endpoint, Completer]:
    completer = Completer(settings or Settings(), model)
    server = HttpServer(Api(completer, TOKEN).handle)
    return Endpoint(f"http://127.0.0.1:{await server.start(0)}", server), completer


@pytest.fixture
async def endpoint() -> AsyncIterator[Endpoint]:
    made, completer = await start()
    yield made
    await made.client.aclose()
    await made.server.stop()
    await completer.close()


async def test_zed_gets_all_uses_of_a_rename(endpoint: Endpoint) -> None:
    """Zed sends no stop string to Zeta 2 and reads `id` and `choices[0].text`."""
    answer = await endpoint.answer("/v1/completions", {**prompt_of(ZETA_2), "stop": []})
    assert answer["id"] and answer["choices"][0]["text"] == f"{RENAMED}>>>>>>> UPDATED\n"
    answer = await endpoint.answer("/v1/completions", prompt_of(ZETA_2_1))
    assert answer["choices"][0]["text"] == f"<|marker_1|>{RENAMED}<|marker_2|><[end▁of▁sentence]>"


async def test_zed_may_name_the_token_alone(endpoint: Endpoint) -> None:
    """Zed posts to the URL as it is set."""
    assert "cost)" in (await endpoint.answer("", prompt_of(ZETA_2)))["choices"][0]["text"]


async def test_cursortab_streams(endpoint: Endpoint) -> None:
    body = {**prompt_of(SWEEP_CURSORTAB), "stop": ["<|file_sep|>", "<|endoftext|>"], "stream": True, "n": 1}
    response = await endpoint.post("/v1/completions", body, authorization=f"Bearer {TOKEN}")
    assert response.headers["content-type"].startswith("text/event-stream")
    *events, end, rest = response.text.split("\n\n")
    assert (end, rest) == ("data: [DONE]", "")
    said = [json.loads(event.removeprefix("data: "))["choices"][0] for event in events]
    assert "".join(one["text"] for one in said) == RENAMED[RENAMED.index("    cost") :]
    assert said[-1]["finish_reason"] == "stop"


async def test_a_chat_is_answered_in_its_form(endpoint: Endpoint) -> None:
    from editahead_prompts.formats.next_edit.mercury import MERCURY

    request = MERCURY.build(renaming(), ESTIMATE, paths=PromptPaths(("file:///project",)))
    messages = [{"role": "user", "content": [{"type": "text", "text": request.prompt.text}]}]
    answer = await endpoint.answer("/v1/edit/completions", {"messages": messages})
    assert answer["choices"][0]["message"]["content"] == f"```\n{RENAMED}```"


async def test_llama_vim_fills_in(endpoint: Endpoint) -> None:
    """llama.vim, and llama.vscode in the same way, send the text by fields; the ring's chunks are further files."""
    body = {
        "input_prefix": BEFORE,
        "input_suffix": BEHIND,
        "input_extra": [{"text": "def first_value(x): ...\n", "time": [1, 2], "filename": "a.py"}],
        "prompt": TYPED,
        "n_predict": 128,
        "n_indent": 0,
        "samplers": ["top_k", "top_p", "infill"],
        "stream": False,
        "cache_prompt": True,
        "t_max_predict_ms": 1000,
        "response_fields": ["content", "timings/prompt_n"],
    }
    assert (await endpoint.answer("/infill", body))["content"].startswith("value")
    assert (await endpoint.answer("/infill", {**body, "n_predict": 0}))["content"] == "", "only fills a cache"


async def test_minuet_sends_a_suffix(endpoint: Endpoint) -> None:
    body = {
        "model": "m",
        "prompt": f"# language: python\n{BEFORE}{TYPED}",
        "suffix": BEHIND,
        "stream": True,
        "stop": "\n\n",
    }
    response = await endpoint.post(f"/{TOKEN}/v1/completions", body)
    assert json.loads(response.text.split("\n\n")[0][6:])["choices"][0]["text"].startswith("value")


async def test_zed_fills_in_with_the_tokens_of_qwen(endpoint: Endpoint) -> None:
    prompt = f"<|fim_prefix|>{BEFORE}{TYPED}<|fim_suffix|>{BEHIND}<|fim_middle|>"
    answer = await endpoint.answer("/v1/completions", {"prompt": prompt, "max_tokens": 64})
    assert answer["choices"][0]["text"].startswith("value")
    broken = await endpoint.answer("/v1/completions", {"prompt": "x<|fim_prefix|>", "max_tokens": 64})
    assert broken["choices"][0]["text"] == "", "a client that fills in expects a completion"


async def test_odd_values_of_fields_are_ignored(endpoint: Endpoint) -> None:
    body = {"prompt": TYPED, "suffix": BEHIND, "stop": 5, "max_tokens": "9", "model": None}
    assert (await endpoint.answer("/v1/completions", body))["model"] == "editahead"


async def test_requests_that_are_refused(endpoint: Endpoint) -> None:
    async def refused(path: str, body: Any, **headers: str) -> tuple[int, str]:
        response = await endpoint.post(path, body, **headers)
        return response.status_code, response.json()["error"]["code"]

    body = prompt_of(ZETA_2)
    key = {"authorization": f"Bearer {TOKEN}"}
    assert await refused("/v1/completions", body) == (401, "invalid_api_key")
    assert await refused("/v1/completions", body, authorization="Bearer other") == (401, "invalid_api_key")
    assert await refused("/v1/completions", body, **key, host="rebound.example") == (403, "wrong_host")
    assert await refused("/v1/completions", body, **key, host="[::1") == (400, "bad_request")
    assert await refused("/v1/completions", body, **key, origin="https://a.example") == (403, "from_a_page")
    assert await refused("/v1/embeddings", body, **key) == (404, "not_found")
    assert await refused("/v1/completions", {"prompt": "Tell me"}, **key) == (400, "unknown_prompt_format")
    no_cursor = {**body, "prompt": body["prompt"].replace("<|user_cursor|>", "")}
    assert await refused("/v1/completions", no_cursor, **key) == (400, "unknown_prompt_format")
    code = {"prompt": "Complete fim_prefix = "}
    assert await refused("/v1/completions", code, **key) == (400, "unknown_prompt_format")
    assert await refused("/v1/completions", {"prompt": [1, 2]}, **key) == (400, "invalid_prompt")
    assert await refused("/v1/chat/completions", {"messages": []}, **key) == (400, "invalid_messages")
    assert await refused("/v1/completions", [], **key) == (400, "invalid_json")
    long = {"prompt": "x" * MAX_BODY_BYTES}
    assert await refused("/v1/completions", long, **key) == (413, "too_large")


async def test_models_and_health(endpoint: Endpoint) -> None:
    models = await endpoint.client.get(
        f"{endpoint.base}/v1/models", headers={"authorization": f"Bearer {TOKEN}"}
    )
    assert [one["id"] for one in models.json()["data"]] == ["editahead"]
    assert (await endpoint.client.get(f"{endpoint.base}/health")).json() == {"status": "ok"}


async def test_a_head_request_gets_the_head_of_the_answer(endpoint: Endpoint) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(endpoint.base.rpartition(":")[2]))
    writer.write(b"HEAD /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
    writer.write(b"HEAD /none HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
    one, two, rest = (await asyncio.wait_for(reader.read(), 5)).split(b"\r\n\r\n")
    assert one.startswith(b"HTTP/1.1 200 ") and b"content-length: 16" in one
    assert two.startswith(b"HTTP/1.1 401 ") and rest == b""
    writer.close()


async def test_a_url_may_end_in_a_slash(endpoint: Endpoint) -> None:
    body = {"input_prefix": BEFORE, "input_suffix": BEHIND, "prompt": TYPED}
    for base in ("//infill", "//v1/completions", "/v1//completions"):
        assert (await endpoint.answer(base, body))["content"].startswith("value")
    assert (await endpoint.client.get(f"{endpoint.base}//{TOKEN}/v1/models")).status_code == 200


async def test_settings_leave_files_alone() -> None:
    unchanged = f"{TEXT}>>>>>>> UPDATED\n"
    for settings in (Settings(languages={"python": False}), Settings(exclude=("shop/",))):
        made, completer = await start(settings)
        answer = await made.answer("/v1/completions", {**prompt_of(ZETA_2), "stop": None})
        assert answer["choices"][0]["text"] == unchanged
        await made.client.aclose()
        await made.server.stop()
        await completer.close()


async def test_a_model_answers_behind_the_gate() -> None:
    """The client speaks the format of Zeta 2, the model that of Sweep."""
    lines = TEXT.replace("sum(items)", "sum(items)  # net").splitlines(keepends=True)
    said = CannedAnswer("".join(lines[3:]))
    with FakeOpenAIServer("sweep-next-edit-1.5b", lambda _: [said]) as server:
        made, completer = await start(model=ModelPredictor(OpenAIBackend(server.url)))
        state = renaming()
        quiet = EditorState(state.document, state.cursor, ())
        quiet = EditorState(
            quiet.document, quiet.cursor, (PastEdit(URI, 0, ("import m\n",), ("import money\n",)),)
        )
        request = ZETA_2.build(quiet, ESTIMATE, paths=PromptPaths(("file:///project",)))
        answer = await made.answer("/v1/completions", {"prompt": request.prompt.text})
        assert "sum(items)  # net" in answer["choices"][0]["text"]
        assert "<|file_sep|>" in server.prompts[0]
        await made.client.aclose()
        await made.server.stop()
        await completer.close()


async def test_a_client_that_leaves_cancels_its_request() -> None:
    entered, cancelled = asyncio.Event(), asyncio.Event()

    async def handle(_: Any) -> Any:
        entered.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    server = HttpServer(handle)
    _, writer = await asyncio.open_connection("127.0.0.1", await server.start(0))
    writer.write(b"POST /v1/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 2\r\n\r\n{}")
    await asyncio.wait_for(entered.wait(), 5)
    writer.close()
    await asyncio.wait_for(cancelled.wait(), 5)
    await server.stop()


async def test_what_is_no_http_is_refused(endpoint: Endpoint) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(endpoint.base.rpartition(":")[2]))
    writer.write(b"Content-Length: 9\r\n\r\n{}")
    assert (await asyncio.wait_for(reader.read(), 5)).startswith(b"HTTP/1.1 400 ")
    writer.close()


async def test_a_body_that_trickles_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editahead_cli.endpoint.http_server.IDLE_TIMEOUT_S", 0.2)

    async def handle(_: Any) -> Any:
        raise AssertionError

    server = HttpServer(handle)
    reader, writer = await asyncio.open_connection("127.0.0.1", await server.start(0))
    writer.write(b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9999\r\n\r\n")
    for _ in range(100):
        writer.write(b"x")
        try:
            assert await asyncio.wait_for(reader.read(), 0.02) == b""
            break
        except TimeoutError:
            continue
    else:
        pytest.fail("the connection stays open")
    writer.close()
    await server.stop()


async def test_a_client_that_does_not_read_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editahead_cli.endpoint.http_server.IDLE_TIMEOUT_S", 0.1)
    monkeypatch.setattr("editahead_lsp.transport.closing.CLOSE_TIMEOUT_S", 0.1)

    entered = asyncio.Event()

    async def handle(_: Any) -> HttpResponse:
        entered.set()
        return HttpResponse(200, b"x" * (32 << 20))

    server = HttpServer(handle)
    reader, writer = await asyncio.open_connection("127.0.0.1", await server.start(0), limit=1024)
    writer.write(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
    await asyncio.wait_for(entered.wait(), 5)
    await asyncio.wait(server._connections, timeout=5)
    received = b""
    with suppress(ConnectionError):
        while data := await asyncio.wait_for(reader.read(1 << 20), 5):
            received += data
    assert len(received) < 32 << 20
    writer.close()
    await server.stop()
