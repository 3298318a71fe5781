"""`editahead serve` as a process, asked over HTTP."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.next_edit.zeta21 import ZETA_2_1
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.snapshot import Snapshot
from killed_processes import killed_on_failure

pytestmark = pytest.mark.slow

TEXT = "def total(items):\n    cost = sum(items)\n    return price\n"
URI = "file:///cart.py"


def test_it_predicts_and_ends(server_environment: dict[str, str], tmp_path: Path) -> None:
    document = Snapshot.from_text(TEXT, uri=URI, language="python")
    edit = PastEdit(URI, 1, ("    price = sum(items)\n",), ("    cost = sum(items)\n",), open=True)
    state = EditorState(document, TEXT.index("cost") + 4, (edit,))
    body = {"prompt": ZETA_2_1.build(state, ESTIMATE).prompt.text, "model": "any"}
    token = tmp_path / "token"
    command = [sys.executable, "-m", "editahead_cli", "serve", "--port", "0", "--token-file", str(token)]
    server = subprocess.Popen(command, env=server_environment, stderr=subprocess.PIPE, text=True)
    with killed_on_failure(server):
        assert server.stderr is not None
        assert server.stderr.readline() == f"editahead: clients need the token in {token}\n"
        url = server.stderr.readline().removeprefix("editahead: serving on ").strip()
        headers = {"Authorization": f"Bearer {token.read_text()}", "Content-Type": "application/json"}
        request = Request(f"{url}/completions", json.dumps(body).encode(), headers)
        with build_opener(ProxyHandler({})).open(request, timeout=30) as response:
            text = json.load(response)["choices"][0]["text"]
        server.terminate()
        rest = server.stderr.read()
    assert "    return cost\n" in text
    assert server.returncode == 0 and "Traceback" not in rest
    assert token.stat().st_mode & 0o077 == 0
