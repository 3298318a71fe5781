"""The GitHub action and the pre-commit hook of `editahead finish`."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from editahead_cli.main import main

ROOT = Path(__file__).parents[2]
ANNOTATE = runpy.run_path(str(ROOT / ".github" / "finish" / "annotate.py"))
ATTACK = "a,file=b::\n::error::x%0A\r"


def report(**place: Any) -> dict[str, Any]:
    whole = {"path": "sub/b.py", "line": 4, "endLine": 3, "old": "", "new": "  y = 1\nz\n", "rule": "r"}
    return {
        "complete": False,
        "rules": [{"id": "r", "label": "rename x -> y", "shownAt": [{"path": "a.py", "line": 2}]}],
        "places": [{**whole, "confidence": 0.912, "kind": "code", **place}],
        "looked": {"files": 9, "rules": 1, "ms": 3.5},
    }


def test_an_annotation() -> None:
    assert list(ANNOTATE["annotations"](report(), "inner/")) == [
        "::warning file=inner/sub/b.py,line=4,endLine=4,title=Likely missing from this change::"
        "rename x -> y: this place is likely missing (91%25). The change did it at a.py:2. Likely: y = 1"
    ]
    (deleted,) = ANNOTATE["annotations"](report(new=""))
    assert deleted.endswith("Likely, these lines go.")


def test_names_and_code_are_no_commands() -> None:
    (command,) = ANNOTATE["annotations"](report(path=ATTACK, new=ATTACK))
    assert "\n" not in command and "\r" not in command
    fields, _, message = command.removeprefix("::warning ").partition("::")
    assert fields.count(",") == 3 and fields.startswith("file=a%2Cfile=b%3A%3A%0A%3A%3Aerror")
    assert "::" in message and message.endswith("a,file=b::")


@pytest.mark.parametrize(("fail", "code"), [("true", 1), ("false", 0)])
def test_the_outputs(tmp_path: Path, capsys: pytest.CaptureFixture[str], fail: str, code: int) -> None:
    (tmp_path / "report.json").write_text(json.dumps(report()))
    places = {"--folder": tmp_path / "inner", "--workspace": tmp_path, "--output": tmp_path / "out"}
    options = [str(each) for pair in {**places, "--summary": tmp_path / "summary"}.items() for each in pair]
    assert ANNOTATE["main"]([str(tmp_path / "report.json"), *options, "--fail", fail]) == code
    assert capsys.readouterr().out.startswith("::warning file=inner/sub/b.py,")
    assert (tmp_path / "out").read_text() == "complete=false\nplaces=1\n"
    assert (tmp_path / "summary").read_text() == "1 places are likely missing, by 1 rules (9 files).\n"


@pytest.mark.parametrize("name", [".pre-commit-hooks.yaml", "action.yml"])
def test_the_options_are_those_of_the_command(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    (command,) = re.findall(r'editahead"? finish (--.*)', (ROOT / name).read_text())
    with pytest.raises(SystemExit):
        main(["finish", "--help"])
    known = capsys.readouterr().out
    options = re.findall(r"--[a-z-]+", command)
    assert options and all(option in known for option in options)
