"""Random interleavings of typing, requests, accepts, rejections, undo and cancels.

No edit is shown against a text that it was neither made for nor rebased to. What a client sees is compared with all
possible rebased forms of the predictions so far. The same holds for a model with all of them in one rewrite.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rapidfuzz.distance import Indel

from editahead_lsp.prediction.coordinator import ReuseOptions
from editahead_lsp.prediction.scheduler import AnswerSource
from editahead_lsp.protocol.custom_messages import Position, Range, TextDocumentContentChange
from editahead_lsp.session.documents import Document
from editahead_prompts.text.edits import Edit, Replacement, compose, interpolate
from editahead_workspace.positions import offset_at, position_at
from model_only_pipeline import ModelOnlyPipeline, StreamingModel
from server_harness import ScriptedPipeline, ServerHarness, position_params

pytestmark = pytest.mark.slow


A = "file:///tmp/a.py"
TEXT = "x = user\nuser()\n😀 user\nend user\n"
SURFACES = ("editahead/nextEdit", "textDocument/copilotInlineEdit", "textDocument/inlineCompletion")
PIECES = ("a", "c", "user", "account", "\n", " ", "😀", "er")

ALWAYS = {"insert": 2, "delete": 2, "look": 6, "ask": 3, "undo": 2, "hold": 1, "reopen": 1}
SCREEN = {"begin": 6, "accept": 3, "reject": 2}
WAITING = {"read": 4, "cancel": 1}
"""How often what is done: always, when there is something on the screen, when an answer is waited for."""
SESSIONS, STEPS = 40, 40
SESSIONS_WITH_MODEL = 12


class Client:
    """One document as an editor has it: every text by version, every change, and what is on the screen."""

    def __init__(self, harness: ServerHarness, pipeline: ScriptedPipeline) -> None:
        self.harness, self.pipeline = harness, pipeline
        self.document = Document(A, "python", 1, TEXT)
        self.texts = {1: TEXT}
        self.edits: dict[int, Edit] = {}
        """From which version on, to the next."""
        self.waiting: dict[int, tuple[str, int]] = {}
        self.screen: list[tuple[str, Edit]] = []
        self.undo: list[str] = []
        self.cursor = 0
        self.refused: set[tuple[str, str]] = set()
        self.early: set[int] = set()
        """Requests that may have been answered before the last refusal."""
        harness.open(A, TEXT)

    @property
    def text(self) -> str:
        return self.document.snapshot.text

    @property
    def version(self) -> int:
        return self.document.snapshot.version

    def place(self, offset: int) -> tuple[int, int]:
        return position_at(self.document.snapshot, offset, "utf-16")

    def make(self, replacement: Replacement, *, undoable: bool = True) -> None:
        if undoable:
            self.undo.append(self.text)
        start, end = self.place(replacement.start), self.place(replacement.end)
        version = self.version
        made = self.document.change(
            version + 1,
            [TextDocumentContentChange(replacement.text, Range(Position(*start), Position(*end)))],
        )
        self.cursor = min(replacement.start + len(replacement.text), len(self.text))
        self.edits[version] = made.edit
        self.texts[version + 1] = self.text
        self.harness.change(A, version + 1, (*start, *end, replacement.text))
        self.screen = []

    async def step(self, what: str, number: int, more: Any) -> None:
        if what == "insert":
            at = number % (len(self.text) + 1)
            self.make(Replacement(at, at, more))
        elif what == "delete":
            at = number % (len(self.text) + 1)
            self.make(Replacement(at, min(at + more, len(self.text)), ""))
        elif what == "begin" and self.screen:
            # Begin to type what is shown, as one does: take out what goes, type the first characters.
            _, edit = self.screen[number % len(self.screen)]
            r = edit.replacements[0]
            self.make(Replacement(r.start, r.end, r.text[:more]))
        elif what == "look":
            await self.step("ask", number, more)
            self.pipeline.open.set()
            await self.read(list(self.waiting)[-1], wait=True)
        elif what == "ask":
            # Where something was typed last, or anywhere.
            at = number // 2 % (len(self.text) + 1) if number % 2 else self.cursor
            line, character = self.place(at)
            context = {"triggerKind": 2} if "next" not in more else {"trigger": "typed"}
            id = self.harness.send(more, position_params(A, self.version, line, character, **context))
            self.waiting[id] = more, self.version
        elif what == "read" and self.waiting:
            if more:
                self.pipeline.open.set()
            else:
                await asyncio.sleep(0)
            await self.read(list(self.waiting)[number % len(self.waiting)], more)
        elif what == "accept" and self.screen:
            id, edit = self.screen[number % len(self.screen)]
            told = {"command": "editahead.accept", "arguments": [id]}
            if more:
                self.harness.notify("workspace/executeCommand", told)
            (whole,) = edit.replacements
            self.make(whole)
            if not more:
                self.harness.notify("workspace/executeCommand", told)
        elif what == "reject" and self.screen:
            id, edit = self.screen.pop(number % len(self.screen))
            self.harness.notify("editahead/outcome", {"id": id, "event": "rejected"})
            self.refused.add((self.text, edit.apply(self.text)))
            self.early.update(self.waiting)
        elif what == "undo" and self.undo:
            self.make(_difference(self.text, self.undo.pop()), undoable=False)
        elif what == "cancel" and self.waiting:
            self.harness.notify("$/cancelRequest", {"id": list(self.waiting)[number % len(self.waiting)]})
        elif what == "hold":
            self.pipeline.open.clear()
        elif what == "reopen":
            self.harness.notify("textDocument/didClose", {"textDocument": {"uri": A}})
            self.edits[self.version] = Edit()
            self.document = Document(A, "python", self.version + 1, self.text)
            self.texts[self.version] = self.text
            self.harness.open(A, self.text, version=self.version)
            self.screen = []

    async def read(self, id: int, wait: bool) -> None:
        """Take the answer, if it is there or waited for, and check all that it shows."""
        if not wait and not self.harness.answered(id):
            return
        surface, asked = self.waiting.pop(id)
        reply = await self.harness.reply(id)
        if "error" in reply:
            assert reply["error"]["code"] == -32800
            return
        self.screen = []
        for shown, version, edit in self.shown(surface, asked, reply["result"]):
            result = edit.apply(self.texts[version])
            is_possible = result in self.possible(version) or self.leads_on(self.texts[version], result)
            assert is_possible, (surface, version, self.texts[version], edit)
            assert (self.texts[version], result) not in self.refused or id in self.early
            if version == self.version and len(edit.replacements) == 1:
                self.screen.append((shown, edit))

    def shown(self, surface: str, asked: int, result: Any) -> Iterator[tuple[str, int, Edit]]:
        """Yield id, version and edit of each suggestion in an answer; without a version, it is the requested one."""
        if surface == SURFACES[0]:
            for p in result["predictions"]:
                version = p["textDocument"]["version"]
                yield p["id"], version, self.edit(version, [(e["range"], e["newText"]) for e in p["edits"]])
        elif surface == SURFACES[1]:
            for e in result["edits"]:
                version = e["textDocument"]["version"]
                yield e["command"]["arguments"][0], version, self.edit(version, [(e["range"], e["text"])])
        else:
            for i in result["items"]:
                yield i["command"]["arguments"][0], asked, self.edit(asked, [(i["range"], i["insertText"])])

    def edit(self, version: int, changes: list[tuple[Any, str]]) -> Edit:
        snapshot = Document(A, "python", version, self.texts[version]).snapshot
        at = [
            [offset_at(snapshot, r[s]["line"], r[s]["character"], "utf-16") for s in ("start", "end")]
            for r, _ in changes
        ]
        pairs = zip(at, changes, strict=True)
        return Edit.from_replacements(
            [Replacement(start, end, new) for (start, end), (_, new) in pairs], snapshot.length
        )

    def possible(self, version: int) -> set[str]:
        """Return the texts to which the predictions so far lead from a version."""
        made = {state.document.text: state for state in list(self.pipeline.calls)}
        results: set[str] = set()
        for start, text in self.texts.items():
            if text not in made or start > version:
                continue
            for candidate in self.pipeline._candidates(made[text]):
                # First the changes made while it was computed, at once; then one by one.
                since: Edit = Edit()
                for until in range(start, version + 1):
                    left = interpolate(candidate.edit, since, text) if since else candidate.edit
                    for at in range(until, version):
                        left = interpolate(left, self.edits[at], self.texts[at]) if left else None
                    if left:
                        results.add(left.apply(self.texts[version]))
                    if until < version:
                        since = compose(since, self.edits[until])
        return results

    def leads_on(self, text: str, result: str) -> bool:
        """Return whether a model's rewrite leads over this text and over the result, without a detour."""
        if not isinstance(self.pipeline, ModelOnlyPipeline):
            return False
        made = {state.document.text for state in list(self.pipeline.calls)}
        ways = [(start, self.pipeline.target(start)) for start in made]
        return any(_way(start, text, end) and _way(text, result, end) for start, end in ways)


