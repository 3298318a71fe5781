"""Editors on this machine, each started on a file in a git repository of its own."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from neovim import NEOVIM_0_11, NEOVIM_0_12, Neovim
from server_with_planned_edits import REAL, planned
from vscode import CodeServer, VSCode
from vscode_scenarios import server_command


@pytest.fixture
def house(tmp_path: Path) -> Callable[..., list[Path]]:
    """Makes a committed folder of files: `house({"a.py": "text"})`."""

    def build(files: dict[str, str]) -> list[Path]:
        folder = tmp_path / "house"
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8", newline="")
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        for command in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "All"]):
            subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True)
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
        "msgpack", reason="Neovim is driven with msgpack (pynvim of the extra `dev` brings it)"
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
def code_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodeServer]:
    """One code-server and browser for all tests that need no other environment: both take long to start."""
    home = tmp_path_factory.mktemp("code-server")
    server = CodeServer(home / "vscode", {"HOME": str(home)})
    yield server
    server.close()


@pytest.fixture
def vscode(
    tmp_path: Path,
    homes: dict[str, str],
    house: Callable[..., list[Path]],
    request: pytest.FixtureRequest,
) -> Iterator[Callable[..., VSCode]]:
    """Opens a window of VS Code on the first of some files: `vscode({"a.py": "text"}, plan={...})`.

    More keywords are settings without the prefix `editahead.`; `None` leaves one out. With `variables`, for VS Code's
    environment, the window has a code-server of its own, with the packaged extension. Each test leaves a screenshot of
    its end in the folder that EDITAHEAD_PICTURES names.
    """
    with contextlib.ExitStack() as stack:

        def open_window(
            files: str | dict[str, str],
            plan: dict[str, Any] | None = None,
            variables: Mapping[str, str] | None = None,
            **settings: Any,
        ) -> VSCode:
            if variables is None:
                code_server = request.getfixturevalue("code_server")
            else:
                environment = {**homes, "HOME": str(tmp_path), **variables}
                code_server = CodeServer(tmp_path / "vscode", environment, packaged=True)
                stack.callback(code_server.close)
            paths = house({"a.py": files} if isinstance(files, str) else files)
            defaults = {"server.command": server_command(homes, plan), "debounce_ms": 0}
            named = {f"editahead.{name}": value for name, value in {**defaults, **settings}.items()}
            window = VSCode(
                code_server,
                paths[0].parent,
                {name: value for name, value in named.items() if value is not None},
            )
            stack.callback(window.close)
            stack.callback(window.keep_picture, request.node.name)
            window.open(paths[0].name)
            return window

        yield open_window
