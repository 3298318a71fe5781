"""OpenAI's and llama.cpp's messages: what is asked, and the answer in the shape that was asked for, streamed or whole."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from editahead_cli.errors import HttpError
from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.errors import UnmarkedPromptError, UnreadablePromptError
from editahead_prompts.formats.reading.base import ReadPrompt, make_document
from editahead_prompts.formats.reading.fim import read_halves
from editahead_prompts.formats.reading.reader import read_prompt

from .http_server import HttpRequest, HttpResponse, json_response

MODEL = "editahead"
"""The name of the model that the endpoint lists. Requests may name any."""
MAX_EXTRA_FILES = 32
"""Further texts of a request that are read."""

Dialect = Literal["completions", "chat", "llama.cpp"]
_PATHS: Mapping[str, Dialect | None] = {
    "": None,
    "/completions": "completions",
    "/chat/completions": "chat",
    "/edit/completions": "chat",
    "/completion": "llama.cpp",
    "/infill": "llama.cpp",
}
"""The dialect of each path, without `/v1`. Of the URL alone, the body says it."""

_FIM_TOKEN = re.compile(r"<[|\[]?fim[-_]")
"""How the tokens begin that mark the text before and behind the cursor."""


@dataclass(frozen=True, slots=True)
class Question:
    """A request for a completion.

    Attributes:
        dialect: The shape of the answer.
        prompt: What its prompt says; None where the text at the cursor is asked for in a way that is not known.
        text: The prompt's text.
        stop: Strings at which the answer ends.
        max_tokens: The most tokens of the answer; None for no limit.
        stream: Whether the answer comes as server-sent events.
        model: The name of a model, which the answer says again.
    """

    dialect: Dialect
    prompt: ReadPrompt | None
    text: str
    stop: tuple[str, ...]
    max_tokens: int | None
    stream: bool
    model: str


def parse_question(request: HttpRequest, path: str) -> Question:
    """Return what a request asks.

    Raises:
        HttpError: It asks for nothing that the endpoint has, or its prompt cannot be read.
    """
    path = path.removeprefix("/v1").rstrip("/")
    if path not in _PATHS:
        raise HttpError(404, "not_found", f"there is no {path or '/'}; there are /v1/completions and /infill")
    if request.method != "POST":
        raise HttpError(405, "method_not_allowed", "send the request with POST")
    try:
        body = json.loads(request.body)
    except (ValueError, RecursionError):
        raise HttpError(400, "invalid_json", "the body is no JSON") from None
    if not isinstance(body, dict):
        raise HttpError(400, "invalid_json", "the body is no JSON object")
    dialect: Dialect = _PATHS[path] or ("chat" if "messages" in body else "completions")
    if "input_prefix" in body or "input_suffix" in body:
        dialect = "llama.cpp"
    text = _chat_text(body) if dialect == "chat" else _text(body, "prompt")
    stop = body.get("stop")
    limit = next(
        (body[name] for name in ("max_tokens", "n_predict", "max_completion_tokens") if name in body), None
    )
    return Question(
        dialect,
        _read(body, text, request_is_infill=path == "/infill" or "input_prefix" in body),
        text,
        tuple(one for one in (stop if isinstance(stop, list) else [stop]) if isinstance(one, str) and one),
        limit if isinstance(limit, int) and limit >= 0 else None,
        body.get("stream") is True,
        body["model"] if isinstance(body.get("model"), str) else MODEL,
    )


def _read(body: Mapping[str, Any], text: str, *, request_is_infill: bool) -> ReadPrompt | None:
    """Return what the prompt says. A request with a text behind the cursor needs no format.

    Raises:
        HttpError: The prompt has an unknown format.
    """
    if request_is_infill:
        before = _text(body, "input_prefix") + text
        return read_halves(before, _text(body, "input_suffix"), others=_extra_files(body))
    if isinstance(body.get("suffix"), str):
        return read_halves(text, body["suffix"])
    try:
        return read_prompt(text)
    except UnreadablePromptError as error:
        # An empty answer would delete the region of a prompt that has one.
        if isinstance(error, UnmarkedPromptError) and _FIM_TOKEN.search(text):
            return None
        raise HttpError(
            400, "unknown_prompt_format", f"{error}; docs/serve.md lists the formats that it reads"
        ) from None


def _text(body: Mapping[str, Any], name: str) -> str:
    """Return a text of a body, "" without one.

    Raises:
        HttpError: It is something else, such as token ids.
    """
    value = body.get(name) or ""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, str):
        raise HttpError(400, "invalid_prompt", f"`{name}` has to be one text, not token ids")
    return value


def _chat_text(body: Mapping[str, Any]) -> str:
    """Return the text of the last message of the user.

    Raises:
        HttpError: There is none.
    """
    messages = body.get("messages")
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, dict) and message.get("role", "user") == "user":
            content = message.get("content")
            if isinstance(content, list):
                parts = (part.get("text") for part in content if isinstance(part, dict))
                content = "".join(part for part in parts if isinstance(part, str))
            if isinstance(content, str):
                return content
    raise HttpError(400, "invalid_messages", "`messages` has no message of the user")


def _extra_files(body: Mapping[str, Any]) -> list[Any]:
    """Return llama.cpp's further texts as documents."""
    given = body.get("input_extra")
    files = [one for one in (given if isinstance(given, list) else []) if isinstance(one, dict)]
    return [
        make_document(f"{number}/{one.get('filename', '')}", one["text"])
        for number, one in enumerate(files[:MAX_EXTRA_FILES])
        if isinstance(one.get("text"), str) and one["text"].strip()
    ]


