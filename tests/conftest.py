"""Fixtures and settings of all tests."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from real_postgres import PostgresServer, reason_without_postgres, running_postgres

# Several processes run tests. The threads of each one's fits would wait for the others' in busy loops.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Hypothesis tries the same examples in every run and has no time limits: the result does not depend on luck or load.
settings.register_profile(
    "editahead", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("quick", settings.get_profile("editahead"), max_examples=10)
settings.load_profile("editahead")

_DESELECTION = re.compile(r"not \((.*)\)")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave modules unread whose tests all have a mark that `-m "not (slow or ...)"` deselects: imports take seconds."""
    found = _DESELECTION.fullmatch(config.option.markexpr)
    if not found or collection_path.suffix != ".py":
        return None
    left_out = {f"pytestmark = pytest.mark.{mark}" for mark in found[1].split(" or ")}
    return not left_out.isdisjoint(collection_path.read_text("utf-8").splitlines()) or None


@pytest.fixture(scope="session", autouse=True)
def isolate_user_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep servers that a test starts away from the user's settings and log."""
    folder = tmp_path_factory.mktemp("nobody")
    with pytest.MonkeyPatch.context() as patch:
        for kind in ("CONFIG", "STATE", "DATA", "CACHE"):
            patch.setenv(f"XDG_{kind}_HOME", str(folder / kind.lower()))
        yield


@pytest.fixture(autouse=True)
def forget_safe_path() -> Iterator[None]:
    """Take back what `protect_children` sets, which `main` calls: programs of later tests import from tests/support."""
    yield
    os.environ.pop("PYTHONSAFEPATH", None)


def _postgres() -> Iterator[PostgresServer]:
    reason = reason_without_postgres()
    if reason:
        pytest.skip(f"no PostgreSQL with pgvector: {reason}")
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Yield a server that many tests use, each with a team of its own."""
    yield from _postgres()


@pytest.fixture
def own_postgres() -> Iterator[PostgresServer]:
    """Yield a server that the test may stop."""
    yield from _postgres()
