"""`editahead apply --write` as a process of its own that is ended while it writes, or finds the disk full."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


FILES = 60
OLD = {f"folder{n % 3}/file{n}.py": f"x = {n}\n" for n in range(FILES)}
NEW = {name: text.replace("x =", "y =") for name, text in OLD.items()}
COMMAND = [sys.executable, "-m", "editahead_cli", "apply", "--sketch", "sketch.md"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "work"
    for name, text in OLD.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    parts = "".join(
        f"*** Update File: {name}\n@@\n-{OLD[name].rstrip()}\n+{NEW[name].rstrip()}\n" for name in OLD
    )
    (folder / "sketch.md").write_text(f"*** Begin Patch\n{parts}*** End Patch\n")
    return folder


def held(folder: Path) -> dict[str, str]:
    return {p.relative_to(folder).as_posix(): p.read_text() for p in folder.glob("folder*/*")}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("seen", [1, FILES // 2, 2 * FILES])
def test_a_process_that_is_ended_while_it_writes(folder: Path, number: signal.Signals, seen: int) -> None:
    """The signal is sent as soon as a number of files lie beside the places, or all is over."""
    process = subprocess.Popen(
        [*COMMAND, "--write"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    while process.poll() is None and len(list(folder.glob("folder*/.editahead-*"))) < seen:
        pass
    process.send_signal(number)
    _, error = process.communicate()
    assert b"Traceback" not in error
    if number is not signal.SIGKILL:
        assert held(folder) in (OLD, NEW)
    if process.returncode == 130:
        assert error == (
            b"editahead: %s written\n" % (b"all files are" if held(folder) == NEW else b"nothing was")
        )
    subprocess.run(COMMAND, cwd=folder, capture_output=True, check=False)
    assert held(folder) in (OLD, NEW)
    assert not list((folder.parent / "state").rglob("*.journal"))


def test_a_full_disk_changes_nothing_and_names_the_file(folder: Path) -> None:
    text = "".join(f"z{number} = {number}\n" for number in range(2000))
    (folder / "folder1" / "file1.py").write_text(text)
    (folder / "sketch.md").write_text(
        "*** Begin Patch\n*** Update File: folder0/file0.py\n@@\n-x = 0\n+y = 0\n"
        "*** Update File: folder1/file1.py\n@@\n-z5 = 5\n+y5 = 5\n*** End Patch\n"
    )
    before = held(folder)
    done = subprocess.run(
        [*COMMAND, "--write"],
        cwd=folder,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)),
    )
    assert done.returncode == 1
    assert "nothing was written:" in done.stderr
    assert "folder1/file1.py: File too large" in done.stderr
    assert held(folder) == before
    assert not list((folder.parent / "state").rglob("*.journal"))
