"""Evidence of the client's other language servers: it is asked for before a rename, and leads its edits afterwards."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from editahead_inference.pipeline import Pipeline
from editahead_workspace.uris import path_to_uri
from memory_codebase import MemoryCodebase
from server_harness import ServerHarness, lsp_range

SHOWS = {"showDocument": {"support": True}}
FRUIT = "class Apple:\n    def weigh(self, scale):\n        return scale\n\n\nclass Pear:\n    pass\n"
USES = 'def bill(it, other):\n    """Calls weigh."""\n    total = it.weigh(1)\n    return other.weigh(2)\n'
CLOSED = "def pack(box):\n    return [f.weigh(3) for f in box]\n"


class Person:
    """A person whose editor has another language server, with the answers of that server."""

    def __init__(self, harness: ServerHarness, root: Path) -> None:
        self.harness = harness
        self.fruit, self.uses, self.closed = (
            path_to_uri(root / name) for name in ("fruit.py", "uses.py", "closed.py")
        )

    async def start(self) -> None:
        await self.harness.initialize({"eagerness": 0.5, "debounce_ms": 0}, root=self.root(), window=SHOWS)
        self.harness.open(self.uses, USES)
        self.harness.open(self.fruit, FRUIT)

    def root(self) -> Path:
        return Path(self.fruit.removeprefix("file://")).parent

    async def asked(self, line: int = 1, character: int = 10) -> dict[str, Any]:
        """Go to a place of the definition, and return what the server asks."""
        await self.harness.next_edit(self.fruit, 1, line, character, trigger="cursor", evidence=True)
        message = await self.harness.take(lambda found: found.get("method") == "editahead/askEvidence")
        params: dict[str, Any] = message["params"]
        return params

    def report(self, asked: dict[str, Any], **told: Any) -> None:
        self.harness.notify("editahead/evidence", {"source": "scripted", "complete": True, **asked, **told})

    def rename(self, new: str = "weight_of", version: int = 2) -> None:
        self.harness.change(self.fruit, version, (1, 8, 1, 13, new))

    async def found(self, version: int = 2) -> list[tuple[str, int]]:
        """Return the places of the predictions: the file's name and the line."""
        found = await self.harness.predictions(self.fruit, version, 5, 0, trigger="manual")
        return sorted({(_name(one), _line(one)) for one in found})


def _name(prediction: dict[str, Any]) -> str:
    return str(prediction["textDocument"]["uri"]).rpartition("/")[2]


def _line(prediction: dict[str, Any]) -> int:
    return int(prediction["edits"][0]["range"]["start"]["line"])


def reference(uri: str, *at: int) -> dict[str, Any]:
    return {"uri": uri, "range": lsp_range(at[0], at[1], at[0], at[2])}


@pytest.fixture
def person(tmp_path: Path) -> Any:
    codebase = MemoryCodebase({path_to_uri(tmp_path / "closed.py"): CLOSED})
    harness = ServerHarness(Pipeline(codebase=codebase))
    harness.server.session.index_version = 1
    yield Person(harness, tmp_path)
    harness.finish()


async def test_it_is_asked_for_at_a_declared_name(person: Person) -> None:
    await person.start()
    asked = await person.asked()
    assert asked == {
        "textDocument": {"uri": person.fruit, "version": 1},
        "symbol": {"range": lsp_range(1, 8, 1, 13), "old": "weigh", "new": "weigh_editahead"},
    }


async def test_it_is_asked_for_in_the_parameters(person: Person) -> None:
    await person.start()
    asked = await person.asked(1, 18)  # between two parameters, of which neither is touched
    assert asked["symbol"]["old"] in ("weigh", "self")


async def test_nobody_is_asked_who_did_not_offer_it(person: Person) -> None:
    await person.start()
    await person.harness.next_edit(person.fruit, 1, 1, 10, trigger="cursor")
    assert person.harness.server.evidence_requests._task is None


async def test_a_place_without_a_declaration_asks_nothing(person: Person) -> None:
    await person.start()
    requests = person.harness.server.evidence_requests
    await person.harness.next_edit(person.fruit, 1, 2, 10, trigger="cursor", evidence=True)
    assert requests._task is not None
    await asyncio.wait_for(requests._task, 5)
    assert requests._asked is None


async def test_its_places_follow_a_rename_and_others_do_not(person: Person) -> None:
    await person.start()
    person.report(await person.asked(), references=[reference(person.uses, 2, 15, 20)])
    person.rename()
    assert await person.found() == [("uses.py", 2)]


async def test_a_closed_file_of_the_other_server_is_searched(person: Person) -> None:
    await person.start()
    person.report(await person.asked(), references=[reference(person.closed, 1, 14, 19)])
    person.rename()
    assert await person.found() == [("closed.py", 1)]


