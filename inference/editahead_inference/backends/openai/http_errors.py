"""What a server's refusals mean, in sentences for a person that quote neither prompt nor key."""

from __future__ import annotations

import re
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from editahead_inference.errors import HttpStatusError

MAX_QUOTE = 200
"""Characters of a server's own message."""

_SAME_CODE = 16
"""A message that has so many characters in a row in common with a prompt may quote it; so few with a key, the key."""
_SAME_KEY = 4

REQUEST_ERROR_STATUSES = frozenset([400, 413, 422])
"""Statuses that say nothing about the server: the next request may be fine."""


class MessageRedactor:
    """Quotes servers' messages, but for those that hold a part of what was sent. prompts: texts; key: of the server."""

    def __init__(self, prompts: Iterable[str], key: str | None) -> None:
        self._prompts = tuple(map(_bare, prompts))
        self._key = key or ""

    def __call__(self, answer: Any) -> str:
        """ ": message" of a parsed JSON answer in any of the usual shapes; "" when there is none that may be quoted."""
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
    """Without white space and what escapes it: messages quote code on one line, or as a string."""
    return re.sub(r"\\[nrt]|[\s\\]", "", text)


def to_backend_error(
    where: str, status: int, quote: str, has_key: bool, model: str | None
) -> HttpStatusError:
    """where: the server. quote: what it says, from `Quoter`. model: the one that was asked for, if any was."""
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
