"""A codebase of a few texts in memory, for tests of what predictors and the server make of closed files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from editahead_inference.codebase import Chunk, SymbolAt
from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.snapshot import Snapshot


class MemoryCodebase:
    """Python files by their URIs. Every top-level function and class of a file is exported.

    Attributes:
        files: The texts. A test may change them: the next question is answered from what is there.
        asked: The tokens of each look-up.
    """

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = dict(files)
        self.asked: list[tuple[str, ...]] = []

    def files_with(self, tokens: Sequence[str], limit: int, near: str = "") -> Sequence[str]:
        self.asked.append(tuple(tokens))
        return [uri for uri, text in self.files.items() if set(tokens) <= set(WORD.findall(text))][:limit]

    def files_containing(self, text: str, limit: int, near: str = "") -> Sequence[str]:
        return [uri for uri, content in self.files.items() if text in content][:limit]

    def snapshot(self, uri: str) -> Snapshot | None:
        text = self.files.get(uri)
        return None if text is None else Snapshot.from_text(text, uri=uri, language="python")

    def definitions(self, name: str) -> Sequence[SymbolAt]:
        return self.exports(name, "python")

    def exports(self, name: str, language: str) -> Sequence[SymbolAt]:
        pattern = re.compile(rf"^(?:def|class) {re.escape(name)}\b", re.MULTILINE)
        return [
            SymbolAt(uri, text.count("\n", 0, found.start()), name, "export", "function_definition", language)
            for uri, text in self.files.items()
            if (found := pattern.search(text))
        ]

    def importers(self, name: str) -> Sequence[SymbolAt]:
        pattern = re.compile(rf"^from (\S+) import .*\b{re.escape(name)}\b", re.MULTILINE)
        return [
            SymbolAt(
                uri, text.count("\n", 0, found.start()), name, "import", "import_from_statement", "python"
            )
            for uri, text in self.files.items()
            if (found := pattern.search(text))
        ]

    def similar(self, text: str, limit: int) -> Sequence[Chunk]:
        return ()
