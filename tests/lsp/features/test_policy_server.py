"""The server on a machine with a policy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from editahead_workspace.uris import path_to_uri
from machine_policy import write_policy
from server_harness import ServerHarness

__all__ = ["write_policy"]

Write = Callable[[str], Path]
WANTED = {
    "debounce_ms": 0,
    "record": "on",
    "exclude": ["!*"],
    "backend": "openai",
    "url": "https://example.com",
}


async def message(harness: ServerHarness) -> str:
    """Return the next message to the user."""
    found = await harness.take(lambda each: each.get("method") == "window/showMessage")
    return str(found["params"]["message"])


async def test_no_client_weakens_the_policy(
    connect: Callable[..., ServerHarness], write_policy: Write, tmp_path: Path
) -> None:
    write_policy('record = "off"\nbackends = []\nexclude = ["secret/"]')
    harness = connect(environment={"EDITAHEAD_TELEMETRY": "off", "EDITAHEAD_RECORD": "on"})
    await harness.initialize(WANTED)
    for _ in range(2):
        assert "does not allow" in await message(harness)
    harness.notify("workspace/didChangeConfiguration", {"settings": {"editahead": WANTED}})
    server = harness.server
    assert not server.recorder.is_on and server.session.settings.backend == "embedded"
    folder = tmp_path / "secret"
    folder.mkdir()
    uri = path_to_uri(folder / "a.py")
    harness.open(uri, "user = 1\n")
    silence = (await harness.next_edit(uri, 1, 0, 0))["silence"]
    assert silence["reason"] == "excluded"


async def test_a_damaged_policy_leaves_everything_alone(
    connect: Callable[..., ServerHarness], write_policy: Write
) -> None:
    write_policy("[[")
    harness = connect()
    await harness.initialize({"debounce_ms": 0})
    assert "does not count" in await message(harness)
    harness.open("untitled:one", "user = 1\n")
    assert await harness.predictions("untitled:one", 1, 0, 0) == []
