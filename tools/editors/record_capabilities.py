"""The capabilities that a real editor announces with `initialize`, written to a file of tests/support/capabilities.

`.venv/bin/python tools/editors/record_capabilities.py EDITOR FILE`, where EDITOR is neovim-0.11, neovim-0.12, helix-25,
eglot, lsp-mode, vim-ale or vscode, fetched as editors/README.md says; for Eglot, Emacs is the system's. For VS Code,
Chromium opens the workbench: in it runs the extension in vscode-client, for which npm fetches the client library.
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

HERE = Path(__file__).resolve().parent
EDITORS = Path(sys.prefix) / "editors"
PATIENCE_S = 120.0

Environment = Mapping[str, str]


def serve(file: Path) -> None:
    """Serve as a language server that writes down its client's `initialize`, and offers nothing."""
    while (message := read(sys.stdin.buffer)) is not None:
        method = message.get("method")
        if method == "initialize":
            said = {name: message["params"].get(name) for name in ("capabilities", "clientInfo")}
            part = file.with_suffix(".part")
            part.write_text(layout({name: value for name, value in said.items() if value}), encoding="utf-8")
            part.replace(file)
        if "id" in message and method is not None:
            result = {"capabilities": {}} if method == "initialize" else None
            write(sys.stdout.buffer, {"jsonrpc": "2.0", "id": message["id"], "result": result})
        if method == "exit":
            return


def read(stream: BinaryIO) -> dict[str, Any] | None:
    length = 0
    while (line := stream.readline().strip()) or not length:
        name, colon, value = line.partition(b":")
        if not colon:
            return None
        if name.lower() == b"content-length":
            length = int(value)
    message: dict[str, Any] = json.loads(stream.read(length))
    return message


def write(stream: BinaryIO, message: Mapping[str, Any]) -> None:
    body = json.dumps(message).encode()
    stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    stream.flush()


def layout(said: Mapping[str, Any]) -> str:
    """Return JSON with lists of names and numbers on one line each."""
    text = json.dumps(said, indent=1, sort_keys=True, ensure_ascii=False)
    return re.sub(r"\[[^][{}]+\]", lambda found: json.dumps(json.loads(found.group())), text) + "\n"


