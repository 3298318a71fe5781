"""The way from `editahead` to the laboratory."""

from __future__ import annotations

import pytest

from command_line import CommandLine
from editahead_cli import laboratory
from editahead_cli.main import main
from editahead_lab.main import LAB


def test_the_laboratory_has_what_is_handed_on() -> None:
    assert LAB.commands.keys() >= {laboratory.TRAIN, "eval"}


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["train", "gate"], "train"),
        (["--json", "train", "gate"], "train"),
        (["train"], None),
        (["train", "mine", "--dry-run"], None),
        (["eval", "typing", "repo=."], "eval typing"),
        (["eval", "tasks", "folder=tests/tasks"], "eval tasks"),
        (["eval", "--repo", ".", "--json"], None),
        (["finish", "--staged"], None),
        ([], None),
    ],
)
def test_what_only_the_laboratory_has(arguments: list[str], named: str | None) -> None:
    assert laboratory.named_in_lab(arguments) == named


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "gate"], "`editahead train` needs the laboratory: pip install 'editahead-lab[train]'"),
        (
            ["eval", "tasks", "folder=."],
            "`editahead eval tasks` needs the laboratory: pip install editahead-lab",
        ),
    ],
)
def test_where_it_is_not_installed_a_sentence_says_what_to_do(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, editahead: CommandLine
) -> None:
    monkeypatch.setattr(laboratory, "find_spec", lambda name: None)
    assert message in editahead.error(*arguments)


def test_where_it_is_installed_it_gets_the_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["train", "gate", "--help"])
    assert "usage: editahead-lab train gate" in capsys.readouterr().out
