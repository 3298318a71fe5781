from __future__ import annotations

import json
from pathlib import Path

import pytest

import stub_vllm


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of a model."""
    (tmp_path / "models" / "coder-30b").mkdir(parents=True)
    (tmp_path / "models" / "coder-30b" / "config.json").write_text(json.dumps(stub_vllm.CONFIG))
    return tmp_path / "models" / "coder-30b"
