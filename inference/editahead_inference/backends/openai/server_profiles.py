"""The kinds of servers: how to detect each, and how to ask it.

Sources: vLLM 0.32's `entrypoints/openai` and llama.cpp's server as in llama-cpp-python 0.3.36, read and run; what is public
of Ollama (`openai/openai.go`) and LM Studio, read in parts in 2026-11, not run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from editahead_inference.backends.base import Capabilities, CompletionRequest
from editahead_inference.errors import BackendError

from .http_transport import HttpTransport, Timeouts

ServerKind: TypeAlias = Literal["vLLM", "llama.cpp", "Ollama", "LM Studio", "unknown"]

_OWNERS: Mapping[str, ServerKind] = {
    "vllm": "vLLM",
    "llamacpp": "llama.cpp",
    "library": "Ollama",
    "organization_owner": "LM Studio",
}
"""The owner of a model that each kind reports in `/v1/models`."""

_ABOUT: Mapping[ServerKind, str] = {
    "vLLM": "/version",
    "llama.cpp": "/props",
    "Ollama": "/api/version",
    "LM Studio": "/api/v0/models",
}
"""The path where each kind reports more. A server that does not report owners is asked for all of them."""

_CAN: Mapping[ServerKind, Capabilities] = {
    "vLLM": Capabilities(token_ids=True, logprobs=True, samples=True, keeps_prompts=True),
    "llama.cpp": Capabilities(token_ids=True, logprobs=True, keeps_prompts=True),
    "Ollama": Capabilities(keeps_prompts=True),
    "LM Studio": Capabilities(keeps_prompts=True),
    "unknown": Capabilities(),
}

_RAW_TEMPLATES = frozenset(["", "{{ .Prompt }}", "{{.Prompt}}", "{{ .Prompt}}", "{{.Prompt }}"])
_MAX_STOPS = 4
"""Stop strings that OpenAI's protocol allows. The known servers take more."""
_MAX_NAMED = 8
"""Models that a sentence lists."""


@dataclass(frozen=True, slots=True)
class ServerProfile:
    """A detected server. model: the server's name for it. raw: whether prompts reach the model without a template."""

    kind: ServerKind
    model: str
    capabilities: Capabilities
    raw: bool = True


async def detect_server(transport: HttpTransport, wanted: str | None, timeouts: Timeouts) -> ServerProfile:
    """Detect the server's kind, its model and its abilities.

    Args:
        transport: The client.
        wanted: The model's name; None for the only model.
        timeouts: For each request.

    Raises:
        BackendError: A request failed, or the server does not serve the model; then the message lists its models.
    """
    address = transport.address
    models = _models(address.root, await transport.json("GET", f"{address.api}/models", timeouts))
    model = _chosen(address.root, models, wanted)
    entry = models[model]
    kind = _OWNERS.get(str(entry.get("owned_by")), "unknown")
    kinds = list(_ABOUT) if kind == "unknown" else [kind]
    answers = await asyncio.gather(
        *(_optional(transport, "GET", address.root + _ABOUT[kind], timeouts) for kind in kinds)
    )
    about: Any = None
    for kind, about in zip(kinds, answers, strict=True):
        if _answers_as(kind, about):
            break
    else:
        kind = kinds[0] if len(kinds) == 1 else "unknown"
    raw = True
    if kind == "Ollama":
        show = await _optional(transport, "POST", f"{address.root}/api/show", timeouts, {"model": model})
        raw = not isinstance(show, dict) or str(show.get("template", "")).strip() in _RAW_TEMPLATES
        about = await _optional(transport, "GET", f"{address.root}/api/ps", timeouts)
    can = replace(_CAN[kind], context=_context(kind, model, entry, about))
    return ServerProfile(kind, model, can, raw)


async def _optional(
    transport: HttpTransport, method: str, url: str, timeouts: Timeouts, body: Any = None
) -> Any:
    """Return a parsed answer, or None if the server does not have this path."""
    try:
        return await transport.json(method, url, timeouts, body)
    except BackendError as error:
        if error.failure in ("refused", "broken"):
            return None
        raise


def _models(where: str, answer: Any) -> dict[str, dict[str, Any]]:
    """Return the entries of a list of models, by name."""
    listed = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(listed, list):
        raise BackendError("broken", f"{where} answers with something that is no list of models.")
    found = [model for model in listed if isinstance(model, dict) and isinstance(model.get("id"), str)]
    return {model["id"]: model for model in found}


def _chosen(where: str, models: Mapping[str, Any], wanted: str | None) -> str:
    """Return the server's name for the wanted model: with or without folder, ".gguf" and ":latest"."""
    if wanted is None and len(models) == 1:
        return next(iter(models))
    for name in models:
        short = name.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".gguf")
        if wanted is not None and wanted in (name, name.removesuffix(":latest"), short, f"{short}.gguf"):
            return name
    if not models:
        raise BackendError("refused", f"{where} serves no model.")
    names = ", ".join(list(models)[:_MAX_NAMED]) + (", ..." if len(models) > _MAX_NAMED else "")
    if wanted is None:
        raise BackendError("refused", f"{where} serves several models; `model` has to name one of {names}.")
    raise BackendError("refused", f"{where} does not serve the model {wanted!r}; there is {names}.")


