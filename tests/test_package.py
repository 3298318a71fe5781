"""The installed package, and the contents of its wheel."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path

import pytest

import editahead_lsp

ROOT = Path(__file__).parent.parent
PARTS = ("cli", "lsp", "workspace", "serving", "inference", "retrieval", "prompts", "programs", "evals")
PACKAGES = tuple(f"editahead_{part}" for part in PARTS)
LAB = ROOT / "lab"


@pytest.mark.parametrize("part", [*PARTS, "lab"])
def test_each_part_is_one_package_and_loaded_from_here(part: str) -> None:
    package = import_module(f"editahead_{part}")
    assert package.__file__ == str(ROOT / part / f"editahead_{part}" / "__init__.py")
    assert package.__doc__, "a package says in a sentence what it is for"
    assert (ROOT / part / f"editahead_{part}" / "py.typed").exists()


def test_the_distribution_has_the_version_that_the_server_names() -> None:
    assert metadata.version("editahead") == metadata.version("editahead-lab") == editahead_lsp.__version__


@pytest.mark.parametrize("part", [*PARTS, "lab"])
def test_a_folder_of_ours_is_no_package(part: str) -> None:
    """Other distributions have modules called `lsp` or `inference`: ours must not stand in their way, nor they in ours."""
    spec = find_spec(part)
    assert spec is None or spec.origin is None or not Path(spec.origin).is_relative_to(ROOT / part)


def test_the_supported_versions_of_python_are_the_tested_ones() -> None:
    """`.ci/run` tests with each newer version that the machine can have, the workflow with all of them."""
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    oldest, *newer = re.findall(r"Programming Language :: Python :: (3\.\d+)", project)
    assert f'requires-python = ">={oldest}"' in project
    named = ", ".join(f'"{version}"' for version in newer)
    assert f"\nNEWER_PYTHONS = ({named})\n" in (ROOT / "tools" / "ci" / "checks.py").read_text("utf-8")
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    assert f'python-version: "{oldest}"\n' in workflow
    assert f"python-version: [{named}]\n" in workflow


def build_wheel(project: Path, out: Path) -> zipfile.ZipFile:
    pytest.importorskip("hatchling", reason="hatchling builds the wheel (it comes with the group `dev`)")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    (path,) = out.glob("*.whl")
    return zipfile.ZipFile(path)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    return build_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


def test_a_wheel_holds_the_packages_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist()}
    ours = f"editahead-{editahead_lsp.__version__}"
    assert tops == {*PACKAGES, f"{ours}.dist-info", f"{ours}.data"}
    data = {name for name in wheel.namelist() if name.startswith(f"{ours}.data/")}
    pages = {f"{ours}.data/data/share/man/man1/{page.name}" for page in (ROOT / "docs" / "man").iterdir()}
    assert data == pages != set()


def test_the_wheel_of_the_laboratory_holds_its_package_its_man_pages_and_nothing_else(tmp_path: Path) -> None:
    names = set(build_wheel(LAB, tmp_path).namelist())
    files = {
        path.relative_to(LAB).as_posix()
        for path in (LAB / "editahead_lab").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    data = f"editahead_lab-{editahead_lsp.__version__}.data/data/share/man/man1"
    pages = {f"{data}/{page.name}" for page in (LAB / "man").iterdir()}
    assert {name for name in names if ".dist-info/" not in name} == files | pages
    assert {"editahead_lab/training/gate/fit_gate.py", "editahead_lab/apply/sketch_generator.py"} <= files


@pytest.mark.slow
def test_a_wheel_holds_every_file_of_the_packages(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    files = {
        path.relative_to(ROOT / part).as_posix()
        for part in PARTS
        for path in (ROOT / part / f"editahead_{part}").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert files <= names
    assert "editahead_inference/gate/gate.json" in names
    assert "editahead_cli/demo/sample/session.toml" in names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


@pytest.mark.slow
def test_the_wheel_of_the_vscode_extension_is_without_weights_only(
    wheel: zipfile.ZipFile, tmp_path: Path
) -> None:
    assert wheel.filename is not None
    script = ROOT / "editors" / "vscode" / "lighten_wheel.py"
    subprocess.run([sys.executable, script, wheel.filename, tmp_path], check=True)
    (light,) = tmp_path.iterdir()
    with zipfile.ZipFile(light) as made:
        names = set(made.namelist())
        (record,) = (name for name in names if name.endswith(".dist-info/RECORD"))
        listed = {line.split(",")[0] for line in made.read(record).decode().splitlines()}
    assert names == listed == set(wheel.namelist()) - {"editahead_retrieval/vectors/encoder.npz"}
    assert light.stat().st_size < 2_200_000
