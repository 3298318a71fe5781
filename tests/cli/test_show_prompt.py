"""`editahead predict --show-prompt`: the printed prompt and its parts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from command_line import CommandLine
from editahead_cli.main import main
from schemas import validate

DIFF = "@@ -1 +1 @@\n-user = 1\n+account = 1\n"


@pytest.fixture(autouse=True)
def a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("EDITAHEAD_FORMAT", "EDITAHEAD_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text("account = 1\n" + "x\n" * 20, "utf-8")
    Path("a.diff").write_text(DIFF, "utf-8")


def show(*arguments: str) -> int:
    where = ["predict", "a.py", "--line", "1", "--column", "8", "--history", "a.diff"]
    return main([*where, "--show-prompt", *arguments])


def test_the_prompt_with_its_parts(capsys: pytest.CaptureFixture[str]) -> None:
    assert show() == 0
    out = capsys.readouterr().out
    assert "<|hist|>a.py\n-user = 1\n<|region|>\naccount<|cursor|> = 1\n" in out
    rows = [line.split() for line in out.splitlines()]
    assert any(row[0] == "region" and row[-1].isdigit() for row in rows if row)
    assert "of 3000 tokens" in out


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert show("--format", "instruct", "--json") == 0
    found: Any = json.loads(capsys.readouterr().out)
    validate("output.predict-show-prompt", "output", found)
    assert (found["format"], found["chat"]) == ("instruct", True)
    assert "".join(found["text"][p["start"] : p["end"]] for p in found["parts"]) == found["text"]
    assert found["tokenizer"] == "3 bytes a token"


def test_what_is_over_the_limit_is_reported_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(
        "account = 1\n" + "".join(f"value_{n} = call({n})\n" for n in range(2000)), "utf-8"
    )
    assert show("--json") == 0
    left = json.loads(capsys.readouterr().out)["leftOut"]
    assert "file/lines 993-1000" in [part["name"] for part in left]
    assert show() == 0
    shown = [line for line in capsys.readouterr().out.splitlines() if line.startswith("left out")]
    assert re.match(r"left out: file/lines \d+-\d+, \d+ tokens: its group's budget", shown[0])
    assert re.match(r"left out: file, \d+ parts, \d+ tokens: follows one left out", shown[1])
    assert len(shown) == 2
    counted = sum(int(re.findall(r"(\d+) tokens", line)[0]) for line in shown)
    assert counted == sum(part["tokens"] for part in left)


def test_a_models_own_tokenizer_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("tokenizers", reason="real tokenizers need an extra that brings models")
    from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer

    model = tmp_path / "zeta-2"
    model.mkdir()
    bundled_tokenizer().encoder.save(str(model / "tokenizer.json"))
    monkeypatch.setenv("EDITAHEAD_MODEL", str(model))
    assert show("--json") == 0
    found: Any = json.loads(capsys.readouterr().out)
    assert (found["format"], found["tokenizer"]) == ("zeta-2", str(model))
    assert found["tokens"] == bundled_tokenizer().count(found["text"])
    monkeypatch.setenv("EDITAHEAD_MODEL", "zeta-2")  # could be a folder of any repository
    assert show("--json") == 0
    assert json.loads(capsys.readouterr().out)["tokenizer"] == "3 bytes a token"


@pytest.mark.parametrize("set_by", ["option", "environment"])
def test_no_such_format(
    set_by: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if set_by == "environment":
        monkeypatch.setenv("EDITAHEAD_FORMAT", "zeta-9")
    assert show(*(["--format", "zeta-9"] if set_by == "option" else [])) == 1
    assert "there is no prompt format 'zeta-9'; there are zeta-1" in capsys.readouterr().err


def test_a_format_is_for_showing(editahead: CommandLine) -> None:
    assert "--format needs --show-prompt" in editahead.error(
        "predict", "a.py", "--line", "1", "--column", "1", "--format", "sweep", code=2
    )