def cut_answer(question: Question, text: str) -> tuple[str, str]:
    """Return an answer as far as a server would send it, and the reason for its end.

    A limit of tokens counts for the text at the cursor alone. The rest of a region that was cut off would be lost.
    """
    at = min((text.find(stop) for stop in question.stop if stop in text), default=len(text))
    text = text[:at]
    fills = question.prompt is None or question.prompt.nothing == ""
    limit = question.max_tokens
    if limit is None or not fills or ESTIMATE.count(text) <= limit:
        return text, "stop"
    lines = text.splitlines(keepends=True)
    while lines and ESTIMATE.count("".join(lines)) > limit:
        lines.pop()
    return "".join(lines), "length"


def answer_response(question: Question, text: str, made_at: int, number: int) -> HttpResponse:
    """Return the answer to a question.

    Args:
        question: The question.
        text: The answer's text.
        made_at: The time, in seconds since 1970.
        number: A number of the answer.
    """
    text, reason = cut_answer(question, text)
    usage = {"prompt_tokens": ESTIMATE.count(question.text), "completion_tokens": ESTIMATE.count(text)}
    usage["total_tokens"] = sum(usage.values())
    if question.dialect == "llama.cpp":
        end = {
            "stop": True,
            "stop_type": "eos",
            "model": question.model,
            "tokens_predicted": usage["completion_tokens"],
        }
        whole = {"content": text, **end, "tokens_evaluated": usage["prompt_tokens"], "truncated": False}
        return _respond(
            question, whole, [{"content": text, "stop": False}, {"content": "", **end}], ended=False
        )
    is_chat = question.dialect == "chat"
    kind = "chat.completion" if is_chat else "text_completion"
    head = {
        "id": f"{'chatcmpl' if is_chat else 'cmpl'}-{number}",
        "object": kind,
        "created": made_at,
        "model": question.model,
    }

    def choice(piece: str, reason: str | None, name: str) -> dict[str, Any]:
        said: dict[str, Any] = {name: {"role": "assistant", "content": piece}} if is_chat else {"text": piece}
        return {**head, "choices": [{"index": 0, **said, "logprobs": None, "finish_reason": reason}]}

    if question.stream and is_chat:
        head["object"] = "chat.completion.chunk"
    whole = {**choice(text, reason, "message"), "usage": usage}
    return _respond(
        question, whole, [choice(text, None, "delta"), {**choice("", reason, "delta"), "usage": usage}]
    )


def _respond(
    question: Question, whole: Mapping[str, Any], events: Sequence[Mapping[str, Any]], *, ended: bool = True
) -> HttpResponse:
    """Return an answer as one value, or as server-sent events with a mark at the end."""
    if not question.stream:
        return json_response(whole)
    data = [json.dumps(event, ensure_ascii=False) for event in events] + ["[DONE]"] * ended
    text = "".join(f"data: {one}\n\n" for one in data)
    return HttpResponse(200, text.encode("utf-8", "replace"), "text/event-stream; charset=utf-8")
