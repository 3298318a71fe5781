"""The exclusion of files: by the setting `exclude`, by ignore files, and by names that look like secrets.

Ignore files are read once, when the first document below them is checked, and again after `clear_cache`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

from pathspec import GitIgnoreSpec

from editahead_inference.apply.review.file_names import is_git_folder

from . import uris

SECRET_PATTERNS = (
    ".env",
    ".env.*",
    "!.env.example",
    "!.env.sample",
    "!.env.template",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".htpasswd",
    ".git-credentials",
    "credentials.json",
    "secrets.json",
    "secrets.y*ml",
    "secrets.toml",
    "**/.aws/credentials",
    "**/.ssh/*",
    "**/.gnupg/**",
)
"""File names of keys and passwords, as patterns of an ignore file. Case is ignored."""


class FileExclusion:
    """The rules for files whose text is never read for a prediction.

    Args:
        folders: The workspace folders.
        exclude: Globs as in an ignore file, relative to the workspace folder that contains the file.
    """

    def __init__(self, folders: Sequence[Path] = (), exclude: Iterable[str] = ()) -> None:
        self._folders = sorted(folders, key=lambda folder: len(folder.parts), reverse=True)
        self._exclude = _spec(exclude)
        self._reasons: dict[str, str | None] = {}
        self._ignore_files: dict[Path, GitIgnoreSpec | None] = {}

    def exclusion_reason(self, uri: str) -> str | None:
        """Return one sentence that says why the document is excluded; None if it is not."""
        if uri not in self._reasons:
            self._reasons[uri] = self._decide(uri)
        return self._reasons[uri]

    def clear_cache(self) -> None:
        """Forget all results, so that the ignore files are read again."""
        self._reasons.clear()
        self._ignore_files.clear()

    def _decide(self, uri: str) -> str | None:
        path = uris.uri_to_path(uri)
        if path is None:
            return None
        if self._secrets.match_file(path.as_posix().lower().lstrip("/")):
            return "The file's name is one of a file with secrets."
        folder = next((f for f in self._folders if path.is_relative_to(f)), None)
        relative = path.relative_to(folder) if folder is not None else Path(path.name)
        if self._exclude is not None and self._exclude.match_file(relative.as_posix()):
            return "The setting `exclude` matches the file."
        if folder is not None and self._is_ignored(folder, relative):
            return "A `.gitignore` file excludes the file."
        return None

    @cached_property
    def _secrets(self) -> GitIgnoreSpec:
        return GitIgnoreSpec.from_lines(SECRET_PATTERNS)

    def _is_ignored(self, folder: Path, relative: Path) -> bool:
        """Return whether git ignores the path, or a folder above it.

        The nearest ignore file with a matching pattern wins. No pattern can include a file below an ignored folder again.
        """
        if any(map(is_git_folder, relative.parts)):
            return True
        for depth in range(1, len(relative.parts) + 1):
            part = Path(*relative.parts[:depth])
            name = part.as_posix() + ("/" if depth < len(relative.parts) else "")
            if self._matches(folder, name):
                return True
        return False

    def _matches(self, folder: Path, name: str) -> bool:
        """Return whether the ignore files, from the path's folder up to the workspace folder, exclude one path."""
        parts = name.rstrip("/").split("/")
        for depth in range(len(parts) - 1, -1, -1):
            spec = self._ignore_file(folder.joinpath(*parts[:depth]))
            if spec is not None:
                verdict = spec.check_file(
                    "/".join(parts[depth:]) + ("/" if name.endswith("/") else "")
                ).include
                if verdict is not None:
                    return verdict
        return False

    def _ignore_file(self, folder: Path) -> GitIgnoreSpec | None:
        if folder not in self._ignore_files:
            try:
                text = (folder / ".gitignore").read_text("utf-8", errors="replace")
            except (OSError, ValueError):
                text = ""
            self._ignore_files[folder] = _spec(text.splitlines())
        return self._ignore_files[folder]


def _spec(lines: Iterable[str]) -> GitIgnoreSpec | None:
    """Return a matcher for the valid patterns; None without any."""
    valid = []
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except Exception:  # git skips an invalid pattern, too
            continue
        valid.append(line)
    return GitIgnoreSpec.from_lines(valid) if any(line.strip() for line in valid) else None


def workspace_paths(uris_: Iterable[str]) -> tuple[Path, ...]:
    """Return the paths of the workspace folders with a `file:` URI."""
    paths = (uris.uri_to_path(uri) for uri in uris_)
    return tuple(Path(os.path.normpath(path)) for path in paths if path is not None)
