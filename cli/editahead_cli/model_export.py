"""Editahead's own model as files for other servers: `editahead models export`, and the engine by the model's name."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.console import fail, print_note, print_text
from editahead_cli.own_model import INTERRUPTED, obtain_base, require_adapter, show_progress

if TYPE_CHECKING:
    from editahead_serving.model_export import ExportedModel

ENGINE_GGUF_TYPE = "Q8_0"
"""Type of the matrices that llama.cpp gets: it keeps the answers."""


def export_model(base: Path | None, gguf: Path | None, type: str, folder: Path | None) -> int:
    """Write the model for llama.cpp, for vLLM, or for both. The exit code is 1 when it cannot be made.

    Args:
        base: The base; None to download it for this time.
        gguf: The GGUF file to write.
        type: Of the matrices in it.
        folder: The folder to write.
    """
    from editahead_serving.errors import ModelExportError

    if gguf is None and folder is None:
        return fail("Name what to write: --gguf FILE for llama.cpp, --folder FOLDER for vLLM, or both.")
    try:
        _write(base, gguf, type, folder)
    except ModelExportError as error:
        return fail(str(error))
    for made in filter(None, (gguf, folder)):
        print_text(f"wrote {made}: run `editahead engine {made}`")
    return 0


def find_for_engine(llama_cpp: bool, *, write: bool) -> Path:
    """Return the model as an engine loads it, from the user's cache. Write it first where it is not there.

    Args:
        llama_cpp: Whether the engine is llama.cpp, which takes a GGUF file, and not vLLM, which takes a folder.
        write: Whether it may be written, which downloads the base.

    Raises:
        ModelExportError: A part is missing, or the model cannot be written.
    """
    from editahead_inference.backends.local.small_model import NAME, small_model_folder
    from editahead_serving.errors import ModelExportError

    with _explained(), require_adapter().open("rb") as file:
        version = file_digest(file, "sha256").hexdigest()[:12]
    kept = small_model_folder().with_name(f"{NAME}-exported") / version
    place = kept / (f"{NAME}.gguf" if llama_cpp else NAME)
    if not place.exists():
        if not write:
            raise ModelExportError(
                f"{NAME} is not written for this engine yet: `editahead engine {NAME}` without --print does that."
            )
        print_note(f"editahead: writing {NAME} into {kept}; the next start finds it there.")
        gguf, folder = (place, None) if llama_cpp else (None, place)
        _write(None, gguf, ENGINE_GGUF_TYPE, folder, counts_tokens=True)
        for older in kept.parent.iterdir():
            if older != kept:
                shutil.rmtree(older, ignore_errors=True)
    return place


def _write(
    base: Path | None, gguf: Path | None, type: str, folder: Path | None, *, counts_tokens: bool = False
) -> None:
    """Write the model.

    Args:
        base: See `export_model`.
        gguf: See `export_model`.
        type: See `export_model`.
        folder: See `export_model`.
        counts_tokens: Whether the tokenizer is written beside the GGUF file, for clients on this machine.

    Raises:
        ModelExportError: The model cannot be made, or the user stopped it.
    """
    with _explained(base):
        adapter = require_adapter()
        with obtain_base(base) as found:
            _write_merged(found, adapter, gguf, type, folder, counts_tokens=counts_tokens)


def _write_merged(
    base: Path,
    adapter: Path,
    gguf: Path | None,
    type: str,
    folder: Path | None,
    *,
    counts_tokens: bool,
) -> None:
    """Write the model, and keep no file of the base open, which Windows would not remove."""
    from editahead_serving.model_export import write_folder, write_gguf

    with ExitStack() as stack:
        model = _merged(base, adapter)
        if gguf is not None:
            write_gguf(model, gguf, type, os.environ, show_progress(stack, f"writing {gguf.name}"))
            if counts_tokens:
                model.tokenizer.save(str(gguf.with_name("tokenizer.json")))
        if folder is not None:
            write_folder(model, folder, show_progress(stack, f"writing {folder.name}"))


@contextmanager
def _explained(base: Path | None = None) -> Iterator[None]:
    """Say in a sentence why the model cannot be made of a base; None for the one that is downloaded.

    Raises:
        ModelExportError: The block failed.
    """
    from editahead_inference.errors import SmallModelError
    from editahead_serving.errors import DownloadError, ModelExportError

    try:
        yield
    except (DownloadError, SmallModelError, OSError) as error:
        raise ModelExportError(str(error)) from error
    except (KeyError, ValueError) as error:  # what the readers of files raise for damaged ones
        raise ModelExportError(f"The model cannot be made of {base or 'the base'}: {error}") from error
    except KeyboardInterrupt:
        raise ModelExportError(INTERRUPTED) from None


def _merged(base: Path, adapter: Path) -> ExportedModel:
    """Return the base with the adapter's additions.

    Raises:
        SmallModelError: One of them cannot be read.
    """
    from editahead_inference.backends.local.adapter import Adapter
    from editahead_inference.backends.local.small_model import NAME, open_base
    from editahead_serving.model_export import SERVER_CONTEXT, ExportedModel

    weights, additions = open_base(base, SERVER_CONTEXT), Adapter(adapter)
    return ExportedModel(
        NAME,
        weights.config(),
        lambda name: additions.add(name, weights.take(name)),
        weights.tokenizer(),
    )
