"""A short run of each part of the campaign of kills, so that `tools/campaigns kill` works when it is wanted."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kill_long import SHARES, kill

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are watched in /proc, which is Linux's"),
]


@pytest.mark.parametrize("kind", SHARES)
def test_a_part_of_the_campaign(kind: str, tmp_path: Path) -> None:
    assert kill(kind, 10 if kind == "write" else 2, tmp_path, seed=7)
