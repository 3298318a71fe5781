"""The search for published weaknesses of dependencies: what it makes of the reports of pip-audit and npm."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
FINE = {"dependencies": [{"name": "rich", "version": "15.0.0", "vulns": []}]}
WEAK = {
    "dependencies": [
        {"name": "h11", "version": "0.1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["0.2"]}]},
        {"name": "idna", "version": "1", "vulns": [{"id": "PYSEC-2", "fix_versions": []}]},
    ]
}
SKIPPED = {"dependencies": [*FINE["dependencies"], {"name": "rich", "skip_reason": "not found"}]}
NPM_FINE: dict[str, Any] = {"vulnerabilities": {}}
NPM_WEAK = {
    "vulnerabilities": {
        "esbuild": {"severity": "moderate", "range": "<1"},
        "ovsx": {"severity": "low", "range": "<2"},
    }
}
NPM_UNKNOWN = {"message": "405 Method Not Allowed", "error": {}}


@pytest.fixture(scope="module")
def advisories() -> ModuleType:
    spec = importlib.util.spec_from_file_location("advisories", ROOT / "tools" / "ci" / "advisories.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("python", "npm", "status", "said"),
    [
        (FINE, NPM_FINE, 0, "no known weaknesses\n"),
        (WEAK, NPM_FINE, 1, "h11 0.1: PYSEC-1, fixed in 0.2\nidna 1: PYSEC-2, fixed in no version yet\n"),
        (FINE, NPM_WEAK, 1, "esbuild <1: moderate\n"),
        (SKIPPED, NPM_WEAK, 1, None),
        (SKIPPED, NPM_FINE, 3, None),
        (None, NPM_FINE, 3, None),
        (FINE, NPM_UNKNOWN, 3, "npm: 405 Method Not Allowed\n"),
        (FINE, None, 3, "npm: npm audit prints no report\n"),
    ],
)
def test_the_reports_decide(
    advisories: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    python: Any,
    npm: Any,
    status: int,
    said: str | None,
) -> None:
    monkeypatch.setattr(advisories, "pinned_files", lambda: [Path("a.txt"), Path("b.txt")])
    monkeypatch.setattr(advisories, "ask", lambda *command, **_: npm if command[0] == "npm" else python)
    monkeypatch.setattr(advisories.shutil, "which", lambda name: name)
    assert advisories.main() == status
    assert said in (None, capsys.readouterr().out)


def test_all_pinned_packages_are_asked_about(advisories: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advisories.subprocess, "run", lambda *_, **__: None)
    names = {lock.stem for lock in advisories.pinned_files()}
    assert names == {"uv.lock", "engine-cpu", "llama-cpp", "run", "uv"}


def test_what_prints_no_report_is_no_success(
    advisories: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert advisories.ask("sh", "-c", "echo broken; echo why >&2; exit 1") is None
    assert capsys.readouterr().err.strip() == "why"
    assert advisories.ask("sh", "-c", f"echo '{json.dumps(FINE)}'; exit 1") == FINE
