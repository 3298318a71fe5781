"""A model's files from Hugging Face's hub, into the cache that vLLM and transformers look in.

The client (huggingface_hub 2.4) resumes a broken connection itself. What it does not do: when it is interrupted it ends only
once the files under way are whole; and what a run that was killed left of a file it never uses again, nor removes.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from .hardware import free_disk_bytes
from .model_catalog import CatalogModel

_FILES = {"vLLM": ["*.safetensors", "*.json", "*.txt", "*.model", "*.jinja"], "llama.cpp": ["*q8_0*.gguf"]}
_OFFLINE = ("Offline", "LocalEntryNotFound", "Connect", "Timeout", "NetworkError", "Protocol", "Proxy", "SSL")
_MISSING = ("RepositoryNotFound", "GatedRepo", "RevisionNotFound")
_UNFINISHED = "*.incomplete"
_ABANDONED_S = 3600.0
"""An unfinished file that was not written to for so long is nobody's."""
RESUME_HINT = "the files that are whole are kept, and the same command goes on with the others"


class DownloadError(Exception):
    """One sentence."""


def download(model: CatalogModel, say: Callable[[str], None]) -> Path:
    """The folder that it is in; its files that are there already are not fetched again. The client shows progress on stderr.
    say: tells the person a sentence. Ctrl-C ends the process at once. Raises NotFetched."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        hub: Any = import_module("huggingface_hub")
        cache = Path(import_module("huggingface_hub.constants").HF_HUB_CACHE)
    except ImportError:
        raise DownloadError(
            "huggingface_hub is not installed; the extras `local` and `engine` have it."
        ) from None
    blobs = cache / f"models--{str(model.repository).replace('/', '--')}" / "blobs"
    missing, free = model.weight_bytes - _whole(blobs), free_disk_bytes(cache)
    if missing > free:
        raise DownloadError(
            f"There is no room for {model.name}: {missing / 1e9:.1f} GB are to come, "
            f"and {free / 1e9:.1f} GB are free in {cache}."
        )
    say(f"Fetching {model.repository} ({model.weight_bytes / 1e9:.1f} GB, licence {model.licence}) ...")
    try:
        with _ending_at_once(blobs, say):
            return Path(hub.snapshot_download(model.repository, allow_patterns=_FILES[model.runs]))
    except Exception as error:  # of several libraries
        raise DownloadError(_why(model, error)) from None


@contextmanager
def _ending_at_once(blobs: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Ctrl-C does not wait for the client's threads."""
    there = set(blobs.glob(_UNFINISHED))

    def end(signal_number: int, frame: object) -> None:
        for file in set(blobs.glob(_UNFINISHED)) - there:
            file.unlink(missing_ok=True)
        say(f"Stopped; {RESUME_HINT}.")
        sys.stdout.flush()
        os._exit(130)

    before = signal.signal(signal.SIGINT, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _whole(blobs: Path) -> int:
    """Bytes of whole files that are there. Those that an earlier run left unfinished are removed."""
    size = 0
    for entry in os.scandir(blobs) if blobs.is_dir() else ():
        status = entry.stat()
        if not Path(entry.name).match(_UNFINISHED):
            size += status.st_size
        elif time.time() - status.st_mtime > _ABANDONED_S:
            Path(entry.path).unlink(missing_ok=True)
    return size


def _why(model: CatalogModel, error: BaseException) -> str:
    chain: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in chain:
        chain.append(at)
        at = at.__cause__ or at.__context__
    names = " ".join(type(one).__name__ for one in chain)
    if any(word in names for word in _MISSING):
        return f"{model.repository} is not to be had: it is gone, or its owner wants you to log in and agree first."
    if any(isinstance(one, OSError) and one.errno == 28 for one in chain):
        return f"The disk is full; {RESUME_HINT}."
    if any(word in names for word in _OFFLINE):
        return f"Hugging Face's hub cannot be reached; {RESUME_HINT}."
    return f"{model.repository} could not be fetched: {type(error).__name__}."
