"""The closed files of a commit's workspace as a codebase in memory, to replay commits of several files without an index."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Mapping, Sequence

from editahead_evals.data.languages import language_of
from editahead_inference.codebase import Chunk, SymbolAt
from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.snapshot import Snapshot

from .replay_moments import ROOT


class CommitCodebase:
    """A codebase of texts in memory. It knows files by their identifiers, but no symbols: imports take no part.

    Args:
        code_only: Whether to know files of the measured languages only.
    """

    def __init__(self, *, code_only: bool = True) -> None:
        self._code_only = code_only
        self._texts: dict[str, str] = {}
        self._words: dict[str, frozenset[str]] = {}
        self._files: defaultdict[str, set[str]] = defaultdict(set)
        self._snapshots: dict[str, Snapshot] = {}
        self.open_uri = ""
        """The document that is open, and so no closed file."""

    def update(self, texts: Mapping[str, str]) -> None:
        """Hold these texts, by path, and no others."""
        for path in self._texts.keys() - texts.keys():
            self._drop(path)
        for path, text in texts.items():
            if self._texts.get(path) is not text:
                self._drop(path)
                self._put(path, text)

    def _drop(self, path: str) -> None:
        self._texts.pop(path, None)
        self._snapshots.pop(path, None)
        for word in self._words.pop(path, ()):
            self._files[word].discard(path)

    def _put(self, path: str, text: str) -> None:
        self._texts[path] = text
        if not self._code_only or language_of(path) is not None:
            words = self._words[path] = frozenset(WORD.findall(text))
            for word in words:
                self._files[word].add(path)

    def files_with(self, tokens: Sequence[str], limit: int, near: str = "") -> Sequence[str]:
        """Return the files that hold all identifiers, those nearest to the document first; see `Codebase`."""
        found = set.intersection(*(self._files.get(token, set()) for token in tokens))
        uris = {f"{ROOT}/{path}" for path in found} - {self.open_uri}
        return sorted(uris, key=lambda uri: (_distance(uri, near), uri))[:limit]

    def files_containing(self, text: str, limit: int, near: str = "") -> Sequence[str]:
        """Return the files that hold a piece of text, those nearest to the document first; see `Codebase`."""
        uris = {f"{ROOT}/{path}" for path, content in self._texts.items() if text in content} - {
            self.open_uri
        }
        return sorted(uris, key=lambda uri: (_distance(uri, near), uri))[:limit]

    def snapshot(self, uri: str) -> Snapshot | None:
        """Return a file; see `Codebase`."""
        path = uri.removeprefix(f"{ROOT}/")
        known = self._snapshots.get(path)
        if known is None and path in self._texts and uri != self.open_uri:
            known = self._snapshots[path] = Snapshot.from_text(
                self._texts[path], uri=uri, language=language_of(path) or "plaintext"
            )
        return known

    def definitions(self, name: str) -> Sequence[SymbolAt]:
        """Return nothing."""
        return ()

    def exports(self, name: str, language: str) -> Sequence[SymbolAt]:
        """Return nothing."""
        return ()

    def importers(self, name: str) -> Sequence[SymbolAt]:
        """Return nothing."""
        return ()

    def similar(self, text: str, limit: int) -> Sequence[Chunk]:
        """Return nothing."""
        return ()


def _distance(one: str, other: str) -> int:
    """Return the number of folders between two files."""
    a, b = (posixpath.dirname(uri).split("/") for uri in (one, other))
    common = len(posixpath.commonprefix([a, b]))
    return len(a) + len(b) - 2 * common
