"""Real language servers, which tools/environment/get-language-servers.sh fetches."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

FOLDER = Path(sys.prefix) / "editors" / "language-servers" / "bin"
BASEDPYRIGHT = FOLDER / "basedpyright-langserver"
TYPESCRIPT = FOLDER / "typescript-language-server"


def needs_server(program: Path) -> pytest.MarkDecorator:
    """Return a mark that skips tests where a language server is missing."""
    reason = f"no {program.name}: tools/environment/get-language-servers.sh .venv/editors/language-servers"
    return pytest.mark.skipif(not program.exists(), reason=reason)
