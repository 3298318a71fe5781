"""The completion of the command line, in the shells that this machine has."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import CommandLine
from editahead_cli.main import main
from editahead_cli.parser import COMMANDS

FILES = ("rooms.py", "rooms.md")
BASH = """
source editahead.bash
line=$1
read -ra COMP_WORDS <<<"$line"
[[ $line != *" " ]] || COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$line COMP_POINT=${#line}
specification=$(complete -p editahead)
completer=${specification##*-F }
${completer%% *} editahead "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""
PWSH = """
. ./editahead.ps1
$found = [System.Management.Automation.CommandCompletion]::CompleteInput($args[0], $args[0].Length, $null)
$found.CompletionMatches | ForEach-Object { $_.CompletionText }
"""

Completer = Callable[[str], set[str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in FILES:
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_script(shell: str, path: Path, editahead: CommandLine) -> None:
    path.write_text(editahead("completions", shell).out, "utf-8")


def said(*command: str) -> set[str]:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stderr == ""
    return {line.split("\t")[0].strip().removeprefix("./") for line in done.stdout.splitlines()}


@pytest.fixture(params=["bash", "fish", "powershell"])
def complete(request: pytest.FixtureRequest, folder: Path, editahead: CommandLine) -> Completer:
    program = {"powershell": "pwsh"}.get(request.param, request.param)
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program}")
    write_script(request.param, folder / f"editahead.{'ps1' if program == 'pwsh' else program}", editahead)
    if program == "bash":
        return lambda line: said("bash", "--norc", "-c", BASH, "bash", line)
    if program == "fish":
        script = 'source editahead.fish; complete -C "$argv[1]"'
        return lambda line: said("fish", "--no-config", "-c", script, line)
    return lambda line: said("pwsh", "-NoProfile", "-Command", f"& {{ {PWSH} }}", line)


def test_commands_options_choices_and_files(complete: Completer) -> None:
    assert complete("editahead ") >= COMMANDS.keys()
    assert complete("editahead fini") == {"finish"}
    assert complete("editahead finish --st") == {"--staged"}
    assert complete("editahead index ") >= {"status", "build", "clear"}
    assert complete("editahead apply --sketch roo") == set(FILES)


@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh")
def test_zsh(folder: Path, editahead: CommandLine) -> None:
    from terminal import Terminal  # which Windows lacks

    write_script("zsh", folder / "_editahead", editahead)
    shell = Terminal(["zsh", "-f", "-i"], folder, {"TERM": "dumb"})
    try:
        shell.keys(
            "fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; editahead() { print got $* }; print re''ady<CR>"
        )
        shell.until_shown("ready")
        shell.keys("editahead fini<Tab>--st<Tab><CR>")
        shell.until_shown("got finish --staged")
    finally:
        shell.keys("\x15exit<CR>")  # a shell ignores SIGTERM
        shell.close()


def test_an_unknown_shell(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit:
        main(["completions", "nosh"])
    assert exit.value.code == 2
    assert "'powershell'" in capsys.readouterr().err
