"""Commands of a shell that apply a patch, as Codex and others call them."""

from __future__ import annotations

import posixpath
import re
from typing import Any

_SHELL = re.compile(r"(?:/\S*/)?(?:ba|z|da)?sh")
_PROGRAM = re.compile(r"(?:\S*/)?apply_?patch")
_SCRIPT = re.compile(
    r"\s*(?:cd\s+(?P<folder>[^\s'\"$&;|]+|'[^'$]*'|\"[^\"$]*\")\s*&&\s*)?apply_?patch\s*<<-?\s*(?P<quote>['\"]?)(?P<word>\w+)"
    r"(?P=quote)\s*\n(?P<patch>.*)\n[ \t]*(?P=word)\s*",
    re.DOTALL,
)
_QUOTED = re.compile(r"\s*apply_?patch\s+(?:'(?P<single>[^']*)'|\"(?P<double>[^\"\\$`]*)\")\s*")
_HEADER = re.compile(r"^(\*\*\* (?:(?:Add|Update|Delete) File|Move to): *)(.*)$", re.MULTILINE)


def patch_of_command(command: Any, folder: str) -> str | None:
    """Return the patch that a command applies; None for a command that does anything else.

    Args:
        command: The words of the command, or the text of a script.
        folder: The folder in which it runs; "" for the workspace's.
    """
    if isinstance(command, list):
        words = [word for word in command if isinstance(word, str)]
        if len(words) < len(command):
            return None
        if len(words) == 2 and _PROGRAM.fullmatch(words[0]):
            return _in_folder(words[1], folder)
        if len(words) == 3 and _SHELL.fullmatch(words[0]) and words[1] in ("-c", "-lc"):
            return patch_of_command(words[2], folder)
        return None
    if not isinstance(command, str):
        return None
    found = _SCRIPT.fullmatch(command)
    if found is not None:
        return _in_folder(found["patch"], posixpath.join(folder, (found["folder"] or "").strip("'\"")))
    quoted = _QUOTED.fullmatch(command)
    return None if quoted is None else _in_folder(quoted["single"] or quoted["double"] or "", folder)


def _in_folder(patch: str, folder: str) -> str:
    """Return a patch whose paths begin at a folder, with paths that begin where the folder's own does."""
    folder = posixpath.normpath(folder) if folder else ""
    if folder in ("", "."):
        return patch
    return _HEADER.sub(lambda found: found[1] + posixpath.join(folder, found[2]), patch)
