"""The command line in this process. `lsp` has end-to-end tests."""

from __future__ import annotations

import asyncio
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from command_line import CommandLine
from editahead_cli.errors import DiffMismatchError
from editahead_cli.history_diff import parse_hunks, reconstruct_versions
from editahead_cli.main import main
from editahead_inference.backends.local.small_model import PROVENANCE, small_model_folder
from editahead_prompts.state import EditorState
from fake_model_server import Exchange, ModelServer
from server_harness import ScriptedPipeline

BEFORE = "user = 1\nx\ny\nprint(user)\nz\n"
AFTER = "account = 1\nx\ny\nprint(user)\nz\nlast\n"
DIFF = """diff --git a/pkg/a.py b/pkg/a.py
--- a/pkg/a.py
+++ b/pkg/a.py
@@ -1,2 +1,2 @@
-user = 1
+account = 1
 x
@@ -5 +5,2 @@ y
 z
+last
"""


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use folders for settings and state that belong to this test."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("EDITAHEAD_EAGERNESS", "EDITAHEAD_BACKEND"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def states(monkeypatch: pytest.MonkeyPatch) -> list[EditorState]:
    """Replace the pipeline by a scripted one, and return the states that it receives."""
    pipeline = ScriptedPipeline({"user": "account"})
    monkeypatch.setattr("editahead_inference.pipeline.Pipeline", lambda **_: pipeline)
    return pipeline.calls


def wrong(*arguments: str) -> int:
    with pytest.raises(SystemExit) as exit:
        main(arguments)
    assert isinstance(exit.value.code, int)
    return exit.value.code


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--tcp", "0.0.0.0:0"], "--allow-remote"),
        (["--tcp", "127.0.0.1:0", "--allow-remote"], "EDITAHEAD_TOKEN"),
        (["--allow-remote"], "--tcp"),
    ],
)
def test_no_port_is_open_to_other_machines_by_mistake(
    arguments: list[str], reason: str, monkeypatch: pytest.MonkeyPatch, editahead: CommandLine
) -> None:
    monkeypatch.delenv("EDITAHEAD_TOKEN", raising=False)
    assert reason in editahead.error("lsp", *arguments, code=2)


def test_addresses() -> None:
    for address in ("localhost", "localhost:x", "localhost:70000", ":"):
        assert wrong("lsp", "--tcp", address) == 2


def test_wrong_usage() -> None:
    assert main([]) == 2
    assert wrong("dance") == 2
    assert wrong("predict") == 2
    assert wrong("predict", "a.py", "--line", "0", "--column", "1") == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("index", "status", "--json", "."),
        ("index", "--json", "status", "."),
        ("index", "status", ".", "--json"),
    ],
)
def test_options_stand_anywhere(arguments: tuple[str, ...], editahead: CommandLine) -> None:
    assert json.loads(editahead(*arguments).out)["state"] == "missing"


