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
    words = strings_of(command)
    if words is not None:
        return _patch_of_words(words, folder)
    if not isinstance(command, str):
        return None
    found = _SCRIPT.fullmatch(command)
    if found is not None:
        return _in_folder(found["patch"], posixpath.join(folder, (found["folder"] or "").strip("'\"")))
    quoted = _QUOTED.fullmatch(command)
    return None if quoted is None else _in_folder(quoted["single"] or quoted["double"] or "", folder)


def strings_of(value: Any) -> list[str] | None:
    """Return a list that holds strings only; None for any other value."""
    is_list = isinstance(value, list) and all(isinstance(each, str) for each in value)
    return value if is_list else None


def _patch_of_words(words: list[str], folder: str) -> str | None:
    """Return the patch that a command with these words applies."""
    match words:
        case [program, patch] if _PROGRAM.fullmatch(program):
            return _in_folder(patch, folder)
        case [shell, "-c" | "-lc", script] if _SHELL.fullmatch(shell):
            return patch_of_command(script, folder)
    return None


def _in_folder(patch: str, folder: str) -> str:
    """Return a patch whose paths begin at a folder, with paths that begin where the folder's own does."""
    folder = posixpath.normpath(folder) if folder else ""
    if folder in ("", "."):
        return patch
    return _HEADER.sub(lambda found: found[1] + posixpath.join(folder, found[2]), patch)
