"""The progress bar that appears after a second."""

from __future__ import annotations

import io

import pytest

from editahead_cli.delayed_progress import DelayedProgress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("seconds", "is_terminal", "is_quiet", "is_shown"),
    [
        (0.9, True, False, False),
        (1.1, True, False, True),
        (1.1, False, False, False),
        (1.1, True, True, False),
    ],
)
def test_when_it_is_shown(
    monkeypatch: pytest.MonkeyPatch, seconds: float, is_terminal: bool, is_quiet: bool, is_shown: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal() if is_terminal else io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    times = iter([0.0, 0.0, seconds, seconds])
    with DelayedProgress(is_quiet=is_quiet, clock=lambda: next(times)) as progress:
        progress.show("looking", 0, 0)
        progress.show("indexing\x1b[2J", 3, 9)
        progress.show("indexing", 5, 9)
    assert ("5/9" in stream.getvalue()) is is_shown
    assert "\x1b[2J" not in stream.getvalue()
    assert stream.getvalue().endswith("\x1b[2K") or not is_shown