def test_a_wrong_argument_is_reported_with_the_usage_of_its_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert wrong("index", "status", ".", "more") == 2
    assert wrong("train", "gate", "edits=.", "out=x", "--dance") == 2
    err = capsys.readouterr().err
    assert "usage: editahead index" in err and "editahead index: error: unrecognized arguments: more" in err
    assert "usage: editahead-lab train gate" in err and "unrecognized arguments: --dance" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("finsh",), "there is no command 'finsh'; did you mean 'finish'?"),
        (("dance",), "there is no command 'dance'; --help lists all"),
        (("finish", "--jsno"), "unrecognized arguments: --jsno; did you mean '--json'?"),
        ((), "Your editor starts `editahead lsp`."),
    ],
)
def test_what_is_misspelt_gets_a_suggestion(
    arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    try:
        assert main(arguments) == 2
    except SystemExit as exit:
        assert exit.code == 2
    assert said in capsys.readouterr().err


def test_version(editahead: CommandLine) -> None:
    assert editahead("--version").out == "editahead 0.1.0\n"
    assert editahead.json("--version") == {"version": "0.1.0"}


def test_predict(folders: Path, states: list[EditorState], editahead: CommandLine) -> None:
    (folders / "a.py").write_text(AFTER, "utf-8")
    (folders / "a.diff").write_text(DIFF, "utf-8")
    where = ["a.py", "--line", "1", "--column", "8", "--history", "a.diff"]
    out = editahead("predict", *where).out
    assert "a.py:4  user -> account" in out
    assert "+print(account)" in out
    state = states[0]
    assert state.document.text == AFTER
    assert state.cursor == 7
    assert [(p.old, p.new) for p in state.history] == [
        (("user = 1\n",), ("account = 1\n",)),
        ((), ("last\n",)),
    ]
    answer: Any = editahead.json("predict", *where)
    assert answer["silence"] is None
    assert answer["predictions"][0]["edits"][0]["range"]["start"] == {"line": 3, "character": 6}


def test_predict_says_why_it_is_silent(
    folders: Path, states: list[EditorState], editahead: CommandLine
) -> None:
    (folders / "a.py").write_text("nothing\n", "utf-8")
    assert editahead("predict", "a.py", "--line", "1", "--column", "1").out.startswith(
        "Nothing is predicted: The script"
    )


@pytest.mark.parametrize("content", [None, b"\xff\xfe\xff"])
def test_predict_without_a_readable_file(
    folders: Path, content: bytes | None, editahead: CommandLine
) -> None:
    if content is not None:
        (folders / "a.py").write_bytes(content)
    assert editahead.error("predict", "a.py", "--line", "1", "--column", "1").startswith("editahead: ")


def test_predict_with_a_diff_that_does_not_fit(folders: Path, editahead: CommandLine) -> None:
    (folders / "a.py").write_text("something else\n", "utf-8")
    (folders / "a.diff").write_text(DIFF, "utf-8")
    assert "does not fit" in editahead.error(
        "predict", "a.py", "--line", "1", "--column", "1", "--history", "a.diff"
    )


def test_config(folders: Path, monkeypatch: pytest.MonkeyPatch, editahead: CommandLine) -> None:
    monkeypatch.setenv("EDITAHEAD_EAGERNESS", "0.9")
    (folders / "editahead.toml").write_text('backend = "openai"\nlearning = false\n', "utf-8")
    out, err = editahead("config", "--show-origin")
    lines = {line.split(" = ")[0]: line for line in out.splitlines()}
    assert "0.9" in lines["eagerness"]
    assert lines["eagerness"].endswith("# environment variable EDITAHEAD_EAGERNESS")
    assert lines["learning"].endswith(f"# {folders / 'editahead.toml'}")
    assert lines["backend"].endswith("# default")
    assert "may not set `backend`" in err
    known = editahead.json("config")
    assert known["settings"]["learning"] == {"value": False, "origin": str(folders / "editahead.toml")}
    assert len(known["messages"]) == 1


def test_what_config_prints_is_a_settings_file(
    folders: Path, monkeypatch: pytest.MonkeyPatch, editahead: CommandLine
) -> None:
    (folders / "editahead.toml").write_text(
        'eagerness = 0.7\nexclude = ["*.gen", "é\\\\x", "\\u007f"]\nlanguages = { python = false, "c++" = true }\n',
        "utf-8",
    )
    printed = editahead("config").out
    assert "# url =" in printed.splitlines()[1]
    (folders / "editahead.toml").write_text(printed, "utf-8")
    assert editahead("config").out == printed
    assert tomllib.loads(printed)["languages"] == {"python": False, "c++": True}


@pytest.mark.parametrize("command", ["rules", "index"])
def test_a_command_without_an_action_tells_what_there_is(
    command: str, folders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "--json"]) in (0, 1)
    out, err = capsys.readouterr()
    assert json.loads(out) if out else err.startswith("editahead: ")


@pytest.mark.slow
def test_doctor(folders: Path, monkeypatch: pytest.MonkeyPatch, editahead: CommandLine) -> None:
    report = editahead.json("doctor")
    assert report["ok"] is True
    assert {"python", "grammars", "settings", "server", "editors"} <= {
        check["name"] for check in report["checks"]
    }
    monkeypatch.setenv("EDITAHEAD_EAGERNESS", "very")
    assert "FAIL  settings" in editahead("doctor", code=1).out


