"""Nothing from a sketch, a repository, a file's name or a server's answer steers the terminal."""

from __future__ import annotations

import ast
import asyncio
import io
import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.table import Table

import editahead_cli
from command_line import CommandLine
from editahead_cli import console
from editahead_cli.commands.lsp import _log_handlers
from editahead_cli.main import main
from editahead_cli.rich_console import SafeConsole
from fake_model_server import Exchange, ModelServer
from git_repository import make_repository
from secret_corpus import placed_secrets
from server_harness import ScriptedPipeline
from sketch_fixture import SKETCH, TEXT

ATTACK = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\u2066\x08"
FOLDER = Path(editahead_cli.__file__).parent
WRITERS = {"console.py", "rich_console.py"}


def is_harmless(said: str) -> bool:
    return all(char == "\n" or (char.isprintable() and char not in "\u202e\u2066") for char in said)


@pytest.fixture(autouse=True)
def folder(work: Path) -> Path:
    return work


Apply = Callable[..., tuple[int, str, str]]


@pytest.fixture
def apply(editahead: CommandLine) -> Apply:
    return lambda *arguments, sketch: editahead.run("apply", *arguments, stdin=sketch)


def test_a_diff_without_colours(folder: Path, apply: Apply, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    (folder / "a.py").write_text(TEXT.replace("abs(b)", f"abs(b)  # {ATTACK}"))
    code, said, error = apply("a.py", sketch=SKETCH.replace("twice", ATTACK))
    assert code == 0
    assert is_harmless(said)
    assert r"# \x1b]0;owned\x07\x1b[2J\x9b31m\u202e\u2066\x08" in said
    assert "--patch" in error


def test_a_patch_is_exact(folder: Path, apply: Apply, monkeypatch: pytest.MonkeyPatch) -> None:
    before = TEXT.replace("abs(b)", f"abs(b)  # {ATTACK}").replace("\n", "\r\n").encode()
    (folder / "a.py").write_bytes(before)
    _, said, _ = apply("a.py", "--patch", sketch=SKETCH.replace("twice", ATTACK))
    subprocess.run(["git", "apply", "-"], input=said.encode(), check=True, cwd=folder)
    patched = (folder / "a.py").read_bytes()
    (folder / "a.py").write_bytes(before)
    apply("a.py", "--write", sketch=SKETCH.replace("twice", ATTACK))
    assert (folder / "a.py").read_bytes() == patched != before


def test_a_patch_for_a_terminal_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Screen()
    monkeypatch.setattr("sys.stdout", screen)
    console.print_exactly([ATTACK])
    assert is_harmless(screen.getvalue())


@pytest.mark.parametrize(
    "sketch",
    [
        f"```python\ndef third():\n    # {ATTACK}\n    return 1\n# ... existing code ...\ndef fourth(): pass\n```",
        f"--- a/{ATTACK}.py\n+++ b/{ATTACK}.py\n@@ -1 +1 @@\n-x\n+y\n",
        f"*** Begin Patch\n*** Update File: {ATTACK}.py\n@@\n-x\n+y\n*** End Patch\n",
    ],
)
def test_a_refusal(folder: Path, apply: Apply, sketch: str) -> None:
    (folder / "a.py").write_text(TEXT)
    code, said, error = apply("a.py", sketch=sketch)
    assert (code, said) == (1, "")
    assert is_harmless(error)


def test_the_names_of_written_files(folder: Path, apply: Apply) -> None:
    name = f"a{ATTACK}\n.py".replace("\x08", "")
    (folder / name).write_text(TEXT)
    code, said, _ = apply(name, "--write", sketch=SKETCH)
    assert code == 0
    assert said == "changed a\\x1b]0;owned\\x07\\x1b[2J\\x9b31m\\u202e\\u2066\\x0a.py\n"


def test_json(folder: Path, apply: Apply) -> None:
    (folder / "a.py").write_text(TEXT)
    code, said, _ = apply("a.py", "--json", sketch=SKETCH.replace("twice", ATTACK))
    assert code == 0
    assert is_harmless(said)


@pytest.mark.slow
async def test_a_server_s_model_names(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def models(exchange: Exchange) -> None:
        await exchange.json({"data": [{"id": f"m{ATTACK}", "owned_by": f"o{ATTACK}", "max_model_len": 2048}]})

    monkeypatch.setattr("editahead_cli.commands.doctor._check_server", list)
    monkeypatch.setenv("EDITAHEAD_BACKEND", "openai")
    async with ModelServer({"/v1/models": models}) as server:
        monkeypatch.setenv("EDITAHEAD_URL", server.url)
        for model in (None, "other", f"m{ATTACK}"):
            if model is not None:
                monkeypatch.setenv("EDITAHEAD_MODEL", model)
            await asyncio.to_thread(main, ["doctor"])
            assert is_harmless("".join(capsys.readouterr()))


@pytest.mark.slow
def test_the_demo_of_a_repository(
    folder: Path, editahead: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "a\x1b[31m\nb.py"
    texts = ({name: text} for text in ("x = 1\n", f"x = 2  # {ATTACK}\n"))
    make_repository(folder, *texts, subject=f"subject {ATTACK}")
    said = editahead("demo", "--repo", folder, "--speed", "0").out
    assert is_harmless(said)
    assert "subject" in said


def test_a_prompt(folder: Path, editahead: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editahead_inference.pipeline.Pipeline", lambda **_: ScriptedPipeline({}))
    (folder / "a.py").write_text(f"x = 1  # {ATTACK}\n")
    at = ["predict", "a.py", "--line", "1", "--column", "1"]
    assert is_harmless(editahead(*at, "--show-prompt").out)


def test_a_console_takes_no_markup() -> None:
    out = io.StringIO()
    table = Table(f"[link=https://example.com]{ATTACK}[/link]", box=None)
    table.add_row(f":smile: [bold]{ATTACK}[/bold]")
    SafeConsole(file=out, width=200, force_terminal=True, color_system="truecolor", highlight=False).print(
        table
    )
    said = out.getvalue()
    assert "[link=https://example.com]" in said
    assert ":smile: [bold]" in said
    assert not set(ATTACK.replace("\x1b", "")) & set(said) - set("]0;owned[2J31m")


def test_an_entry_of_the_log(folder: Path) -> None:
    out = io.StringIO()
    handler = next(iter(_log_handlers(folder / "log")))
    handler.setFormatter(console.LogFormatter("%(levelname)s %(message)s"))
    assert isinstance(handler, logging.StreamHandler)
    handler.setStream(out)
    try:
        raise ValueError(ATTACK)
    except ValueError:
        error = sys.exc_info()
    handler.emit(logging.LogRecord("n", logging.INFO, "p", 1, f"a{ATTACK}\nERROR b", (), error))
    assert is_harmless(out.getvalue())
    assert "\nERROR" not in out.getvalue()


def test_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    console.print_traceback(ValueError, ValueError(ATTACK), None)
    assert is_harmless(capsys.readouterr().err)


@pytest.mark.slow
def test_only_the_consoles_print() -> None:
    """New code that prints in another way fails here."""
    found = []
    for file in sorted(FOLDER.rglob("*.py")):
        if file.name in WRITERS:
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                if called in ("print", "Console", "sys.stdout.write", "sys.stderr.write", "json.dump"):
                    found.append(f"{file.relative_to(FOLDER)}:{node.lineno} {called}")
    assert found == []


@pytest.mark.parametrize(
    "arguments", [[ATTACK], ["apply", "a.py", f"--{ATTACK}"], ["lsp", "--tcp", ATTACK], ["record", ATTACK]]
)
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    said = capsys.readouterr()
    assert "owned" in said.err and is_harmless(said.out + said.err)


@pytest.mark.slow
def test_the_log_holds_no_secrets() -> None:
    formatter = console.LogFormatter("%(message)s")
    for each in placed_secrets(seed=3):
        for secret in each.secrets:
            try:
                raise ValueError(each.text)
            except ValueError:
                info = sys.exc_info()
            record = logging.LogRecord("a", logging.ERROR, "a.py", 1, "failed: %s", (each.text,), info)
            assert secret not in formatter.format(record), each.place
