"""`editahead rules` on a real history, and what `finish` makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editahead_cli.main import main
from git_repository import commit, make_repository, write
from schemas import validate

pytestmark = pytest.mark.slow


Capture = pytest.CaptureFixture[str]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which each new command has a line in a table and one in the documentation."""
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NO_COLOR", "1")
    root = make_repository(tmp_path / "work", {"main.py": "COMMANDS = {\n}\n", "doc.md": "# Commands\n\n"})
    table, list_ = "COMMANDS = {\n", "# Commands\n\n"
    for name in ("fetch", "guest", "list", "move", "push"):
        table, list_ = f'{table}    "{name}": run,\n', f"{list_}- `{name}`\n"
        write(root, {f"commands/{name}.py": "run = 1\n", "main.py": f"{table}}}\n", "doc.md": list_})
        commit(root)
    monkeypatch.chdir(root)
    return root


def output(capsys: Capture, *arguments: str) -> Any:
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_mined_listed_and_switched_off(root: Path, capsys: Capture) -> None:
    mined = output(capsys, "rules", "mine")
    validate("output.rules", "output", mined)
    assert Path(mined["path"]).is_file()
    assert output(capsys, "rules", "list") == mined
    (rule,) = (
        one for one in mined["rules"] if one["text"].startswith("a new file") and "main.py" in one["text"]
    )
    assert rule["text"] == 'a new file in commands/{flat}.py -> `"{flat}": run,` in main.py'
    assert (rule["kind"], rule["support"], rule["off"]) == ("co-change", 5, False)
    off = output(capsys, "rules", "off", rule["id"])
    assert [one["off"] for one in off["rules"] if one["id"] == rule["id"]] == [True]
    again = output(capsys, "rules", "mine")
    assert [one["off"] for one in again["rules"] if one["id"] == rule["id"]] == [True]
    on = output(capsys, "rules", "on", rule["id"])
    assert not any(one["off"] for one in on["rules"])
    assert main(["rules", "list"]) == 0
    out = capsys.readouterr().out
    assert f"{rule['id']}  a new file in commands/{{flat}}.py" in out
    assert "in 5 commits: " in out


def test_finish_uses_them(root: Path, capsys: Capture) -> None:
    write(root, {"commands/zip.py": "run = 1\n"})
    assert output(capsys, "finish")["complete"]
    mined = output(capsys, "rules", "mine")
    report = output(capsys, "finish")
    made = {(place["path"], place["line"], place["new"]) for place in report["places"]}
    assert made == {("main.py", 7, '    "zip": run,\n'), ("doc.md", 8, "- `zip`\n")}
    assert main(["finish"]) == 0
    assert "The history of the repository has it in 5 commits, as in " in capsys.readouterr().out
    assert main(["finish", "--write"]) == 0
    assert (root / "main.py").read_text().endswith('    "push": run,\n    "zip": run,\n}\n')
    assert (root / "doc.md").read_text().endswith("- `push`\n- `zip`\n")
    capsys.readouterr()
    assert output(capsys, "finish")["complete"]
    write(root, {"main.py": "COMMANDS = {\n}\n"})
    assert main(["rules", "off", *(rule["id"] for rule in mined["rules"])]) == 0
    capsys.readouterr()
    assert output(capsys, "finish")["complete"]


def test_a_name_that_is_used_elsewhere_is_not_new(root: Path, capsys: Capture) -> None:
    write(root, {"tools.py": "zip = 1\n"})
    commit(root)
    output(capsys, "rules", "mine")
    write(root, {"commands/zip.py": "run = 1\n"})
    assert output(capsys, "finish")["complete"]


def test_measured(root: Path, capsys: Capture) -> None:
    figures = output(capsys, "rules", "measure")
    assert figures["mined"] + figures["measured"] == 6
    assert main(["rules", "measure"]) == 0
    assert "measured on the" in capsys.readouterr().out


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
def test_wrong_usage(root: Path, capsys: Capture, arguments: list[str], code: int, reason: str) -> None:
    assert main(["rules", *arguments]) == code
    assert reason in capsys.readouterr().err


def test_a_broken_file_is_named(root: Path, capsys: Capture) -> None:
    path = Path(output(capsys, "rules", "mine")["path"])
    path.write_text("[[rule")
    write(root, {"commands/zip.py": "run = 1\n"})
    for command in (["rules", "list"], ["finish"]):
        assert main(command) == 1
        assert str(path) in capsys.readouterr().err
    assert path.read_text() == "[[rule"


def test_no_rules(root: Path, capsys: Capture) -> None:
    assert main(["rules", "list"]) == 0
    assert "There are no rules" in capsys.readouterr().out
