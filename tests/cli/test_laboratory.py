"""The way from `editahead` to the laboratory."""

from __future__ import annotations

import argparse

import pytest

from command_line import CommandLine
from editahead_cli import laboratory
from editahead_cli.commands import eval as product
from editahead_cli.main import main
from editahead_lab.commands import eval as lab
from editahead_lab.main import LAB


def options(module: object) -> set[str]:
    parser = argparse.ArgumentParser()
    module.add_arguments(parser)
    return {option for action in parser._actions for option in action.option_strings}


def test_the_options_that_are_handed_on_are_those_that_only_the_laboratory_has() -> None:
    assert options(lab) - options(product) == laboratory.EVAL_OPTIONS
    assert options(product) <= options(lab)
    assert LAB.commands.keys() > laboratory.COMMANDS_OF_LAB


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["train", "gate"], "train"),
        (["--json", "train"], "train"),
        (["eval", "--repo", ".", "--typing"], "eval --typing"),
        (["eval", "--tasks=tests/tasks"], "eval --tasks"),
        (["eval", "--repo", ".", "--json"], None),
        (["finish", "--search"], None),
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
            ["eval", "--tasks", "."],
            "`editahead eval --tasks` needs the laboratory: pip install editahead-lab",
        ),
    ],
)
def test_where_it_is_not_installed_a_sentence_says_what_to_do(
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    editahead: CommandLine,
) -> None:
    monkeypatch.setattr(laboratory, "find_spec", lambda name: None)
    assert message in editahead.error(*arguments)


def test_where_it_is_installed_it_gets_the_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["train", "gate", "--help"])
    assert "usage: editahead-lab train gate" in capsys.readouterr().out