async def test_places_move_with_the_typing_since(person: Person) -> None:
    await person.start()
    asked = await person.asked()
    person.harness.change(person.uses, 2, (0, 0, 0, 0, "import os\n\n"))
    person.report(asked, references=[reference(person.uses, 4, 15, 20)])
    person.harness.change(person.uses, 3, (0, 0, 0, 0, "import re\n"))
    person.rename()
    assert await person.found() == [("uses.py", 5)]


async def test_an_answer_arrives_while_the_name_is_typed(person: Person) -> None:
    await person.start()
    asked = await person.asked()
    person.rename()
    person.report(asked, references=[reference(person.uses, 2, 15, 20)])
    assert await person.found() == [("uses.py", 2)]


async def test_a_rename_that_needs_more_than_the_name(person: Person) -> None:
    await person.start()
    place = {**reference(person.uses, 2, 15, 20), "newText": "old_weigh.weigh_editahead"}
    person.report(await person.asked(), renames=[place])
    person.rename()
    (found,) = await person.harness.predictions(person.fruit, 2, 5, 0, trigger="manual")
    assert "old_weigh." in found["edits"][0]["newText"]


@pytest.mark.parametrize(
    "told",
    [
        {"textDocument": {"uri": "file:///elsewhere/x.py", "version": 1}},
        {"symbol": None},
        {"symbol": {"range": lsp_range(1, 8, 1, 13), "old": "", "new": "x"}},
        {"symbol": {"range": lsp_range(1, 8, 1, 13), "old": "weigh", "new": ""}},
        {"symbol": {"range": lsp_range(0, 0, 0, 5), "old": "weigh", "new": "y"}},
        {"symbol": {"range": lsp_range(-1, -5, 10**12, 0), "old": "weigh", "new": "y"}},
        {"symbol": "x"},
        {"references": 7},
        {"references": [{"uri": 7, "range": None}]},
        {"renames": [{"uri": "file:///etc/passwd", "range": lsp_range(0, 0, 0, 4), "newText": "a\nb"}]},
        {"textDocument": {"uri": "", "version": "x"}},
    ],
)
async def test_what_is_not_true_is_ignored(person: Person, told: dict[str, Any]) -> None:
    await person.start()
    person.report(await person.asked(), **{"references": [], "complete": False} | told)
    person.rename()
    evidence = person.harness.server.session.evidence.touched
    assert all(not one.places and not one.closed_places for one in evidence)
    assert await person.found() == []


async def test_places_outside_of_the_workspace_are_ignored(person: Person) -> None:
    await person.start()
    outside = [reference("file:///etc/passwd", 0, 0, 5), reference("untitled:1", 0, 0, 5)]
    person.report(await person.asked(), references=outside)
    person.rename()
    (evidence,) = person.harness.server.session.evidence.touched
    assert not evidence.closed_places


async def test_more_places_than_are_kept_are_not_complete(person: Person) -> None:
    await person.start()
    many = [reference(person.closed, line, 0, 5) for line in range(10_000)]
    person.report(await person.asked(), references=many)
    person.rename()
    (evidence,) = person.harness.server.session.evidence.touched
    assert len(evidence.closed_places) == 500
    assert not evidence.is_complete


async def test_places_that_were_not_read_are_not_complete(person: Person) -> None:
    await person.start()
    outside = [reference("file:///elsewhere/x.py", line, 0, 5) for line in range(500)]
    used = [reference(person.closed, 1, 14, 19), *outside, reference(person.uses, 2, 15, 20)]
    person.report(await person.asked(), references=used)
    person.rename()
    (evidence,) = person.harness.server.session.evidence.touched
    assert len(evidence.closed_places) == 1 and not evidence.places
    assert not evidence.is_complete


async def test_no_ignore_file_is_read_for_the_files_of_places(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    await person.start()
    asked, looked = await person.asked(), []
    exclusion = person.harness.server.session.exclusion
    monkeypatch.setattr(exclusion, "exclusion_reason", looked.append)
    person.report(asked, references=[reference(person.closed, 1, 14, 19)])
    person.rename()
    assert len(person.harness.server.session.evidence.touched[0].closed_places) == 1
    assert person.closed not in looked


@pytest.mark.parametrize("end", ["\n", "\r"])
async def test_a_rename_that_adds_a_line_is_ignored(person: Person, end: str) -> None:
    await person.start()
    place = {**reference(person.uses, 2, 15, 20), "newText": f"old{end}weigh_editahead"}
    person.report(await person.asked(), renames=[place])
    person.rename()
    (evidence,) = person.harness.server.session.evidence.touched
    assert not evidence.places


async def test_an_old_version_is_dropped(person: Person) -> None:
    await person.start()
    asked = await person.asked()
    asked["textDocument"]["version"] = 0
    person.report(asked, references=[reference(person.uses, 2, 15, 20)])
    person.rename()
    assert not person.harness.server.session.evidence.touched
