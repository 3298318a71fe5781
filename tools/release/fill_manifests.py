"""Fill the manifests for other registries with the version, the address and the checksum of a release.

python tools/release/fill_manifests.py dist/editahead-0.1.0.tar.gz FOLDER
"""

from __future__ import annotations

import hashlib
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
SUFFIXES = {"", ".rb", ".lua", ".toml", ".yaml", ".el"}
"""Those of manifests; the scripts in this folder are none."""
ADAPTER = "editahead-coder"
"""The folder of a package of its own."""


def fill_manifests(sdist: Path, folder: Path) -> None:
    """Write each manifest, filled in, into a folder.

    Args:
        sdist: The source archive that the release publishes.
        folder: Where the manifests go, below the same names.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    values = {
        "VERSION": project["version"],
        "DESCRIPTION": project["description"].rstrip("."),
        "REPOSITORY": project["urls"]["Repository"],
        "SLUG": project["urls"]["Repository"].partition("://")[2].partition("/")[2],
        "SHA256": hashlib.sha256(sdist.read_bytes()).hexdigest(),
    }
    for path in manifests():
        filled = re.sub(r"@([A-Z0-9]+)@", lambda name: values[name[1]], path.read_text("utf-8"))
        target = folder / path.relative_to(PACKAGING)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(filled, "utf-8")


def manifests() -> list[Path]:
    """Return the manifests in packaging/, which have placeholders such as `@VERSION@`."""
    return sorted(
        path
        for folder in PACKAGING.iterdir()
        if folder.is_dir() and folder.name != ADAPTER
        for path in folder.rglob("*")
        if path.is_file() and path.suffix in SUFFIXES
    )


if __name__ == "__main__":
    fill_manifests(Path(sys.argv[1]), Path(sys.argv[2]))
