"""Drafts with real models in transformers: fewer steps, unchanged answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import small_model
from draft_tests import DraftTests
from editahead_inference.backends.local.model import LocalModel

pytest.importorskip("transformers", reason="tools/environment/get-vllm.sh installs what this takes")

KINDS: dict[str, dict[str, Any]] = {"experts": {}, "dense": {"experts": False}}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {
        kind: small_model.make(
            tmp_path_factory.mktemp("model") / "editahead-tiny", small_model.config(**options), number
        )
        for number, (kind, options) in enumerate(KINDS.items())
    }


@pytest.fixture(params=KINDS)
def model(request: pytest.FixtureRequest, folders: dict[str, Path]) -> LocalModel:
    return LocalModel(folders[str(request.param)], "float32", 0, 1 << 26)


class TestTransformers(DraftTests):
    pass
