"""HTTP statuses as errors, in sentences for the user that quote neither prompt nor key."""

from __future__ import annotations

import re
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from editahead_inference.errors import HttpStatusError

MAX_QUOTE = 200
"""Characters of a server's own message that are quoted."""

_SAME_CODE = 16
"""Characters in a row that a message may not share with a prompt; it may quote the code."""
_SAME_KEY = 4
"""Characters in a row that a message may not share with the key."""

REQUEST_ERROR_STATUSES = frozenset([400, 413, 422])
"""Statuses that are caused by the request: the next request to the same server may succeed."""


class MessageRedactor:
    """A filter of servers' messages: it drops messages that hold a part of a prompt or of the key."""

    def __init__(self, prompts: Iterable[str], key: str | None) -> None:
        self._prompts = tuple(map(_bare, prompts))
        self._key = key or ""

    def __call__(self, answer: Any) -> str:
        """Return ": message" of a parsed JSON answer of any usual shape, or "" if nothing may be quoted."""
        message = answer.get("error", answer) if isinstance(answer, dict) else None
        if isinstance(message, dict):
            message = message.get("message", message.get("detail"))
        if not isinstance(message, str):
            return ""
        text = " ".join("".join(c if c.isprintable() else " " for c in message[:MAX_QUOTE]).split())
        text = text.partition(". ")[0]
        if not text or self._private(text):
            return ""
        return f": {text.rstrip('.')}"

    def _private(self, text: str) -> bool:
        bare = _bare(text)
        return any(
            said[at : at + size] in secret
            for said, secrets, size in ((bare, self._prompts, _SAME_CODE), (text, (self._key,), _SAME_KEY))
            for secret in secrets
            for at in range(len(said) - size + 1)
        )


def _bare(text: str) -> str:
    """Return the text without white space and its escapes: messages quote code on one line, or as a string."""
    return re.sub(r"\\[nrt]|[\s\\]", "", text)


def to_backend_error(
    where: str, status: int, quote: str, has_key: bool, model: str | None
) -> HttpStatusError:
    """Return the error for a status.

    Args:
        where: The server, for the message.
        status: The HTTP status.
        quote: The server's own message, from `MessageRedactor`.
        has_key: Whether a key was sent.
        model: The requested model, if the request named one.
    """
    if status in (401, 403):
        key = (
            "does not accept the key" if has_key else "wants a key; `api_key_env` names the variable with it"
        )
        return HttpStatusError(status, "refused", f"{where} {key}.")
    if status == 404:
        what = "nothing with OpenAI's protocol" if model is None else f"no model {model!r} any more"
        return HttpStatusError(status, "refused", f"There is {what} at {where}{quote}.")
    if status == 429:
        return HttpStatusError(status, "refused", f"{where} was asked too often{quote}.")
    if 300 <= status < 400:
        return HttpStatusError(status, "refused", f"{where} sends requests elsewhere, which is not followed.")
    if status == 503:
        return HttpStatusError(status, "unreachable", f"{where} is not ready{quote}.")
    if status >= 500:
        return HttpStatusError(status, "broken", f"{where} failed with {_named(status)}{quote}.")
    return HttpStatusError(status, "refused", f"{where} refuses the request with {_named(status)}{quote}.")


def _named(status: int) -> str:
    try:
        return f"{status} ({HTTPStatus(status).phrase})"
    except ValueError:
        return str(status)
