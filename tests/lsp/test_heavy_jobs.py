"""Heavy jobs: few at a time, however many are asked for, in an order that is fair to all clients."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_lsp.finish import service
from editahead_lsp.heavy_jobs import MAX_HEAVY_JOBS, HeavyJobs
from editahead_workspace import uris
from editahead_workspace.finish.messages import Found
from git_repository import make_repository
from held_pipe import HeldPipe
from server_harness import ServerHarness


class Jobs:
    """Jobs that run until they are let go."""

    def __init__(self, max_running: int) -> None:
        self.places = HeavyJobs(max_running)
        self.running: list[str] = []
        self.begun: list[str] = []
        self._ends: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    def start(self, name: str) -> None:
        """Start a job of the client that is the first letter of its name."""
        self._ends[name] = asyncio.Event()
        self.tasks[name] = asyncio.ensure_future(self._run(name))

    async def _run(self, name: str) -> None:
        async with self.places.place(name[0]):
            self.running.append(name)
            self.begun.append(name)
            try:
                await self._ends[name].wait()
            finally:
                self.running.remove(name)

    def end(self, name: str) -> None:
        self._ends[name].set()


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_the_others_wait_in_a_fair_order() -> None:
    jobs = Jobs(2)
    names = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"]
    for name in names:
        jobs.start(name)
    await settle()
    while jobs.running:
        assert len(jobs.running) == min(2, len(names) - len(jobs.begun) + len(jobs.running))
        jobs.end(jobs.running[0])
        await settle()
    assert jobs.begun == ["a1", "a2", "a3", "b1", "c1", "a4", "b2"]


async def test_a_job_that_waits_can_be_cancelled() -> None:
    jobs = Jobs(1)
    for name in ("a1", "a2", "a3"):
        jobs.start(name)
    await settle()
    jobs.tasks["a2"].cancel()
    jobs.end("a1")
    await settle()
    assert jobs.running == ["a3"]
    jobs.tasks["a3"].cancel()
    jobs.start("b1")
    await settle()
    assert jobs.running == ["b1"]
    jobs.end("b1")
    await settle()


@given(
    st.lists(
        st.tuples(st.sampled_from(["start", "end", "cancel", "cancel-new"]), st.integers(0, 9)), max_size=60
    )
)
def test_no_place_is_lost(steps: Sequence[tuple[str, int]]) -> None:
    async def play() -> None:
        jobs = Jobs(2)
        for number, (step, which) in enumerate(steps):
            name = f"{which % 3}-{number}"
            if step == "start":
                jobs.start(name)
            elif step == "cancel-new":
                jobs.start(name)
                jobs.tasks[name].cancel()
            elif jobs.tasks:
                chosen = list(jobs.tasks)[which % len(jobs.tasks)]
                jobs.end(chosen) if step == "end" else jobs.tasks[chosen].cancel()
            if number % 2:
                await settle()
            assert len(jobs.running) <= 2
        for name in list(jobs.tasks):
            jobs.end(name)
        await asyncio.gather(*jobs.tasks.values(), return_exceptions=True)
        async with jobs.places.place("x"), jobs.places.place("y"):  # both are free again
            pass

    asyncio.run(play())


class Counter:
    """What counts how many run at a time, and lets them go on when it is told so."""

    def __init__(self) -> None:
        self.now = self.max_running = self.total = 0
        self.go = asyncio.Event()

    async def run(self, *arguments: Any, **options: Any) -> Any:
        self.now, self.total = self.now + 1, self.total + 1
        self.max_running = max(self.max_running, self.now)
        try:
            await self.go.wait()
        finally:
            self.now -= 1
        return None


Connect = Callable[..., ServerHarness]


def ask(connect: Connect, folder: Path, clients: int, count: int) -> list[asyncio.Future[Found]]:
    """Let each of some clients search as often as `count` says."""
    services = [connect().server.finish_service for _ in range(clients)]
    for one in services:
        one.folders = (folder,)
    return [asyncio.ensure_future(one.find(one.create_job(None))) for one in services for _ in range(count)]


async def test_forty_searches_of_several_clients(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = Counter()
    monkeypatch.setattr(service, "run_finish", counter.run)
    searches = ask(connect, tmp_path, 4, 10)
    await settle()
    assert counter.now == MAX_HEAVY_JOBS
    counter.go.set()
    await asyncio.gather(*searches)
    assert (counter.total, counter.max_running) == (40, MAX_HEAVY_JOBS)


async def test_a_deadline_counts_the_wait(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = Counter()
    monkeypatch.setattr(service, "run_finish", counter.run)
    monkeypatch.setattr(service, "TIMEOUT_S", 0.01)
    found = await asyncio.gather(*ask(connect, tmp_path, 3, 3), return_exceptions=True)
    assert [str(one) for one in found] == ["the search took longer than 0 s"] * 9
    assert counter.now == 0


@pytest.mark.slow
async def test_requests_of_an_editor_start_few_processes(harness: ServerHarness, tmp_path: Path) -> None:
    """Each search hangs in git, on a pipe of its own repository, so that those that run are known."""
    roots = [make_repository(tmp_path / f"r{number}", {"a.py": "a\n"}) for number in range(6)]
    folders = [{"uri": uris.path_to_uri(root), "name": root.name} for root in roots]
    options = {"editahead": {"index": "off"}}
    await harness.request(
        "initialize",
        {
            "processId": None,
            "workspaceFolders": folders,
            "capabilities": {},
            "initializationOptions": options,
        },
    )
    harness.notify("initialized", {})
    held = [HeldPipe(root / ".git" / "objects" / "info" / "alternates") for root in roots]
    asked = []
    for root in roots:
        (root / "a.py").write_text("b\n")
        argument = {"uri": uris.path_to_uri(root / "a.py")}
        asked.append(
            harness.send("workspace/executeCommand", {"command": "editahead.finish", "arguments": [argument]})
        )
    begun = [pipe.hold() for pipe in held]
    for number in range(len(roots)):  # in the order of the requests, as all are of one client
        assert await asyncio.to_thread(begun[number].wait, 60)
        assert sum(one.is_set() for one in begun) <= number + MAX_HEAVY_JOBS
        harness.notify("$/cancelRequest", {"id": asked[number]})
        assert (await harness.reply(asked[number]))["error"]
        await asyncio.to_thread(held[number].wait_for_end)
