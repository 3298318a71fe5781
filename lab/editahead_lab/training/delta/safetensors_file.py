"""Checkpoints as bytes: where in a safetensors file each tensor lies.

The format: 8 bytes, little-endian, with the length of a JSON header, which gives each tensor's type, shape and offsets; then
the tensors, one after another (https://huggingface.co/docs/safetensors/index#format).

Needs the extra `train`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editahead_lab.errors import CheckpointError

if TYPE_CHECKING:
    import numpy as np

    Bytes = np.ndarray[Any, np.dtype[np.uint8]]

LENGTH = 8
"""Bytes of the header's length."""

_MAX_HEADER = 100_000_000
"""Bytes. That of the format."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor's place in a file.

    Attributes:
        start: first byte, from the beginning of the file.
        end: the byte after the last one.
        itemsize: bytes of a number.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int

    @property
    def itemsize(self) -> int:
        bits = "".join(c for c in self.dtype.partition("_")[0] if c.isdigit())  # BF16, F8_E4M3, BOOL
        return max(int(bits or 8) // 8, 1)


class Checkpoint:
    """A safetensors file, mapped into memory.

    Attributes:
        bytes: the whole file.
        header: the header with its length.
        tensors: in the order of their bytes, without gaps.

    Raises:
        CheckpointError: the file is not a checkpoint.
        OSError: the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        import numpy as np

        self.path = path
        size = path.stat().st_size
        if size <= LENGTH:
            raise CheckpointError(f"{path}: not a safetensors file")
        self.bytes: Bytes = np.memmap(path, np.uint8, mode="r")
        end = LENGTH + int.from_bytes(self.bytes[:LENGTH].tobytes(), "little")
        if end > min(size, _MAX_HEADER):
            raise CheckpointError(f"{path}: not a safetensors file")
        self.header = self.bytes[:end].tobytes()
        try:
            self.tensors = tuple(tensors_of(self.header))
        except CheckpointError as error:
            raise CheckpointError(f"{path}: {error}") from error
        if (self.tensors[-1].end if self.tensors else end) != size:
            raise CheckpointError(f"{path}: not as long as its header says")

    def read_tensor(self, tensor: Tensor) -> Bytes:
        """Return the bytes of a tensor."""
        return self.bytes[tensor.start : tensor.end]

    @property
    def hash(self) -> str:
        """Return the SHA-256 of the file, in hexadecimal digits."""
        return hashlib.sha256(self.bytes.data).hexdigest()


def tensors_of(header: bytes) -> Iterator[Tensor]:
    """Yield the tensors that a header (its length included) describes.

    Raises:
        CheckpointError: the header does not fit the file.
    """
    try:
        listed = [
            _tensor(name, entry, len(header))
            for name, entry in json.loads(header[LENGTH:]).items()
            if name != "__metadata__"
        ]
        listed.sort(key=lambda tensor: (tensor.start, tensor.end))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise CheckpointError("its header cannot be read") from error
    at = len(header)
    for tensor in listed:
        if tensor.start != at or tensor.end < at or (tensor.end - at) % tensor.itemsize:
            raise CheckpointError("its tensors do not follow one another")
        at = tensor.end
        yield tensor


def _tensor(name: str, entry: Any, base: int) -> Tensor:
    """Return one tensor of the header; offsets count from `base`.

    Raises:
        ValueError: the entry does not follow the format; likewise TypeError and KeyError.
    """
    dtype, shape, (start, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or any(type(number) is not int for number in (*shape, start, end)):
        raise TypeError(name)
    return Tensor(name, dtype, tuple(shape), base + start, base + end)
