"""Commands that a person starts in a stranger's folder, full of modules with the names of others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from git_repository import commit, make_repository, write

pytestmark = pytest.mark.slow


SCRIPT = Path(sys.executable).with_name("editahead")
NAMES = (
    *("pip", "json", "sitecustomize", "usercustomize", "venv", "encodings", "runpy", "site", "ctypes"),
    *("subprocess", "asyncio", "multiprocessing", "importlib", "pathlib", "editahead_cli", "editahead_lsp"),
    *("editahead_retrieval", "editahead_evals", "editahead_programs", "torch", "numpy", "huggingface_hub"),
)
COMMANDS = {
    "doctor": ["doctor"],
    "index": ["index", "build", "."],
    "search": ["search", "a value"],
    "finish": ["finish"],
    "rules": ["rules", "mine"],
    "engine": ["engine", "--print", "no/such-model"],
    "models": ["models", "use", "editahead-coder", "--base", "no.gguf"],
    "train": ["train", "coder-examples", "repo=.", "base=no.gguf", "out=examples"],
    "eval": ["eval", "--repo", ".", "--jobs", "2"],
    "demo": ["demo", "--repo", ".", "--speed", "100"],
    "status": ["config"],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository of a stranger. A module leaves a mark where it is imported, and a program where it runs."""
    root = make_repository(
        tmp_path / "theirs", {"a.py": "def old(a):\n    return a\n\n\nold(1)\nold(2)\nold(3)\n"}
    )
    write(root, {"a.py": "def new(a):\n    return a\n\n\nnew(1)\nold(2)\nold(3)\n"})
    commit(root)
    code = f"import os\nopen({str(tmp_path / 'mark')!r}, 'a').write(__file__ + chr(10))\n"
    for name in NAMES:
        write(
            root,
            {f"{name}.py": code}
            if len(name) % 2
            else {f"{name}/__init__.py": code, f"{name}/__main__.py": code},
        )
    for name in ("python", "python3", "git", "vllm", "nginx", "llama-server", "nvidia-smi", "nvim", "sh"):
        (root / name).write_text(f"#!/bin/sh\necho {name} >> '{tmp_path / 'mark'}'\n")
        (root / name).chmod(0o755)
    return root


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_no_module_of_a_folder_is_imported(command: list[str], folder: Path, tmp_path: Path) -> None:
    environment = {
        **{
            name: value for name, value in os.environ.items() if not name.startswith(("EDITAHEAD_", "PYTHON"))
        },
        **{f"XDG_{name}_HOME": str(tmp_path / name) for name in ("CONFIG", "STATE", "CACHE", "DATA")},
        "PATH": f".:{os.environ['PATH']}::",
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
        "PIP_RETRIES": "0",
        "HF_HUB_OFFLINE": "1",
        "HOME": str(tmp_path),
    }
    done = subprocess.run(
        [SCRIPT, *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    mark = tmp_path / "mark"
    assert not mark.exists(), mark.read_text() + done.stderr
    assert "Traceback" not in done.stderr and done.returncode in (0, 1), done.stderr