@pytest.mark.parametrize(
    ("model", "format", "code", "says"),
    [
        (None, None, 0, "ok    backend: vLLM URL serves 'sweep-1.5b' with a context of 2048 tokens"),
        (None, None, 0, "ok    prompt format: sweep"),
        ("other", None, 1, "FAIL  backend: URL does not serve the model 'other'; there is sweep-1.5b."),
        (None, "mine", 1, "FAIL  prompt format: there is no prompt format 'mine'"),
        (None, "zeta-2", 0, "ok    prompt format: zeta-2"),
    ],
)
async def test_the_doctor_asks_the_backend(
    model: str | None,
    format: str | None,
    code: int,
    says: str,
    folders: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def models(exchange: Exchange) -> None:
        served = {"id": "sweep-1.5b", "owned_by": "vllm", "max_model_len": 2048}
        await exchange.json({"data": [served]})

    monkeypatch.setattr("editahead_cli.commands.doctor._check_server", list)
    monkeypatch.setenv("EDITAHEAD_BACKEND", "openai")
    for name, value in (("MODEL", model), ("FORMAT", format)):
        if value is not None:
            monkeypatch.setenv(f"EDITAHEAD_{name}", value)
    async with ModelServer({"/v1/models": models}) as server:
        monkeypatch.setenv("EDITAHEAD_URL", server.url)
        assert await asyncio.to_thread(main, ["doctor"]) == code
        assert says.replace("URL", server.url) in capsys.readouterr().out


def test_the_doctor_knows_a_small_model_of_another_version(
    folders: Path, monkeypatch: pytest.MonkeyPatch, editahead: CommandLine
) -> None:
    installed = small_model_folder()
    installed.mkdir(parents=True)
    (installed / "config.json").write_text("{}")
    (installed / PROVENANCE).write_text('{"adapter": "of another version"}')
    monkeypatch.setenv("EDITAHEAD_BACKEND", "local")
    monkeypatch.setattr("editahead_cli.commands.doctor._check_server", list)
    assert "`editahead models use editahead-coder` makes it anew" in editahead("doctor", code=1).out


@pytest.mark.parametrize(
    ("backend", "says"),
    [
        ({"URL": "http://127.0.0.1:1"}, "Nothing answers at http://127.0.0.1:1."),
        ({}, "needs a `url`"),
        ({"URL": "https://example.com", "API_KEY_ENV": "NO_SUCH_KEY"}, "NO_SUCH_KEY, which is not set"),
        ({"BACKEND": "engine"}, "No engine is running; `editahead engine` starts one."),
        ({"BACKEND": "local", "MODEL": "/no/such/folder"}, "There is no model in /no/such/folder."),
        ({"BACKEND": "local", "MODEL": "models/editahead"}, "whole path of a folder"),
    ],
)
def test_the_doctor_says_what_is_wrong_with_the_backend(
    backend: dict[str, str], says: str, folders: Path, monkeypatch: pytest.MonkeyPatch, editahead: CommandLine
) -> None:
    monkeypatch.setattr("editahead_cli.commands.doctor._check_server", list)
    for name, value in ({"BACKEND": "openai"} | backend).items():
        monkeypatch.setenv(f"EDITAHEAD_{name}", value)
    (line,) = [
        line for line in editahead("doctor", code=1).out.splitlines() if line.startswith("FAIL  backend: ")
    ]
    assert says in line


def test_a_diff_is_taken_back_hunk_by_hunk() -> None:
    first, second, last = reconstruct_versions(AFTER, parse_hunks(DIFF, "a.py"))
    assert (first, last) == (BEFORE, AFTER)
    assert second == BEFORE.replace("user = 1", "account = 1")


def test_a_diff_without_names_is_of_the_file() -> None:
    bare = "@@ -1 +1 @@\n-a\n+b\n"
    assert reconstruct_versions("b\n", parse_hunks(bare, "x.py")) == ["a\n", "b\n"]
    assert parse_hunks("--- a/y.py\n+++ b/y.py\n" + bare, "x.py") == []


def test_lines_that_look_like_headers_are_lines() -> None:
    diff = "@@ -1,2 +1 @@\n--- a comment\n-- b\n+++ c\n"
    assert reconstruct_versions("++ c\n", parse_hunks(diff, "q.sql"))[0] == "-- a comment\n- b\n"


def test_another_files_diff_does_not_fit() -> None:
    with pytest.raises(DiffMismatchError):
        reconstruct_versions("something\n", parse_hunks(DIFF, "a.py"))
