"""What evaluations share."""

from __future__ import annotations

import pytest

from editahead_cli.commands import eval_common
from editahead_inference.backends.local.small_model import small_model_folder
from editahead_workspace.settings import Settings


def test_servers_of_a_replay_find_the_small_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their cache folder is another one than the user's."""
    monkeypatch.setattr(
        eval_common, "load_configured_model", lambda option: (Settings(backend="local"), object())
    )
    assert eval_common.model_settings()["model"] == str(small_model_folder())
