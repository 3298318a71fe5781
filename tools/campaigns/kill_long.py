"""The campaign of kills: kill -9 at random moments, and what the next start makes of it.

`.venv/bin/python tools/campaigns kill --times 1000` kills the server, the index and the engine's supervisor so often in
all, and writes as often again. The cache folder keeps what was done (`kills/log.jsonl`), so that a stopped campaign goes
on.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import stub_vllm
from editahead_evals.client.lsp_client import LanguageClient, isolated_environment
from editahead_evals.errors import ClientError
from editahead_inference.backends.base import CompletionRequest, TextChunk
from editahead_inference.backends.engine import EngineBackend
from editahead_inference.backends.engine_runfile import FILE_NAME
from editahead_inference.errors import BackendError
from editahead_retrieval.process.messages import IndexTask, encode
from editahead_workspace.file_writes.recovery import recover
from editahead_workspace.file_writes.transaction import FileWrite, write_all
from fault_session import SERVER, check_state, start_editor, work
from git_repository import write
from index_workspace import build_index, database_of, dump
from server_process import ENGINE

SHARES = {"server-start": 0.1, "server-typing": 0.3, "index": 0.4, "engine": 0.2, "write": 1.0}
"""The kills of each kind, as shares of all that are wanted of server, index and engine."""
ROUND = 10
"""Kills of one kind before those of the next."""


@contextmanager
def killed_at(delay_s: float, kill: Callable[[], None]) -> Iterator[None]:
    """Kill a process after a time, while the body goes on."""
    timer = threading.Timer(delay_s, kill)
    timer.start()
    try:
        yield
    finally:
        timer.join()


class ServerKills:
    """Kills of a language server in one home: each server starts with what the ones before have left."""

    def __init__(self, folder: Path, dice: random.Random) -> None:
        self._folder, self._dice = folder, dice
        self._environment = {**isolated_environment(folder), "EDITAHEAD_TELEMETRY": "local"}
        self._work_s = _seconds(self.check)

    def while_it_starts(self) -> None:
        """Kill a server before or just after its first answer."""
        client = LanguageClient(SERVER, env=self._environment, cwd=self._folder)
        with killed_at(
            self._dice.uniform(0, 0.8 * self._work_s), lambda: os.kill(client.pid, signal.SIGKILL)
        ):
            with suppress(ClientError):
                client.request("initialize", {"processId": None, "capabilities": {}})
            client._process.wait()
        client.kill()
        check_state(self._folder)

    def while_it_works(self) -> None:
        """Kill a server between keystrokes, predictions, outcomes and recordings."""
        editor = start_editor(self._folder, self._environment)
        pid = editor.client.pid
        kill_it = partial(os.kill, pid, signal.SIGKILL)
        with killed_at(self._dice.uniform(0, self._work_s), kill_it), suppress(ClientError), editor:
            while True:
                work(editor)
        check_state(self._folder)

    def check(self) -> None:
        """Check that a server on what is left works as if nothing had been."""
        with start_editor(self._folder, self._environment) as alive:
            assert work(alive)
            assert not alive.messages
        assert check_state(self._folder) >= 2


class IndexKills:
    """Kills of the process that writes an index, while files change."""

    def __init__(self, folder: Path, dice: random.Random) -> None:
        self._root, self._index, self._anew = folder / "work", folder / "index", folder / "anew"
        self._dice, self._number = dice, 0

    def kill(self) -> None:
        """Change files, start the process, and kill it."""
        self._number += 1
        names = [f"pack{self._dice.randrange(5)}/m{self._dice.randrange(60)}.py" for _ in range(25)]
        lines = "".join(f"def name_{n}_{self._number}():\n    return other_{n}()\n" for n in range(40))
        write(self._root, {name: f"# {name}\n{lines}" for name in names})
        process = subprocess.Popen(
            [sys.executable, "-m", "editahead_retrieval.process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(encode(IndexTask(str(self._root), str(self._index))))
        process.stdin.flush()
        if self._dice.random() < 0.9:
            process.stdout.readline()  # it begins: most of the moments are in its work, not in its imports
        time.sleep(self._dice.uniform(0, 0.4))
        process.kill()
        process.communicate()

    def check(self) -> None:
        """Check that the next start makes the index that a new one would be."""
        assert build_index(self._root, self._index)[-1].state == "ready"
        shutil.rmtree(self._anew, ignore_errors=True)
        build_index(self._root, self._anew)
        assert dump(database_of(self._index)) == dump(database_of(self._anew))
        assert not [*self._index.glob("*.damaged")]


class EngineKills:
    """Kills of the engine's supervisor, with a stub in vLLM's place."""

    def __init__(self, folder: Path, dice: random.Random) -> None:
        self._folder, self._dice = folder, dice
        program = stub_vllm.install(folder / "engine")
        self._model = stub_vllm.write_model_folder(folder / "models" / "coder")
        self._state = folder / "state" / "editahead"
        known = {name: value for name, value in os.environ.items() if not name.startswith("EDITAHEAD_")}
        self._environment = known | {
            "PATH": f"{program.parent}{os.pathsep}{known['PATH']}",
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_STATE_HOME": str(folder / "state"),
            "STUB_FOLDER": str(folder),
        }
        self._start_s = _seconds(self.check)

    def kill(self) -> None:
        """Kill a supervisor while it starts its server, or later; the server must end with it."""
        process = self._start()
        time.sleep(self._dice.uniform(0, 1.2 * self._start_s))
        process.kill()
        process.communicate()
        self._wait_for_end()
        assert asyncio.run(self._ask()) is None

    def check(self) -> None:
        """Check that a supervisor starts on what is left, answers, and ends."""
        process = self._start()
        assert process.stderr is not None
        while b"Ready after" not in (line := process.stderr.readline()):
            assert line, "the engine ended"
        assert asyncio.run(self._ask()) == stub_vllm.SAYS
        process.terminate()
        process.communicate()
        assert process.returncode == 0
        self._wait_for_end()
        assert not [*self._state.glob("engine.json*")]

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*ENGINE, str(self._model)],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def _wait_for_end(self) -> None:
        """Wait for the end of all servers. A child of a stub, which would be vLLM's own affair, is ended."""
        pids = self._folder / "pids"
        for line in pids.read_text().splitlines() if pids.exists() else ():
            server, child = map(int, line.split())
            until = time.monotonic() + 60
            while _is_alive(server):
                assert time.monotonic() < until, "a server has outlived its supervisor"
                time.sleep(0.01)
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        pids.unlink(missing_ok=True)

    async def _ask(self) -> str | None:
        """Return the answer of the engine to a language server; None where it says that there is none."""
        backend, query = EngineBackend(self._state / FILE_NAME), CompletionRequest("x", (), 5)
        try:
            async with asyncio.timeout(60):
                parts = [part.text async for part in backend.stream(query) if isinstance(part, TextChunk)]
                return "".join(parts)
        except BackendError:
            return None
        finally:
            await backend.close()


