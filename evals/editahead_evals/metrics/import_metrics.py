"""The score of shown edits that import names, by three definitions from strict to lenient.

A hunk of a commit often holds several imports. Who is shown one of them would take it, but it does not make the hunk.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_START = re.compile(
    r"\s*(?:import\b|from\s+\S+\s+import\b|(?:pub\s+)?use\s|#\s*include\b|(?:const|let|var)\s.*\brequire\()"
)
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(slots=True)
class ImportCounts:
    """The sums over shown edits that import names, and change nothing else.

    Attributes:
        shown: Such edits, after the last hunk, too.
        whole: Those that are correct by the definition of the evaluation: they make whole remaining hunks.
        lines: Those all of whose lines are in the final text, exactly so.
        names: Those all of whose new words are in imports of the final text.
    """

    shown: int = 0
    whole: int = 0
    lines: int = 0
    names: int = 0

    def add(self, before: str, after: str, final: str, *, correct: bool) -> None:
        """Count one shown edit if it only imports names.

        Args:
            before: The document's present text.
            after: The text that the edit leads to.
            final: The text at the end of the replay.
            correct: Whether the edit makes whole remaining hunks.
        """
        (old, old_rest), (new, new_rest), (end, _) = map(_split, (before, after, final))
        brought = _words(new) - _words(old)
        if not brought or old_rest != new_rest:
            return
        self.shown += 1
        self.whole += correct
        self.lines += set(new) - set(old) <= set(final.splitlines())
        self.names += brought <= _words(end)


def import_line(counts: ImportCounts) -> str:
    """Return the line of a report."""
    return (
        f"{'imports shown:':24}{counts.shown}; whole hunks {counts.whole}, "
        f"exact lines of the final text {counts.lines}, names imported in the end {counts.names}"
    )


def _split(text: str) -> tuple[list[str], list[str]]:
    """Return the lines of imports, and all other lines that are not blank."""
    imports: list[str] = []
    rest: list[str] = []
    depth = 0
    for line in text.splitlines():
        is_import = depth > 0 or _START.match(line) is not None
        if is_import:
            depth = max(depth + sum(map(line.count, "({")) - sum(map(line.count, ")}")), 0)
        if line.strip():
            (imports if is_import else rest).append(line)
    return imports, rest


def _words(lines: list[str]) -> set[str]:
    return {word for line in lines for word in _WORD.findall(line)}
