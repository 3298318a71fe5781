"""Tests whether the names that an edit put into a function are bound where the edit would be repeated."""

from __future__ import annotations

import re

from editahead_prompts.state import PastEdit
from editahead_prompts.syntax.name_occurrences import Occurrence
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.word_patterns import WordPattern

from .document_index import DocumentIndex
from .follow_up import brought_words
from .named_places import MODULE, places_in, start_of
from .proposal import Proposal
from .token_patterns import KEYWORDS

_MAX_NAMES = 8
"""Names that an edit introduces, of which the binding is looked up."""
_MAX_LINES = 60
"""Lines with a name that may define it. A name on more lines is taken as bound anywhere."""


class IntroducedNames:
    """The locals and parameters that an edit uses and its old lines do not: they mean something only where they are bound.

    Args:
        edit: The edit.
        origin: The index of its document; None if it is closed.
        trees: The syntax trees of all documents.

    Attributes:
        names: The names, in order.
    """

    def __init__(self, edit: PastEdit, origin: DocumentIndex | None, trees: SyntaxTrees) -> None:
        self._trees = trees
        self.names: list[str] = []
        if origin is None:
            return
        for name in brought_words(edit):
            if name not in KEYWORDS and len(self.names) < _MAX_NAMES:
                uses = places_in(origin.lines_of(edit), name, origin, trees)
                if any(self._is_local(name, use.occurrence, origin, edit) for use in uses):
                    self.names.append(name)

    def _is_local(self, name: str, used: Occurrence, origin: DocumentIndex, edit: PastEdit) -> bool:
        """Return whether a scope around the use binds the name, outside of the edit."""
        if used.role != "plain" or used.defines:
            return False
        lines = range(edit.line, edit.line + len(edit.new))
        found = [(line, o) for line, o in self._definitions(name, origin) if o.binder in used.scopes]
        return bool(found) and not any(line in lines for line, _ in found)

    def _definitions(self, name: str, index: DocumentIndex) -> list[tuple[int, Occurrence]]:
        """Return the definitions of a name that is bound by scope, each with its line."""
        places = places_in(index.few_lines_with(name, _MAX_LINES), name, index, self._trees)
        return [(line, found) for line, _, found in places if found.defines and found.role == "plain"]

    def are_bound(self, proposal: Proposal, index: DocumentIndex, known: dict[str, frozenset[int]]) -> bool:
        """Return whether each of the names that a proposal puts somewhere is bound there.

        Args:
            proposal: The proposal.
            index: The index of its document.
            known: What was found before in this document: by name, the scopes that bind it.
        """
        if not self.names:
            return True
        made = "".join(proposal.lines)
        missing = [
            name for name in self.names if WordPattern(rf"(?<![\w.]){re.escape(name)}(?!\w)").search(made)
        ]
        scopes: tuple[int, ...] | None = None
        for name in missing:
            if name not in known:
                known[name] = frozenset(o.binder for _, o in self._definitions(name, index))
            if scopes is None:
                scopes = start_of(min(proposal.start, len(index.bodies) - 1), index, self._trees).scopes
            if len(index.lines_with(name)) > _MAX_LINES:
                continue
            if known[name].isdisjoint((*scopes, MODULE)):
                return False
        return True
