"""Typing with a tiny `editahead-coder` on a real llama.cpp: through the language server, and the tokens of each key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from coder_typing import FORMAT, Counting, check_keys_and_pauses, check_tokens, make_model
from editahead_serving.launch_plan import LaunchPlan
from editahead_serving.model_export import write_gguf
from real_llama_cpp import PATIENT, make_plan, serving


@pytest.fixture(scope="module")
def coder(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LaunchPlan]:
    folder = tmp_path_factory.mktemp("coder")
    file = folder / f"{FORMAT}.gguf"
    write_gguf(make_model(), file, "Q8_0", {})
    plan = make_plan(file)
    with serving(plan, folder / "llama.log"):
        yield plan


async def test_keys_and_pauses(coder: LaunchPlan, tmp_path: Path) -> None:
    await check_keys_and_pauses(coder.url, coder.key, tmp_path)


async def test_tokens(coder: LaunchPlan) -> None:
    """llama.cpp keeps all of a prompt but what may have changed at its end."""
    backend = Counting(coder.url, key=coder.key, waiting=PATIENT)
    await check_tokens(backend, 3)
    await backend.close()
