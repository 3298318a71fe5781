"""The indexes inside the server: when there is one, what it hears, and what the client sees of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from editahead_prompts.state import MovedFile
from editahead_retrieval.process.messages import IndexReport, IndexRequest, IndexTask
from editahead_workspace.codebase.index_service import MAX_STARTS, IndexService, is_wanted
from editahead_workspace.settings import Settings
from editahead_workspace.uris import path_to_uri
from git_repository import write
from server_harness import ServerHarness


class Process:
    """A process that only keeps what it is sent."""

    def __init__(self, task: IndexTask, on_report: Callable[[IndexReport], None]) -> None:
        self.task, self.report = task, on_report
        self.requests: list[IndexRequest] = []
        self.stopped = False

    def send(self, request: IndexRequest) -> None:
        self.requests.append(request)

    def stop(self) -> None:
        self.stopped = True


class Service:
    """The service with such processes, and what it reports."""

    def __init__(self, folder: Path) -> None:
        self.processes: list[Process] = []
        self.codebases: list[Any] = []
        self.versions = 0
        self.service = IndexService(
            folder / "cache",
            folder / "state",
            lambda action: action(),
            lambda uri: False,
            on_codebase=self.codebases.append,
            on_report=lambda root, report: None,
            on_version=self._count,
            start=self._start,
        )

    def _count(self) -> None:
        self.versions += 1

    def _start(self, task: IndexTask, on_report: Callable[[IndexReport], None]) -> Process:
        self.processes.append(Process(task, on_report))
        return self.processes[-1]


@pytest.fixture
def service(tmp_path: Path) -> Service:
    write(tmp_path / "one", {".git/HEAD": "", "a.py": ""})
    write(tmp_path / "two", {"b.py": ""})
    return Service(tmp_path)


def test_auto_is_for_version_control(tmp_path: Path, service: Service) -> None:
    assert is_wanted("auto", tmp_path / "one")
    assert not is_wanted("auto", tmp_path / "two")
    assert is_wanted("on", tmp_path / "two")
    assert not is_wanted("off", tmp_path / "one")


def test_processes_follow_the_settings(tmp_path: Path, service: Service) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    service.service.configure(Settings(), folders, is_watched=False)
    (one,) = service.processes
    assert one.task.root_path == folders[0]
    service.service.configure(Settings(eagerness=1), folders, is_watched=False)
    assert len(service.processes) == 1
    service.service.configure(Settings(index="on"), folders, is_watched=False)
    assert [p.task.root_path for p in service.processes] == folders
    assert service.processes[0].task.folder != service.processes[1].task.folder
    service.service.configure(Settings(index="on", exclude=("x",)), folders, is_watched=False)
    assert [p.stopped for p in service.processes] == [True, True, False, False]
    service.service.configure(Settings(index="off"), folders, is_watched=False)
    assert all(p.stopped for p in service.processes)
    assert service.codebases[-1] is None
    assert not service.service.is_on


def test_changes_and_opened_files_go_to_their_index(tmp_path: Path, service: Service) -> None:
    service.service.configure(Settings(index="on"), [tmp_path / "one", tmp_path / "two"], is_watched=True)
    one, two = service.processes
    service.service.on_opened(path_to_uri(tmp_path / "one" / "sub" / "a.py"))
    service.service.on_opened(path_to_uri(tmp_path / "one" / "a.py"))
    uris = [path_to_uri(tmp_path / "two" / name) for name in ("b.py", "c.py")]
    service.service.on_changed(
        [*uris, "untitled:1", path_to_uri(tmp_path / "three"), path_to_uri(tmp_path / "one")]
    )
    assert one.requests == [IndexRequest(prefer=("sub/",)), IndexRequest(prefer=("",))]
    assert two.requests == [IndexRequest(changed=("b.py", "c.py"))]


def test_answers_change_after_a_build_only(tmp_path: Path, service: Service) -> None:
    service.service.configure(Settings(), [tmp_path / "one"], is_watched=False)
    report, before = service.processes[0].report, service.versions
    for state in ("looking", "ready", "looking", "ready", "building", "ready"):
        report(IndexReport(state))
    assert service.versions == before + 2
    assert service.service.reports[tmp_path / "one"].state == "ready"


def test_a_process_that_ends_is_started_again_a_few_times(tmp_path: Path, service: Service) -> None:
    service.service.configure(Settings(), [tmp_path / "one"], is_watched=False)
    for _ in range(MAX_STARTS + 2):
        service.processes[-1].report(IndexReport("ended"))
    assert len(service.processes) == MAX_STARTS
    assert service.service.reports[tmp_path / "one"].state == "ended"


def test_a_stopped_process_is_not_heard(tmp_path: Path, service: Service) -> None:
    service.service.configure(Settings(), [tmp_path / "one"], is_watched=False)
    service.service.configure(Settings(index="off"), [tmp_path / "one"], is_watched=False)
    service.processes[0].report(IndexReport("ended"))
    assert len(service.processes) == 1
    assert service.service.reports == {}


async def wait_for(harness: ServerHarness, state: str) -> None:
    """Request the status until the index is in a state."""
    while True:
        status = await harness.request("workspace/executeCommand", {"command": "editahead.status"})
        if [index["state"] for index in status["index"]] == [state]:
            return
        await asyncio.sleep(0)


@pytest.mark.slow
@pytest.mark.parametrize("shows_progress", [False, True])
async def test_the_server_indexes_its_workspace(
    tmp_path: Path, connect: Callable[..., ServerHarness], shows_progress: bool
) -> None:
    root = tmp_path / "work"
    write(root, {f"m{n}.py": f"def name_{n}(): pass\n" for n in range(300)} | {".git/HEAD": ""})
    harness = connect(cache_folder=tmp_path / "cache", state_folder=tmp_path / "state")
    watched = {"didChangeWatchedFiles": {"dynamicRegistration": shows_progress}}
    await harness.initialize(root=root, window={"workDoneProgress": shows_progress}, workspace=watched)
    if shows_progress:
        registered = await harness.take(lambda m: m.get("method") == "client/registerCapability")
        (registration,) = registered["params"]["registrations"]
        assert registration["method"] == "workspace/didChangeWatchedFiles"
        created = await harness.take(lambda m: m.get("method") == "window/workDoneProgress/create")
        token, kinds = created["params"]["token"], []
        while kinds[-1:] != ["end"]:
            message = await harness.take(lambda m: m.get("method") == "$/progress")
            assert message["params"]["token"] == token
            kinds.append(message["params"]["value"]["kind"])
        assert kinds[0] == "begin" and set(kinds[1:-1]) <= {"report"}
    await wait_for(harness, "ready")
    codebase = harness.server.index.service._codebase
    assert codebase is not None
    assert codebase.files_with(["name_7"], 2) == [path_to_uri(root / "m7.py")]
    write(root, {"saved.py": "fresh_name = 1\n", "watched.py": "other_name = 1\n"})
    harness.notify("textDocument/didSave", {"textDocument": {"uri": path_to_uri(root / "saved.py")}})
    changes = [{"uri": path_to_uri(root / "watched.py"), "type": 1}]
    harness.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    while not (codebase.files_with(["fresh_name"], 1) and codebase.files_with(["other_name"], 1)):
        await wait_for(harness, "ready")
    assert harness.server.session.index_version > 0
    (root / "saved.py").rename(root / "moved.py")
    moved = [
        {"uri": path_to_uri(root / name), "type": kind} for name, kind in (("saved.py", 3), ("moved.py", 1))
    ]
    harness.notify("workspace/didChangeWatchedFiles", {"changes": moved})
    await harness.server.files.worker.call(lambda: None)  # the file has been read before
    assert harness.server.session.moved_files == (
        MovedFile(path_to_uri(root / "saved.py"), path_to_uri(root / "moved.py")),
    )
    harness.server.index.stop()


async def test_a_workspace_without_version_control_has_none(
    tmp_path: Path, connect: Callable[..., ServerHarness]
) -> None:
    harness = connect(cache_folder=tmp_path / "cache", state_folder=tmp_path / "state")
    await harness.initialize(root=tmp_path)
    status = await harness.request("workspace/executeCommand", {"command": "editahead.status"})
    assert status["index"] == []
    assert not (tmp_path / "cache").exists()


async def test_a_move_that_only_a_look_finds_is_followed(
    tmp_path: Path, connect: Callable[..., ServerHarness]
) -> None:
    """As for Neovim on Linux, which does not hear of `git mv`."""
    harness = connect(cache_folder=tmp_path / "cache", state_folder=tmp_path / "state")
    report = IndexReport("building", moved=(("old name.py", "pack/new.py"),))
    harness.server.index._show_report(tmp_path, report)
    assert harness.server.session.moved_files == (
        MovedFile(path_to_uri(tmp_path / "old name.py"), path_to_uri(tmp_path / "pack/new.py")),
    )
