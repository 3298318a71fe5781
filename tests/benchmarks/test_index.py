"""Benchmark of the index of a workspace: build, start, look-ups, a saved file, the server meanwhile, and kills.

`EDITAHEAD_INDEX_FOLDER` names a folder of real files; without it, the project's own modules are copied with other names.
`EDITAHEAD_INDEX_FILES` says how many copies there are, and `EDITAHEAD_INDEX_KILLS` how often the process is killed.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from editahead_evals.client.editor import Editor
from editahead_retrieval.errors import IndexDamagedError, IndexUnusableError
from editahead_retrieval.index.location import DATABASE, size_on_disk
from editahead_retrieval.index.reader import IndexReader
from editahead_retrieval.index.terms import find_identifiers
from editahead_retrieval.process.messages import IndexReport, IndexRequest, IndexTask, decode_report, encode
from figures import SHORT, percentile, python_text, show
from index_workspace import build_index, dump
from many_files import copy_modules

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.skipif(
        sys.platform != "linux", reason="memory and CPU time are read from /proc, which is Linux's"
    ),
]

FILES = int(os.environ.get("EDITAHEAD_INDEX_FILES", "100" if SHORT else "2000"))
KILLS = int(os.environ.get("EDITAHEAD_INDEX_KILLS", "5" if SHORT else "40"))
SEED = 7
QUESTIONS = 2_000


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of many files: real ones, or copies of the project's modules in which a third of the words differ."""
    named = os.environ.get("EDITAHEAD_INDEX_FOLDER")
    if named is not None:
        return Path(named)
    folder = tmp_path_factory.mktemp("work")
    copy_modules(folder, FILES)
    return folder


class Process:
    """The real process of an index, and what it used."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.started = time.perf_counter()
        command = [sys.executable, "-m", "editahead_retrieval.process"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.say(encode(IndexTask(str(root), str(folder), is_watched=True)))

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def reports(self) -> Iterator[IndexReport]:
        assert self.process.stdout is not None
        return map(decode_report, self.process.stdout)

    def wait_ready(self) -> tuple[float, float, float]:
        """Wait until the index is up to date; return the seconds, the seconds of CPU, and the memory in megabytes."""
        while next(self.reports()).state != "ready":
            pass
        stat = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        cpu = (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        (memory,) = re.findall(r"VmHWM:\s+(\d+)", status)
        return time.perf_counter() - self.started, cpu, int(memory) / 1024

    def end(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


@pytest.fixture(scope="module")
def index(workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the index of the workspace, and print what that takes, and what a start without a change takes."""
    folder = tmp_path_factory.mktemp("index") / "one"
    rows = []
    for name in ("built", "started, nothing changed"):
        process = Process(workspace, folder)
        rows.append([name, *(f"{value:.2f}" for value in process.wait_ready())])
        process.end()
    sizes = [path.stat().st_size for path in workspace.rglob("*") if path.is_file()]
    title = (
        f"Index of {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB, on {os.cpu_count()} cores with load "
        f"{os.getloadavg()[0]:.1f}: {size_on_disk(folder) / 1e6:.1f} MB on disk, "
        f"{size_on_disk(folder) / sum(sizes):.2f} of the source"
    )
    show(title, ["", "s", "CPU s", "MB"], rows)
    return folder


def test_look_ups(workspace: Path, index: Path) -> None:
    rng = random.Random(SEED)
    files = [path for path in sorted(workspace.rglob("*")) if path.is_file()]
    reader = IndexReader(index / DATABASE)
    times: dict[int, list[float]] = {1: [], 2: [], 3: []}
    cpu_times: dict[int, list[float]] = {1: [], 2: [], 3: []}
    for _ in range(QUESTIONS):
        path = rng.choice(files)
        names = sorted(find_identifiers(path.read_text("utf-8", "replace")))
        count = rng.choice(list(times))
        if len(names) >= count:
            asked, near = rng.sample(names, count), path.relative_to(workspace).as_posix()
            started, cpu = time.perf_counter(), time.thread_time()
            reader.files_with(asked, 20, near)
            times[count].append((time.perf_counter() - started) * 1000)
            cpu_times[count].append((time.thread_time() - cpu) * 1000)
    rows = [
        [
            f"{count} of a file's names, {what}",
            *(f"{percentile(found[count], share):.3f}" for share in (0.5, 0.99, 1.0)),
        ]
        for count in times
        for what, found in (("elapsed", times), ("CPU", cpu_times))
    ]
    show(f"files_with, {QUESTIONS} questions, seed {SEED} (ms)", ["", "p50", "p99", "max"], rows)
    reader.close()


def test_a_saved_file_is_found(workspace: Path, index: Path) -> None:
    process = Process(workspace, index)
    process.wait_ready()
    reader = IndexReader(index / DATABASE)
    times = []
    path = workspace / "saved_by_the_benchmark.py"
    for number in range(10 if SHORT else 50):
        path.write_text(f"def brand_new_{number}(): pass\n{python_text(300)}", "utf-8")
        started = time.perf_counter()
        process.say(encode(IndexRequest(changed=(path.name,))))
        while not reader.files_with([f"brand_new_{number}"], 1):
            time.sleep(0.001)
        times.append((time.perf_counter() - started) * 1000)
    path.unlink()
    process.end()
    reader.close()
    rows = [["saved", *(f"{percentile(times, share):.1f}" for share in (0.5, 0.99))]]
    show("From the save of a file to its first answer (ms)", ["", "p50", "p99"], rows)


