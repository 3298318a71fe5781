"""Child processes: each has limits and a group of its own, which ends with it, with a cancel, and with this process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from editahead_programs import child_process
from editahead_programs.child_process import ChildLimits, ChildProcess, run_child
from editahead_programs.errors import ChildOutputError, ChildTimeoutError
from editahead_programs.process_guard import ProcessGuard
from held_pipe import HeldPipe
from killed_processes import killed_on_failure

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="groups of processes are of POSIX")


class Cancelled(Exception):
    """The answer is no longer wanted."""


@pytest.fixture
def held(tmp_path: Path) -> HeldPipe:
    return HeldPipe(tmp_path / "held")


def shell(script: str) -> list[str]:
    return ["/bin/sh", "-c", script]


def test_what_a_program_prints_and_reads(tmp_path: Path) -> None:
    script = "pwd; cat; echo wrong >&2; exit 3"
    done = run_child(shell(script), cwd=tmp_path, stdin=b"a\nb", timeout_s=60, max_bytes=1_000)
    assert (done.code, done.out, done.last_error()) == (3, f"{tmp_path}\na\nb".encode(), "wrong")
    merged = run_child(
        shell("echo a; echo b >&2"), cwd=tmp_path, timeout_s=60, max_bytes=99, merges_errors=True
    )
    assert merged.out == b"a\nb\n"


def test_a_program_without_input_reads_none_and_arguments_stay_whole(tmp_path: Path) -> None:
    arguments = ["", " ", "a b", "$(id)", "'", '"', "\n", "-x", "\udcff"]
    script = "import os, sys; print([os.fsencode(a) for a in sys.argv[1:]], sys.stdin.read() == '')"
    command = [sys.executable, "-c", script, *arguments]
    done = run_child(command, cwd=tmp_path, timeout_s=60, max_bytes=10_000)
    assert done.out.decode().strip() == f"{[os.fsencode(a) for a in arguments]} True"


def test_a_program_that_is_missing_or_no_program(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("x")
    with pytest.raises(FileNotFoundError):
        run_child([str(tmp_path / "none")], cwd=tmp_path, timeout_s=60, max_bytes=9)
    with pytest.raises(PermissionError):
        run_child([str(tmp_path / "text")], cwd=tmp_path, timeout_s=60, max_bytes=9)


ALLOCATES = "x = []\nwhile True: x.append(bytearray(1_000_000))"
FORKS = f"import os, sys\nif os.fork():\n    os.wait()\n    sys.exit(9)\n{ALLOCATES}"
THREADS = f"import threading\nt = threading.Thread(target=exec, args=({ALLOCATES!r},))\nt.start()\nt.join()"
MAPS = "import mmap\nx = []\nwhile True:\n    x.append(mmap.mmap(-1, 1_000_000, flags=mmap.MAP_PRIVATE))"
READS = "open('/dev/zero').read()"
EXECUTES = f"import os, sys\nos.execv(sys.executable, [sys.executable, '-c', {ALLOCATES!r}])"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")
@pytest.mark.parametrize("script", [ALLOCATES, FORKS, THREADS, MAPS, READS, EXECUTES])
def test_memory_has_a_limit(script: str, tmp_path: Path) -> None:
    report = "import resource, sys; print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    run = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {script!r}]); {report}"
    done = run_child(
        [sys.executable, "-c", run],
        cwd=tmp_path,
        limits=ChildLimits(memory_mb=150, cpu_s=60),
        timeout_s=120,
        max_bytes=10_000,
    )
    assert int(done.out) < 200_000


@pytest.mark.slow
def test_time_on_a_core_has_a_limit(tmp_path: Path) -> None:
    done = run_child(
        shell("while :; do :; done"), cwd=tmp_path, limits=ChildLimits(cpu_s=1), timeout_s=60, max_bytes=9
    )
    assert done.code == -signal.SIGKILL or done.code == -signal.SIGXCPU


def test_files_are_not_written(tmp_path: Path) -> None:
    script = "echo text >> kept; echo text > other; true"
    (tmp_path / "kept").write_text("old\n")
    run_child(shell(script), cwd=tmp_path, limits=ChildLimits(can_write=False), timeout_s=60, max_bytes=9)
    assert (tmp_path / "kept").read_text() == "old\n"
    assert not (tmp_path / "other").exists() or (tmp_path / "other").read_text() == ""


def test_a_lower_limit_stays(tmp_path: Path) -> None:
    script = "import resource; print(resource.getrlimit(resource.RLIMIT_CPU)[1])"
    inner = "import subprocess, sys, resource; resource.setrlimit(resource.RLIMIT_CPU, (7, 7))\n" + (
        "from pathlib import Path\nfrom editahead_programs.child_process import ChildLimits, run_child\n"
        f"done = run_child([sys.executable, '-c', {script!r}], cwd=Path('/'), limits=ChildLimits(cpu_s=50), "
        "timeout_s=60, max_bytes=99)\nprint(done.out.decode())"
    )
    done = run_child([sys.executable, "-c", inner], cwd=tmp_path, timeout_s=60, max_bytes=99)
    assert done.out.split() == [b"7"], done.error


GRANDCHILDREN = [
    "exec < {held}; read -r x",
    "(exec < {held}; read -r x) & wait",
    "trap '' TERM INT HUP; (trap '' TERM HUP; read -r x < {held}) & wait",
    "((read -r x < {held}) &); exec tail -f /dev/null",
    "yes < {held} > /dev/null & wait",
]
"""Programs that hang, or leave others that hang."""


@pytest.mark.parametrize("script", GRANDCHILDREN)
def test_a_cancel_ends_the_whole_group(script: str, held: HeldPipe, tmp_path: Path) -> None:
    is_held = held.hold()

    def check() -> None:
        if is_held.is_set():
            raise Cancelled

    command = shell(script.format(held=held.path))
    with pytest.raises(Cancelled):
        run_child(command, cwd=tmp_path, timeout_s=None, max_bytes=9, check=check)
    held.wait_for_end()


@pytest.mark.parametrize("script", GRANDCHILDREN)
def test_a_deadline_ends_the_whole_group(
    script: str, held: HeldPipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_held = held.hold()
    clock = SimpleNamespace(monotonic=lambda: 1e9 if is_held.is_set() else 0.0)
    monkeypatch.setattr(child_process, "time", clock)
    with pytest.raises(ChildTimeoutError):
        run_child(shell(script.format(held=held.path)), cwd=tmp_path, timeout_s=60, max_bytes=9)
    held.wait_for_end()


def test_too_much_output_ends_the_whole_group(held: HeldPipe, tmp_path: Path) -> None:
    is_held = held.hold()
    script = f"(exec < {held.path}; yes) & read -r x < {held.path}"
    with pytest.raises(ChildOutputError):
        run_child(shell(script), cwd=tmp_path, timeout_s=None, max_bytes=1_000)
    assert is_held.wait(60)
    held.wait_for_end()


def test_what_a_program_leaves_ends_with_it(held: HeldPipe, tmp_path: Path) -> None:
    is_held = held.hold()
    process: ChildProcess[bytes] = ChildProcess(
        shell(f"(exec < {held.path}; echo ready; sleep 600) & read -r x"),
        cwd=tmp_path,
        has_input=True,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None and process.stdin is not None
    with process:
        assert process.stdout.readline() == b"ready\n"
        process.stdin.write(b"end\n")
        process.stdin.close()
        process.wait()
        assert is_held.wait(60)
        held.wait_for_end()


PARENT = """
import os, signal, sys, threading
from pathlib import Path
from editahead_programs.child_process import ChildProcess, run_child
command = ["/bin/sh", "-c", sys.argv[2]]
def start():
    if {mode!r} == "nested":
        run_child([sys.executable, "-c", sys.argv[3], "plain", sys.argv[2], ""], cwd=Path("/"), timeout_s=None, max_bytes=9)
    else:
        run_child(command, cwd=Path("/"), timeout_s=None, max_bytes=9)
