"""LSP language ids by file extension, for the languages that are measured."""

from __future__ import annotations

from pathlib import PurePosixPath

from editahead_prompts.syntax.languages import known_language_of

_NOT_MEASURED = frozenset({"c++", "cts", "kts", "md", "markdown"})
"""Extensions; earlier figures of a repository were taken without such files."""


def language_of(path: str) -> str | None:
    extension = PurePosixPath(path).suffix.lower().removeprefix(".")
    return None if extension in _NOT_MEASURED else known_language_of(path)
