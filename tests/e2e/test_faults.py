"""Faults of the machine: the disk is full or read-only, the clock goes backwards. For kills see `test_kill_campaign`."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from editahead_evals.client.lsp_client import isolated_environment
from fault_session import SERVER, check_state, start_editor, work

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the faults are made by Linux's means"),
    pytest.mark.slow,
]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return an environment with folders of its own, in which outcomes are logged."""
    return {**isolated_environment(tmp_path), "EDITAHEAD_TELEMETRY": "local"}


def test_a_full_disk_stops_no_prediction(tmp_path: Path, environment: dict[str, str]) -> None:
    limit = (
        f"import resource,os,sys; resource.setrlimit(resource.RLIMIT_FSIZE, (0, {resource.RLIM_INFINITY}));"
    )
    limit += (
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); os.execv(sys.executable, sys.argv[1:])"
    )
    command = [sys.executable, "-c", limit, *SERVER]
    with start_editor(tmp_path, environment, command) as full:
        assert work(full)


def test_a_state_folder_that_cannot_be_written_stops_no_prediction(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "xdg_state_home").write_text("a file where the folder should be")
    with start_editor(tmp_path, environment) as locked:
        assert work(locked)


def test_a_clock_that_goes_backwards_stops_no_prediction(tmp_path: Path, environment: dict[str, str]) -> None:
    back = (
        "import time, sys; real = time.time; began = real(); time.time = lambda: 2 * began - real() - 86_400;"
    )
    back += "from editahead_cli.main import main; sys.exit(main(['lsp']))"
    with start_editor(tmp_path, environment, [sys.executable, "-c", back]) as odd:
        assert work(odd)
    with start_editor(tmp_path, environment) as normal:
        assert work(normal)
    assert check_state(tmp_path) >= 2


def test_dev_full_takes_no_answer(tmp_path: Path, environment: dict[str, str]) -> None:
    """A server whose stderr cannot be written still ends as it should."""
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(SERVER, stdin=subprocess.DEVNULL, stderr=full, env=environment, timeout=60)
    assert ended.returncode == 1, "the client has not shut it down"
