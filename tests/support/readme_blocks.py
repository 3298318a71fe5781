"""The code blocks of the README, as its reader pastes them."""

from __future__ import annotations

import re
from pathlib import Path

from neovim import ROOT

_FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def block(language: str, about: str, page: Path = ROOT / "README.md") -> str:
    """Return the only block of a language that holds a text."""
    (found,) = (
        text
        for kind, text in _FENCED.findall(page.read_text(encoding="utf-8"))
        if kind == language and about in text
    )
    return str(found)
