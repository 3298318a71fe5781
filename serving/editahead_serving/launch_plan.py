"""The command that starts a model's server, and vLLM's command with the flags that next edits and Apply need."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .errors import EngineUnavailableError
from .kv_cache_shape import KvCacheShape
from .resource_share import WHOLE_MACHINE, ResourceShare
from .vllm_probe import PROPOSER, VllmInstallation

NUM_SPECULATIVE_TOKENS = 64
"""Most tokens of a draft.

vLLM crashes above 128. A request that comes this near to the end of the context makes vLLM propose nonsense for all
requests, so this many tokens of the context stay free.
"""
MAX_MODEL_LEN = 32_768
"""Most tokens of a request, where the model allows them. Apply sends whole files."""
MAX_NUM_SEQS = {True: 16, False: 64}
MAX_NUM_BATCHED_TOKENS = {True: 2048, False: 8192}
"""Most requests and tokens of a batch, on the CPU (True) or a GPU. Each request may bring a whole draft."""
_CPU_BLOCK_TOKENS = 32
"""Tokens of a block of the prefix cache. vLLM's default of 128 is longer than most changes of a keystroke."""
_READY_MESSAGE = "Application startup complete"
"""Text of vLLM's log when its web server accepts requests."""
_OPEN_ADDRESS_NOTE = (
    "Other machines can reach the engine over plain http, which does not protect the code and the key on the way; "
    "put an https proxy in front of the engine."
)
_CPU_CACHE_GB = (1, 4)
"""Least and most GB for keys and values on the CPU. Between them, the cache gets a quarter of the free memory."""


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """A command that starts a server, and what clients need to know of it.

    `program` is the server's name for sentences. `ready_message` is the text of its output when it accepts requests.

    A variable of `environment` gives way to one that the user has set. A variable of `fixed` does not, and holds the key.
    `headroom` is in tokens of the context that stay free for drafts. Each of `notes` is a sentence for the user.
    """

    program: str
    ready_message: str
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
        """Return the command as one types it in a shell. The text contains the key."""
        settings = [f"{name}={value}" for name, value in {**self.environment, **self.fixed}.items()]
        return shlex.join(["env", *settings, *self.command])


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """An address on which a server listens. `host` is an address of this machine, or means all of them."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """The URL for clients on this machine."""
        known = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://[{known}]:{self.port}" if ":" in known else f"http://{known}:{self.port}"

    @property
    def is_open(self) -> bool:
        """True when other machines can reach the address."""
        return self.host in ("0.0.0.0", "::")

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the user, as those of a `LaunchPlan`."""
        return (_OPEN_ADDRESS_NOTE,) if self.is_open else ()


def make_launch_plan(
    installation: VllmInstallation,
    shape: KvCacheShape,
    *,
    model: str,
    served: str,
    address: ListenAddress,
    key: str,
    free_bytes: int,
    share: ResourceShare = WHOLE_MACHINE,
    drafts: bool = True,
) -> LaunchPlan:
    """Return the plan that serves a model with this vLLM.

    Args:
        installation: The vLLM and its abilities.
        shape: The cache of the model.
        model: A folder, or a name on Hugging Face's hub.
        served: The name under which clients request the model.
        address: Where the server listens.
        key: The key that clients have to send.
        free_bytes: Free memory, of which a CPU's cache gets a part.
        share: The part of the machine for this server.
        drafts: Whether the server uses speculative decoding.

    Raises:
        EngineUnavailableError: The model must not be used with drafts.
    """
    reason = shape.speculation_blocker(cpu=installation.cpu) if drafts else None
    if reason is not None:
        raise EngineUnavailableError(
            f"{served} cannot be used with drafts: {reason}. Add `--no-drafts`, or choose another model."
        )
    headroom = NUM_SPECULATIVE_TOKENS if drafts else 0
    # Not `vllm serve`, which does not work in builds of vLLM for the CPU.
    command = [str(installation.python), "-m", "vllm.entrypoints.openai.api_server", "--model", model]
    command += ["--served-model-name", served]
    command += ["--host", address.host, "--port", str(address.port)]
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
        command += ["--dtype", "float32"]  # vLLM would round the weights otherwise
    environment = {"VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
    if installation.cpu:
        command += [
            "--block-size",
            str(_CPU_BLOCK_TOKENS),
            "--enforce-eager",
            "--distributed-executor-backend",
            "uni",
        ]
        min_gb, max_gb = _CPU_CACHE_GB
        environment["VLLM_CPU_KVCACHE_SPACE"] = str(
            min(max_gb, max(min_gb, (free_bytes >> 32) // share.count))
        )
    notes = []
    if drafts:
        command += ["--max-num-seqs", str(MAX_NUM_SEQS[installation.cpu])]
        command += ["--max-num-batched-tokens", str(MAX_NUM_BATCHED_TOKENS[installation.cpu])]
        config, note = _speculative_config(installation)
        command += ["--speculative-config", json.dumps(config)]
        notes.append(note)
        if installation.runners:
            # The newer runner takes no proposers of others, and always verifies a whole draft for each request.
            environment["VLLM_USE_V2_MODEL_RUNNER"] = "0"
        if installation.metrics:
            command += ["--per-request-spec-decode-metrics", "summary"]
    folder = Path(model)
    return LaunchPlan(
        "vLLM",
        _READY_MESSAGE,
        tuple(command),
        environment,
        {"VLLM_API_KEY": key, **share.environment},
        served,
        address.url,
        key,
        folder if folder.is_absolute() else None,
        headroom,
        (*notes, *address.notes),
    )


def _speculative_config(installation: VllmInstallation) -> tuple[dict[str, object], str]:
    """Return vLLM's configuration of drafts, and a sentence about them for the user."""
    if installation.custom_proposer and installation.proposer:
        config = {
            "method": "custom_class",
            "model": PROPOSER,
            "num_speculative_tokens": NUM_SPECULATIVE_TOKENS,
        }
        return config, "Drafts come from the file and the sketch in the prompt."
    why = (
        "Editahead is not installed beside this vLLM"
        if installation.custom_proposer
        else f"vLLM {installation.version} takes no proposer of others"
    )
    config = {
        "method": "ngram",
        "num_speculative_tokens": NUM_SPECULATIVE_TOKENS,
        "prompt_lookup_min": 3,
        "prompt_lookup_max": 16,
    }
    return config, f"Drafts come from an n-gram search of the prompt instead of Editahead's proposer: {why}."
