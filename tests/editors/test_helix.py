"""A real Helix in a terminal, with the configuration that a user pastes: hints, code actions, the menu, the command."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from neovim import ROOT
from ready_index import until_index_ready
from samples import HALF, ORDERS, PRICE, PRICES, STAY
from server_with_planned_edits import REAL, planned

pytest.importorskip("pyte", reason="Helix is driven through a screen in memory (pyte, in the group `dev`)")

from terminal import Terminal

HELIX = Path(sys.prefix) / "editors" / "helix" / "bin" / "hx"
"""From Debian: tools/environment/get-debian-tool.sh .venv/editors/helix sid hx hx"""
CONFIGURATION = ROOT / "editors" / "helix"

pytestmark = [pytest.mark.editors, pytest.mark.skipif(not HELIX.exists(), reason=f"no Helix at {HELIX}")]


Start = Callable[..., tuple[Terminal, Path]]


def knows_the_file(log: str) -> bool:
    """Whether our server does: Helix starts others, too, if it finds them."""
    return any("editahead" in line and '"method":"textDocument/didOpen"' in line for line in log.splitlines())


@pytest.fixture
def start(tmp_path: Path, homes: dict[str, str], house: Callable[..., list[Path]]) -> Iterator[Start]:
    """Helix on one file, or on the first one of several; the server is found on PATH, as a user's is."""
    opened = []

    def begin(files: str | dict[str, str], plan: dict[str, Any] | None = None) -> tuple[Terminal, Path]:
        file = house({"stay.py": files} if isinstance(files, str) else files)[0]
        programs = tmp_path / "programs"
        programs.mkdir()
        server = programs / "editahead"
        server.write_text(f"#!/bin/sh\nexec {shlex.join(REAL if plan is None else planned(plan))}\n")
        server.chmod(0o755)
        shutil.copytree(CONFIGURATION, Path(homes["XDG_CONFIG_HOME"]) / "helix")
        path = {"PATH": f"{programs}:{os.environ['PATH']}", "EDITAHEAD_DEBOUNCE_MS": "0"}
        log = tmp_path / "helix.log"
        helix = Terminal([HELIX, "-v", "--log", log, file], file.parent, homes | path)
        opened.append(helix)
        helix.until(lambda _: log.exists() and knows_the_file(log.read_text()), "the server is ready")
        return helix, file

    yield begin
    for helix in opened:
        helix.close()


def save(helix: Terminal) -> None:
    helix.keys(":w<CR>")
    helix.until_shown("written")


def test_a_hint_shows_where_the_next_edit_is(start: Start) -> None:
    helix, _ = start("x = 1\nguest = 2\n", {"replace": {"guest": "visitor"}})
    helix.until_shown("guest = 2  Next edit: guest -> visitor")


def test_the_code_action_makes_the_edit(start: Start) -> None:
    helix, file = start("x = 1\nguest = 2\n", {"replace": {"guest": "visitor"}})
    helix.until_shown("Next edit")
    helix.keys(" a")
    helix.until_shown("Accept next edit")
    helix.until_shown("Go to next edit")
    helix.keys("<CR>")
    helix.until_shown("visitor = 2")
    save(helix)
    assert file.read_text() == "x = 1\nvisitor = 2\n"


def test_the_readings_of_a_sketch_are_code_actions(start: Start) -> None:
    readings = [("replace x", "x = 1", "x = 3", 0.6), ("replace y", "y = 2", "y = 3", 0.3)]
    helix, file = start("x = 1\ny = 2\n```python\nz = 3\n```\n", {"readings": readings})
    helix.keys("3Gxxx a")
    helix.until_shown("Apply sketch in selection: replace x (line 1)")
    helix.until_shown("Apply sketch in selection: replace y (line 2)")
    helix.keys("<C-n><CR>")
    helix.until_shown("y = 3")
    save(helix)
    assert file.read_text() == "x = 1\ny = 3\n"


def test_the_item_of_the_menu_makes_the_edit(start: Start) -> None:
    helix, file = start("\n", {"complete": [HALF]})
    helix.keys("idef ha")
    helix.until_shown(" complete")
    helix.keys("<Tab>")
    helix.until_shown("    return n / 2")
    helix.keys("<CR>")
    helix.until_absent(" complete ")
    helix.keys("<Esc>")
    helix.until_shown("NOR")
    save(helix)
    assert file.read_text() == HALF + "\n"


