"""A person who types while a server has a tiny `editahead-coder` that is sure of two answers, and checks of what comes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

from lsprotocol import types
from pytest_lsp import LanguageClient

from editahead_inference.backends.base import CompletionRequest, StreamEnd, TextChunk, Usage
from editahead_inference.backends.openai.backend import OpenAIBackend
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_prompts.formats.next_edit.editahead_coder_2611 import NEXT
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.snapshot import Snapshot
from editahead_serving.model_export import ExportedModel
from server_harness import position_params
from server_process import REAL, change_document, plain, spawned
from tiny_coder import coder_tokenizer, saying_coder

LONGEST_S = 300
FORMAT = "editahead-coder"
URI = "file:///project/cart.py"
LINE, PLACE = 40, "    price = "
TEXT = "".join(f"rate_{n} = {n * 37}\n" for n in range(LINE)) + f"{PLACE}\n    return price\n\n\ndone()\n"
CONTINUES = "um(items)"
CHANGES = "stop"


def make_model() -> ExportedModel:
    """Return a model that goes on behind " s", and that replaces the last line in the next edit."""
    end = "<|endoftext|>"
    return saying_coder((" s", f"{CONTINUES}{end}"), (NEXT, f"-done()\n+{CHANGES}(){end}"))


class CoderTyping:
    """A person with one document, who repeats a request while the answer is late."""

    def __init__(self, client: LanguageClient) -> None:
        self.client, self.version, self.typed = client, 1, ""

    async def start(self) -> None:
        capabilities = types.ClientCapabilities()
        await self.client.initialize_session(types.InitializeParams(capabilities=capabilities))
        item = types.TextDocumentItem(uri=URI, language_id="python", version=1, text=TEXT)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def type(self, key: str) -> None:
        self.version += 1
        at = types.Position(LINE, len(PLACE + self.typed))
        change_document(self.client, URI, self.version, types.Range(at, at), key)
        self.typed += key

    async def next_edit(self, trigger: str) -> Any:
        """Return the range and the text of the first edit that is shown."""
        column = len(PLACE + self.typed)
        while True:
            params = position_params(URI, self.version, LINE, column, trigger=trigger)
            found = plain(await self.client.protocol.send_request_async("editahead/nextEdit", params))
            if found["predictions"]:
                prediction = found["predictions"][0]
                assert prediction["source"] == "engine"
                (edit,) = prediction["edits"]
                return edit["range"]["start"], edit["newText"]

    async def status(self) -> Any:
        command = types.ExecuteCommandParams("editahead.status")
        return plain(await self.client.workspace_execute_command_async(command))


async def check_keys_and_pauses(url: str, key: str, folder: Path) -> None:
    """Check that a key gives a continuation, which stays while it is typed, and that a pause gives the next edit.

    Args:
        url: The address of the server with the model.
        key: Its key.
        folder: For the language server's files.
    """
    known = {name: value for name, value in os.environ.items() if not name.startswith("EDITAHEAD_")}
    settings = {"BACKEND": "openai", "URL": url, "API_KEY_ENV": "CODER_KEY", "FORMAT": FORMAT}
    environment = known | {f"EDITAHEAD_{name}": value for name, value in settings.items()}
    folders = {f"XDG_{name}_HOME": str(folder / name) for name in ("CONFIG", "STATE", "CACHE")}
    async with (
        spawned(REAL, environment | folders | {"CODER_KEY": key}) as client,
        asyncio.timeout(LONGEST_S),
    ):
        person = CoderTyping(client)
        await person.start()
        person.type("s")
        for key in CONTINUES:
            rest = CONTINUES[len(person.typed) - 1 :]
            at = {"line": LINE, "character": len(PLACE + person.typed)}
            assert await person.next_edit("typed") == (at, rest)
            person.type(key)
        place, text = await person.next_edit("paused")
        assert (place, text) == ({"line": TEXT.count("\n") - 1, "character": 0}, CHANGES)
        told = await person.status()
    assert told["backend"]["state"] == "ready" and told["cache"]["requests"] >= 2


class Counting(OpenAIBackend):
    """A backend that keeps what was asked and what each request cost."""

    def __init__(self, url: str, **options: Any) -> None:
        super().__init__(url, **options)
        self.costs: list[tuple[CompletionRequest, Usage]] = []

    async def stream(self, query: CompletionRequest) -> AsyncGenerator[TextChunk | StreamEnd, None]:
        async with aclosing(super().stream(query)) as answer:
            async for piece in answer:
                if isinstance(piece, StreamEnd) and piece.usage is not None:
                    self.costs.append((query, piece.usage))
                yield piece


async def check_tokens(backend: Counting, max_computed: int) -> None:
    """Check that the server's prompts are ours to the token, and that it computes few of them a key."""
    tokenizer = coder_tokenizer()
    predictor = ModelPredictor(backend, FORMAT, tokenizer=tokenizer)
    typed = "= other(x, [y for y in zz if 'a' < y])"
    for end in range(1, len(typed) + 1):
        text = TEXT.replace(PLACE, f"{PLACE}{typed[:end]}")
        document = Snapshot.from_text(text, uri=URI, language="python")
        edit = PastEdit(URI, LINE, (PLACE,), (f"{PLACE}{typed[:end]}",), open=True)
        at = text.index(PLACE) + len(PLACE) + end
        response = await predictor.predict(EditorState(document, at, (edit,)))
        assert response.problem is None
    paused = await predictor.predict(EditorState(document, at, (edit,)).after_pause())
    assert paused.problem is None
    (first, _), *keys = backend.costs
    assert len(backend.costs) == len(typed) + 1
    assert first.ids is None and all(query.ids is not None for query, _ in keys), "the counts agree"
    for query, usage in backend.costs:
        assert usage.prompt == len(tokenizer.encode(query.prompt)) > 300
    computed = [usage.prompt - (usage.cached or 0) for _, usage in keys]
    assert max(computed[:-1]) <= max_computed, computed
    assert computed[-1] <= max_computed + 40, "the question and the open edit"
