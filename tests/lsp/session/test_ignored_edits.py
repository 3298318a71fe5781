"""An edit beside which a person typed three others stays away until its place changes."""

from __future__ import annotations

from typing import Any

import pytest

from server_harness import ScriptedPipeline, ServerHarness

A = "file:///a.py"
LINES = [f"x{n} = {n}\n" for n in range(20)]
TEXT = "".join([*LINES, "guest = 1\n"])


@pytest.fixture
def harness() -> Any:
    harness = ServerHarness(ScriptedPipeline({"guest": "visitor"}))
    yield harness
    harness.finish()


class Person:
    """Types edits in lines that are far apart, and looks at what is shown after each."""

    def __init__(self, harness: ServerHarness) -> None:
        self.harness, self.version, self.now = harness, 1, 0.0

    async def look(self, line: int = 0, seconds: float = 2.0) -> list[str]:
        """Return the labels of what is shown, and look at it for some seconds."""
        found = await self.harness.predictions(A, self.version, line, 0, trigger="manual")
        self.now += seconds
        self.harness.notify("editahead/sessionTime", {"seconds": self.now})
        return [one["label"] for one in found]

    async def type(self, line: int, text: str = "# ", seconds: float = 2.0) -> list[str]:
        self.version += 1
        self.harness.change(A, self.version, (line, 0, line, 0, text))
        return await self.look(line, seconds)


@pytest.fixture
async def person(harness: ServerHarness) -> Person:
    await harness.initialize({"debounce_ms": 0})
    harness.notify("editahead/sessionTime", {"seconds": 0.0})
    harness.open(A, TEXT)
    person = Person(harness)
    assert await person.look() == ["guest -> visitor"]
    return person


async def test_ignored_three_times_it_stays_away(person: Person) -> None:
    assert [await person.type(line) for line in (0, 4, 8, 12)] == [["guest -> visitor"]] * 2 + [[], []]
    assert (await person.harness.command("status"))["outcomes"]["rejected"] == 0


async def test_what_is_typed_on_is_one_edit(person: Person) -> None:
    shown = [await person.type(4) for _ in range(6)]
    assert shown == [["guest -> visitor"]] * 6


async def test_what_nobody_had_time_to_read_was_not_ignored(person: Person) -> None:
    await person.look(seconds=0.0)
    person.harness.change(A, 2, TEXT.replace("guest", "host"))
    person.harness.change(A, 3, TEXT)
    person.version = 3
    await person.look(seconds=0.1)
    shown = [await person.type(line, seconds=0.1) for line in (0, 4, 8, 12)]
    assert shown == [["guest -> visitor"]] * 4


async def test_it_comes_back_once_its_place_changes(person: Person) -> None:
    for line in (0, 4, 8):
        await person.type(line)
    assert await person.type(20, "my_") == ["guest -> visitor"]


async def test_it_comes_back_when_asked_for(person: Person) -> None:
    for line in (0, 4, 8):
        await person.type(line)
    assert await person.look() == []
    assert await person.harness.command("restore") == {"restored": True}
    assert [await person.look(), await person.type(12), await person.type(16)] == [["guest -> visitor"]] * 3
