"""Related code for the prompts of models: what names near the cursor mean, code like the code there, and copied lines.

The index of the workspace finds the first two: definitions by name, and pieces that share the rarest words of the lines
around the cursor and of the last edits. The growing edit does not count, so that the code stays the same while a person
types, and with it the prompt's beginning. What open documents hold is in the prompt anyway.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from editahead_prompts.formats.windows import pin_window
from editahead_prompts.state import EditorState, PastEdit, RelatedCode
from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.indentation import indentation_length
from editahead_prompts.text.scripts import count_letters
from editahead_prompts.text.snapshot import Snapshot

from .codebase import Codebase, SymbolAt
from .predictors.propagation.token_patterns import KEYWORDS

NAME_LINES, SIMILAR_REACH = 12, 4
"""Lines above and below the cursor whose names are looked up, and those that similar pieces are like."""
MAX_NAMES = 24
"""Names that are looked up, the nearest to the cursor first."""
MAX_DEFINITIONS, MAX_SIMILAR = 4, 8
"""Definitions, and similar pieces."""
MAX_MEANINGS = 2
"""Definitions of one name. With more, it is not known which of them is meant."""
DEFINITION_LINES, SIMILAR_LINES = 8, 16
"""The first lines of a definition, and those lines of a similar piece that have most names in common with the code."""
SHOWN_REACH = 40
"""Lines from the cursor that each format has room for."""
_MAX_EDITS = 3
"""Past edits that count, the newest first."""
_MIN_NAME = 3
"""Characters of a name that is looked up."""
_REMEMBERED = 256
"""Names whose definitions are kept, for the next keystrokes."""


def copied_elsewhere(state: EditorState) -> Iterator[RelatedCode]:
    """Yield the pieces that the user has copied, without those that a prompt shows around the cursor anyway."""
    here = state.document.line_at(state.cursor)
    for piece in state.related_code:
        if piece.uri != state.document.uri or abs(piece.line - here) > SHOWN_REACH:
            yield piece


class RelatedCodeFinder:
    """A finder of related code for states. It caches look-ups. For one thread at a time.

    Args:
        codebase: The index of the workspace.
    """

    def __init__(self, codebase: Codebase) -> None:
        self._codebase = codebase
        self._version = 0
        self._definitions: OrderedDict[str, Sequence[SymbolAt]] = OrderedDict()
        self._similar: tuple[str, tuple[RelatedCode, ...]] = "", ()

    def find(self, state: EditorState) -> tuple[RelatedCode, ...]:
        """Return the code that is related to a state, the most telling first; nothing without an index."""
        if not state.index_version:
            return ()
        if self._version != state.index_version:
            self._version, self._similar = state.index_version, ("", ())
            self._definitions.clear()
        edits = [edit for edit in state.history if not edit.open][: -_MAX_EDITS - 1 : -1]
        pinned = pin_window(state)
        here = pinned.document.line_at(pinned.cursor)
        defined = list(islice(self._defined(state, _names(pinned.document, here, edits)), MAX_DEFINITIONS))
        shown = {(piece.uri, piece.line) for piece in defined}
        similar = [
            piece
            for piece in self._similar_to(_question(pinned.document, here, edits))
            if not state.is_open(piece.uri) and (piece.uri, piece.line) not in shown
        ]
        return tuple(sorted((*defined, *similar), key=lambda piece: -piece.score))

    def _defined(self, state: EditorState, names: Iterator[str]) -> Iterator[RelatedCode]:
        for rank, name in enumerate(islice(names, MAX_NAMES)):
            meanings = [at for at in self._meanings(name) if not state.is_open(at.uri)]
            for at in meanings if len(meanings) <= MAX_MEANINGS else ():
                snapshot = self._codebase.snapshot(at.uri)
                if snapshot is not None and at.line < len(snapshot.lines) and name in snapshot.lines[at.line]:
                    text = "".join(_declaration(snapshot.lines, at.line))
                    score = 1 / (1 + rank / MAX_NAMES) / len(meanings)
                    yield RelatedCode(at.uri, at.line, text, "definition", score)

    def _meanings(self, name: str) -> Sequence[SymbolAt]:
        known = self._definitions.get(name)
        if known is None:
            known = self._definitions[name] = self._codebase.definitions(name)
            if len(self._definitions) > _REMEMBERED:
                self._definitions.popitem(last=False)
        self._definitions.move_to_end(name)
        return known

    def _similar_to(self, question: str) -> tuple[RelatedCode, ...]:
        known, pieces = self._similar
        if known != question:
            words = frozenset(WORD.findall(question))
            found = self._codebase.similar(question, MAX_SIMILAR)
            best = max((piece.score for piece in found), default=0.0)
            pieces = tuple(
                RelatedCode(
                    piece.uri, piece.line + first, "".join(lines), "similar", 0.5 * piece.score / best
                )
                for piece in found
                if piece.score > 0
                for first, lines in [_densest(piece.text.splitlines(keepends=True), words)]
            )
            self._similar = question, pieces
        return pieces


def _question(document: Snapshot, here: int, edits: Sequence[PastEdit]) -> str:
    """Return the text that similar pieces share words with."""
    near = document.lines[max(here - SIMILAR_REACH, 0) : here + SIMILAR_REACH + 1]
    return "".join(chain(*(edit.new for edit in edits), near))


def _names(document: Snapshot, here: int, edits: Sequence[PastEdit]) -> Iterator[str]:
    """Yield the names around a line and in the new lines of edits, each once, the nearest to the line first."""
    first, end = max(here - NAME_LINES, 0), min(here + NAME_LINES + 1, len(document.lines))
    near = sorted(range(first, end), key=lambda line: (abs(line - here), line))
    lines = chain((document.lines[line] for line in near), *(edit.new for edit in edits))
    names = dict.fromkeys(name for line in lines for name in WORD.findall(line))
    return (name for name in names if count_letters(name) >= _MIN_NAME and name not in KEYWORDS)


def _declaration(lines: Sequence[str], first: int) -> Sequence[str]:
    """Return the first lines of a declaration, as far as its indentation tells where it ends."""
    end, indent = first + 1, indentation_length(lines[first])
    while end < min(first + DEFINITION_LINES, len(lines)):
        line = lines[end].strip()
        if line and indentation_length(lines[end]) <= indent and line[0] not in ")]}":
            break
        end += 1
    while end > first + 1 and not lines[end - 1].strip():
        end -= 1
    return lines[first:end]


def _densest(lines: Sequence[str], words: frozenset[str]) -> tuple[int, Sequence[str]]:
    """Return the consecutive lines that have most words in common with `words`, and the number of the first."""
    shared = [len(words.intersection(WORD.findall(line))) for line in lines]
    firsts = range(max(len(lines) - SIMILAR_LINES, 0) + 1)
    first = max(firsts, key=lambda first: sum(shared[first : first + SIMILAR_LINES]))
    return first, lines[first : first + SIMILAR_LINES]
