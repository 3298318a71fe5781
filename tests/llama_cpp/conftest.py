"""A real server of llama.cpp with a model of 135 million parameters, once for all tests.

tools/environment/get-llama-cpp.sh builds it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from editahead_inference.backends.openai.backend import OpenAIBackend
from editahead_serving.launch_plan import LaunchPlan
from real_llama_cpp import BUILT, PATIENT, make_plan, serving


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.llama_cpp)


@pytest.fixture(scope="session", autouse=True)
def built() -> Path:
    """Return the folder with `bin/llama-server` and `smollm2.gguf`."""
    if not (BUILT / "bin" / "llama-server").is_file():
        pytest.skip("llama.cpp is not built; tools/environment/get-llama-cpp.sh builds it")
    return BUILT


@pytest.fixture(scope="session")
def plan(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LaunchPlan]:
    """Return the plan of a running server."""
    plan = make_plan()
    with serving(plan, tmp_path_factory.mktemp("log") / "llama.log"):
        yield plan


@pytest.fixture
async def llama(plan: LaunchPlan) -> AsyncIterator[OpenAIBackend]:
    backend = OpenAIBackend(plan.url, key=plan.key, waiting=PATIENT)
    yield backend
    await backend.close()
