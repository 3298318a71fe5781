"""Benchmark of the small model behind the language server: from a keystroke to the answer, in a file of this repository.

`EDITAHEAD_SMALL_MODEL` names the model's folder; by default, the one that `editahead models use editahead-coder` installed.
A line is typed anew, a character at a time, at several places of the file. Each keystroke is followed by a request, whose
answer comes before the next keystroke. The document is warm: the server has computed its prompt once.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from editahead_inference.backends.local.small_model import small_model_folder
from figures import SHORT, percentile, show
from server_harness import position_params
from server_process import REAL, change_document, plain, spawned

FOLDER = Path(os.environ.get("EDITAHEAD_SMALL_MODEL") or small_model_folder())
pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.skipif(not (FOLDER / "model.onnx").is_file(), reason="the small model is not installed"),
]
ROOT = Path(__file__).parents[2]
FILE = ROOT / "inference" / "editahead_inference" / "pipeline.py"
KEYSTROKES, A_LINE = 20 if SHORT else 100, 10
LOADING = """
import sys, time
from pathlib import Path
from typing import Any
began = time.perf_counter(), time.process_time()
from editahead_inference.backends.local.model import LocalModel
LocalModel(Path(sys.argv[1]), "auto", 0, 0)
print(time.perf_counter() - began[0], time.process_time() - began[1])
"""


def test_loading() -> None:
    told = []
    for _ in range(3):
        command = [sys.executable, "-c", LOADING, FOLDER]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        told.append([float(number) for number in done.stdout.split()])
    rows = [[f"{percentile(list(part), 0.5):.2f}" for part in zip(*told, strict=True)]]
    show("Loading the model, libraries included, in s (p50)", ["clock", "processor"], rows)


async def test_from_a_keystroke_to_the_answer(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EDITAHEAD_")}
    environment |= {
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "EDITAHEAD_BACKEND": "local",
        "EDITAHEAD_MODEL": str(FOLDER),
    }
    lines = FILE.read_text("utf-8").splitlines(keepends=True)
    places = [
        (number, body)
        for number, line in enumerate(lines)
        if len(body := line.rstrip()) > 30 and re.match(r"\s+\w+ = ", body)
    ]
    took: dict[str, list[float]] = {"with the model": [], "the rules alone": []}
    async with spawned(REAL, environment) as client:
        await client.initialize_session(types.InitializeParams(capabilities=types.ClientCapabilities()))
        uri, version = (tmp_path / "pipeline.py").as_uri(), 1
        item = types.TextDocumentItem(uri=uri, language_id="python", version=version, text="".join(lines))
        client.text_document_did_open(types.DidOpenTextDocumentParams(item))

        async def change(line: int, start: int, end: int, text: str) -> None:
            nonlocal version
            version += 1
            span = types.Range(types.Position(line, start), types.Position(line, end))
            change_document(client, uri, version, span, text)

        async def answer(line: int, character: int, trigger: str) -> tuple[float, bool]:
            """Return the milliseconds to the answer, and whether the model was asked."""
            before = (await status())["cache"]["requests"]
            began = time.perf_counter()
            params = position_params(uri, version, line, character, trigger=trigger)
            await client.protocol.send_request_async("editahead/nextEdit", params)
            ms = (time.perf_counter() - began) * 1000
            return ms, (await status())["cache"]["requests"] > before

        async def status() -> dict[str, Any]:
            params = types.ExecuteCommandParams("editahead.status")
            return plain(await client.workspace_execute_command_async(params))

        await answer(places[0][0], 0, "manual")
        for number, body in islice(places, KEYSTROKES // A_LINE):
            begun = len(body) - A_LINE
            await change(number, begun, len(body), "")
            await answer(number, begun, "manual")
            for place in range(begun, len(body)):
                await change(number, place, place, body[place])
                ms, asked = await answer(number, place + 1, "typed")
                took["with the model" if asked else "the rules alone"].append(ms)
    rows = [
        [name, str(len(times)), *(f"{percentile(times, share):.0f}" for share in (0.5, 0.95))]
        for name, times in took.items()
        if times
    ]
    show("From a keystroke to the answer, in ms", ["", "answers", "p50", "p95"], rows)
