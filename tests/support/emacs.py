"""The path of Emacs."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

FETCHED = Path(sys.prefix) / "editors" / "emacs" / "bin" / "emacs-nox"
"""From Debian: tools/environment/get-debian-tool.sh .venv/editors/emacs bookworm emacs-nox,elpa-eglot emacs-nox"""
EMACS = str(FETCHED) if FETCHED.exists() else shutil.which("emacs")
NEEDS_EMACS = pytest.mark.skipif(
    EMACS is None, reason=f"no Emacs at {FETCHED}, nor on PATH (emacs-nox and elpa-eglot)"
)
"""A mark for tests that use Emacs."""
