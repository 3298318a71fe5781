"""Editahead's small model: a base that users get as a GGUF file, merged with the adapter that the package has.

The merged model is quantized and written into a folder that `OnnxNetwork` reads. The folder is written whole or not at all.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from hashlib import file_digest
from pathlib import Path

import platformdirs

from editahead_inference.errors import SmallModelError

from .adapter import Adapter
from .gguf_weights import GgufWeights
from .llama_graph import LlamaShape, write_llama

NAME = "editahead-small"
"""The model's name, which selects the prompt format."""
SHIPPED = Path(__file__).parent.parent.parent / "shipped"
ADAPTER = SHIPPED / "adapter.safetensors"
"""The adapter in the package. Builds may be without it."""
CONTEXT = 1024
"""The most tokens of prompt and answer. The format's prompts and answers have at most 640."""
PROVENANCE = "model.json"
"""What an installed model was made of."""


def small_model_folder() -> Path:
    """Return the folder of the installed small model, in the user's cache."""
    return Path(platformdirs.user_cache_dir("editahead", appauthor=False)) / "models" / NAME


def is_installed(folder: Path, adapter: Path = ADAPTER) -> bool:
    """Return whether a folder has the model that this adapter makes, with files of the sizes that were written."""
    try:
        known = json.loads((folder / PROVENANCE).read_text("utf-8"))
        return bool(known["adapter"] == _sha256(adapter)) and all(
            (folder / name).stat().st_size == size for name, size in known["sizes"].items()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def install(
    base: Path,
    folder: Path,
    *,
    adapter: Path = ADAPTER,
    report: Callable[[int, int], None] = lambda done, all: None,
) -> None:
    """Merge a base with an adapter, and write the quantized model into a folder, in place of an older one.

    Args:
        base: A GGUF file of the Llama architecture.
        folder: The model's folder.
        adapter: The adapter, as `editahead train tune --export-adapter` writes it.
        report: Receives the number of steps that are done, and of all. It may raise to cancel.

    Raises:
        SmallModelError: The base or the adapter cannot be read, or they do not belong together.
        OSError: The folder cannot be written.
    """
    partial = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    partial.mkdir(parents=True, exist_ok=True)
    try:
        _write(base, adapter, partial, report)
        _put_in_place(partial, folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


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


def _write(base: Path, adapter: Path, folder: Path, report: Callable[[int, int], None]) -> None:
    try:
        weights, additions = GgufWeights(base, CONTEXT), Adapter(adapter)
        config = weights.config()
        shape = LlamaShape.from_config(config)
        write_llama(folder, shape, lambda name: additions.add(name, weights.take(name)), report)
    except (ValueError, KeyError, IndexError) as error:  # what the readers of files raise for damaged ones
        raise SmallModelError(
            f"the model cannot be made of {base.name} and {adapter.name}: {error}"
        ) from error
    if unused := additions.unused:
        raise SmallModelError(f"{adapter.name} is for another base: it has no {min(unused)}")
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", "utf-8")
    weights.tokenizer().save(str(folder / "tokenizer.json"))
    for file in (adapter.with_name("README.md"), adapter.with_name("gate.json"), base.with_name("LICENSE")):
        if file.is_file():
            shutil.copyfile(file, folder / file.name)
    sizes = {file.name: file.stat().st_size for file in sorted(folder.iterdir())}
    made_of = {"sizes": sizes, "adapter": _sha256(adapter), "base": _sha256(base), **additions.provenance}
    (folder / PROVENANCE).write_text(json.dumps(made_of, indent=2) + "\n", "utf-8")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
