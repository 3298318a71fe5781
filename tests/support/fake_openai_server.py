"""A fake model server with given answers: OpenAI's protocol, streamed, on a free port of this machine."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from editahead_prompts.formats.base import Finish

PIECE = 6
"""Characters of each event of a stream."""


@dataclass(frozen=True, slots=True)
class CannedAnswer:
    """One answer of a model; `finish` is the reason for its end."""

    text: str
    finish: Finish = "stop"


Answer = Callable[[str], list[CannedAnswer]]
"""From the prompt, or the last message, to the possible answers; a request for n of them gets the first n."""


class FakeOpenAIServer:
    """A server of one model for several clients at once.

    Args:
        model: the model's name.
        answer: a function from a prompt to its answers, called on a thread of its own.
    """

    def __init__(self, model: str, answer: Answer) -> None:
        self.model = model
        self.answer = answer
        self.prompts: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _handler(server: FakeOpenAIServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            # It can what vLLM can.
            answers: dict[str, Any] = {
                "/v1/models": {"object": "list", "data": [{"id": server.model, "owned_by": "vllm"}]},
                "/version": {"version": "0"},
            }
            found = answers.get(self.path)
            self._whole(404 if found is None else 200, found or {"detail": "Not Found"})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            chat = "messages" in body
            prompt = str(body["messages"][-1]["content"] if chat else body["prompt"])
            server.prompts.append(prompt)
            said = server.answer(prompt)[: body.get("n", 1)]
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            tokens = {
                "prompt_tokens": len(prompt) // 4,
                "completion_tokens": sum(len(s.text) // 4 for s in said),
            }
            for event in (*_events(said, chat), {"choices": [], "usage": tokens}):
                self._chunk(f"data: {json.dumps(event)}\n\n".encode())
            self._chunk(b"data: [DONE]\n\n")
            self._chunk(b"")

        def log_message(self, format: str, *args: Any) -> None:
            pass

        def _chunk(self, data: bytes) -> None:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))

        def _whole(self, status: int, value: Any) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def handle(self) -> None:
            with contextlib.suppress(ConnectionError):  # the client had enough
                super().handle()

    return Handler


def _events(said: list[CannedAnswer], chat: bool) -> Iterator[dict[str, Any]]:
    for number, one in enumerate(said):
        for at in range(0, len(one.text), PIECE):
            piece = one.text[at : at + PIECE]
            yield {"choices": [{"index": number, "finish_reason": None} | _content(piece, chat)]}
        yield {"choices": [{"index": number, "finish_reason": one.finish} | _content("", chat)]}


def _content(text: str, chat: bool) -> dict[str, Any]:
    return {"delta": {"content": text}} if chat else {"text": text}
