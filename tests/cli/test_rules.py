"""`editahead rules` on a real history, and what `finish` makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import CommandLine
from editahead_cli.main import main
from git_repository import commit, make_repository, write
from schemas import validate

pytestmark = pytest.mark.slow


Capture = pytest.CaptureFixture[str]


@pytest.fixture
def root(work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which each new command has a line in a table and one in the documentation."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NO_COLOR", "1")
    root = make_repository(work, {"main.py": "COMMANDS = {\n}\n", "doc.md": "# Commands\n\n"})
    table, list_ = "COMMANDS = {\n", "# Commands\n\n"
    for name in ("fetch", "guest", "list", "move", "push"):
        table, list_ = f'{table}    "{name}": run,\n', f"{list_}- `{name}`\n"
        write(root, {f"commands/{name}.py": "run = 1\n", "main.py": f"{table}}}\n", "doc.md": list_})
        commit(root)
    return root


def test_mined_listed_and_switched_off(root: Path, editahead: CommandLine) -> None:
    mined = editahead.json("rules", "mine")
    validate("output.rules", "output", mined)
    assert Path(mined["path"]).is_file()
    assert editahead.json("rules", "list") == mined
    (rule,) = (
        one for one in mined["rules"] if one["text"].startswith("a new file") and "main.py" in one["text"]
    )
    assert rule["text"] == 'a new file in commands/{flat}.py -> `"{flat}": run,` in main.py'
    assert (rule["kind"], rule["support"], rule["off"]) == ("co-change", 5, False)
    off = editahead.json("rules", "off", rule["id"])
    assert [one["off"] for one in off["rules"] if one["id"] == rule["id"]] == [True]
    again = editahead.json("rules", "mine")
    assert [one["off"] for one in again["rules"] if one["id"] == rule["id"]] == [True]
    on = editahead.json("rules", "on", rule["id"])
    assert not any(one["off"] for one in on["rules"])
    out = editahead("rules", "list").out
    assert f"{rule['id']}  a new file in commands/{{flat}}.py" in out
    assert "in 5 commits: " in out


def test_finish_uses_them(root: Path, editahead: CommandLine, capsys: Capture) -> None:
    write(root, {"commands/zip.py": "run = 1\n"})
    assert editahead.json("finish")["complete"]
    mined = editahead.json("rules", "mine")
    report = editahead.json("finish")
    made = {(place["path"], place["line"], place["new"]) for place in report["places"]}
    assert made == {("main.py", 7, '    "zip": run,\n'), ("doc.md", 8, "- `zip`\n")}
    assert "The history of the repository has it in 5 commits, as in " in editahead("finish").out
    assert main(["finish", "--write"]) == 0
    assert (root / "main.py").read_text().endswith('    "push": run,\n    "zip": run,\n}\n')
    assert (root / "doc.md").read_text().endswith("- `push`\n- `zip`\n")
    capsys.readouterr()
    assert editahead.json("finish")["complete"]
    write(root, {"main.py": "COMMANDS = {\n}\n"})
    editahead("rules", "off", *(rule["id"] for rule in mined["rules"]))
    assert editahead.json("finish")["complete"]


def test_a_name_that_is_used_elsewhere_is_not_new(root: Path, editahead: CommandLine) -> None:
    write(root, {"tools.py": "zip = 1\n"})
    commit(root)
    editahead.json("rules", "mine")
    write(root, {"commands/zip.py": "run = 1\n"})
    assert editahead.json("finish")["complete"]


def test_measured(root: Path, editahead: CommandLine) -> None:
    figures = editahead.json("rules", "measure")
    assert figures["mined"] + figures["measured"] == 6
    assert "measured on the" in editahead("rules", "measure").out


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["off"], 2, "needs the id"),
        (["list", "x"], 2, "takes no ids"),
        (["mine", "--commits", "0"], 2, "1 or more"),
        (["off", "nothing"], 1, "there is no rule nothing"),
        (["list", "--path", "/"], 1, "no git repository"),
    ],
)
def test_wrong_usage(
    root: Path, editahead: CommandLine, arguments: list[str], code: int, reason: str
) -> None:
    assert reason in editahead("rules", *arguments, code=code).err


def test_a_broken_file_is_named(root: Path, editahead: CommandLine) -> None:
    path = Path(editahead.json("rules", "mine")["path"])
    path.write_text("[[rule")
    write(root, {"commands/zip.py": "run = 1\n"})
    for command in (["rules", "list"], ["finish"]):
        assert str(path) in editahead.error(*command)
    assert path.read_text() == "[[rule"


def test_no_rules(root: Path, editahead: CommandLine) -> None:
    assert "There are no rules" in editahead("rules", "list").out
