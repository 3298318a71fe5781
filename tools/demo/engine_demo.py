"""`make demo ENGINE=1`: a real Neovim, the language server and a real vLLM with a small model, on the CPU.

    PYTHONPATH=tests/support .venv/engine/bin/python tools/demo/engine_demo.py

All figures and texts come from the running programs: the tokens of `editahead.status`, the editor's text, the output of
`editahead engine`. The exit status is 1 when a step has not the expected effect.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demo_report import EXECUTE, DemoError, Report, check

from editahead_evals.client.lsp_client import isolated_environment
from editahead_inference.backends.engine_runfile import FILE_NAME, EngineRunfile
from engine_process import Engine, engine, group
from neovim import NEOVIM_0_11, Neovim
from samples import VISIBLE
from server_process import REAL
from small_model import TRAINED

STAY = '''\
"""A guest's stay in the house."""

from datetime import date

LONGEST = 28


class Stay:
    """Of one guest, in one room."""

    def __init__(self, guest: str, begins: date, until: date) -> None:
        if until <= begins:
            raise ValueError("a stay is a night at least")
        self.guest = guest
        self.begins = begins
        self.ends = until

    def nights(self) -> int:
        return (self.ends - self.begins).days

    def covers(self, day: date) -> bool:
        return self.begins <= day < self.ends

    def describe(self) -> str:
        return f"{self.guest}: {self.begins:%d %B} to {self.ends:%d %B}"


def longest(stays: list[Stay]) -> Stay | None:
    """The one with the most nights."""
    return max(stays, key=Stay.nights, default=None)
'''
TYPED = ("days", " = (self", ".ends", " - self", ".begins", ").days")
"""A line typed in bursts, behind `nights`."""

BILL = '''\
"""What a guest pays for a stay."""

from dataclasses import dataclass, field


@dataclass
class Item:
    name: str
    cents: int | None = None

    def price(self) -> int:
        return self.cents or 0


@dataclass
class Bill:
    guest: str
    items: list[Item] = field(default_factory=list)
    total: int = 0

    def add(self, item: Item) -> None:
        if item is None:
            raise ValueError("no item")
        self.items.append(item)

        print(item.price())

    def count(self) -> int:
        return len(self.items)

    def describe(self) -> str:
        lines = [f"{item.name}: {item.price()}" for item in self.items]
        return "\\n".join(lines)


def send(bill: Bill, printer) -> None:
    printer.write(bill.describe())
    printer.write(f"{bill.total} cents")