def _way(start: str, over: str, end: str) -> bool:
    return Indel.distance(start, over) + Indel.distance(over, end) == Indel.distance(start, end)


def _difference(old: str, new: str) -> Replacement:
    shorter = min(len(old), len(new))
    head = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    tail = next((n for n in range(shorter - head) if old[-1 - n] != new[-1 - n]), shorter - head)
    return Replacement(head, len(old) - tail, new[head : len(new) - tail])


def choose(client: Client, random: Random) -> tuple[str, int, Any]:
    weights = {**ALWAYS, **(SCREEN if client.screen else {}), **(WAITING if client.waiting else {})}
    what = random.choices(list(weights), list(weights.values()))[0]
    more: dict[str, Any] = {
        "insert": random.choice(PIECES),
        "delete": random.randint(1, 5),
        "begin": random.randint(0, 7),
        "look": random.choice(SURFACES),
        "ask": random.choice(SURFACES),
        "read": random.random() < 0.5,
        "accept": random.random() < 0.5,
    }
    return what, random.randrange(10_000), more.get(what)


async def play(harness: ServerHarness, pipeline: ScriptedPipeline, random: Random) -> None:
    """Play one session until every request has its answer."""
    await harness.initialize({"hints": "off", "debounce_ms": 0})
    client = Client(harness, pipeline)
    try:
        for _ in range(STEPS):
            await client.step(*choose(client, random))
    finally:
        pipeline.open.set()
    for id in list(client.waiting):
        await client.read(id, wait=True)


