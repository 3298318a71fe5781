"""Typing with a tiny `editahead-coder` on a real vLLM: through the language server, and the tokens of each key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from coder_typing import Counting, check_keys_and_pauses, check_tokens, make_model
from editahead_inference.backends.openai.http_transport import Timeouts
from editahead_serving.model_export import write_folder
from real_vllm import BLOCK, KEY, serving

pytest.importorskip("vllm", reason="tools/environment/get-vllm.sh installs what this takes")

PATIENT = Timeouts(connect=60, first=300, between=300, total=900)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("coder")
    write_folder(make_model(), folder / "tiny")
    with serving(folder / "tiny", folder / "vllm.log", "--max-model-len", "2048") as url:
        yield url


async def test_keys_and_pauses(url: str, tmp_path: Path) -> None:
    await check_keys_and_pauses(url, KEY, tmp_path)


async def test_tokens(url: str) -> None:
    """vLLM keeps whole blocks."""
    backend = Counting(url, key=KEY, waiting=PATIENT)
    await check_tokens(backend, BLOCK)
    await backend.close()
