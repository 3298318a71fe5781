"""The time of a session that a client replays."""

from __future__ import annotations

from typing import Any

import pytest

from server_harness import ServerHarness


async def test_the_client_s_time_is_the_session_s(client: ServerHarness) -> None:
    clock = client.server.session.clock
    client.notify("editahead/sessionTime", {"seconds": 10})
    start = clock()
    client.notify("editahead/sessionTime", {"seconds": 12.5})
    assert clock() == pytest.approx(start + 2.5)


@pytest.mark.parametrize("seconds", [-1, 1e300, "x", None, float("inf"), float("nan")])
async def test_an_impossible_time_is_ignored(client: ServerHarness, seconds: Any) -> None:
    client.notify("editahead/sessionTime", {"seconds": 10})
    before = client.server.session.clock()
    client.notify("editahead/sessionTime", {"seconds": seconds})
    assert client.server.session.clock() == before
