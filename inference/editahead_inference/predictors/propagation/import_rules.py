"""Rules for the imports that an edit made unused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.snapshot import line_end

from . import token_patterns
from .bindings import whole_word
from .document_index import DocumentIndex
from .rule import Proposal, Rule

_LIST = re.compile(
    r"(?P<head>\s*(?:from\s+\S+\s+import\s+\(?|import\s+(?:type\s+)?\{|use\s+[\w:]+::\{))(?P<names>[^(){}]*)(?P<tail>.*)"
)
"""An import of several names on one line: Python, TypeScript and JavaScript, Rust."""
_WHOLE = re.compile(r"\s*(?:import\b|from\s+\S+\s+import\b|use\s|#\s*include\b|(?:\w+\s+)?\"[\w./-]+\"\s*$)")
IMPORT = re.compile(
    r"\s*(?:import\b|from\s+\S+\s+import\b|use\s|#\s*include\b|export\s.*\bfrom\b|(?:const|let|var)\s.*\brequire\()"
)
"""A line that imports names, in the supported languages."""
_ITEM = re.compile(r"\s*\w+,?\s*\Z")
"""A name on a line of its own, in an import that spans lines."""
_MAX_NAMES = 6
"""Removed names of one edit that teach a rule."""


@dataclass(frozen=True)
class UnusedImport(Rule):
    """A rule that removes the import of `source` when no other use of that name is left."""

    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        if index.words.get(self.source, 0) != 1:
            return
        line = next(
            (n for n in index.lines_with(self.source) if whole_word(self.source).search(index.bodies[n])),
            None,
        )
        if line is None:
            return
        body = index.bodies[line]
        listed = _LIST.match(body)
        names = [name.strip() for name in listed["names"].split(",") if name.strip()] if listed else []
        if listed and self.source in names and len(names) > 1:
            space = " " if "{" in listed["head"] and listed["names"].startswith(" ") else ""
            rest = ", ".join(name for name in names if name != self.source)
            new = f"{listed['head']}{space}{rest}{space}{listed['tail']}"
            yield Proposal(line, line + 1, (new + line_end(index.snapshot.lines[line]),))
        elif (_WHOLE.match(body) and len(names) <= 1) or (_ITEM.match(body) and _inside_import(index, line)):
            yield Proposal(line, line + 1, ())


def imports_at(index: DocumentIndex, line: int) -> bool:
    """Return whether the line is an import, or a part of an import that spans lines."""
    return bool(IMPORT.match(index.bodies[line])) or _inside_import(index, line)


def _inside_import(index: DocumentIndex, line: int) -> bool:
    opener = index.block(line)
    return opener >= 0 and bool(re.match(r"\s*(?:from\s|import\b|use\s)", index.bodies[opener]))


def learn_unused(old: tuple[str, ...], new: tuple[str, ...]) -> list[Rule]:
    """Learn a rule for each name that an edit removed from code."""
    kept = {name for line in new for name in WORD.findall(line)}
    gone = dict.fromkeys(name for line in old if not _WHOLE.match(line) for name in WORD.findall(line))
    names = [
        name for name in gone if name not in kept and name not in token_patterns.KEYWORDS and len(name) > 1
    ]
    return [
        UnusedImport("import-unused", f"unused:{name}", f"drop import of {name}", name, name)
        for name in names[:_MAX_NAMES]
    ]
