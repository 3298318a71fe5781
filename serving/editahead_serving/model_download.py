"""The download of a model from Hugging Face's hub into the cache of vLLM and transformers.

The client (huggingface_hub 2.4) resumes a broken connection itself, but has two gaps that this module fills. After Ctrl-C
the client waits for the files under way. After a killed run it neither uses nor removes the unfinished files.
"""

from __future__ import annotations

import os
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from .errors import DownloadError
from .hardware import free_disk_bytes
from .model_catalog import CatalogModel

_VLLM_PATTERNS = ["*.safetensors", "*.json", "*.txt", "*.model", "*.jinja"]
_OFFLINE_ERRORS = (
    "Offline",
    "LocalEntryNotFound",
    "Connect",
    "Timeout",
    "NetworkError",
    "Protocol",
    "Proxy",
    "SSL",
)
_MISSING_ERRORS = ("RepositoryNotFound", "GatedRepo", "RevisionNotFound")
_UNFINISHED = "*.incomplete"
_ABANDONED_S = 3600.0
"""Age in seconds at which an unfinished file counts as abandoned and is removed."""
RESUME_HINT = "complete files are kept, and the same command downloads the others"


def download(model: CatalogModel, report: Callable[[str], None]) -> Path:
    """Download the missing files of a model and return their folder.

    The client shows its progress on stderr. Ctrl-C ends the process at once.

    Args:
        model: A model of the catalogue with a repository.
        report: Shows a sentence to the user.

    Raises:
        DownloadError: The model cannot be downloaded.
    """
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        hub: Any = import_module("huggingface_hub")
        cache = Path(import_module("huggingface_hub.constants").HF_HUB_CACHE)
    except ImportError:
        raise DownloadError(
            f"huggingface_hub is not installed. Run: {shlex.quote(sys.executable)} -m pip install huggingface_hub"
        ) from None
    blobs = cache / f"models--{str(model.repository).replace('/', '--')}" / "blobs"
    missing, free = model.weight_bytes - _downloaded_bytes(blobs), free_disk_bytes(cache)
    if missing > free:
        raise DownloadError(
            f"{model.name} needs {missing / 1e9:.1f} GB more, and {cache} has {free / 1e9:.1f} GB free; "
            "make room there."
        )
    report(f"Downloading {model.repository} ({model.weight_bytes / 1e9:.1f} GB, licence {model.licence}) ...")
    try:
        with _exit_on_interrupt(blobs, report):
            return Path(hub.snapshot_download(model.repository, allow_patterns=_file_patterns(model)))
    except Exception as error:  # the libraries below the client raise errors of many types
        raise DownloadError(_describe_error(model, error)) from None


def _file_patterns(model: CatalogModel) -> list[str]:
    """Return patterns of the names of the files that the runtime needs. The hub's patterns know upper and lower case."""
    if model.runtime == "vLLM":
        return _VLLM_PATTERNS
    return [f"*{kind}*.gguf" for kind in (model.quantization, model.quantization.upper())]


@contextmanager
def _exit_on_interrupt(blobs: Path, report: Callable[[str], None]) -> Iterator[None]:
    """End the process at once on Ctrl-C, without waiting for the client's threads."""
    present = set(blobs.glob(_UNFINISHED))

    def end(signal_number: int, frame: object) -> None:
        for file in set(blobs.glob(_UNFINISHED)) - present:
            file.unlink(missing_ok=True)
        report(f"Stopped; {RESUME_HINT}.")
        sys.stdout.flush()
        os._exit(130)

    before = signal.signal(signal.SIGINT, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _downloaded_bytes(blobs: Path) -> int:
    """Return the bytes of the complete files, and remove the unfinished files of earlier runs."""
    size = 0
    for entry in os.scandir(blobs) if blobs.is_dir() else ():
        status = entry.stat()
        if not Path(entry.name).match(_UNFINISHED):
            size += status.st_size
        elif time.time() - status.st_mtime > _ABANDONED_S:
            Path(entry.path).unlink(missing_ok=True)
    return size


def _describe_error(model: CatalogModel, error: BaseException) -> str:
    chain: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in chain:
        chain.append(at)
        at = at.__cause__ or at.__context__
    names = " ".join(type(one).__name__ for one in chain)
    if any(word in names for word in _MISSING_ERRORS):
        return (
            f"{model.repository} is gone, or its owner wants you to log in and to agree to a licence first."
        )
    if any(isinstance(one, OSError) and one.errno == 28 for one in chain):
        return f"The disk is full; {RESUME_HINT}."
    if any(word in names for word in _OFFLINE_ERRORS):
        return f"Hugging Face's hub cannot be reached; {RESUME_HINT}."
    return f"{model.repository} could not be downloaded: {type(error).__name__}."
