"""The choices of `editahead apply`: listed, picked by number, and asked for on a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import apply_with_readings
from command_line import CommandLine
from editahead_cli.main import main
from git_repository import write
from merge_with_readings import DETAIL, FIRST, READINGS, SECOND, SKETCH, TEXT, merge_with_readings
from schemas import validate
from terminal import Terminal

Apply = Callable[..., tuple[int, str, str]]


@pytest.fixture
def folder(work: Path) -> Path:
    write(work, {"a.py": TEXT, "sketch.md": SKETCH})
    return work


@pytest.fixture
def apply(editahead: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Apply:
    monkeypatch.setattr("editahead_inference.apply.merge.merge.merge", merge_with_readings(READINGS))
    return lambda *arguments: editahead.run("apply", "a.py", *arguments, stdin=SKETCH)


def test_a_refusal_lists_the_choices(folder: Path, apply: Apply) -> None:
    code, said, error = apply("--write")
    assert (code, said) == (1, "")
    assert f"editahead: refused: {DETAIL}\n" in error
    assert "  --choose 1: replace `load()` (a.py:2)\n  --choose 2: add after `load()` (a.py:5)\n" in error
    assert (folder / "a.py").read_text() == TEXT


@pytest.mark.parametrize(("number", "text"), [("1", FIRST), ("2", SECOND)])
def test_a_choice_is_picked_by_its_number(folder: Path, apply: Apply, number: str, text: str) -> None:
    code, said, error = apply("--choose", number)
    assert (code, error) == (0, "")
    assert "+++ b/a.py" in said
    assert (folder / "a.py").read_text() == TEXT
    assert apply("--choose", number, "--write") == (0, "changed a.py\n", "")
    assert (folder / "a.py").read_text() == text


def test_a_number_without_a_choice(folder: Path, apply: Apply, monkeypatch: pytest.MonkeyPatch) -> None:
    code, _, error = apply("--choose", "3", "--write")
    assert code == 1
    assert "--choose 2: add after" in error
    assert apply("--choose", "0")[0] == 2
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    sketch = ("--sketch", "sketch.md")
    assert main(["apply", "a.py", *sketch, "--choose", "2", "--write"]) == 1
    assert (folder / "a.py").read_text() == TEXT
    assert main(["apply", "a.py", *sketch, "--choose", "1", "--write"]) == 0
    assert (folder / "a.py").read_text() == FIRST


def test_choices_as_json(folder: Path, apply: Apply) -> None:
    code, said, _ = apply("--json")
    output = json.loads(said)
    validate("output.apply", "output", output)
    assert code == 1
    first, second = output["refusal"]["choices"]
    assert (first["title"], first["likelihood"]) == ("replace `load()`", 0.6)
    assert second["places"] == [{"uri": (folder / "a.py").as_uri(), "line": 4}]
    assert "+def more():\n" in second["diff"]
    code, said, _ = apply("--json", "--choose", "1", "--write")
    output = json.loads(said)
    validate("output.apply", "output", output)
    assert (code, output["refusal"], output["method"]) == (0, None, "merge")
    assert output["written"] == [(folder / "a.py").as_uri()]


CLASSES = "".join(
    f"class {name}:\n    def load(self):\n        x = 1\n        return x\n\n    def save(self):\n        pass\n\n\n"
    for name in "AB"
)
METHOD = "    def load(self):\n        x = 5\n        return x\n"


@pytest.mark.parametrize("number", [1, 2])
def test_the_real_merge_offers_both_namesakes(folder: Path, editahead: CommandLine, number: int) -> None:
    (folder / "a.py").write_text(CLASSES)
    (folder / "sketch.md").write_text(METHOD)
    arguments = ["apply", "a.py", "--sketch", "sketch.md"]
    choices = editahead.json(*arguments, code=1)["refusal"]["choices"]
    assert {choice["places"][0]["line"] for choice in choices} == {2, 11}
    assert main([*arguments, "--choose", str(number), "--write"]) == 0
    lines = (folder / "a.py").read_text().splitlines()
    changed = choices[number - 1]["places"][0]["line"]
    assert lines[changed] == "        x = 5"
    assert lines.count("        x = 1") == 1


@pytest.fixture
def terminal(folder: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    """A shell command that applies the sketch, in a terminal; the sketch comes from a file or a pipe."""
    command = f"{sys.executable} {apply_with_readings.__file__} '{json.dumps(READINGS)}' a.py --write"
    script = folder.parent / "run.sh"
    script.write_text(request.param.replace("APPLY", command) + '\necho "exit code $?"\nread wait\n')
    terminal = Terminal(["/bin/sh", script], folder, {"NO_COLOR": ""}, rows=40)
    yield terminal
    terminal.close()


FROM_FILE, FROM_PIPE = "APPLY --sketch sketch.md", "cat sketch.md | APPLY"


@pytest.mark.slow
@pytest.mark.parametrize("terminal", [FROM_FILE, FROM_PIPE], indirect=True)
def test_a_person_at_a_terminal_is_asked(folder: Path, terminal: Terminal) -> None:
    terminal.until_shown("A number from 1 to 2, or Enter for none:")
    screen = "\n".join(terminal.screen)
    for text in (
        f"{DETAIL} Which change do you mean?",
        "1) replace `load()` (a.py:2)",
        "   +    return a + 1",
    ):
        assert text in screen
    assert b"\x1b[32m+def more():" in b"".join(terminal.heard)
    terminal.keys("9<CR>")
    terminal.until_shown("Please type a number from 1 to 2")
    terminal.keys("2<CR>")
    terminal.until_shown("exit code 0")
    assert any("changed a.py" in row for row in terminal.screen)
    assert (folder / "a.py").read_text() == SECOND


@pytest.mark.slow
@pytest.mark.parametrize("terminal", [FROM_FILE], indirect=True)
@pytest.mark.parametrize("keys", ["<CR>", "\x04"])
def test_a_person_who_picks_none_gets_the_refusal(folder: Path, terminal: Terminal, keys: str) -> None:
    terminal.until_shown("A number from 1 to 2")
    terminal.keys(keys)
    terminal.until_shown("exit code 1")
    assert (folder / "a.py").read_text() == TEXT


@pytest.mark.slow
@pytest.mark.parametrize("terminal", ["APPLY --sketch sketch.md 2>error"], indirect=True)
def test_without_a_terminal_for_messages_nothing_is_asked(folder: Path, terminal: Terminal) -> None:
    terminal.until_shown("exit code 1")
    assert "--choose 1" in (folder / "error").read_text()
