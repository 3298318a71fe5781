"""The shared cache, and the pinned versions."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
CACHED = ROOT / "tools" / "environment" / "cached"
FILL = 'mkdir "$1"; echo made >"$1/content"; echo run >>RUNS'
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT, GROUPS = PYPROJECT["project"], PYPROJECT["dependency-groups"]


@cache
def locked_packages() -> list[dict[str, Any]]:
    return tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))["package"]


def cached(cache: Path, fill: str = FILL, name: str = "thing") -> subprocess.CompletedProcess[str]:
    runs = cache.parent / "runs"
    runs.touch()
    command = [CACHED, name, "bash", "-c", fill.replace("RUNS", str(runs)), "fill"]
    environment = {**os.environ, "EDITAHEAD_CACHE": str(cache)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def runs(cache: Path) -> int:
    return (cache.parent / "runs").read_text().count("run")


def test_a_folder_is_filled_once(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first, second = cached(cache), cached(cache)
    assert first.stdout == second.stdout == f"{cache}/thing\n", first.stderr
    assert (cache / "thing" / "content").read_text() == "made\n"
    assert runs(cache) == 1


def test_a_failure_leaves_nothing_and_keeps_its_exit_status(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert cached(cache, 'mkdir "$1"; exit 3').returncode == 3
    assert not list(cache.iterdir())
    assert cached(cache).returncode == 0


def test_half_of_a_folder_is_replaced(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (cache / "thing").mkdir(parents=True)
    (cache / "thing" / "half").touch()
    assert cached(cache).returncode == 0
    assert {path.name for path in (cache / "thing").iterdir()} == {"complete", "content"}


def test_two_checkouts_at_once_get_the_same_folder(tmp_path: Path) -> None:
    """Each waits until both have begun: then both fill, and one of the two is kept."""
    cache = tmp_path / "cache"
    meet = f'{FILL}; until [[ $(wc -l <RUNS) == 2 ]]; do sleep 0.01; done; echo "$1" >"$1/whose"'
    runs_file = str(tmp_path / "runs")
    command = [CACHED, "thing", "bash", "-c", meet.replace("RUNS", runs_file), "fill"]
    environment = {**os.environ, "EDITAHEAD_CACHE": str(cache)}
    (tmp_path / "runs").touch()
    both = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate()[0] for process in both] == [f"{cache}/thing\n"] * 2
    assert [path.name for path in cache.iterdir()] == ["thing"]
    assert {path.name for path in (cache / "thing").iterdir()} == {"complete", "content", "whose"}


def test_a_cache_that_cannot_be_written_is_replaced(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    (checkout / "tools" / "environment").mkdir(parents=True)
    script = checkout / "tools" / "environment" / "cached"
    script.write_text(CACHED.read_text("utf-8"), "utf-8")
    (tmp_path / "file").touch()
    done = subprocess.run(
        ["bash", script, "thing", "mkdir"],
        env={**os.environ, "EDITAHEAD_CACHE": str(tmp_path / "file" / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{checkout}/.venv/cache/thing\n"


def pins(name: str) -> dict[str, str]:
    """Return the pinned version of each package of a lock file, for the interpreter that runs the tests."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8")
    found = [
        Requirement(line.removesuffix("\\").strip())
        for line in re.findall(r"^[a-z0-9].*", text, re.MULTILINE)
    ]
    return {
        canonicalize_name(pin.name): str(pin.specifier).removeprefix("==")
        for pin in found
        if pin.marker is None or pin.marker.evaluate()
    }


def in_group(name: str) -> Iterator[str]:
    """Yield the requirements of a group, with those of the groups that it includes."""
    for item in GROUPS[name]:
        if isinstance(item, str):
            yield item
        else:
            yield from in_group(item["include-group"])


@pytest.mark.parametrize(("name", "group"), [("run", "build"), ("engine-cpu", "test")])
def test_what_is_required_is_pinned(name: str, group: str) -> None:
    pinned = pins(name)
    for requirement in map(Requirement, (*PROJECT["dependencies"], *in_group(group))):
        if requirement.marker is None or requirement.marker.evaluate():
            assert pinned[canonicalize_name(requirement.name)] in requirement.specifier


def wanted(texts: Iterable[str]) -> set[tuple[str, SpecifierSet]]:
    return {(canonicalize_name(each.name), each.specifier) for each in map(Requirement, texts)}


def locked(rows: Iterable[dict[str, str]]) -> set[tuple[str, SpecifierSet]]:
    return {(row["name"], SpecifierSet(row.get("specifier", ""))) for row in rows}


def test_the_lock_is_that_of_the_project() -> None:
    (ours,) = (package["metadata"] for package in locked_packages() if package["name"] == PROJECT["name"])
    extras = {text for texts in PROJECT["optional-dependencies"].values() for text in texts}
    here = PYPROJECT["tool"]["uv"]["sources"].keys()  # distributions of this repository
    required = {row for row in wanted([*PROJECT["dependencies"], *extras]) if row[0] not in here}
    assert locked(row for row in ours["requires-dist"] if row["name"] not in here) == required
    assert {name: locked(rows) for name, rows in ours["requires-dev"].items()} == {
        name: wanted(in_group(name)) for name in GROUPS
    }


def test_the_lock_names_the_public_index_only() -> None:
    hosts = set(re.findall(r"://([^/\"]+)", (ROOT / "uv.lock").read_text("utf-8")))
    assert hosts == {"pypi.org", "files.pythonhosted.org"}


def test_the_tests_run_with_the_versions_that_users_get() -> None:
    versions = {(package["name"], package.get("version")) for package in locked_packages()}
    assert pins("run").items() <= versions


@pytest.mark.parametrize("name", ["run", "engine-cpu", "uv"])
def test_pins_have_hashes_and_name_no_index(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8")
    assert "://" not in text and "index" not in text
    for pin in re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]:
        assert "--hash=sha256:" in pin
