"""python tests/benchmarks/gpu/pack.py FOLDER [--model FOLDER]: what the benchmark needs, for a machine without a network.

Writes the wheels of vLLM and of all that it needs, and trained models, as parts of 60 MB that are carried one by one; and
UNPACK.sh, which puts them together there, checks them, and installs the wheels.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

PART_BYTES = 60_000_000
WANTED = ("vllm==0.33.0", "tokenizers", "attrs")
"""vLLM's build for CUDA, and what Editahead's drafts import."""
PLATFORMS = tuple(
    f"manylinux{tag}_x86_64"
    for tag in ("_2_35", "_2_34", "_2_31", "_2_28", "_2_27", "_2_24", "_2_17", 2014, 1)
)
UNPACK = """#!/bin/sh
# sh UNPACK.sh FOLDER: put the parts beside this together in FOLDER, and install the wheels for this machine's python3.
set -e
here=$(cd "$(dirname "$0")" && pwd)
(cd "$here" && sha256sum --quiet -c SHA256SUMS)
mkdir -p "$1"
cat "$here"/part-* | tar -x -C "$1"
[ ! -d "$1/wheels" ] || python3 -m pip install --quiet --no-index --no-deps "$1"/wheels/*.whl
"""


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python tests/benchmarks/gpu/pack.py")
    parser.add_argument("folder", type=Path, help="a new folder for the parts")
    parser.add_argument(
        "--wheel", action="append", default=[], help="a package; by default what the benchmark needs"
    )
    parser.add_argument(
        "--model", type=Path, action="append", default=[], help="a folder with a trained model"
    )
    parser.add_argument("--python", default="3.12", help="the version of the other machine (3.12)")
    parser.add_argument("--part", type=int, default=PART_BYTES, help="bytes of a part (60,000,000)")
    args = parser.parse_args(argv)
    args.folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory(dir=args.folder.parent) as work:
        wheels = Path(work, "wheels")
        download(args.wheel or WANTED, wheels, args.python)
        for wheel in sorted(wheels.iterdir()):
            print(f"{wheel.stat().st_size:>12,}  {wheel.name}")
        parts = split([wheels, *args.model], args.folder, args.part)
    (args.folder / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in parts), "utf-8")
    (args.folder / "UNPACK.sh").write_text(UNPACK, "utf-8")
    print(f"{len(parts)} parts in {args.folder}; there: sh UNPACK.sh FOLDER")
    return 0


def download(packages: Iterable[str], folder: Path, python: str) -> None:
    """Download the wheels of packages and of all that they need, for Linux on x86-64.

    Raises:
        subprocess.CalledProcessError: pip failed, and has said why.
    """
    platforms = [word for platform in PLATFORMS for word in ("--platform", platform)]
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--only-binary=:all:",
        "--dest",
        str(folder),
    ]
    subprocess.run([*command, "--python-version", python, *platforms, *packages], check=True)


def split(folders: Iterable[Path], out: Path, part_bytes: int) -> list[tuple[str, str]]:
    """Write folders as one archive in parts, and return the name and the SHA-256 of each part."""
    writer: Any = _PartWriter(out, part_bytes)  # tarfile wants more of a file than a stream needs
    with tarfile.open(fileobj=writer, mode="w|") as archive:
        for folder in folders:
            archive.add(folder, arcname=folder.resolve().name)
    return [(path.name, sha256(path.read_bytes()).hexdigest()) for path in sorted(out.glob("part-*"))]


class _PartWriter:
    """A writer of bytes into parts: `part-000`, `part-001`, and so on."""

    def __init__(self, folder: Path, part_bytes: int) -> None:
        self._folder, self._part_bytes = folder, part_bytes
        self._number, self._room = -1, 0

    def write(self, data: bytes) -> int:
        rest = memoryview(data)
        while rest:
            if not self._room:
                self._number, self._room = self._number + 1, self._part_bytes
            with (self._folder / f"part-{self._number:03}").open("ab") as part:
                written = part.write(rest[: self._room])
            self._room -= written
            rest = rest[written:]
        return len(data)


if __name__ == "__main__":
    sys.exit(main())
