"""The requests that the endpoint answers."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable

from editahead_cli.errors import HttpError

from .access import check_access
from .completer import Completer
from .http_server import HttpRequest, HttpResponse, json_response
from .messages import MODEL, answer_response, parse_question

MAX_RUNNING = 16
"""Completions that are computed or wait, at a time."""


class Api:
    """What the endpoint answers.

    Args:
        completer: Makes the answers.
        token: The secret that clients send.
        clock: Returns the seconds since 1970.
    """

    def __init__(self, completer: Completer, token: str, clock: Callable[[], float] = time.time) -> None:
        self._completer, self._token, self._clock = completer, token, clock
        self._numbers = itertools.count(1)
        self._running = 0

    async def handle(self, request: HttpRequest) -> HttpResponse:
        """Return the answer to a request.

        Raises:
            HttpError: The request is refused.
        """
        path = check_access(request, self._token)
        if request.method in ("GET", "HEAD"):
            if path in ("/health", "/v1/health"):
                return json_response({"status": "ok"})
            if path in ("/v1/models", "/models"):
                model = {"id": MODEL, "object": "model", "created": 0, "owned_by": MODEL}
                return json_response({"object": "list", "data": [model]})
        question = await asyncio.to_thread(parse_question, request, path)
        if self._running >= MAX_RUNNING:
            raise HttpError(429, "too_many_requests", f"{MAX_RUNNING} requests are being answered; try again")
        self._running += 1
        try:
            text = ""
            if question.prompt is not None and question.max_tokens != 0:
                text = await self._completer.answer(question.prompt)
        finally:
            self._running -= 1
        return answer_response(question, text, int(self._clock()), next(self._numbers))
