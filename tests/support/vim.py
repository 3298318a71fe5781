"""The paths of Vim 9 and of ALE, its client for language servers."""

from __future__ import annotations

import re
import sys
from pathlib import Path

VIM = Path(sys.prefix) / "editors" / "vim" / "bin" / "vim.basic"
"""From Debian: tools/environment/get-debian-tool.sh .venv/editors/vim sid vim,vim-ale,vim-runtime vim.basic"""


def vim_files() -> Path:
    """Return the folder that holds the fetched Vim's runtime and plugins: the wrapper names it."""
    found = re.search(r"(/\S*/root)/", VIM.read_text(encoding="utf-8"))
    assert found
    return Path(found.group(1)) / "usr" / "share"


def vim_environment() -> dict[str, str]:
    """Return variables with which the fetched Vim finds its runtime."""
    return {"VIMRUNTIME": str(next((vim_files() / "vim").glob("vim9*")))}
