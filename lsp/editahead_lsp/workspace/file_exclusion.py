"""Which files are left alone: by the setting `exclude`, by ignore files, and because they look like secrets.

Ignore files are read when a document is first asked about and then remembered until `forget` is called.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

from pathspec import GitIgnoreSpec

from . import uris

SECRETS = (
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
"""Names under which keys and passwords are kept, as in an ignore file. Case does not count."""


class FileExclusion:
    """folders: of the workspace. exclude: globs as in an ignore file, relative to the folder that holds the file."""

    def __init__(self, folders: Sequence[Path] = (), exclude: Iterable[str] = ()) -> None:
        self._folders = sorted(folders, key=lambda folder: len(folder.parts), reverse=True)
        self._exclude = _spec(exclude)
        self._known: dict[str, str | None] = {}
        self._ignore_files: dict[Path, GitIgnoreSpec | None] = {}

    def exclusion_reason(self, uri: str) -> str | None:
        """One sentence about why the document is left alone, or None when it is not."""
        if uri not in self._known:
            self._known[uri] = self._decide(uri)
        return self._known[uri]

    def clear_cache(self) -> None:
        """Read the ignore files again when asked next."""
        self._known.clear()
        self._ignore_files.clear()

    def _decide(self, uri: str) -> str | None:
        path = uris.uri_to_path(uri)
        if path is None:
            return None
        if self._secrets.match_file(path.as_posix().lower().lstrip("/")):
            return "It looks like a file that holds secrets."
        folder = next((f for f in self._folders if path.is_relative_to(f)), None)
        relative = path.relative_to(folder) if folder is not None else Path(path.name)
        if self._exclude is not None and self._exclude.match_file(relative.as_posix()):
            return "The setting `exclude` names it."
        if folder is not None and self._ignored(folder, relative):
            return "Git ignores it."
        return None

    @cached_property
    def _secrets(self) -> GitIgnoreSpec:
        return GitIgnoreSpec.from_lines(SECRETS)

    def _ignored(self, folder: Path, relative: Path) -> bool:
        """As git decides: the nearest ignore file with a word on the path wins, and nothing below an ignored folder
        can be taken back."""
        if ".git" in relative.parts:
            return True
        for depth in range(1, len(relative.parts) + 1):
            part = Path(*relative.parts[:depth])
            name = part.as_posix() + ("/" if depth < len(relative.parts) else "")
            if self._says(folder, name):
                return True
        return False

    def _says(self, folder: Path, name: str) -> bool:
        """What the ignore files from the path's own folder up to the workspace's say of one path."""
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
    """Of the patterns that can be read; None when there is none."""
    good = []
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except Exception:  # a broken pattern counts as none, as git has it
            continue
        good.append(line)
    return GitIgnoreSpec.from_lines(good) if any(line.strip() for line in good) else None


def workspace_paths(uris_: Iterable[str]) -> tuple[Path, ...]:
    """The workspace folders that are folders of this machine."""
    paths = (uris.uri_to_path(uri) for uri in uris_)
    return tuple(Path(os.path.normpath(path)) for path in paths if path is not None)