def keystrokes(editor: Editor, rounds: int) -> list[float]:
    """Return the milliseconds from a keystroke to its answer."""
    uri = editor.uri("typed.py")
    editor.open(uri, "python", python_text(300))
    times = []
    for number in range(rounds):
        started = time.perf_counter()
        editor.replace(uri, 0, 0, "x" if number % 2 else "\n")
        editor.next_edit(uri, (0, 0), "typed")
        times.append((time.perf_counter() - started) * 1000)
    return times


def resident_mb(pid: int) -> float:
    (memory,) = re.findall(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(memory) / 1024


def test_the_server_meanwhile(workspace: Path) -> None:
    """Measure keystrokes with and without a build beside them, by turns."""
    rounds = 20 if SHORT else 300
    found: dict[str, list[float]] = {"off": [], "on": []}
    memory: dict[str, list[float]] = {"off": [], "on": []}
    states: list[Any] = []
    for _ in range(1 if SHORT else 3):
        for mode in found:
            with Editor({"debounce_ms": 0, "index": mode}, root=workspace) as editor:
                found[mode] += keystrokes(editor, rounds)
                status = editor.client.request("workspace/executeCommand", {"command": "editahead.status"})
                states += [index["state"] for index in status["index"]]
                memory[mode].append(resident_mb(editor.client.pid))
    rows = [
        [
            f"index {mode}",
            *(f"{percentile(times, share):.1f}" for share in (0.5, 0.95, 0.99)),
            f"{max(memory[mode]):.0f}",
        ]
        for mode, times in found.items()
    ]
    ratio = percentile(found["on"], 0.99) / percentile(found["off"], 0.99)
    title = f"Keystroke to answer (ms), and the server's memory; p99 {ratio:.2f} times that without; states {states}"
    show(title, ["", "p50", "p95", "p99", "MB"], rows)


def wait_for_index(editor: Editor) -> None:
    """Wait until the server's index is whole."""
    while True:
        status = editor.client.request("workspace/executeCommand", {"command": "editahead.status"})
        if [index["state"] for index in status["index"]] == ["ready"]:
            return
        time.sleep(0.05)


def renames(editor: Editor, rounds: int) -> list[float]:
    """Return the milliseconds from the rename of a definition that many files may use to its answer."""
    uri, names = editor.uri("renamed.py"), ("snapshot", "document", "candidate", "replacement")
    editor.open(uri, "python", f"def {names[0]}():\n    pass\n{python_text(300)}")
    times = []
    for number in range(rounds):
        old, new = names[number % len(names)], names[(number + 1) % len(names)]
        started = time.perf_counter()
        editor.replace(uri, len("def "), len("def ") + len(old), new)
        editor.next_edit(uri, (1, 4), "typed")
        times.append((time.perf_counter() - started) * 1000)
    return times


def test_answers_with_a_whole_index(workspace: Path) -> None:
    """Measure answers without an index and with a whole one, by turns: to keystrokes, and after renames with look-ups."""
    rounds = 20 if SHORT else 100
    found: dict[tuple[str, str], list[float]] = {}
    for _ in range(1 if SHORT else 2):
        for mode in ("off", "on"):
            with Editor({"debounce_ms": 0, "index": mode}, root=workspace) as editor:
                if mode == "on":
                    wait_for_index(editor)
                for name, measure in (("keystroke", keystrokes), ("renamed definition", renames)):
                    found.setdefault((name, mode), []).extend(measure(editor, rounds))
    rows = [
        [f"{name}, index {mode}", *(f"{percentile(times, share):.1f}" for share in (0.5, 0.95, 0.99))]
        for (name, mode), times in sorted(found.items())
    ]
    show("Answers with a whole index (ms)", ["", "p50", "p95", "p99"], rows)


def test_kills(workspace: Path, tmp_path: Path) -> None:
    """Kill the process at random moments of a build; compare what then becomes of the index with a build in peace."""
    root = tmp_path / "some"
    files = [path for path in sorted(workspace.rglob("*")) if path.is_file()]
    for path in random.Random(SEED).sample(files, min(100, len(files))):
        copy = root / path.relative_to(workspace)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    build_index(root, tmp_path / "peace")
    wanted = dump(tmp_path / "peace" / DATABASE)
    process = Process(root, tmp_path / "timed")
    length, _, _ = process.wait_ready()
    process.end()
    rng = random.Random(SEED)
    whole = anew = 0
    for number in range(KILLS):
        folder = (
            tmp_path / f"index{number % 10}"
        )  # each one is killed several times, and goes on where it was
        process = Process(root, folder)
        time.sleep(rng.uniform(0.05, length))
        process.process.send_signal(signal.SIGKILL)
        process.end()
        if number >= KILLS - 10:
            build_index(root, folder)
        held = _dump_if_created(folder / DATABASE)
        assert all(wanted[path] == value for path, value in held.items())
        assert number < KILLS - 10 or held == wanted
        whole += 1
        anew += (folder / f"{DATABASE}.damaged").exists()
    show(
        f"{KILLS} kills within {length:.1f} s of a build of 100 files, seed {SEED}",
        ["", "times"],
        [["each file as in a build in peace", str(whole)], ["damaged and built anew", str(anew)]],
    )


def _dump_if_created(database: Path) -> dict[str, Any]:
    """Return what an index says about each file; nothing for one that was killed before its tables were there."""
    try:
        return dump(database)
    except IndexDamagedError:
        raise
    except IndexUnusableError:
        return {}
