"""Installed packages under permissive licences, as sources of documented code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path

from .documented import find_documented
from .pair import Pair

MAX_FILES = 500
"""Files of a package, so that a large one does not outweigh the others."""
MAX_BYTES = 200_000
_PERMISSIVE = re.compile(
    r"\b(?:MIT|BSD|Apache|ISC|Unlicense|PSF|Python Software Foundation|HPND|Zlib)\b", re.IGNORECASE
)
_OTHER = re.compile(r"GPL|GNU|MPL|Mozilla|EPL|Eclipse|proprietary|NVIDIA|commercial", re.IGNORECASE)

_FOREIGN = re.compile(r"/(?:tests?|_?vendor(?:ed)?|extern|externals?)/")
"""Folders with tests, or with code of others under licences of its own."""


def package_pairs(folder: Path) -> Iterator[Pair]:
    """Yield the documented declarations of the packages that are installed in a folder.

    Args:
        folder: A `site-packages` folder. Packages whose metadata does not name a permissive licence are left out.
    """
    for metadata in sorted(folder.glob("*.dist-info/METADATA")):
        name = licensed_name(metadata)
        if name is None:
            continue
        for path in _python_files(folder, metadata.with_name("RECORD"))[:MAX_FILES]:
            try:
                text = (folder / path).read_bytes()[:MAX_BYTES].decode()
            except (OSError, UnicodeDecodeError):
                continue
            for found in find_documented(text, "python"):
                place = f"{name}:{path}#{found.name}"
                yield Pair("documentation", name, "python", found.documentation, found.code, place)


def licensed_name(metadata: Path) -> str | None:
    """Return the name of a package under a permissive licence; None for another one."""
    try:
        headers = HeaderParser().parsestr(metadata.read_text("utf-8", "replace"))
    except OSError:
        return None
    stated = [headers.get("License-Expression") or "", (headers.get("License") or "")[:100]]
    stated += [each for each in headers.get_all("Classifier", []) if each.startswith("License ::")]
    text = " ".join(stated)
    return (
        str(headers["Name"])
        if _PERMISSIVE.search(text) and not _OTHER.search(text) and headers["Name"]
        else None
    )


def _python_files(folder: Path, record: Path) -> list[str]:
    try:
        lines = record.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    root = folder.resolve()
    paths = sorted(line.split(",")[0] for line in lines if ".py," in line and "/" in line)
    return [
        path for path in paths if (folder / path).resolve().is_relative_to(root) and "/tests/" not in path
    ]
