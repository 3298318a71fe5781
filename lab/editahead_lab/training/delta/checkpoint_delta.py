"""The difference between two checkpoints of one model: without loss, and small when they are near to each other.

The bytes of each tensor are combined by XOR, sorted by their place in a number (where numbers hardly change, their high
bytes do not change at all), and compressed with zstd. Neither end is trusted: both have their SHA-256 in the file. Tensors
are worked off one by one, so that a large model needs no more memory than its largest tensor.

The file: `MAGIC`; the length of the head, 8 bytes, little-endian; the head as JSON (base, target: SHA-256 of the files); a
zstd frame with the target's safetensors header and its tensors in the order of their bytes.

Needs the extra `train`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING, Any

import zstandard

from editahead_lab.errors import CheckpointError, DeltaError

from .safetensors_file import LENGTH, Checkpoint, Tensor, tensors_of

if TYPE_CHECKING:
    from .safetensors_file import Bytes

MAGIC = b"editahead delta 1\n"

LEVEL = 9
"""Of zstd. Higher ones take several times as long for a few percent."""

_MAX_HEAD = 10_000
_MAX_HEADER = 100_000_000
"""Bytes."""


@dataclass(frozen=True, slots=True)
class DeltaStats:
    """The sizes of a delta.

    Attributes:
        size: bytes of the delta.
        target_size: bytes of the target checkpoint.
        changed: the share of the tensors' bytes that differ.
    """

    size: int
    target_size: int
    changed: float

    @property
    def ratio(self) -> float:
        """How many times smaller than the target the delta is."""
        return self.target_size / self.size


def write_delta(base: Path, target: Path, out: Path) -> DeltaStats:
    """Write the delta from one checkpoint to another to `out`, whole or not at all.

    Raises:
        DeltaError: the checkpoints are of different models (other tensors, types or shapes).
        CheckpointError: a file is not a checkpoint.
    """
    old, new = Checkpoint(base), Checkpoint(target)
    if _shapes(old) != _shapes(new):
        raise DeltaError(f"{base} and {target} are not checkpoints of the same model")
    head = json.dumps({"base": old.hash, "target": new.hash}).encode()
    before = {tensor.name: tensor for tensor in old.tensors}
    changed = 0
    with _replacing(out) as file:
        file.write(MAGIC + len(head).to_bytes(LENGTH, "little") + head)
        with zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).stream_writer(
            file, closefd=False
        ) as frame:
            frame.write(new.header)
            for tensor in new.tensors:
                differing = old.read_tensor(before[tensor.name]) ^ new.read_tensor(tensor)
                changed += int((differing != 0).sum())
                frame.write(_sorted(differing, tensor.itemsize))
    size = len(new.bytes)
    return DeltaStats(out.stat().st_size, size, changed / max(size - len(new.header), 1))


def apply_delta(base: Path, delta: Path, out: Path) -> None:
    """Write to `out` the checkpoint to which `delta` leads from `base`, bit by bit, whole or not at all.

    Raises:
        DeltaError: the delta was made for another base, or is damaged.
        CheckpointError: the base is not a checkpoint.
    """
    old = Checkpoint(base)
    before = {tensor.name: tensor for tensor in old.tensors}
    try:
        with delta.open("rb") as file, _replacing(out) as made:
            head = _head(file, delta)
            if head["base"] != old.hash:
                raise DeltaError(f"{delta} was not made for {base}")
            written = hashlib.sha256()
            with zstandard.ZstdDecompressor().stream_reader(file) as frame:
                for piece in _pieces(frame, old, before):
                    made.write(piece)
                    written.update(piece)
                if frame.read(1):
                    raise DeltaError(f"{delta}: there is more in it than a checkpoint")
            if written.hexdigest() != head["target"]:
                raise DeltaError(f"{delta} does not lead to what it was made from")
    except (zstandard.ZstdError, CheckpointError, EOFError) as error:
        raise DeltaError(f"{delta}: damaged ({error})") from error


def _pieces(frame: IO[bytes], old: Checkpoint, before: dict[str, Tensor]) -> Iterator[bytes]:
    """Yield the target's bytes, from its header to its last tensor."""
    import numpy as np

    length = _exactly(frame, LENGTH)
    size = int.from_bytes(length, "little")
    if size > _MAX_HEADER:
        raise CheckpointError("its header is too long")
    header = length + _exactly(frame, size)
    yield header
    for tensor in tensors_of(header):
        was = before.get(tensor.name)
        if was is None or was.end - was.start != tensor.end - tensor.start:
            raise CheckpointError(f"the base has no such tensor as {tensor.name}")
        planes = np.frombuffer(_exactly(frame, tensor.end - tensor.start), np.uint8)
        differing = planes.reshape(tensor.itemsize, -1).T.reshape(-1)
        yield (old.read_tensor(was) ^ differing).tobytes()


def _sorted(differing: Bytes, itemsize: int) -> bytes:
    """Return the first bytes of all numbers, then the second ones, and so on."""
    return differing.reshape(-1, itemsize).T.tobytes()


def _shapes(checkpoint: Checkpoint) -> dict[str, tuple[str, tuple[int, ...]]]:
    return {tensor.name: (tensor.dtype, tensor.shape) for tensor in checkpoint.tensors}


def _head(file: IO[bytes], path: Path) -> dict[str, Any]:
    if file.read(len(MAGIC)) != MAGIC:
        raise DeltaError(f"{path}: not a delta")
    size = int.from_bytes(file.read(LENGTH), "little")
    try:
        head = json.loads(file.read(min(size, _MAX_HEAD)))
        return {"base": str(head["base"]), "target": str(head["target"])}
    except (ValueError, TypeError, KeyError) as error:
        raise DeltaError(f"{path}: damaged, its head cannot be read") from error


def _exactly(frame: IO[bytes], size: int) -> bytes:
    """Read exactly `size` bytes.

    Raises:
        EOFError: there are fewer.
    """
    parts = []
    while size:
        part = frame.read(min(size, 1 << 24))
        if not part:
            raise EOFError("it ends too early")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


@contextmanager
def _replacing(out: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces `out` on success."""
    with NamedTemporaryFile(dir=out.parent, prefix=f".{out.name}.", delete=False) as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).replace(out)
        except BaseException:
            Path(file.name).unlink()
            raise
