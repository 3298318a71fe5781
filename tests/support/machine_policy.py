"""A policy for the tests: what a machine's file says, as if another account had written it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from editahead_workspace import policy


@pytest.fixture
def write_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Return a function that writes the policy of this machine and returns its file."""
    file = tmp_path / "etc" / policy.FILE_NAME

    def write(text: str) -> Path:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
        return file

    monkeypatch.setattr(policy, "policy_file", lambda: file)
    monkeypatch.setattr(policy, "own_account", lambda: None)
    return write
