"""A little of `tools/campaigns clients`: every request is answered, and nobody's error ends another."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import busy_clients
from clients_long import stay

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc, which is Linux's"),
    pytest.mark.slow,
]


async def test_clients_connect_and_disconnect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(busy_clients, "THINKS_S", (0, 0))
    monkeypatch.setattr(busy_clients, "EDITS_OF_DOCUMENT", 3)
    monkeypatch.setattr(busy_clients, "DOCUMENTS_OF_CONNECTION", 2)
    monkeypatch.setattr("clients_long.REST_S", 0)
    last = (await stay(3, 2.0, tmp_path))[-1]
    assert last["answers"]["result"] > 3 and last["connections"] >= 3
    assert not last["errors"] and not last["unanswered"]
