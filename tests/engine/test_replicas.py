"""Two real vLLMs behind a real nginx with a language server.

Each document stays on its replica. One replica is killed during an answer, and no request is lost.
"""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from editahead_serving import nginx_router
from editahead_serving.errors import EngineUnavailableError
from editahead_serving.hardware import physical_cores
from engine_process import Engine, Person, engine, group
from real_vllm import metric
from server_harness import position_params
from server_process import REAL, change_document, plain, spawned

LONGEST_S = 900
pytest.importorskip("vllm", reason="tools/environment/get-vllm.sh installs what this takes")


@pytest.fixture(autouse=True)
def nginx() -> None:
    try:
        nginx_router.find_nginx(os.environ)
    except EngineUnavailableError as error:
        pytest.skip(str(error))


@pytest.fixture
def environment(engine_environment: dict[str, str]) -> dict[str, str]:
    # This format takes any answer of a tiny model, up to 256 tokens.
    return engine_environment | {"EDITAHEAD_FORMAT": "fim-qwen"}


def bound(pid: int) -> set[str]:
    """Return the cores that a replica is bound to."""
    name, words = "VLLM_CPU_OMP_THREADS_BIND=", Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    (told,) = [word.removeprefix(name) for word in words if word.startswith(name)]
    return set(told.split(","))


async def asked(running: Engine) -> dict[int, float]:
    """Return the prompt tokens that each responding replica computed or had in its cache, by port."""
    found = {}
    for port in running.replicas():
        try:
            found[port] = await metric(f"http://127.0.0.1:{port}", "vllm:prompt_tokens_total")
        except OSError:
            continue
    return found


async def replica_of(person: Person, running: Engine) -> int:
    """Return the port of the replica with the user's document, and check that it is always the same one.

    The first rounds may still count requests about another document, so three in a row must agree.
    """
    rounds: list[list[int]] = []
    for _ in range(12):
        before = after = await asked(running)
        for _ in range(2):
            now = after  # prompts are counted when they are computed, long before these answers end
            while (after := await asked(running)) == now:
                await person.next_edit()
        rounds.append([port for port in after if after[port] > before.get(port, 0)])
        if len(rounds[-1]) == 1 and rounds[-3:] == 3 * rounds[-1:]:
            return rounds[-1][0]
    raise AssertionError(f"a document is at {rounds}")


async def killed_while_it_answers(person: Person, running: Engine, port: int) -> None:
    """Kill a replica in the middle of an answer that the user waits for."""
    url = f"http://127.0.0.1:{port}"
    for _ in range(100):
        said = await metric(url, "vllm:generation_tokens_total")
        waiting = asyncio.ensure_future(person.next_edit())
        while not waiting.done():
            if await metric(url, "vllm:generation_tokens_total") > said:
                os.killpg(running.replicas()[port], signal.SIGKILL)
                await waiting
                return
    raise AssertionError("no answer is long enough")


async def rename(client: LanguageClient) -> None:
    """Check with a rename that the language server and the editor have the same text."""
    text = "def f(user):\n    a(user)\n    b(user)\n"
    uri = "file:///tmp/renamed.py"
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, text))
    )
    where = types.Range(types.Position(0, 6), types.Position(0, 10))
    change_document(client, uri, 2, where, "account")
    found = plain(
        await client.protocol.send_request_async("editahead/nextEdit", position_params(uri, 2, 0, 13))
    )
    assert "account" in str(found["predictions"])
    # The rules are sure of the rest of the rename, and would answer alone in the other documents as long as it is open.
    client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))


async def test_one_is_killed_while_it_answers(model_folder: Path, environment: dict[str, str]) -> None:
    async with (
        engine(model_folder, environment, "--replicas", "2", "--no-drafts") as running,
        spawned(REAL, environment) as client,
        asyncio.timeout(LONGEST_S),
    ):
        while sum("replica" in said and "ready after" in said for said in running.said) < 2:
            await running.hears(": ready after")
        person = Person(client)
        await person.start()
        known = await person.until_asked()
        assert known["backend"]["state"] == "ready" and known["model"] == "tiny"
        if len(physical_cores()) > 1:
            first, second = map(bound, running.replicas().values())
            assert not first & second, "each has cores of its own"

        # Documents stay where they are; not all are at the same place.
        mine = await replica_of(person, running)
        people, theirs = [person], [mine]
        while len(set(theirs)) < 2:
            people.append(Person(client, f"file:///tmp/{len(people)}.py"))
            people[-1].open()
            theirs.append(await replica_of(people[-1], running))
        assert await replica_of(person, running) == mine
        other = theirs[-1]

        url = known["backend"]["name"]
        pid = running.replicas()[mine]
        await killed_while_it_answers(person, running, mine)
        before = (await asked(running))[other]
        while (await asked(running))[other] == before:
            await person.next_edit()  # served by the other
        while (known := await person.status())["backend"]["state"] != "ready":
            pass  # it is answered
        assert known["backend"]["name"] == url
        await rename(client)

        # It comes back, and so do its documents.
        await running.hears("has ended: SIGKILL.")
        assert group(pid) == []
        await running.hears(": ready after")
        assert set(running.replicas()) == {mine, other}
        while not (await asked(running))[mine]:
            await person.next_edit()
        assert await replica_of(person, running) == mine
        assert await replica_of(people[-1], running) == other

        pids = list(running.replicas().values())
        await running.ends()
        for pid in pids:
            assert group(pid) == []
        await person.until_alone()
