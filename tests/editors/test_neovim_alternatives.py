"""The Neovim plugin in real Neovims: parts of what is shown, and alternatives to it."""

from __future__ import annotations

from collections.abc import Callable

from neovim import Neovim
from samples import HALF, RENAME, VISIBLE

Start = Callable[..., Neovim]


def test_a_word_and_a_line_are_accepted_in_part(start: Start) -> None:
    neovim = start("\n", plan={"complete": [HALF]})
    neovim.listen()
    neovim.keys("idef h")
    neovim.until(VISIBLE)
    neovim.keys("<M-Right>")
    neovim.until_text("def half\n")
    assert neovim.cursor == (1, 8)
    neovim.settle()
    neovim.until(VISIBLE)
    neovim.keys("<M-C-Right>")
    neovim.until_text("def half(n):\n")
    neovim.settle()
    neovim.until(VISIBLE)
    neovim.keys("<M-C-Right>")
    neovim.until_text(HALF + "\n")
    told = neovim.outcomes
    parts = [(one["event"], one.get("acceptedLength")) for one in told if one["event"] != "shown"]
    assert [event for event, _ in parts] == ["partiallyAccepted", "partiallyAccepted", "accepted"]
    assert parts[0] == ("partiallyAccepted", len("alf"))
    neovim.keys("<Esc>u")
    neovim.until_text("def half(n):\n")


def test_a_replacement_is_accepted_in_part(start: Start) -> None:
    replace = {"guest.name = other.name\n": "visitor.title = next.name\n# said so\n"}
    neovim = start("a = 1\nguest.name = other.name\nb = 2\n", plan={"replace": replace})
    neovim.listen()
    neovim.until(VISIBLE)
    neovim.keys("j0")
    steps = [
        ("<M-Right>", "visitor.name = other.name", len("visitor")),
        ("<M-Right>", "visitor.title = other.name", len("visitor.title")),
        ("<M-C-Right>", "visitor.title = next.name", len("visitor.title = next")),
    ]
    for key, line, column in steps:
        neovim.until(VISIBLE)
        neovim.keys(key)
        neovim.until_text(f"a = 1\n{line}\nb = 2\n")
        assert neovim.cursor == (2, column)
        neovim.settle()
    neovim.until(VISIBLE)
    neovim.keys("<M-C-Right>")
    neovim.until_text("a = 1\nvisitor.title = next.name\n# said so\nb = 2\n")
    told = [(one["event"], one.get("acceptedLength")) for one in neovim.outcomes if one["event"] != "shown"]
    assert [event for event, _ in told] == ["partiallyAccepted"] * 3 + ["accepted"]
    assert told[0] == ("partiallyAccepted", len("visitor"))
    neovim.keys("u")
    neovim.until_text("a = 1\nvisitor.title = next.name\nb = 2\n")
    neovim.keys("u")
    neovim.until_text("a = 1\nvisitor.title = other.name\nb = 2\n")


def test_a_count_accepts_so_many_lines(start: Start) -> None:
    lines = "visitor = 1\n# one\n# two\n# three\n"
    neovim = start("a = 1\nguest = 1\nb = 2\n", plan={"replace": {"guest = 1\n": lines}})
    neovim.until(VISIBLE)
    neovim.keys("j0")
    neovim.until(VISIBLE)
    neovim.keys("3<M-C-Right>")
    neovim.until_text("a = 1\nvisitor = 1\n# one\n# two\nb = 2\n")


def test_the_count_of_the_insert_command_accepts_no_lines(start: Start) -> None:
    neovim = start(
        "a = 1\nguest = 1\nb = 2\n", plan={"replace": {"guest = 1\n": "visitor = 1\n# one\n# two\n"}}
    )
    neovim.until(VISIBLE)
    neovim.keys("j0")
    neovim.until(VISIBLE)
    neovim.keys("3i")
    neovim.until(f"{VISIBLE} and vim.fn.mode() == 'i'")
    neovim.keys("<M-C-Right>")
    neovim.until_text("a = 1\nvisitor = 1\nb = 2\n")


def test_alternatives_of_an_edit_elsewhere(start: Start) -> None:
    neovim = start("x = 1\nguest = 2\nguest = 3\nguest = 4\n", plan=RENAME)
    neovim.listen()
    neovim.until(VISIBLE)
    seen = []
    for key in ("", "<M-]>", "<M-]>", "<M-]>", "<M-[>"):
        neovim.keys(key)
        neovim.settle()
        seen.append(([row for row, _, _ in neovim.drawn("EditaheadDelete")], neovim.drawn("EditaheadHint")))
    assert [rows for rows, _ in seen] == [[1], [2], [3], [1], [3]]
    assert [hints[0][2] if hints else "" for _, hints in seen] == ["", " 2/3", " 3/3", " 1/3", " 3/3"]
    neovim.keys(":Editahead prev<CR>")
    neovim.until(f"{VISIBLE} and vim.fn.mode() == 'n'")
    assert [row for row, _, _ in neovim.drawn("EditaheadDelete")] == [2]
    neovim.keys("<Tab>")
    neovim.until_text("x = 1\nguest = 2\nvisitor = 3\nguest = 4\n")
    told = [(one["id"], one["event"]) for one in neovim.outcomes]
    assert len({id for id, event in told if event == "shown"}) >= 2
    assert [event for _, event in told].count("accepted") == 1
    assert "rejected" not in [event for _, event in told]


def test_alternatives_of_ghost_text(start: Start) -> None:
    other = "def halt():\n    raise SystemExit"
    neovim = start("\n", plan={"complete": [HALF, other]})
    neovim.keys("idef h")
    neovim.until(VISIBLE)
    assert neovim.drawn("EditaheadGhost")[1] == (0, 5, "alf(n):")
    neovim.keys("<M-]>")
    neovim.until("#vim.api.nvim_get_current_line() == 5")
    neovim.settle()
    assert neovim.drawn("EditaheadGhost")[1] == (0, 5, "alt():")
    assert neovim.drawn("EditaheadHint") == [(0, 0, " 2/2")]
    neovim.keys("al")
    neovim.until("#vim.api.nvim_get_current_line() == 7 and " + VISIBLE)
    neovim.settle()
    assert neovim.drawn("EditaheadGhost")[1] == (0, 7, "t():"), "the one that was chosen stays"
    neovim.keys("<Tab>")
    neovim.until_text(other + "\n")


def test_the_keys_for_alternatives_are_what_they_were(start: Start) -> None:
    neovim = start("guest = 1\n", plan=RENAME, before="inoremap <M-]> (next)")
    neovim.keys("A")
    neovim.until(VISIBLE)
    neovim.keys("<M-]>")
    neovim.until_text("guest = 1(next)\n")
