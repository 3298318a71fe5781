"""The real server with model servers that fail in every way, as real processes with real sockets."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from editahead_evals.client.editor import Editor
from editahead_evals.client.lsp_client import LanguageClient, isolated_environment
from fake_model_server import Exchange, ModelServer

pytestmark = pytest.mark.slow


IMPATIENT = [sys.executable, str(Path(__file__).parents[1] / "support" / "server_short_timeouts.py")]
TEXT = "import money\n\n\ndef total(items, tax):\n    price = sum(items)\n    return money.euro(price)\n"
NEW = TEXT.replace("sum(items)", "sum(items) * (1 + tax)")
RENAMED = "function f(user) {\n  a(user);\n\n  b(user);\n\n  c(user);\n}\n"
PATH = "/v1/completions"


async def well(exchange: Exchange) -> None:
    await exchange.start()
    for line in NEW.splitlines(keepends=True):
        await exchange.text(line)
    await exchange.text("", "stop")
    await exchange.end()


async def error_500(exchange: Exchange) -> None:
    await exchange.json({"error": {"message": "out of memory"}}, 500)


async def a_web_page(exchange: Exchange) -> None:
    await exchange.whole(b"<html><body>Welcome</body></html>", kind="text/html")


async def half_a_line(exchange: Exchange) -> None:
    await exchange.start()
    await exchange.chunk(b'data: {"choices": [{"index": 0, "te')
    await exchange.raw(b"0\r\n\r\n")


async def another_model(exchange: Exchange) -> None:
    await exchange.json({"error": {"message": "The model does not exist"}}, 404)


async def a_long_line(exchange: Exchange) -> None:
    await exchange.start()
    await exchange.chunk(b"data: " + b"x" * 10_000_000)
    await exchange.end()


async def nothing(exchange: Exchange) -> None:
    await exchange.start()
    await exchange.hung_up.wait()


async def death(exchange: Exchange) -> None:
    await exchange.start()
    await exchange.text("import money\n")
    exchange.hang_up()


TROUBLES = {
    error_500: "500",
    a_web_page: "",
    half_a_line: "",
    another_model: "no model",
    a_long_line: "",
    nothing: "",
    death: "",
}
"""With a word of what the status then says."""


class Person:
    """A user whose requests run off the event loop, so that the model server can answer."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self.plain, self.renamed = editor.uri("plain.py"), editor.uri("renamed.js")
        editor.open(self.plain, "python", TEXT)
        editor.open(self.renamed, "javascript", RENAMED)
        editor.replace(self.renamed, 11, 15, "account")

    async def asks(self, uri: str, line: int = 4) -> Any:
        return (await asyncio.to_thread(self._editor.next_edit, uri, (line, 4))).result

    async def types_and_asks(self) -> Any:
        """Type, so that no earlier answer applies, and return the next answer."""
        end = len(self._editor.documents[self.plain].text)
        self._editor.replace(self.plain, end, end, "# \n")
        return await self.asks(self.plain)

    async def backend(self) -> Any:
        return (await asyncio.to_thread(self._editor.execute, "editahead.status")).result["backend"]


@pytest_asyncio.fixture
async def models() -> AsyncIterator[ModelServer]:
    async with ModelServer({PATH: well}) as server:
        yield server


@pytest_asyncio.fixture
async def person(models: ModelServer, tmp_path: Path) -> AsyncIterator[Person]:
    settings = {"backend": "openai", "url": models.url, "model": "m", "format": "zeta-2", "debounce_ms": 0}
    client = LanguageClient(IMPATIENT, env=isolated_environment(tmp_path))
    editor = await asyncio.to_thread(lambda: Editor(settings, client=client))
    try:
        yield Person(editor)
    finally:
        await asyncio.to_thread(editor.__exit__, None, None, None)


async def until_it_is_well(person: Person) -> None:
    for _ in range(1000):
        if (await person.types_and_asks())["predictions"]:
            return
    raise AssertionError("it never recovered")


async def test_whatever_a_server_of_models_does_the_rules_go_on(models: ModelServer, person: Person) -> None:
    await until_it_is_well(person)
    all_is_well = await person.backend()
    assert (all_is_well["state"], all_is_well["detail"]) == ("ready", "")
    for trouble, word in TROUBLES.items():
        models.answers[PATH] = trouble
        assert (await person.types_and_asks())["predictions"] == [], trouble
        assert (await person.asks(person.renamed, 0))["predictions"][0]["source"] == "propagation"
        backend = await person.backend()
        assert backend["state"] in ("degraded", "gone"), trouble
        assert backend["detail"] and word in backend["detail"], trouble
        models.answers[PATH] = well
        await until_it_is_well(person)
        assert await person.backend() == all_is_well
    # It goes, and comes back.
    await models.__aexit__()
    reasons = {(await person.types_and_asks())["silence"]["reason"] for _ in range(5)}
    assert "engine-unavailable" in reasons
    assert (await person.backend())["state"] == "gone"
    assert (await person.asks(person.renamed, 0))["predictions"]
    async with ModelServer({PATH: well}, port=models.port):
        await until_it_is_well(person)
        assert await person.backend() == all_is_well
