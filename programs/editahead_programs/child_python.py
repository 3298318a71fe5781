"""Child Pythons that import nothing of the folder that a person works in, which may be a stranger's repository.

Without more, `python -m` and `python -c` look for each module in the present folder first: a `json.py` there would run.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

OWN_FOLDER = Path(sys.prefix)
"""The folder that children start in: who can write there already chooses the code that this process runs."""

SAFE_PATH = {"PYTHONSAFEPATH": "1"}
"""The variable with which a Python and its children leave out the present folder. It is for those that take no options."""


def make_tool_command(*arguments: str) -> list[str]:
    """Return the command of a Python that runs what comes with it, such as pip: no variable and no user's folder counts."""
    return [sys.executable, "-I", *arguments]


def make_module_command(module: str, *arguments: str) -> list[str]:
    """Return the command of a Python that runs one of our modules, from where this process has it."""
    return [sys.executable, "-P", "-m", module, *arguments]


def protect_children() -> None:
    """Let all Pythons that this process starts, and those that they start, leave out the present folder.

    Some are started by libraries, which take no options: the workers of `multiprocessing`, of vLLM, of torch.
    """
    os.environ.update(SAFE_PATH)