if {mode!r} == "thread":
    threading.Thread(target=start).start()
elif {mode!r} == "fork":
    ChildProcess(["/bin/true"], cwd=Path("/")).wait()
    if os.fork():
        os.wait()
    start()
else:
    start()
"""
"""A program that waits for a child. Its arguments: a word, the child's script, and itself for one more below it."""


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["plain", "thread", "nested", "fork"])
@pytest.mark.parametrize("script", GRANDCHILDREN)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
def test_nothing_outlives_its_parent(
    mode: str, script: str, number: signal.Signals, held: HeldPipe, tmp_path: Path
) -> None:
    inner = PARENT.format(mode="plain")
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT.format(mode=mode), mode, script.format(held=held.path), inner],
        cwd=tmp_path,
        process_group=0,
        stderr=subprocess.DEVNULL,
    )
    with killed_on_failure(parent):
        held.wait_for_reader()
        os.killpg(parent.pid, number)  # the forks of `parent` as well
    held.wait_for_end()


def test_a_program_does_not_begin_after_the_end_of_its_parent(tmp_path: Path) -> None:
    """A parent that dies before the guard knows the group leaves a shell that waits, and that shell ends."""
    mark = tmp_path / "mark"
    script = (
        "import os\nfrom pathlib import Path\nfrom editahead_programs import child_process\n"
        "child_process.GUARD.add = lambda group: os.kill(os.getpid(), 9)\n"
        f"child_process.ChildProcess(['/usr/bin/touch', {str(mark)!r}], cwd=Path('/'))"
    )
    reading, writing = os.pipe()
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=writing)
    os.close(writing)
    assert parent.wait() == -signal.SIGKILL
    assert os.read(reading, 1) == b""  # the shell is gone, too
    os.close(reading)
    assert not mark.exists()


def test_a_guard_that_was_killed_is_started_again(held: HeldPipe, tmp_path: Path) -> None:
    guard = ProcessGuard()
    first = subprocess.Popen(["/bin/sh", "-c", f"read -r x < {held.path}"], start_new_session=True)
    guard.add(first.pid)
    held.wait_for_reader()
    assert guard._process is not None
    guard._process.kill()
    guard._process.wait()
    second = subprocess.Popen(["/bin/sleep", "600"], start_new_session=True)
    guard.add(second.pid)
    guard.remove(second.pid)
    guard.close()
    assert first.wait() == -signal.SIGKILL
    held.wait_for_end()
    assert second.poll() is None  # it was taken out
    second.kill()
    second.wait()
