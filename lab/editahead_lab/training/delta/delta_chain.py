"""A folder of checkpoints as a chain of deltas, with a whole one now and then, so that none is far from a whole one.

`00000.safetensors.zst` is a whole checkpoint, compressed; `00001.delta` leads from number 0 to number 1, and so on.

Needs the extra `train`.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import zstandard

from editahead_lab.errors import DeltaError

from .checkpoint_delta import LEVEL, apply_delta, write_delta
from .safetensors_file import Checkpoint

WHOLE_EVERY = 8
"""Distance of whole checkpoints, in numbers of checkpoints."""

_NAME = re.compile(r"(\d{5,})\.(delta|safetensors\.zst)")


@dataclass(frozen=True, slots=True)
class ChainEntry:
    """A checkpoint of a chain.

    Attributes:
        number: from 0.
        whole: the file is a checkpoint and not a delta.
        size: bytes of the file.
    """

    number: int
    path: Path
    whole: bool

    @property
    def size(self) -> int:
        return self.path.stat().st_size


class DeltaChain:
    """A chain of checkpoints in a folder, most of them stored as deltas.

    Args:
        folder: created when the first checkpoint is added.
        every: the distance of whole checkpoints.
    """

    def __init__(self, folder: Path, *, every: int = WHOLE_EVERY) -> None:
        self.folder = folder
        self._every = every

    def links(self) -> list[ChainEntry]:
        """Return the entries in order.

        Raises:
            DeltaError: an entry is missing.
        """
        found: dict[int, ChainEntry] = {}
        for path in sorted(self.folder.glob("*")) if self.folder.is_dir() else ():
            if match := _NAME.fullmatch(path.name):
                number, whole = int(match[1]), match[2] != "delta"
                if number not in found or whole:
                    found[number] = ChainEntry(number, path, whole)
        links = [found[number] for number in sorted(found)]
        if [link.number for link in links] != list(range(len(links))) or (links and not links[0].whole):
            raise DeltaError(f"{self.folder}: a link of the chain is missing")
        return links

    def add(self, checkpoint: Path) -> ChainEntry:
        """Add a checkpoint to the end.

        Raises:
            DeltaError: the checkpoint is of another model than the earlier ones.
            CheckpointError: the file is not a checkpoint.
        """
        Checkpoint(checkpoint)  # before anything is written
        links = self.links()
        self.folder.mkdir(parents=True, exist_ok=True)
        number = len(links)
        with TemporaryDirectory(dir=self.folder, prefix=".") as scratch:
            made = Path(scratch, "made")
            if links:
                last = Path(scratch, "last")
                self.write(number - 1, last)
                write_delta(last, checkpoint, made)  # a whole one has to be of the same model, too
            whole = number % self._every == 0
            if whole:
                with checkpoint.open("rb") as file, made.open("wb") as out:
                    zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).copy_stream(file, out)
            path = self.folder / f"{number:05}.{'safetensors.zst' if whole else 'delta'}"
            made.replace(path)
        return ChainEntry(number, path, whole)

    def write(self, number: int, out: Path) -> None:
        """Write the checkpoint of a number, bit by bit, to `out`.

        Raises:
            DeltaError: there is no such checkpoint, or the chain is damaged.
        """
        links = self.links()
        if not 0 <= number < len(links):
            raise DeltaError(f"{self.folder} has no number {number}: it has {len(links)}")
        first = max(link.number for link in links[: number + 1] if link.whole)
        with TemporaryDirectory(dir=out.parent, prefix=".") as scratch:
            now, then = Path(scratch, "now"), Path(scratch, "then")
            try:
                with links[first].path.open("rb") as file, now.open("wb") as whole:
                    zstandard.ZstdDecompressor().copy_stream(file, whole)
            except zstandard.ZstdError as error:
                raise DeltaError(f"{links[first].path}: damaged ({error})") from error
            for link in links[first + 1 : number + 1]:
                apply_delta(now, link.path, then)
                then.replace(now)
            shutil.move(now, out)
