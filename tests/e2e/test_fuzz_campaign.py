"""A short run of each part of the fuzzing campaign, so that `tools/campaigns fuzz` works when it is wanted."""

from __future__ import annotations

import pytest

from fuzz_long import fuzz_client, fuzz_target
from fuzz_targets import TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_target(name: str) -> None:
    assert fuzz_target(name, 3, None) >= 1


async def test_client() -> None:
    assert await fuzz_client(1, 100) == 100
