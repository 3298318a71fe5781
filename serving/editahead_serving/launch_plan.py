"""How a model is served: the command that starts vLLM for it, with the flags that next edits and Apply want."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .kv_cache_shape import KvCacheShape
from .resource_share import WHOLE, ResourceShare
from .vllm_probe import PROPOSER, EngineUnavailableError, VllmInstallation

NUM_SPECULATIVE_TOKENS = 64
"""Tokens of a draft, at most. vLLM ends at more than 128; a request whose length comes this near to the end of the context
makes it propose nonsense for all requests, so as much of the context is kept free."""
MAX_MODEL_LEN = 32_768
"""Tokens that a request may have, where the model can: Apply sends whole files."""
MAX_NUM_SEQS = {True: 16, False: 64}
MAX_NUM_BATCHED_TOKENS = {True: 2048, False: 8192}
"""On the CPU or not: requests in a batch, and tokens; each request may bring a whole draft."""
_CPU_BLOCK = 32
"""Tokens that its prefix cache keeps as one; by itself it takes 128, and what a keystroke changes is seldom so long."""
_OPEN = (
    "Other machines can reach it, over plain http: who listens on the way reads code and key; an https proxy in front of it "
    "is the remedy."
)
_CPU_CACHE_GB = (1, 4)
"""Least and most memory for keys and values on the CPU; a quarter of what is free, between them."""


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """environment: what is set unless a person has set it. fixed: what is set in any case; it holds the key. headroom:
    tokens of the context that are kept for drafts. notes: what a person should know, a sentence each."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    fixed: Mapping[str, str] = field(repr=False)
    served: str
    url: str
    key: str = field(repr=False)
    folder: Path | None
    headroom: int
    notes: tuple[str, ...]

    def shell_command(self) -> str:
        """As one writes it in a shell. It shows the key."""
        settings = [f"{name}={value}" for name, value in {**self.environment, **self.fixed}.items()]
        return shlex.join(["env", *settings, *self.command])


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """Where it listens. host: of this machine, or all of its addresses."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """For who asks from this machine."""
        known = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://[{known}]:{self.port}" if ":" in known else f"http://{known}:{self.port}"

    @property
    def is_open(self) -> bool:
        """Whether other machines can reach it."""
        return self.host in ("0.0.0.0", "::")

    @property
    def notes(self) -> tuple[str, ...]:
        """As those of a plan."""
        return (_OPEN,) if self.is_open else ()


def make_launch_plan(
    installed: VllmInstallation,
    shape: KvCacheShape,
    *,
    model: str,
    served: str,
    place: ListenAddress,
    key: str,
    free_bytes: int,
    share: ResourceShare = WHOLE,
    drafts: bool = True,
) -> LaunchPlan:
    """model: a folder, or a name on Hugging Face's hub. served: what it is called. free_bytes: memory, for the cache of a
    CPU. share: what of the machine it has. `NoEngine` when the model must not be used with drafts, and drafts are wanted."""
    reason = shape.speculation_blocker(cpu=installed.cpu) if drafts else None
    if reason is not None:
        raise EngineUnavailableError(
            f"{served} cannot be used with drafts: {reason}; `--no-drafts` serves it without, or take another model."
        )
    headroom = NUM_SPECULATIVE_TOKENS if drafts else 0
    # Not `vllm serve`, which does not work in builds of vLLM for the CPU.
    command = [str(installed.python), "-m", "vllm.entrypoints.openai.api_server", "--model", model]
    command += ["--served-model-name", served]
    command += ["--host", place.host, "--port", str(place.port)]
    command += [
        "--enable-prefix-caching",
        "--enable-prompt-tokens-details",
        "--scheduling-policy",
        "priority",
    ]
    command += ["--disable-uvicorn-access-log"]
    if shape.context is None or shape.context > MAX_MODEL_LEN + headroom:
        command += ["--max-model-len", str(MAX_MODEL_LEN + headroom)]
    if shape.dtype == "float32":
        command += ["--dtype", "float32"]  # else it would be rounded
    environment = {"VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
    if installed.cpu:
        command += [
            "--block-size",
            str(_CPU_BLOCK),
            "--enforce-eager",
            "--distributed-executor-backend",
            "uni",
        ]
        least, most = _CPU_CACHE_GB
        environment["VLLM_CPU_KVCACHE_SPACE"] = str(min(most, max(least, (free_bytes >> 32) // share.of)))
    notes = []
    if drafts:
        command += ["--max-num-seqs", str(MAX_NUM_SEQS[installed.cpu])]
        command += ["--max-num-batched-tokens", str(MAX_NUM_BATCHED_TOKENS[installed.cpu])]
        config, note = _speculation(installed)
        command += ["--speculative-config", json.dumps(config)]
        notes.append(note)
        if installed.runners:
            # The newer one has no proposers of others, and verifies a whole draft for each request, needed or not.
            environment["VLLM_USE_V2_MODEL_RUNNER"] = "0"
        if installed.metrics:
            command += ["--per-request-spec-decode-metrics", "summary"]
    folder = Path(model)
    return LaunchPlan(
        tuple(command),
        environment,
        {"VLLM_API_KEY": key, **share.environment},
        served,
        place.url,
        key,
        folder if folder.is_absolute() else None,
        headroom,
        (*notes, *place.notes),
    )


def _speculation(installed: VllmInstallation) -> tuple[dict[str, object], str]:
    """What vLLM is told of drafts, and a sentence on it."""
    if installed.custom and installed.proposer:
        config = {
            "method": "custom_class",
            "model": PROPOSER,
            "num_speculative_tokens": NUM_SPECULATIVE_TOKENS,
        }
        return config, "Drafts come from the file and the sketch in the prompt."
    why = (
        "Editahead is not installed beside it"
        if installed.custom
        else f"vLLM {installed.version} takes no proposer of others"
    )
    config = {
        "method": "ngram",
        "num_speculative_tokens": NUM_SPECULATIVE_TOKENS,
        "prompt_lookup_min": 3,
        "prompt_lookup_max": 16,
    }
    return config, f"Drafts are looked up in the prompt (ngram), not by Editahead's proposer: {why}."