@contextlib.contextmanager
def running(command: list[str], folder: Path, environment: Environment) -> Iterator[None]:
    """Run a program in a terminal of its own, with all that it starts, until the block ends."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        env={**os.environ, "TERM": "xterm-256color", **environment},
        start_new_session=True,
    )
    os.close(theirs)

    def drain() -> None:
        with contextlib.suppress(OSError):  # the other side is closed
            while os.read(ours, 1 << 16):
                pass

    reader = threading.Thread(target=drain)
    reader.start()
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        reader.join()
        os.close(ours)


def until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"never: {what}")
        time.sleep(0.1)


def neovim(program: Path, server: list[str], folder: Path, home: Environment, said: Path) -> None:
    start = f"lua vim.lsp.start({{ name = 'any', cmd = vim.json.decode([==[{json.dumps(server)}]==]) }})"
    with running([str(program), "--headless", "--clean", "-n", "-c", start, "a.py"], folder, home):
        until(said.exists, "Neovim's initialize")


def helix(program: Path, server: list[str], folder: Path, home: Environment, said: Path) -> None:
    settings = Path(home["XDG_CONFIG_HOME"]) / "helix"
    shutil.copytree(HERE.parents[1] / "editors" / "helix", settings)
    programs = folder.parent / "programs"
    programs.mkdir()
    (programs / "editahead").write_text(f"#!/bin/sh\nexec {shlex.join(server)}\n", encoding="utf-8")
    (programs / "editahead").chmod(0o755)
    with running([str(program), "a.py"], folder, {**home, "PATH": f"{programs}:/usr/bin:/bin"}):
        until(said.exists, "Helix's initialize")


def eglot(program: Path, server: list[str], folder: Path, home: Environment, said: Path) -> None:
    words = " ".join(json.dumps(word) for word in server)
    start = f"""(progn (package-initialize)
      (require 'eglot)
      (add-to-list 'eglot-server-programs '(python-mode . ({words})))
      (find-file "a.py")
      (call-interactively 'eglot))"""
    with running([str(program), "--batch", "--no-init-file", "--eval", start], folder, home):
        until(said.exists, "Eglot's initialize")


def lsp_mode(program: Path, server: list[str], folder: Path, home: Environment, said: Path) -> None:
    words = " ".join(json.dumps(word) for word in server)
    start = f"""(progn
      (setq lsp-auto-guess-root t lsp-enable-snippet nil lsp-editahead-server-command '({words}))
      (load "lsp-mode-autoloads")
      (require 'lsp-mode)
      (load {json.dumps(str(HERE.parents[1] / "packaging" / "lsp-mode" / "lsp-editahead.el"))})
      (setq lsp-client-packages '(lsp-editahead))
      (find-file "a.py")
      (lsp)
      (while t (accept-process-output nil 1)))"""
    with running([str(program), "--batch", "--no-init-file", "--eval", start], folder, home):
        until(said.exists, "lsp-mode's initialize")


def vim_ale(program: Path, server: list[str], folder: Path, home: Environment, said: Path) -> None:
    root = vim_root(program)
    settings = folder.parent / "vimrc"
    linter = {"name": "any", "lsp": "stdio", "executable": server[0], "command": shlex.join(server)}
    define = f"let s:linter = {json.dumps(linter)}"
    settings.write_text(
        f"""set runtimepath^={root}/usr/share/vim-ale
            let g:ale_linters = {{'python': ['any']}}
            filetype plugin on
            {define}
            let s:linter.project_root = {json.dumps(str(folder))}
            call ale#linter#Define('python', s:linter)""",
        encoding="utf-8",
    )
    runtime = {"VIMRUNTIME": str(next(root.glob("usr/share/vim/vim9*")))}
    with running([str(program), "-N", "-u", str(settings), "a.py"], folder, {**home, **runtime}):
        until(said.exists, "ALE's initialize")


def vim_root(program: Path) -> Path:
    """Return the folder that holds the fetched Vim's files: the wrapper names it."""
    found = re.search(r"(/\S*/root)/", program.read_text(encoding="utf-8"))
    assert found
    return Path(found.group(1))


def vscode(program: Path, server: list[str], folder: Path, home: Environment, said: Path) -> None:
    data, extensions = folder.parent / "data", folder.parent / "extensions"
    extension = extensions / "editahead-testing.vscode-client-0.0.1"
    shutil.copytree(HERE / "vscode-client", extension)
    npm = ["npm", "install", "--silent", "--ignore-scripts", "--omit=dev"]
    subprocess.run(npm, cwd=extension, check=True, stdout=sys.stderr)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    options = ["--bind-addr", address, "--auth", "none", "--config", os.devnull, "--disable-workspace-trust"]
    options += ["--disable-telemetry", "--disable-update-check", "--user-data-dir", str(data)]
    serving = running(
        [str(program), *options, "--extensions-dir", str(extensions), str(folder)],
        folder,
        {**home, "EDITAHEAD_COMMAND": json.dumps(server)},
    )
    browser = [
        chromium(),
        *(
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
        ),
        f"--user-data-dir={folder.parent / 'browser'}",
        f"http://{address}/?folder={folder}",
    ]
    with serving:
        until(lambda: answers(f"http://{address}/healthz"), "code-server answers")
        with running(browser, folder, home):
            until(said.exists, "VS Code's initialize")


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2):
            return True
    except OSError:
        return False


def chromium() -> str:
    fetched = Path(sys.prefix) / "editors" / "chromium" / "bin" / "chromium"
    for name in ("chromium", "chromium-browser", "google-chrome", str(fetched)):
        if found := shutil.which(name):
            return found
    raise SystemExit(f"there is no Chromium on PATH, and no {fetched}")


RECORDERS: dict[str, tuple[Callable[[Path, list[str], Path, Environment, Path], None], Path]] = {
    "neovim-0.11": (neovim, Path(sys.prefix) / "bin" / "nvim"),
    "neovim-0.12": (neovim, EDITORS / "neovim" / "bin" / "nvim"),
    "helix-25": (helix, EDITORS / "helix" / "bin" / "hx"),
    "eglot": (eglot, Path("/usr/bin/emacs")),
    "lsp-mode": (lsp_mode, EDITORS / "lsp-mode" / "bin" / "emacs-nox"),
    "vim-ale": (vim_ale, EDITORS / "vim" / "bin" / "vim.basic"),
    "vscode": (vscode, EDITORS / "code-server" / "bin" / "code-server"),
}


def record(editor: str) -> str:
    begin, program = RECORDERS[editor]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        home = Path(temporary)
        folder, said = home / "house", home / "said.json"
        (folder / ".git").mkdir(parents=True)
        (folder / "a.py").write_text("x = 1\n", encoding="utf-8")
        kinds = ("CONFIG", "DATA", "STATE", "CACHE")
        homes = {"HOME": str(home), **{f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in kinds}}
        begin(program, [sys.executable, __file__, "--serve", str(said)], folder, homes, said)
        return said.read_text(encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(Path(sys.argv[2]))
    else:
        recorded = record(sys.argv[1])
        Path(sys.argv[2]).write_text(recorded, encoding="utf-8")