'''
SKETCH = """\
# ... existing code ...
            raise ValueError("no item")
        self.items.append(item)

        price = item.price()
        if price < 0:
            self.total = 0
        else:
            self.total += price
        # ... existing code ...
"""
APPLIED = BILL.replace(
    "        print(item.price())\n",
    "        price = item.price()\n"
    "        if price < 0:\n"
    "            self.total = 0\n"
    "        else:\n"
    "            self.total += price\n"
    "        print(item.price())\n",
)

LOOK_MS, LOOKS = 50, 1200
"""Milliseconds between two checks of a condition, and the largest number of checks."""
REQUEST_LOOKS = 60
"""The largest number of checks for a request to the engine that may not come."""

_MAKE = (
    "vim.lsp.util.apply_workspace_edit(..., vim.lsp.get_clients({ name = 'editahead' })[1].offset_encoding)"
)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The prompts that the engine got so far, in tokens."""

    requests: int
    prompt: int
    cached: int

    @classmethod
    def from_status(cls, status: Any) -> Tokens:
        cache = status["cache"]
        return cls(cache["requests"], cache["promptTokens"], cache["cachedTokens"])

    def describe(self) -> str:
        if not self.requests:
            return "not asked"
        many = "" if self.requests == 1 else f" {self.requests} times"
        return (
            f"asked{many}: {self.prompt} tokens, {self.cached} cached, {self.prompt - self.cached} computed"
        )

    def __sub__(self, other: Tokens) -> Tokens:
        return Tokens(*(getattr(self, name) - getattr(other, name) for name in self.__slots__))


class Demo:
    """The scenes of the demo, in order."""

    def __init__(self, neovim: Neovim, running: Engine, notice: Path, report: Report) -> None:
        self._neovim, self._running, self._notice, self._report = neovim, running, notice, report

    async def play(self) -> None:
        self._open()
        self._type()
        self._tab()
        self._apply()
        await self._kill()
        self._sum_up()

    def _open(self) -> None:
        self._report.scene("A file is opened", "The language server finds the engine, and asks nothing yet.")
        self._neovim.until("#vim.lsp.get_clients({ name = 'editahead', bufnr = 0 }) > 0")
        self._neovim.until("vim.lsp.get_clients({ name = 'editahead' })[1].initialized")
        status = self._wait(lambda status: status["backend"]["state"] == "ready", "the engine found")
        self._report.line("asks", f"{status['model']} at {self._engine(status)}")

    def _type(self) -> None:
        self._report.scene(
            "Typing", "The engine is asked what comes next. It computes what is new and has the rest."
        )
        began = Tokens.from_status(self._status())
        self._write()
        spent = Tokens.from_status(self._status()) - began
        check(spent.requests >= 2, "several requests of the engine")
        check(spent.cached > spent.prompt / 4, "much of what was asked came from the prefix cache")
        self._report.line("in all", spent.describe())
        self._neovim.keys("<Esc>u")
        self._neovim.until_text(STAY)
        self._report.line("you press", "u: all of it is gone")

    def _tab(self) -> None:
        words = "A field gets another name in one place. Tab goes to the next edit, then makes it."
        self._report.scene("Tab", words)
        check(not self._rename("ends", "leaves"), "the engine was there all the time")

    def _rename(self, old: str, new: str) -> int:
        """Rename a field by hand in one place, and by Tab in all others.

        Returns:
            The number of edits that came without the engine.
        """
        neovim, before = self._neovim, self._neovim.text
        once = before.replace(f"self.{old}", f"self.{new}", 1)
        wanted = before.replace(f"self.{old}", f"self.{new}")
        asked, accepted = Tokens.from_status(self._status()), self._status()["outcomes"]["accepted"]
        away = 0
        neovim.keys(f"gg/self.{old}<CR>wwcw{new}<Esc>")
        neovim.until_text(once)
        self._report.line("you type", new)
        self._report.difference(before, once)
        while (text := neovim.text) != wanted:
            shown = self._shown()
            if not all(new in edit["newText"] for edit in shown["edits"]):
                self._report.line("Esc", f"refuses: {shown['label']}", "bold yellow")
                neovim.keys("<Esc>")
                neovim.until(f"not {VISIBLE}")
                continue
            who = "the engine" if shown["source"] == "engine" else "the rules"
            self._report.line("shown", f"by {who}: {shown['label']} ({shown['confidence']:.2f})", "cyan")
            while neovim.text == text:
                self._press_tab()
            is_away = not EngineRunfile.read(self._notice).ready
            away += is_away
            self._report.line("Tab", "without the engine" if is_away else "", "bold green")
            self._report.difference(text, neovim.text)
        made = self._status()["outcomes"]["accepted"] - accepted
        check(made == before.count(f"self.{old}") - 1, f"Tab made each of the others, not {made}")
        spent = Tokens.from_status(self._status()) - asked
        self._report.line("engine", spent.describe())
        return away

    def _apply(self) -> None:
        self._report.scene(
            "A sketch", "It shows new lines and leaves the rest out; but does a line go for them?"
        )
        neovim, before = self._neovim, Tokens.from_status(self._status())
        neovim.keys(":w<CR>:edit bill.py<CR>")
        neovim.until("vim.fn.expand('%:t') == 'bill.py' and #vim.lsp.get_clients({ bufnr = 0 }) > 0")
        self._report.line("engine", self._spent(before).describe())
        self._report.text(SKETCH)
        uri = neovim.lua("return vim.uri_from_bufnr(0)")
        refusal = self._execute("editahead.apply", {"sketch": SKETCH, "uri": uri})
        check(refusal.get("error"), "the merge alone was not sure")
        self._report.line("rules", f"refuse: {refusal['error']['message']}", "bold yellow")
        result = self._execute("editahead.apply", {"sketch": SKETCH, "uri": uri, "dryRun": True}).get(
            "result"
        )
        check(result and result["method"] == "model", "the model wrote it")
        self._engine(self._status())
        stats = result["stats"]
        tokens, drafted, right = (
            stats[name] for name in ("modelTokens", "draftTokens", "acceptedDraftTokens")
        )
        check(drafted and right > tokens / 2, "most of it was drafted from the file and the sketch")
        self._report.line(
            "engine", f"{tokens} tokens in {tokens - right} steps, {stats['ms']:.0f} ms", "bold green"
        )
        self._report.line(
            "drafts", f"{drafted} tokens, {right} of them right: {right / drafted:.0%} accepted"
        )
        neovim.lua(_MAKE, result["edit"])
        neovim.until_text(APPLIED)
        self._report.line("you", "look at it, as what a model wrote is never sure, and take it:")
        self._report.difference(BILL, APPLIED)
        neovim.keys(":w<CR>:edit stay.py<CR>")
        neovim.until("vim.fn.expand('%:t') == 'stay.py'")

    async def _kill(self) -> None:
        first = self._running.server()
        os.kill(first, signal.SIGKILL)
        await self._running.hears("has ended: SIGKILL")
        check(not group(first), "none of its processes is left")
        self._report.scene("kill -9", f"The engine, process {first}, is killed. The rules keep answering.")
        check(self._rename("begins", "arrives"), "Tab made an edit without the engine")
        status = self._wait(
            lambda status: status["backend"]["state"] != "ready", "the server saw that it is gone"
        )
        self._report.line("status", f"{status['backend']['state']}: {status['backend']['detail']}")
        await self._running.hears("Ready after")
        check(self._running.server() != first, "it is another process")
        before = Tokens.from_status(self._status())
        self._write()
        spent = Tokens.from_status(self._status()) - before
        self._engine(self._status())
        check(spent.requests and spent.cached, "the new engine was asked, and has what it computed")
        self._neovim.keys("<Esc>u")

    def _sum_up(self) -> None:
        self._report.scene("In all", "What editahead.status counts.")
        status = self._status()
        speculation, outcomes, accept = (
            status["speculation"],
            status["outcomes"],
            status["cache"]["computedPerAccept"],
        )
        self._report.line("engine", Tokens.from_status(status).describe())
        self._report.line("edits", f"{outcomes['accepted']} accepted of {outcomes['shown']} shown")
        self._report.line(
            "each cost", f"{accept:.0f} tokens that the engine computed, of prompts and answers"
        )
        drafted, right = speculation["draftTokens"], speculation["acceptedDraftTokens"]
        self._report.line(
            "drafts", f"{drafted} tokens, {right} of them right, sketch and next edits together"
        )

    def _write(self) -> None:
        """Type a new line in bursts."""
        self._neovim.keys("gg/def nights<CR>o")
        self._neovim.until("vim.api.nvim_get_mode().mode == 'i'")
        for burst in TYPED:
            self._burst(burst)

    def _burst(self, keys: str) -> None:
        began, line = Tokens.from_status(self._status()), self._neovim.ask("nvim_get_current_line")
        self._neovim.keys(keys)
        self._neovim.until("vim.api.nvim_get_current_line() == a[1]", line + keys)
        self._report.line("you type", f"{keys.strip():12}{self._spent(began).describe()}")
        self._neovim.settle()

    def _spent(self, before: Tokens) -> Tokens:
        """Return the tokens since `before`.

        There may be none: the last response still applies, or the request was cancelled.
        """
        for _ in range(REQUEST_LOOKS):
            spent = Tokens.from_status(self._status()) - before
            if spent.requests:
                break
            self._neovim.lua("vim.wait(...)", LOOK_MS)
        return spent

    def _shown(self) -> Any:
        """Return the prediction on the screen, once there is one and no request is running."""
        self._neovim.until(VISIBLE)
        self._neovim.settle()
        self._neovim.until(VISIBLE)
        return self._neovim.lua("return require('editahead.view').visible().response")

    def _press_tab(self) -> None:
        """Go to the shown edit, or accept it. A new answer may hide the edit for a moment."""
        self._shown()
        self._neovim.keys("<Tab>")
        self._neovim.settle()

    def _engine(self, status: Any) -> str:
        """Return the URL of the server's backend, and check that the backend is the engine."""
        backend = status["backend"]
        there = backend["state"] == "ready" and backend["name"].startswith("engine http://127.0.0.1:")
        check(there, f"the engine is asked, not {backend}")
        return str(backend["name"]).removeprefix("engine ")

    def _status(self) -> Any:
        return self._execute("editahead.status")["result"]

    def _execute(self, command: str, argument: Any = None) -> Any:
        response = self._neovim.lua(EXECUTE, command, argument)
        check(not response.get("problem"), f"an answer to {command}: {response.get('problem')}")
        return response

    def _wait(self, condition: Callable[[Any], object], what: str) -> Any:
        """Wait until a condition on the status is true, and return the status."""
        for _ in range(LOOKS):
            status = self._status()
            if condition(status):
                return status
            self._neovim.lua("vim.wait(...)", LOOK_MS)
        raise DemoError(f"{what}: {status}")


@contextmanager
def sample_project() -> Iterator[tuple[list[Path], dict[str, str]]]:
    """Yield the files of a committed folder, and an environment without the user's own settings."""
    with tempfile.TemporaryDirectory(prefix="editahead-demo-") as name:
        folder = Path(name, "house")
        folder.mkdir()
        files = []
        for path, text in (("stay.py", STAY), ("bill.py", BILL)):
            files.append(folder / path)
            files[-1].write_text(text, "utf-8")
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        for command in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "A house"]):
            subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True)
        known = {
            name: value for name, value in isolated_environment(Path(name)).items() if name[:5] != "VLLM_"
        }
        yield files, known | {"EDITAHEAD_BACKEND": "engine", "HF_HUB_OFFLINE": "1"}


async def play() -> None:
    report = Report()
    began = time.monotonic()
    with sample_project() as (files, environment):
        report.scene("The engine starts", "editahead engine, with a small mixture of experts.")
        async with engine(
            TRAINED, environment, log=lambda line: report.line("engine", line, "dim")
        ) as running:
            await running.hears("Ready after")
            neovim = Neovim(
                NEOVIM_0_11, files[0].parent, files[:1], environment, {"cmd": REAL}, "set cmdheight=9"
            )
            notice = Path(environment["XDG_STATE_HOME"], "editahead", FILE_NAME)
            try:
                await Demo(neovim, running, notice, report).play()
            finally:
                neovim.close()
            await running.ends()
    report.line("took", f"{time.monotonic() - began:.0f} s")


def main() -> int:
    try:
        asyncio.run(play())
    except (DemoError, AssertionError) as error:
        sys.stderr.write(f"This did not happen: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