async def session(random: Random, folder: Path) -> Counter[AnswerSource]:
    """Play a session, and return the sources of the answers."""
    pipeline = ScriptedPipeline({"user": "account"})
    harness = ServerHarness(pipeline, user_folder=folder, reuse=ReuseOptions(prefetch=True))
    try:
        await play(harness, pipeline, random)
    finally:
        harness.server.predictions.stop()
    harness.finish()
    return harness.server.predictions.answer_counts


async def soon(seconds: float) -> None:
    """Sleep for a hundredth of the time."""
    await asyncio.sleep(seconds / 100)


async def session_with_model(random: Random, folder: Path) -> StreamingModel:
    pipeline = ModelOnlyPipeline({"user": "admin"})  # words without a letter in common
    model = StreamingModel(pipeline)
    harness = ServerHarness(
        pipeline,
        user_folder=folder,
        reuse=ReuseOptions(prefetch=True),
        sleep=soon,
        create_model=lambda wanted: model,
    )
    try:
        await play(harness, pipeline, random)
    finally:
        await harness.server.predictions.close()
        harness.server.predictions.stop()
    harness.finish()
    return model


async def test_a_models_edits_apply_to_the_shown_text(tmp_path: Path) -> None:
    ended = asked = seed = 0
    # Whether a request is ended before it has its answer is a matter of time, too: go on until one was.
    while seed < SESSIONS_WITH_MODEL or (not ended and seed < 10 * SESSIONS_WITH_MODEL):
        try:
            model = await session_with_model(Random(seed), tmp_path)
            assert model.max_running <= 1, "requests for one document at a time"
            assert model.max_ahead <= 1
            assert model.under_way.total() == 0, "all of them are over"
        except AssertionError as error:
            raise AssertionError(f"seed {seed}") from error
        ended, asked, seed = ended + model.ended, asked + len(model.pipeline.calls), seed + 1
    assert 0 < ended < asked


@pytest.mark.parametrize("part", range(4))
async def test_every_shown_edit_applies_to_the_shown_text(part: int, tmp_path: Path) -> None:
    layers: Counter[AnswerSource] = Counter()
    for seed in range(part, SESSIONS, 4):
        try:
            layers += await session(Random(seed), tmp_path)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}") from error
    assert min(layers[layer] for layer in ("typed", "cache", "computed")) > 0, layers
    # What is computed ahead is shared by whoever asks before it is done: which of the two, the worker's speed decides.
    assert layers["ahead"] + layers["shared"] > 0, layers
