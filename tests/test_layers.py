"""The layers of the packages, and the modules that a starting server may load."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


ROOT = Path(__file__).parent.parent
HEAVY = frozenset(
    [
        *("torch", "transformers", "onnxruntime", "onnx", "vllm", "numpy", "sklearn", "scipy", "httpx2"),
        "tokenizers",
    ]
)

SERVE = """
import asyncio, io, json, sys
from editahead_cli.commands import lsp
from editahead_lsp.late_imports import load_pipeline
from editahead_lsp.features import create_server

def message(**fields):
    body = json.dumps({"jsonrpc": "2.0", **fields}).encode()
    return b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body

said = message(id=1, method="initialize", params={"capabilities": {}})
said += message(id=2, method="shutdown") + message(method="exit")
out = io.BytesIO()

async def serve():
    return await create_server(environment={"EDITAHEAD_TELEMETRY": "off"}).serve(io.BytesIO(said).read, out)

assert asyncio.run(serve()) == 0 and b'"serverInfo"' in out.getvalue()
load_pipeline()
"""
IMPORT = "import importlib, pkgutil, sys, {0} as package\n" + (
    "for module in pkgutil.walk_packages(package.__path__, '{0}.'): importlib.import_module(module.name)"
)
LOADED = "\nimport json; print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"


def loaded_after(code: str) -> set[str]:
    """Return the top-level modules that a fresh interpreter has loaded after `code`."""
    command = [sys.executable, "-W", "error", "-c", code + LOADED]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_the_layers_hold() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_server_loads_nothing_heavy() -> None:
    loaded = loaded_after(SERVE)
    assert {"editahead_lsp", "editahead_inference"} <= loaded
    assert not loaded & HEAVY
    assert not loaded & {"editahead_evals", "editahead_lab", "rich"}


@pytest.mark.parametrize(
    "package", ["editahead_inference", "editahead_retrieval", "editahead_prompts", "editahead_programs"]
)
def test_every_module_below_the_server_is_light(package: str) -> None:
    loaded = loaded_after(IMPORT.format(package))
    assert package in loaded
    assert not loaded & (HEAVY | {"pygls", "lsprotocol", "editahead_lsp"})
    # Only what asks models waits for anything.
    assert ("asyncio" in loaded) == (package == "editahead_inference")


def test_predicting_needs_no_event_loop() -> None:
    loaded = loaded_after("import sys, editahead_inference.pipeline")
    assert "editahead_inference" in loaded
    assert "asyncio" not in loaded


@pytest.mark.parametrize("part", ["inference", "prompts", "retrieval"])
@pytest.mark.parametrize(
    "source",
    ["import time\n\nprint(time.time())", "import random", "from datetime import datetime as d\n\nd.now()"],
)
def test_clocks_and_random_sources_are_passed_in(part: str, source: str) -> None:
    codes = [found_codes(f"{folder}/{part}/a.py", source) for folder in (f"{part}/editahead_{part}", "tests")]
    assert [("TID251" in found) for found in codes] == [True, False]


def found_codes(path: str, source: str) -> str:
    """Return what ruff finds in a file of the repository with this text."""
    command = [str(Path(sys.executable).with_name("ruff")), "check", "--output-format", "concise"]
    command += ["--stdin-filename", str(ROOT / path), "-"]
    return subprocess.run(command, cwd=ROOT, input=source, capture_output=True, text=True, check=False).stdout
