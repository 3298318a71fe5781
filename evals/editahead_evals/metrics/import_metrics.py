"""The score of shown edits that import names, by three definitions from strict to lenient.

A hunk of a commit often holds several imports. Who is shown one of them would take it, but it does not make the hunk.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from editahead_inference.predictors.propagation.import_statements import Statement, parse_imports
from editahead_prompts.text.snapshot import Snapshot
from editahead_prompts.text.syntax_trees import SyntaxTrees


@dataclass(slots=True)
class ImportCounts:
    """The sums over shown edits that import names, and change nothing else.

    Attributes:
        shown: Such edits, after the last hunk, too.
        whole: Those that are correct by the definition of the evaluation: they make whole remaining hunks.
        lines: Those all of whose lines are in the final text, exactly so.
        names: Those all of whose names the final text imports from the same modules.
    """

    shown: int = 0
    whole: int = 0
    lines: int = 0
    names: int = 0

    def add(self, before: str, after: str, final: str, language: str, *, correct: bool) -> None:
        """Count one shown edit if it only imports names.

        Args:
            before: The document's present text.
            after: The text that the edit leads to.
            final: The text at the end of the replay.
            language: The document's LSP language id.
            correct: Whether the edit makes whole remaining hunks.
        """
        old, new = _parsed(before, language), _parsed(after, language)
        brought = _names(new) - _names(old)
        if not brought or _without_imports(before, old) != _without_imports(after, new):
            return
        lines = set(final.splitlines())
        added = set(after.splitlines()).difference(before.splitlines())
        self.shown += 1
        self.whole += correct
        self.lines += added <= lines
        self.names += brought <= _names(_parsed(final, language))


def import_line(counts: ImportCounts) -> str:
    """Return the line of a report."""
    return (
        f"{'imports shown:':24}{counts.shown}; whole hunks {counts.whole}, "
        f"exact lines of the final text {counts.lines}, names imported in the end {counts.names}"
    )


def _parsed(text: str, language: str) -> list[Statement]:
    snapshot = Snapshot.from_text(text, uri="file:///imports", language=language)
    return parse_imports(snapshot, SyntaxTrees())


def _names(statements: list[Statement]) -> set[tuple[str, str]]:
    return {(item.name, item.module) for statement in statements for item in statement.items}


def _without_imports(text: str, statements: list[Statement]) -> list[str]:
    """Return the lines outside of imports that are not blank."""
    inside = {line for statement in statements for line in range(statement.start, statement.end)}
    return [line for line in _other_lines(text, inside) if line.strip()]


def _other_lines(text: str, inside: set[int]) -> Iterator[str]:
    return (line for number, line in enumerate(text.splitlines()) if number not in inside)
