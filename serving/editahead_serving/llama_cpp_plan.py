"""The command that starts llama.cpp's server for a GGUF file, with the flags that next edits and Apply need.

Source: llama.cpp's `tools/server/README.md` and `docs/speculative.md`, as vendored in llama-cpp-python 0.3.36, read and run.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from editahead_programs.program_search import find_program

from .errors import EngineUnavailableError
from .launch_plan import NUM_SPECULATIVE_TOKENS, LaunchPlan, ListenAddress

CONTEXT = 16_384
"""Tokens of context that all requests at one time share. The server lowers it to what the model was trained for."""
_CPU_BATCH = 256
"""Tokens that are computed at once on the CPU. A superseded request ends only between two batches."""
_NGRAM, _MIN_DRAFT = 12, 8
"""Tokens that have to repeat before the server drafts what followed them, and the fewest tokens of a draft."""
_PROMPT_CACHE_MIB = (128, 2048)
"""Least and most MiB for prompts of documents that are not being asked about. Between them, an eighth of the free memory."""
_TOKENIZER = "tokenizer.json"
_READY_MESSAGE = "listening on http"
"""Text of the server's log when it accepts requests: after the model has loaded."""


def find_llama_server(environment: Mapping[str, str]) -> Path:
    """Return the first `llama-server` on PATH.

    Raises:
        EngineUnavailableError: There is none.
    """
    found = find_program("llama-server", [], environment)
    if found is None:
        raise EngineUnavailableError(
            "llama.cpp is not installed: put its `llama-server` on PATH (for example, brew install llama.cpp)."
        )
    return Path(found)


def find_gguf(path: Path) -> Path:
    """Return a GGUF file, or the only one in a folder; of the parts of a split model the first.

    Raises:
        EngineUnavailableError: There is none, or there are several.
    """
    if path.is_file():
        return path
    files = sorted(path.glob("*.gguf"))
    if len(files) > 1 and "-00001-of-" in files[0].name:
        return files[0]
    if len(files) != 1:
        what = f"there are {len(files)}" if files else "there is none"
        raise EngineUnavailableError(f"llama.cpp takes one GGUF file, and {what} in {path}.")
    return files[0]


def make_llama_cpp_plan(
    program: Path,
    model: str | Path,
    *,
    served: str,
    address: ListenAddress,
    key: str,
    free_bytes: int,
    cpu: bool,
    drafts: bool = True,
) -> LaunchPlan:
    """Return the plan that serves a model with llama.cpp.

    Args:
        program: The `llama-server` of the installation.
        model: A GGUF file, or a name on Hugging Face's hub, from which the server downloads it.
        served: The name under which clients request the model.
        address: Where the server listens.
        key: The key that clients have to send.
        free_bytes: Free memory, of which prompts that are kept get a part.
        cpu: Whether there is no GPU.
        drafts: Whether the server drafts what the prompt repeats.
    """
    command = [str(program), *(("-m", str(model)) if isinstance(model, Path) else ("-hf", model))]
    command += ["--alias", served, "--host", address.host, "--port", str(address.port)]
    command += ["--ctx-size", str(CONTEXT), "--kv-unified"]
    # Formats read markers that are special tokens of the model.
    command += ["--special"]
    min_mib, max_mib = _PROMPT_CACHE_MIB
    command += ["--cache-ram", str(min(max(free_bytes // (8 << 20), min_mib), max_mib))]
    if cpu:
        command += ["--batch-size", str(_CPU_BATCH), "--ubatch-size", str(_CPU_BATCH)]
    if drafts:
        command += ["--spec-type", "ngram-simple", "--spec-draft-n-max", str(NUM_SPECULATIVE_TOKENS)]
        command += ["--spec-ngram-simple-size-n", str(_NGRAM), "--spec-draft-n-min", str(_MIN_DRAFT)]
    folder = model.parent if isinstance(model, Path) else None
    note = "Drafts come from what the prompt repeats." if drafts else "The server drafts nothing."
    return LaunchPlan(
        "llama.cpp",
        _READY_MESSAGE,
        tuple(command),
        {},
        {"LLAMA_API_KEY": key},
        served,
        address.url,
        key,
        folder if folder is not None and (folder / _TOKENIZER).is_file() else None,
        0,
        (note, *address.notes),
    )
