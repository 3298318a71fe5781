"""The editor of tests of replays: it talks to a fake server in place of ours."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import fake_server
from editahead_evals.client.editor import Editor
from editahead_evals.client.lsp_client import LanguageClient


@pytest.fixture
def fake() -> Iterator[Editor]:
    """Yield an editor on the fake server, which predicts that every `old_name` becomes `new_name`."""
    assert fake_server.__file__ is not None
    command = [sys.executable, str(Path(fake_server.__file__))]
    with Editor(client=LanguageClient(command)) as editor:
        yield editor