def test_what_a_rename_left_is_marked_and_made(start: Start) -> None:
    """The real engine: the diagnostics of the workspace, and a code action at one of them."""
    bills = "from models import total\n\nprint(total(1))\n"
    helix, file = start({"models.py": "def total(user):\n    return user.sum\n", "bills.py": bills})
    helix.keys("/total<CR>csum_of<Esc>")
    helix.until_shown("def sum_of(user)")
    helix.keys(" N")
    helix.until_shown("2 places left in bills.py")
    assert (file.parent / "bills.py").read_text() == bills
    helix.keys(" D")
    helix.until(
        lambda rows: any("bills.py" in row and "Left: renam" in row for row in rows), "the list of places"
    )
    helix.keys("<CR>")
    helix.until_shown("print(total(1))")
    helix.keys(" a")
    helix.until_shown("Make all 2 edits that the change lacks")
    helix.until_shown("Make this edit: rename total -> sum_of")
    helix.keys("<C-n><CR>")
    helix.until_shown("print(sum_of(1))")
    save(helix)
    assert (file.parent / "bills.py").read_text() == bills.replace("total", "sum_of")


def test_ten_uses_take_ten_presses(start: Start) -> None:
    helix, file = start(PRICE)
    helix.keys("/price<CR>")
    helix.until_shown("1 sel  1:")
    helix.keys("ccost<Esc>")
    helix.until_shown("Next edit")
    for line in [n for n, text in enumerate(PRICE.splitlines(), 1) if "price" in text][1:]:
        helix.until_shown("Next edit")
        helix.keys("\x1b\r")  # Alt-Enter
        helix.until_shown(f"1 sel  {line}:")
    save(helix)
    assert file.read_text() == PRICE.replace("price", "cost")


def test_one_key_walks_a_rename_to_its_end(start: Start) -> None:
    """The real predictors."""
    helix, file = start(STAY)
    helix.keys("/self.ends<CR>")
    helix.until_shown("4:")
    helix.keys("cself.leaves<Esc>")
    helix.until_shown("Next edit")
    for line, changed in ((7, "return (self.leaves"), (10, "day < self.leaves")):
        helix.keys(" n")
        helix.until_shown(changed)
        helix.until_shown(f"1 sel  {line}:")
    save(helix)
    assert file.read_text() == STAY.replace("ends", "leaves")


def test_a_closed_file_is_next_right_behind_the_new_name(start: Start, homes: dict[str, str]) -> None:
    """Helix does not tell where the cursor goes, so for the server it stays behind what was typed last."""
    helix, file = start(
        {
            "price.py": "def price(stay, rate):\n    return stay * rate\n",
            "desk.py": "from price import price\n\n\ntotal = price(1, 90)\n",
        }
    )
    until_index_ready(file.parent, homes)
    helix.keys("/price<CR>")
    helix.until_shown("1 sel  1:9")
    helix.keys("ccost")
    helix.until_shown("def cost")
    helix.keys("<Esc>")
    helix.until_shown("desk.py:1")
    helix.keys(" n")
    helix.until_shown("from price import price")


def test_one_key_opens_a_closed_file_and_makes_the_edit_there(start: Start, homes: dict[str, str]) -> None:
    helix, file = start({"prices.py": PRICES, "orders.py": ORDERS})
    until_index_ready(file.parent, homes)
    helix.keys("/net<CR>")
    helix.until_shown("1 sel  1:7")
    helix.keys("ccompute")
    helix.until_shown("INS")
    helix.keys("<Esc>")
    helix.until_shown("NOR")  # Esc and a key right behind it are Alt and that key
    helix.keys("5G")
    helix.until_shown("orders.py:1")
    assert (file.parent / "orders.py").read_text() == ORDERS
    helix.keys(" n")
    helix.until_shown("from prices import net_total")
    helix.keys(" n")
    helix.until_shown("from prices import compute_total")
    save(helix)
    assert (file.parent / "orders.py").read_text() == ORDERS.replace(
        "import net_total", "import compute_total"
    )
    helix.keys("<C-o>")
    helix.until_shown("def compute_total")
