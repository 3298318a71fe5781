"""How a sketch comes in an answer: bare, in a fence, with the file's path somewhere, with prose around it."""

from __future__ import annotations

import random
from collections.abc import Sequence

from .marker_wording import comment_sign

_FENCE_WORDS = {
    "python": ("python", "py"),
    "typescript": ("typescript", "ts"),
    "typescriptreact": ("tsx",),
    "javascript": ("javascript", "js"),
    "javascriptreact": ("jsx",),
    "go": ("go",),
    "rust": ("rust", "rs"),
    "java": ("java",),
    "kotlin": ("kotlin",),
    "c": ("c",),
    "cpp": ("cpp", "c++"),
}

_BEFORE = (
    "Here's the updated code:",
    "I've updated the file as follows:",
    "Sure! The change below does what you asked for. It keeps everything else as it is.",
    "Update `{name}` like this:",
    "To fix this, we need to change two things:\n\n1. the call\n2. its caller\n\nHere is the new version:",
)
_AFTER = (
    "This keeps the existing behaviour for all other callers.",
    "Let me know if you'd like me to add tests for this!",
    "The key changes are:\n\n- the new parameter\n- the updated call",
    "Note that `{name}` is otherwise unchanged.",
)

PATHS = ("info", "title", "colon", "bold", "code", "comment", "filepath", "heading")
"""Where a path may stand: in the fence's info string, on the line above, in the first line's comment."""


def fenced(
    lines: Sequence[str], language: str, path: str | None, rng: random.Random, word: str | None = None
) -> list[str]:
    """Return the lines in a fence that none of them closes, with the path if one is given."""
    sign = "~" if rng.random() < 0.05 else "`"
    fence = sign * 3
    while any(line.lstrip(" -+").startswith(fence) for line in lines):
        fence += sign
    info = word if word is not None else rng.choice(_FENCE_WORDS.get(language, ("",)))
    above: list[str] = []
    first: list[str] = []
    if path is not None:
        match rng.choice(PATHS):
            case "info":
                info = f"{info}:{path}"
            case "title":
                info = f'{info} title="{path}"'
            case "colon":
                above = [f"{path}:"]
            case "bold":
                above = [f"**{path}**", ""]
            case "code":
                above = [f"`{path}`:"]
            case "heading":
                above = [f"### {path}", ""]
            case "filepath":
                first = [f"{comment_sign(language)} filepath: {path}"]
            case _:
                first = [f"{comment_sign(language)} {path}"]
    return [*above, f"{fence}{info}", *first, *lines, fence]


def with_prose(lines: Sequence[str], path: str, rng: random.Random) -> list[str]:
    name = path.rsplit("/", 1)[-1]
    before, after = (rng.choice(some).format(name=name).split("\n") for some in (_BEFORE, _AFTER))
    return [*before, "", *lines, *(["", *after] if rng.random() < 0.6 else [])]
