"""Editahead's own model as files for other servers (`editahead models export`)."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from editahead_cli.console import fail, print_text
from editahead_cli.own_model import download_base, show_progress

if TYPE_CHECKING:
    from editahead_serving.model_export import ExportedModel


def export_model(base: Path | None, gguf: Path | None, type: str, folder: Path | None) -> int:
    """Write the model for llama.cpp, for vLLM, or for both. The exit code is 1 when it cannot be made.

    Args:
        base: The base; None to download it for this time.
        gguf: The GGUF file to write.
        type: Of the matrices in it.
        folder: The folder to write.
    """
    from editahead_inference.backends.local.small_model import find_adapter
    from editahead_inference.errors import SmallModelError
    from editahead_serving.errors import DownloadError, ModelExportError
    from editahead_serving.model_export import write_folder, write_gguf

    if gguf is None and folder is None:
        return fail("Name what to write: --gguf FILE for llama.cpp, --folder FOLDER for vLLM, or both.")
    adapter = find_adapter()
    if adapter is None:
        return fail("The model's adapter is missing: pip install 'editahead[local]'")
    try:
        with ExitStack() as stack:
            near = (gguf or folder or Path()).absolute().parent
            near.mkdir(parents=True, exist_ok=True)
            if base is None:
                work = stack.enter_context(TemporaryDirectory(prefix="editahead-base-", dir=near))
                base = download_base(Path(work))
            model = _merged(base.expanduser(), adapter)
            if gguf is not None:
                write_gguf(model, gguf, type, os.environ, show_progress(stack, f"writing {gguf.name}"))
                print_text(f"wrote {gguf}: run `editahead engine {gguf}`")
            if folder is not None:
                write_folder(model, folder, show_progress(stack, f"writing {folder.name}"))
                print_text(f"wrote {folder}: run `editahead engine {folder}`")
    except (DownloadError, ModelExportError, SmallModelError, OSError) as error:
        return fail(str(error))
    except (KeyError, ValueError) as error:  # what the readers of files raise for damaged ones
        return fail(f"The model cannot be made of {base}: {error}")
    except KeyboardInterrupt:
        return fail("cancelled; nothing was changed")
    return 0


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
