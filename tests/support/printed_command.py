"""The command line that `editahead engine --print` prints."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import TypeAlias

import pytest

from editahead_cli.main import main

Printed: TypeAlias = Callable[..., tuple[dict[str, str], list[str]]]


def printer(capsys: pytest.CaptureFixture[str]) -> Printed:
    """Return a function from arguments of `engine --print` to the printed environment and command."""

    def printed(*arguments: object) -> tuple[dict[str, str], list[str]]:
        assert main(["engine", "--print", *map(str, arguments)]) == 0, capsys.readouterr().err
        env, *words = shlex.split(capsys.readouterr().out)
        assert env == "env"
        settings = [word for word in words if word.split("=")[0].isupper()]
        return dict(word.split("=", 1) for word in settings), words[len(settings) :]

    return printed


def option(command: list[str], name: str) -> str:
    """Return the value of an option in a command."""
    return command[command.index(name) + 1]
