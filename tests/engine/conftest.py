"""A real vLLM on the CPU, with a tiny model, once for all tests. tools/environment/get-vllm.sh installs what it takes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

import tiny_model
from editahead_inference.backends.openai.backend import OpenAIBackend
from editahead_inference.backends.openai.http_transport import Timeouts
from real_vllm import KEY, serving


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.engine)
            # Warnings of torch and transformers about themselves.
            item.add_marker(pytest.mark.filterwarnings("default"))


@pytest.fixture(scope="session")
def make_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Makes a folder called "tiny" with a model; options as for `tiny_model`."""
    pytest.importorskip("transformers", reason="tools/environment/get-vllm.sh installs what this takes")

    def make(*options: int) -> Path:
        folder = tmp_path_factory.mktemp("models") / "tiny"
        # In a process of its own, whose threads are gone before vLLM and the local backend start theirs.
        command = [sys.executable, tiny_model.__file__, folder, *map(str, options)]
        subprocess.run(command, check=True)
        return folder

    return make


@pytest.fixture(scope="session", autouse=True)
def vllm_cache() -> Iterator[str]:
    """Let vLLM keep between runs what it finds out about its model classes, in a process that imports all of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VLLM_CACHE_ROOT", str(Path(sys.prefix, "cache", "vllm")))
        yield os.environ["VLLM_CACHE_ROOT"]


@pytest.fixture
def engine_environment(tmp_path: Path, vllm_cache: str) -> dict[str, str]:
    """Return the environment of an engine and its language server on the CPU, without the machine's own settings."""
    known = {
        name: value for name, value in os.environ.items() if not name.startswith(("EDITAHEAD_", "VLLM_"))
    }
    return known | {
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "EDITAHEAD_BACKEND": "engine",
        "HF_HUB_OFFLINE": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_CACHE_ROOT": vllm_cache,
        "VLLM_ENABLE_V1_MULTIPROCESSING": "0",  # saves a process, whose imports take ten seconds
    }


@pytest.fixture(scope="session")
def model_folder(make_model: Callable[..., Path]) -> Path:
    return make_model()


@pytest.fixture(scope="session")
def vllm_url(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("vllm", reason="tools/environment/get-vllm.sh installs what this takes")
    with serving(model_folder, tmp_path_factory.mktemp("log") / "vllm.log") as url:
        yield url


@pytest.fixture
async def vllm(vllm_url: str) -> AsyncIterator[OpenAIBackend]:
    backend = OpenAIBackend(
        vllm_url, key=KEY, waiting=Timeouts(connect=60, first=300, between=300, total=900)
    )
    yield backend
    await backend.close()