def _answers_as(kind: ServerKind, about: Any) -> bool:
    if not isinstance(about, dict):
        return False
    if kind == "llama.cpp":
        return "default_generation_settings" in about
    return "data" in about if kind == "LM Studio" else "version" in about


def _context(kind: ServerKind, model: str, entry: Mapping[str, Any], about: Any) -> int | None:
    """Return the most tokens of prompt and answer together, if the server reports them."""
    about = about if isinstance(about, dict) else {}
    found: Any = entry.get("max_model_len")
    if kind == "llama.cpp":
        defaults = about.get("default_generation_settings", entry.get("meta"))
        found = defaults.get("n_ctx") if isinstance(defaults, dict) else None
    elif kind in ("Ollama", "LM Studio"):
        listed = about.get("data" if kind == "LM Studio" else "models")
        for loaded in listed if isinstance(listed, list) else ():
            if isinstance(loaded, dict) and model in (loaded.get("id"), loaded.get("name")):
                found = loaded.get("loaded_context_length", loaded.get("context_length"))
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else None


def build_request(
    serving: ServerProfile, query: CompletionRequest, *, priority: bool, salt: str
) -> tuple[str, dict[str, Any]]:
    """Return the path behind `ServerUrl.api`, and the JSON body.

    Args:
        serving: The server.
        query: The request.
        priority: Whether the server knows priorities.
        salt: The salt of the prefix cache. Requests with one salt share the cache.

    Raises:
        BackendError: The server cannot do this.
    """
    can = serving.capabilities
    body: dict[str, Any] = {
        "model": serving.model,
        "max_tokens": query.max_tokens,
        "temperature": query.temperature,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if query.stop:
        body["stop"] = list(query.stop[: _MAX_STOPS if serving.kind == "unknown" else None])
    if query.samples > 1 and can.samples:
        body["n"] = query.samples
    body |= _chat_fields(serving, query) if query.chat else _prompt_fields(serving, query)
    if query.logprobs and can.logprobs:
        body["logprobs"] = True if query.chat else 1
    if serving.kind == "vLLM":
        body |= _vllm_fields(query, priority=priority, salt=salt)
    elif serving.kind == "llama.cpp":
        body |= {"cache_prompt": True, "repeat_penalty": 1.0, "top_p": 1.0, "top_k": 0, "min_p": 0.0}
    return "/chat/completions" if query.chat else "/completions", body


def _chat_fields(serving: ServerProfile, query: CompletionRequest) -> dict[str, Any]:
    """Return the fields of a chat."""
    fields: dict[str, Any] = {"messages": _messages(serving, query)}
    if serving.kind in ("vLLM", "llama.cpp"):
        fields["chat_template_kwargs"] = {"enable_thinking": False}
        if query.prefill:  # Without these, llama.cpp repeats the beginning in its answer.
            fields |= {"continue_final_message": True, "add_generation_prompt": False}
    return fields


def _prompt_fields(serving: ServerProfile, query: CompletionRequest) -> dict[str, Any]:
    """Return the fields of a prompt without a chat template.

    Raises:
        BackendError: The server puts one around each prompt.
    """
    if not serving.raw:
        raise BackendError(
            "refused",
            f"Ollama puts a chat template around prompts for {serving.model!r}; "
            "make a model from it with TEMPLATE {{ .Prompt }}.",
        )
    takes_ids = query.ids is not None and serving.capabilities.token_ids
    return {"prompt": list(query.ids or ()) if takes_ids else query.prompt}


def _vllm_fields(query: CompletionRequest, *, priority: bool, salt: str) -> dict[str, Any]:
    """Return the fields that only vLLM knows; the arguments are as of `build_request`."""
    # These override the model's generation_config.json: a repetition penalty there ruins text that repeats.
    fields: dict[str, Any] = {"repetition_penalty": 1.0, "top_p": 1.0, "top_k": -1, "min_p": 0.0}
    if query.stop_ids:
        # If only a stop string ends an answer, vLLM does not report its drafts.
        fields["stop_token_ids"] = list(query.stop_ids)
    if not query.chat:
        # Formats read markers that are special tokens of the model.
        fields |= {"skip_special_tokens": False, "spaces_between_special_tokens": False}
    if query.background and priority:
        fields["priority"] = 1
    return {**fields, "cache_salt": salt}


def _messages(serving: ServerProfile, query: CompletionRequest) -> list[dict[str, str]]:
    messages = [{"role": "user", "content": query.prompt}]
    if query.system is not None:
        messages.insert(0, {"role": "system", "content": query.system})
    if query.prefill:
        if serving.kind not in ("vLLM", "llama.cpp"):
            raise BackendError("refused", "This server cannot continue an answer that has begun.")
        messages.append({"role": "assistant", "content": query.prefill})
    return messages
