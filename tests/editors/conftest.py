"""Editors on this machine, each started on a file in a git repository of its own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from code_server import CodeServer
from committed_folder import fill_folder
from emacs import EMACS
from neovim import NEOVIM_0_11, NEOVIM_0_12, ROOT, Neovim
from server_with_planned_edits import REAL, planned
from shared_window import SharedWindow
from vscode import VSCode


@pytest.fixture
def house(tmp_path: Path) -> Callable[..., list[Path]]:
    """Makes a committed folder of files: `house({"a.py": "text"})`."""

    def build(files: dict[str, str]) -> list[Path]:
        folder = tmp_path / "house"
        fill_folder(folder, files)
        return [folder / name for name in files]

    return build


@pytest.fixture
def homes(tmp_path: Path) -> dict[str, str]:
    """Neither the editor nor the server reads or writes anything of the person who runs the tests."""
    kinds = ("CONFIG", "DATA", "STATE", "CACHE")
    return {f"XDG_{kind}_HOME": str(tmp_path / kind.lower()) for kind in kinds}


@pytest.fixture(
    params=[
        pytest.param(NEOVIM_0_11, id="0.11", marks=pytest.mark.editors),
        pytest.param(NEOVIM_0_12, id="0.12", marks=pytest.mark.editors),
    ]
)
def program(request: pytest.FixtureRequest) -> Path:
    """Neovim, in both versions that are supported."""
    pytest.importorskip(
        "msgpack", reason="Neovim is driven with msgpack (pynvim of the group `dev` brings it)"
    )
    program: Path = request.param
    if not program.exists():
        pytest.skip(f"no Neovim at {program}")
    return program


@pytest.fixture
def start(
    program: Path, tmp_path: Path, homes: dict[str, str], house: Callable[..., list[Path]]
) -> Iterator[Callable[..., Neovim]]:
    """Starts Neovim: `start("text", plan={...})`, or `start({"a.py": "text"}, cmd=[...])`. The first file is shown.
    More keywords are options of the plugin; `before` is Vim script that runs first, `plugin=False` leaves it out."""
    editors = []

    def begin(
        files: str | dict[str, str],
        *,
        plan: dict[str, Any] | None = None,
        plugin: bool = True,
        before: str = "",
        **options: Any,
    ) -> Neovim:
        paths = house({"a.py": files} if isinstance(files, str) else files)
        options.setdefault("cmd", REAL if plan is None else planned(plan))
        options.setdefault("settings", {"debounce_ms": 0})
        editor = Neovim(program, paths[0].parent, paths, homes, options if plugin else None, before)
        editors.append(editor)
        if plugin:
            editor.until("#vim.lsp.get_clients({ name = 'editahead', bufnr = 0 }) > 0")
            editor.until("vim.lsp.get_clients({ name = 'editahead' })[1].initialized")
        return editor

    yield begin
    for editor in editors:
        editor.close()


@pytest.fixture(scope="session")
def shared_window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedWindow]:
    """One code-server, browser and window for all tests that need no other environment: all take long to start."""
    home = tmp_path_factory.mktemp("code-server")
    with (
        contextlib.closing(CodeServer(home / "vscode", {"HOME": str(home)})) as server,
        contextlib.closing(SharedWindow(server, home)) as window,
    ):
        yield window


@pytest.fixture
def first_start(
    tmp_path: Path, homes: dict[str, str], house: Callable[..., list[Path]], request: pytest.FixtureRequest
) -> Iterator[Callable[..., VSCode]]:
    """Opens a window of VS Code on a file, with the packaged extension: `first_start("text", variables={...})`.

    `variables` are for VS Code's environment; more keywords are settings of the extension, with their full names. Each
    test leaves a screenshot of its end in the folder that EDITAHEAD_PICTURES names.
    """
    with contextlib.ExitStack() as stack:

        def open_window(text: str, variables: Mapping[str, str], **settings: Any) -> VSCode:
            environment = {**homes, "HOME": str(tmp_path), **variables}
            code_server = CodeServer(tmp_path / "vscode", environment, packaged=True)
            stack.callback(code_server.close)
            (path,) = house({"a.py": text})
            code_server.write_settings({"editahead.debounce_ms": 0, **settings})
            window = VSCode(code_server, path.parent)
            stack.callback(window.close)
            stack.callback(window.keep_picture, request.node.name)
            window.start(path.name)
            return window

        yield open_window


@pytest.fixture
def play(
    tmp_path: Path, homes: dict[str, str], house: Callable[..., list[Path]]
) -> Callable[..., list[list[Any]]]:
    """Plays Lisp in an Emacs on a file: `play("text", "(session-say 1)", plan={...})`. What it said, call by call.

    Of several files, `play({"a.py": "text", "b.py": "text"}, ...)`, the first is shown. The server gets `options`.
    `server` is its command line, the real one by default.
    """
    here = Path(__file__).parent

    def begin(
        files: str | dict[str, str],
        lisp: str,
        plan: dict[str, Any] | None = None,
        options: str = "",
        server: list[str] = REAL,
        emacs: str | None = EMACS,
    ) -> list[list[Any]]:
        file, *_ = house({"stay.py": files} if isinstance(files, str) else files)
        words = " ".join(json.dumps(word) for word in (server if plan is None else planned(plan)))
        if options:
            words += f" :initializationOptions (:editahead {options})"
        start = f"(session-start '({words}) {json.dumps(str(file))})"
        assert emacs
        command = [emacs, "--batch", "--no-init-file", "--eval", "(package-initialize)"]
        command += ["-L", str(ROOT / "editors" / "emacs"), "-l", str(here / "emacs_session.el")]
        played = subprocess.run(
            [*command, "--eval", start, "--eval", f"(progn {lisp})"],
            env={**os.environ, **homes, "HOME": str(tmp_path), "EDITAHEAD_DEBOUNCE_MS": "0"},
            capture_output=True,
            encoding="utf-8",
        )
        assert played.returncode == 0, played.stderr
        return [json.loads(line) for line in played.stdout.splitlines()]

    return begin
