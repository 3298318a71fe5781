"""The completion of the command line of the laboratory."""

from __future__ import annotations

import pytest

from editahead_lab.main import main


def test_the_script_completes_the_program_of_the_laboratory(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completions", "bash"]) == 0
    script = capsys.readouterr().out
    assert "-F _shtab_editahead_lab editahead-lab" in script
    assert "closed-files" in script


def test_the_help_names_the_program_of_the_laboratory(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["completions", "--help"])
    assert "completions/editahead-lab.fish" in capsys.readouterr().out
