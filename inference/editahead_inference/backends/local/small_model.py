"""Editahead's own model: a base that users get, merged with the adapter of the distribution `editahead-coder`.

The merged model is quantized and written into a folder that `OnnxNetwork` reads. The folder is written whole or not at all.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import platformdirs

from editahead_inference.errors import SmallModelError
from editahead_prompts.errors import TokenizerUnavailableError

from .adapter import Adapter
from .gguf_weights import GgufWeights
from .llama_graph import write_llama
from .llama_shape import LlamaShape
from .safetensors_weights import SafetensorsWeights
from .self_check import Speed

NAME = "editahead-coder"
"""The model's name, which selects the prompt format, and that of the distribution with its adapter."""
PACKAGE = "editahead_coder"
"""What the distribution installs: a folder of files."""
ADAPTER, VOCABULARY, GOLDEN, CARD = "adapter.safetensors", "vocabulary.npy", "golden.json", "README.md"
"""Files of the distribution: additions to the base's matrices, the tokens of the head, known answers, and the model card."""
CONTEXT = 2048
"""The most tokens of prompt and answer. The format's prompts and answers have at most 1,120."""
PROVENANCE = "model.json"
"""What an installed model was made of, and how quick it was."""
VERSION = 2
"""The version of what is written into the folder. A model of another version is made anew. 2: matrices of whole numbers."""


def small_model_folder() -> Path:
    """Return the folder of the installed model, in the user's cache."""
    return Path(platformdirs.user_cache_dir("editahead", appauthor=False)) / "models" / NAME


def find_adapter() -> Path | None:
    """Return the adapter of the distribution, or None where that is not installed."""
    with suppress(ImportError, ValueError):
        spec = find_spec(PACKAGE)
        for folder in (spec and spec.submodule_search_locations) or ():
            if (Path(folder) / ADAPTER).is_file():
                return Path(folder) / ADAPTER
    return None


def open_base(base: Path, context: int) -> GgufWeights | SafetensorsWeights:
    """Return the weights, the configuration and the tokenizer of a base.

    Args:
        base: A GGUF file, or a folder as transformers writes it.
        context: The most tokens of prompt and answer.

    Raises:
        SmallModelError: The base cannot be read.
    """
    return (SafetensorsWeights if base.is_dir() else GgufWeights)(base, context)


def is_installed(folder: Path, adapter: Path | None = None) -> bool:
    """Return whether a folder has this version's model of an adapter, with files of the sizes that were written.

    Args:
        folder: The model's folder.
        adapter: The adapter; None for that of the distribution, if there is one. Without any, only the sizes count.
    """
    adapter = adapter or find_adapter()
    try:
        known = _read_provenance(folder)
        return (
            known["version"] == VERSION
            and (adapter is None or bool(known["adapter"] == _sha256(adapter)))
            and all((folder / name).stat().st_size == size for name, size in known["sizes"].items())
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def read_speed(folder: Path) -> Speed | None:
    """Return how quick an installed model was when it was made, or None."""
    try:
        return Speed(**_read_provenance(folder)["speed"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _read_provenance(folder: Path) -> Any:
    return json.loads((folder / PROVENANCE).read_text("utf-8"))


def install(
    base: Path,
    folder: Path,
    adapter: Path,
    *,
    check: Callable[[Path], Speed],
    report: Callable[[int, int], None] = lambda done, all: None,
) -> Speed:
    """Merge a base with an adapter, and write the quantized model into a folder, in place of an older one.

    Args:
        base: A GGUF file, or a folder as transformers writes it, of the architecture of Qwen2 or Llama.
        folder: The model's folder.
        adapter: The adapter, as `editahead-lab train coder-adapter` writes it. Beside it, `VOCABULARY` may be.
        check: Checks the model in a folder before it takes the place of an older one, and returns how quick it is.
        report: Receives the number of steps that are done, and of all. It may raise to cancel.

    Raises:
        SmallModelError: The base or the adapter cannot be read, or they do not belong together.
        OSError: The folder cannot be written.
    """
    partial = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    partial.mkdir(parents=True, exist_ok=True)
    try:
        made_of = _write(base, adapter, partial, report)
        speed = check(partial)
        _write_json(partial / PROVENANCE, {**made_of, "speed": asdict(speed)})
        _put_in_place(partial, folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return speed


def _put_in_place(made: Path, folder: Path) -> None:
    """Move a folder to where another one may be, which comes back if that fails."""
    replaced = made.with_suffix(".old")
    had_one = folder.exists()
    try:
        if had_one:
            folder.rename(replaced)
        made.rename(folder)
    except BaseException:
        if had_one and not folder.exists():
            replaced.rename(folder)
        raise
    shutil.rmtree(replaced, ignore_errors=True)


def _write(base: Path, adapter: Path, folder: Path, report: Callable[[int, int], None]) -> dict[str, Any]:
    """Write the model's files, and return what they are made of."""
    try:
        weights = open_base(base, CONTEXT)
        additions = Adapter(adapter)
        config = weights.config()
        write_llama(
            folder,
            LlamaShape.from_config(config),
            lambda name: additions.add(name, weights.take(name)),
            report,
            head_tokens=_read_vocabulary(adapter.with_name(VOCABULARY)),
        )
        weights.tokenizer().save(str(folder / "tokenizer.json"))
    except (ValueError, KeyError, IndexError, TokenizerUnavailableError) as error:  # raised for damaged files
        raise SmallModelError(
            f"the model cannot be made of {base.name} and {adapter.name}: {error}"
        ) from error
    if unused := additions.unused:
        raise SmallModelError(f"{adapter.name} is for another base: it has no {min(unused)}")
    _write_json(folder / "config.json", config)
    if (card := adapter.with_name(CARD)).is_file():
        shutil.copyfile(card, folder / CARD)
    sizes = {file.name: file.stat().st_size for file in sorted(folder.iterdir())}
    of_base = {"base sha256": _sha256(base)} if base.is_file() else {}
    made_of = {"version": VERSION, "sizes": sizes, "adapter": _sha256(adapter)}
    return {**additions.provenance, **made_of, **of_base}


def _read_vocabulary(file: Path) -> Any:
    """Return the tokens of the head, or None for all."""
    import numpy

    return numpy.load(file) if file.is_file() else None


def _write_json(file: Path, value: Any) -> None:
    file.write_text(json.dumps(value, indent=2) + "\n", "utf-8")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
