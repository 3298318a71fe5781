"""The choice of a backend by the settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from editahead_inference.backends import factory
from editahead_inference.backends.base import Backend
from editahead_inference.backends.engine import EngineBackend
from editahead_inference.backends.local.backend import LocalBackend


def chosen(backend: str, model: str | None = None) -> Backend | None:
    return factory.create_backend(
        backend, url=None, model=model, api_key_env=None, environment={}, engine=Path("/nowhere/engine.json")
    )


async def test_the_engine_is_looked_for_when_it_is_asked() -> None:
    found = chosen("engine", "a/zeta-2")
    assert isinstance(found, EngineBackend) and found.model == "zeta-2"
    await found.close()


async def test_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for model in (str(tmp_path / "editahead-1"), "~/editahead-1"):
        found = chosen("local", model)
        assert isinstance(found, LocalBackend)
        assert (found.name, found.model) == ("local editahead-1", "editahead-1")
        assert found.capabilities.tokenizer == tmp_path / "editahead-1"
        await found.close()


async def test_the_small_model_once_it_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(ValueError, match="`editahead models use editahead-coder` installs one"):
        chosen("local")
    folder = tmp_path / "editahead" / "models" / "editahead-coder"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    found = chosen("local")
    assert found is not None and found.model == "editahead-coder"
    assert found.capabilities.tokenizer == folder
    await found.close()


@pytest.mark.parametrize("model", ["editahead-1", "./editahead-1", "", "~nobody-of-this-name/editahead-1"])
def test_a_relative_name_is_none_of_a_folder(model: str) -> None:
    with pytest.raises(ValueError, match="whole path"):
        chosen("local", model)
