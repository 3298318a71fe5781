"""Build what a release publishes, and check it as far as one machine can: `make packages`.

python tools/release/check_packages.py FOLDER

FOLDER gets the sdist, the wheel, those of the model's adapter (`editahead-coder`) and of the laboratory (`editahead-lab`) in
folders of their own, the software bill of materials and the manifests for other registries, filled in. The interpreter is
that of an environment with the group `release` of pyproject.toml. Nothing is published.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from fill_manifests import fill_manifests

ROOT = Path(__file__).resolve().parents[2]
MAX_DEPENDENCY_BYTES = 60_000_000
"""Size of all that the server needs beside Python and itself, installed, without bytecode files."""
MAX_WHEEL_BYTES = 6_600_000
"""A guard against files that do not belong here; the weights of search, Apply, completion and the gate take most of it."""
UV, RUNTIME_LOCK = ROOT / "tools" / "environment" / "uv", ROOT / "requirements" / "run.txt"
ADAPTER, MAX_ADAPTER_BYTES = ROOT / "packaging" / "editahead-coder", 60_000_000
"""The distribution with the adapter of Editahead's own model, and the most bytes of its wheel."""
LAB, MAX_LAB_BYTES = ROOT / "lab", 286_000
"""The distribution with the evaluations of research and the trainings, and the most bytes of its wheel."""
SIZES = """
import json, re
from importlib import metadata
from packaging.requirements import Requirement
sizes, waiting = {}, ["editahead"]
while waiting:
    distribution = metadata.distribution(waiting.pop())
    name = re.sub("[-_.]+", "-", distribution.metadata["Name"]).lower()
    if name not in sizes:
        files = [file for file in distribution.files if file.suffix != ".pyc"]
        sizes[name] = sum(file.locate().stat().st_size for file in files if file.locate().is_file())
        for requirement in map(Requirement, distribution.requires or ()):
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                waiting.append(requirement.name)
del sizes["editahead"]
print(json.dumps(sizes))
"""
"""Prints the size in bytes of each package that Editahead needs."""


class PackageError(Exception):
    """A package that must not be published. The message says why."""


def check_packages(folder: Path) -> None:
    """Build and check everything.

    Raises:
        PackageError: A package is not as it must be.
        subprocess.CalledProcessError: A tool has found something.
    """
    shutil.rmtree(folder, ignore_errors=True)
    sdist, wheel = build(ROOT, folder, MAX_WHEEL_BYTES)
    build(ADAPTER, folder / "editahead-coder", MAX_ADAPTER_BYTES)
    build(LAB, folder / "editahead-lab", MAX_LAB_BYTES)
    with tempfile.TemporaryDirectory() as temporary:
        python = check_installation(wheel, Path(temporary))
        write_bill_of_materials(python, folder / "editahead.cdx.json")
    fill_manifests(sdist, folder / "manifests")


def build(project: Path, folder: Path, limit: int) -> tuple[Path, Path]:
    """Build the sdist and the wheel of a project, and check them.

    Args:
        project: The folder with `pyproject.toml`.
        folder: Where they go.
        limit: The most bytes of the wheel.

    Raises:
        PackageError: The wheel is larger.
    """
    run(sys.executable, "-m", "hatchling", "build", "-d", folder, folder=project)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    run(sys.executable, "-m", "twine", "check", "--strict", sdist, wheel)
    run(sys.executable, "-m", "check_wheel_contents", wheel)
    size = wheel.stat().st_size
    if size > limit:
        raise PackageError(f"{wheel.name} has {size:,} bytes, more than {limit:,}")
    print(f"{wheel.name}: {size:,} bytes")
    return sdist, wheel


def check_installation(wheel: Path, folder: Path) -> Path:
    """Install a wheel into an environment that holds its pinned dependencies only, and try the commands there.

    Returns:
        The environment's interpreter.
    """
    run(UV, "venv", "--quiet", folder)
    python = folder / "bin" / "python"
    run(UV, "pip", "install", "--quiet", "--no-deps", "--python", folder, "-r", RUNTIME_LOCK, wheel)
    home = {
        "HOME": str(folder),
        "XDG_STATE_HOME": str(folder / "state"),
        "XDG_CONFIG_HOME": str(folder / "config"),
    }
    program = folder / "bin" / "editahead"
    run(program, "--version", **home)
    run_for_text(program, "completions", "bash", **home)
    accepted = json.loads(run_for_text(program, "demo", "--speed", "0", "--json", **home))["summary"]
    print(f"the demo of the installed package: {accepted}")
    sizes = json.loads(run_for_text(python, "-c", SIZES))
    total = sum(sizes.values())
    largest = ", ".join(f"{name} {sizes[name]:,}" for name in sorted(sizes, key=sizes.__getitem__)[-4:])
    print(f"the server's {len(sizes)} dependencies: {total:,} bytes (the largest: {largest})")
    if total > MAX_DEPENDENCY_BYTES:
        raise PackageError(
            f"the server's dependencies have {total:,} bytes, more than {MAX_DEPENDENCY_BYTES:,}"
        )
    return python


def write_bill_of_materials(python: Path, path: Path) -> None:
    """Write the software bill of materials of an interpreter's environment, in CycloneDX's JSON."""
    options = ["--output-reproducible", "--of", "JSON", "--pyproject", ROOT / "pyproject.toml", "-o", path]
    run(sys.executable, "-m", "cyclonedx_py", "environment", *options, python)


def run(*command: str | Path, folder: Path = ROOT, **environment: str) -> None:
    subprocess.run(command, cwd=folder, check=True, env={**os.environ, **environment})


def run_for_text(*command: str | Path, **environment: str) -> str:
    variables = {**os.environ, **environment}
    return subprocess.run(
        command, cwd=ROOT, check=True, env=variables, stdout=subprocess.PIPE, text=True
    ).stdout


if __name__ == "__main__":
    try:
        check_packages(Path(sys.argv[1]).resolve())
    except PackageError as error:
        sys.exit(str(error))
