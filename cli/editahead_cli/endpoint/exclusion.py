"""The files in prompts that the settings exclude, by their paths alone: no file of this machine is looked at."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

from editahead_prompts.formats.reading.base import ROOT
from editahead_retrieval.files.exclusion_rules import MAX_PATH_CHARS, ExcludePatterns
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_retrieval.files.secret_names import is_secret_uri

MAX_DEPTH = 64
"""Folders above a file. What lies deeper is excluded, as the checks grow with the square of the depth."""


class PathExclusion:
    """The check of paths in prompts.

    A client names a file from its workspace folder, from the folder above, or from the root, and does not say which. So
    patterns are tried from each folder of the path, and a doubt excludes.

    Args:
        exclude: The setting `exclude`, with the patterns of the policy.
    """

    def __init__(self, exclude: tuple[str, ...]) -> None:
        self._patterns = ExcludePatterns.from_patterns(IgnorePatterns(exclude))

    def excludes(self, uri: str) -> bool:
        """Return whether a file is excluded, or a folder that it is in."""
        path = unquote(uri.removeprefix(ROOT), errors="surrogatepass")
        if not path:
            return False
        parts = posixpath.normpath(path).split("/")
        if is_secret_uri(uri) or len(path) > MAX_PATH_CHARS or len(parts) > MAX_DEPTH:
            return True
        return any(
            self._matches("/".join(parts[start:end]), is_folder=end < len(parts))
            for start in range(len(parts))
            for end in range(start + 1, len(parts) + 1)
        )

    def _matches(self, path: str, *, is_folder: bool) -> bool:
        excluded = self._patterns.relative.decide(path, is_folder=is_folder)
        return excluded is True or self._patterns.excludes_whole(path, is_folder=is_folder)
