"""The counts of the open documents, kept up to date from state to state."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from editahead_prompts.state import EditorState
from editahead_prompts.text.snapshot import Snapshot, line_body

from .language_ngrams import LanguageNgrams, shipped_ngrams
from .next_piece import NEAR_LINES, NearLine, NextPieceModel
from .ngram_index import NgramIndex
from .pieces import split_line
from .place import MAX_OTHERS, line_ends

_MAX_INDEXES = 16
"""Documents whose counts are kept; those of the least recently used one are dropped."""


class OpenTexts:
    """A cache of the counts by document. For one thread at a time.

    Args:
        ngrams_of: Returns what is known of a language, by its LSP id.
    """

    def __init__(self, ngrams_of: Callable[[str], LanguageNgrams | None] = shipped_ngrams) -> None:
        self._ngrams_of = ngrams_of
        self._indexes: OrderedDict[str, NgramIndex] = OrderedDict()

    def model_at(self, state: EditorState, check: Callable[[], None]) -> NextPieceModel:
        """Return the model at the cursor of a state. It holds until the next call.

        Args:
            check: Called between units of work. What was counted before it raises is kept.
        """
        document = state.document
        line = document.line_at(state.cursor)
        others = []
        for other in state.other_documents[:MAX_OTHERS]:
            others.append(self._index(other.uri))
            others[-1].update(other.lines, around=0, check=check)
        own = self._index(document.uri)
        own.update(document.lines, around=line, without=line, check=check)
        return NextPieceModel(own, others, near_lines(document, line), self._ngrams_of(document.language))

    def forget(self, uri: str) -> None:
        """Drop the counts of a closed document."""
        self._indexes.pop(uri, None)

    def _index(self, uri: str) -> NgramIndex:
        known = self._indexes.setdefault(uri, NgramIndex())
        self._indexes.move_to_end(uri)
        if len(self._indexes) > _MAX_INDEXES:
            self._indexes.popitem(last=False)
        return known


def near_lines(document: Snapshot, line: int) -> list[NearLine]:
    """Return the lines near a line that are not empty, the nearest first, without the line itself."""
    lines = document.lines
    found: list[NearLine] = []
    for distance in range(1, NEAR_LINES + 1):
        for at in (line - distance, line + distance):
            if 0 <= at < len(lines):
                split = split_line(line_body(lines[at]))
                if len(split.tokens) > 1:
                    found.append(NearLine(distance, split, (*line_ends(document, at - 1), *split.tokens)))
    return found
