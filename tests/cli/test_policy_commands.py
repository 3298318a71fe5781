"""The commands on a machine with a policy."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import CommandLine
from editahead_cli.commands import doctor
from editahead_workspace import user_dirs
from machine_policy import write_policy

__all__ = ["write_policy"]

Write = Callable[[str], Path]


def write_settings(text: str) -> None:
    folder = user_dirs.config_folder()
    folder.mkdir(parents=True)
    (folder / "editahead.toml").write_text(text, "utf-8")


def test_config_shows_the_policy(work: Path, write_policy: Write, editahead: CommandLine) -> None:
    file = write_policy('record = "off"\nbackends = ["local"]\nexclude = ["secret/"]\n')
    write_settings('record = "on"\nbackend = "openai"\nurl = "https://example.com"\nexclude = ["mine"]\n')
    out, err = editahead("config", "--show-origin")
    heading = f'# within the policy {file}: backends: local; record at most: "off"; exclude: secret/\n'
    assert out.startswith(heading)
    lines = {line.split(" = ")[0]: line for line in out.splitlines()[1:]}
    assert lines["record"].endswith(f"# {file}") and '"off"' in lines["record"]
    assert lines["backend"].startswith('backend = "embedded"') and lines["backend"].endswith(f"# {file}")
    assert lines["exclude"].endswith(f"editahead.toml, {file}")
    assert "does not allow `record`" in err and "does not allow `backend`" in err
    assert tomllib.loads(editahead("config").out)["exclude"] == ["//**/secret/", "mine"]
    assert editahead.json("config")["policy"] == str(file)


def test_doctor_shows_the_policy(work: Path, write_policy: Write) -> None:
    (check,) = doctor._check_policy()
    assert (check.good, check.detail[:6]) == (None, "none (")
    file = write_policy('models = []\ntelemetry = "off"')
    (check,) = doctor._check_policy()
    assert check == doctor.Check("policy", True, f'{file}: models: none; telemetry at most: "off"')
    write_policy("models = 7")
    (check,) = doctor._check_policy()
    assert check.good is False and "does not count" in check.detail and "`models`" in check.detail
    assert any("does not count" in check.detail for check in doctor._check_settings())


def test_recording_cannot_be_switched_on(work: Path, write_policy: Write, editahead: CommandLine) -> None:
    file = write_policy('record = "off"')
    assert f"The policy {file} does not allow recordings." in editahead.error("record", "on")
    assert not user_dirs.config_folder().exists()


@pytest.mark.parametrize("arguments", [("models", "use", "zeta-2"), ("engine", "org/other", "--print")])
def test_a_model_that_is_not_allowed_is_neither_downloaded_nor_served(
    arguments: tuple[str, ...], work: Path, write_policy: Write, editahead: CommandLine
) -> None:
    file = write_policy('models = ["org/ours"]')
    assert f"The policy {file} does not allow" in editahead.error(*arguments)


def test_a_model_that_is_allowed_is_served(work: Path, write_policy: Write, editahead: CommandLine) -> None:
    write_policy('models = ["org/ours"]\nbackends = ["engine"]')
    assert "org/ours" in editahead("engine", "org/ours", "--llama-cpp", "--print").out
