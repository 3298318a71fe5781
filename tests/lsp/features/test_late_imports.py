"""What `initialize` does not wait for: modules that are imported once it is answered."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


PROGRAM = """
import asyncio, json, sys
from pathlib import Path
import editahead_cli.main
from editahead_lsp.features import create_server

class Writer:
    def write(self, data):
        answers.append(data.decode())
        modules.append([*sys.modules])
    def close(self):
        pass

async def main():
    folder = Path(sys.argv[1])
    server = create_server(environment={}, user_folder=folder, state_folder=folder, cache_folder=folder)
    server.protocol.set_writer(Writer())
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": None, "capabilities": {}}}
    server.receive(json.dumps(message).encode())

answers, modules = [], []
asyncio.run(main())
print(json.dumps({"answer": answers, "modules": modules[0]}))
"""

LATE = (
    "editahead_inference.apply.planner",
    "editahead_inference.backends.factory",
    "editahead_inference.pipeline",
    "editahead_lsp.apply",
    "editahead_workspace.codebase.workspace_codebase",
    "editahead_workspace.file_writes",
    "editahead_prompts.formats.registry",
    "editahead_prompts.secrets",
    "editahead_prompts.sketches.parse",
    "editahead_retrieval.index.store",
    "httpx",
    "numpy",
    "rich",
    "tree_sitter",
)
"""Modules, and packages with all that is in them."""


def test_initialize_waits_for_few_imports(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    assert '"result"' in found["answer"][0]
    early = [module for module in found["modules"] for late in LATE if f"{module}.".startswith(f"{late}.")]
    assert not early