class WriteKills:
    """Kills of a process that writes several files, and of the recovery after it."""

    def __init__(self, folder: Path, dice: random.Random) -> None:
        self._folder, self._dice = folder, dice
        self._number, self.longest_s = 0, 0.05

    def kill(self) -> None:
        """Write files anew in a child that is killed, and let a recovery that may be killed end the matter."""
        self._number += 1
        work, journals = self._folder / str(self._number) / "work", self._folder / "journals"
        count = self._dice.randint(2, 40)
        old = {
            f"{'deep/' * (n % 3)}f{n}.py": b"old %d\n" % n * self._dice.randint(1, 300) for n in range(count)
        }
        new = {name: text.replace(b"old", b"new") for name, text in old.items() if self._dice.random() < 0.9}
        new |= {f"made/in/n{n}.py": b"made\n" for n in range(self._dice.randint(0, 4))}
        for name, text in old.items():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_bytes(text)
        writes = [FileWrite(work / name, old.get(name), new.get(name)) for name in sorted({*old, *new})]
        self._in_child(lambda: write_all(writes, [work], journals), self.longest_s)
        while self._dice.random() < 0.4:
            self._in_child(lambda: recover([work], journals), self.longest_s / 2)
        recover([work], journals)
        held = {p.relative_to(work).as_posix(): p.read_bytes() for p in work.rglob("*") if p.is_file()}
        assert held in (old, new), f"{len(held)} files: {sorted(held)[:5]}"
        assert held == new or not (work / "made").exists()
        assert not [*journals.glob("*.journal")]
        shutil.rmtree(work.parent)

    def check(self) -> None:
        """Check nothing: each kill has been checked by itself."""

    def _in_child(self, act: Callable[[], object], longest_s: float) -> None:
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            with suppress(BaseException):
                act()
            os._exit(0)
        time.sleep(self._dice.uniform(0, longest_s))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):  # it was quicker
            self.longest_s = max(0.005, 0.7 * min(self.longest_s, time.monotonic() - began))
        else:
            self.longest_s = min(1.0, self.longest_s * 1.2)


def _seconds(act: Callable[[], object]) -> float:
    """Return the seconds that something takes, on a machine as busy as it is."""
    began = time.monotonic()
    act()
    return time.monotonic() - began


def _is_alive(pid: int) -> bool:
    """Return whether a process runs. One that has ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def kill(kind: str, times: int, folder: Path, seed: int) -> int:
    """Kill processes of a kind, check what is left, and return how many were killed. Raises what is not as it should be."""
    dice = random.Random(seed)
    if kind.startswith("server"):
        server = ServerKills(folder, dice)
        act, check = server.while_it_starts if kind == "server-start" else server.while_it_works, server.check
    else:
        makers = {"index": IndexKills, "engine": EngineKills, "write": WriteKills}
        other = makers[kind](folder, dice)
        act, check = other.kill, other.check
    for _ in range(times):
        act()
    check()
    return times


def main(wanted: int) -> int:
    """Kill until there are as many as wanted; return 1 if one was not survived."""
    cache = Path(os.environ.get("EDITAHEAD_CACHE") or Path.home() / ".cache" / "editahead") / "kills"
    cache.mkdir(parents=True, exist_ok=True)
    log = cache / "log.jsonl"
    done = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    counts, failures, seed = Counter[str](), sum(row["failure"] is not None for row in done), len(done)
    for row in done:
        counts[row["kind"]] += row["kills"]
    while left := [kind for kind, share in SHARES.items() if counts[kind] < share * wanted]:
        for kind in left:
            seed += 1
            row = {"kind": kind, "seed": seed, "kills": 0, "failure": None}
            with tempfile.TemporaryDirectory(prefix="editahead-kills-") as name:
                try:
                    row["kills"] = kill(kind, ROUND, Path(name), seed)
                except Exception:
                    failures += 1
                    row |= {"kills": ROUND, "failure": traceback.format_exc()}
                    print(f"{kind}, seed {seed}:\n{row['failure']}", file=sys.stderr)
            counts[kind] += ROUND
            with log.open("a") as file:
                file.write(json.dumps(row) + "\n")
        print(f"{dict(counts)}, {failures} rounds with a failure", flush=True)
    return 1 if failures else 0
