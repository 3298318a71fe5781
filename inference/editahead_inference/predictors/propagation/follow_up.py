"""Follow-ups: edits that a past edit makes necessary by what the code says, rather than by likeness alone.

Each states how likely it is. The gate weighs them by that, not by features.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.identifiers import WORD, changed_spans, tokenize
from editahead_prompts.text.snapshot import line_body

from .document_index import DocumentIndex
from .named_places import MAX_WIDTH, function_at, other_indexes
from .proposal import Proposal, join_neighbours
from .unfinished_edits import Typing

_MAX_LINE = 2000
"""Characters of a changed line that is compared word by word."""


@dataclass(frozen=True, slots=True)
class FollowUp:
    """An edit that follows from a past one.

    Attributes:
        proposal: The edit.
        kind: The kind of the conclusion, as in `kind:...` features.
        key: A stable identity, by which outcomes are counted.
        label: A short phrase for the user.
        confidence: The probability (0..1) that the user makes the edit. It is chosen, or measured where its module says so.
    """

    proposal: Proposal
    kind: str
    key: str
    label: str
    confidence: float


def follow_ups(
    proposals: Iterable[Proposal], kind: str, key: str, label: str, confidence: float
) -> Iterator[FollowUp]:
    """Yield the proposals, those of neighbouring lines as one."""
    return (FollowUp(proposal, kind, key, label, confidence) for proposal in join_neighbours(proposals))


@dataclass(frozen=True, slots=True)
class Situation:
    """What follow-ups are concluded from.

    Attributes:
        state: The state.
        index: The index of the document that is searched, one of the open ones.
        home: Returns the index of an open document by its uri.
        trees: The syntax trees of all documents.
        edits: The past edits, newest first; None for one of which nothing is finished.
        typing: The edit at the cursor, if the user is still in its lines.
    """

    state: EditorState
    index: DocumentIndex
    home: Callable[[str], DocumentIndex | None]
    trees: SyntaxTrees
    edits: Sequence[PastEdit | None]
    typing: Typing | None

    def here(self, most: int | None = None) -> Iterator[PastEdit]:
        """Yield the finished edits of the searched document, newest first."""
        uri = self.index.snapshot.uri
        return islice((edit for edit in self.edits if edit is not None and edit.uri == uri), most)

    def last(self, most: int | None = None) -> Iterator[tuple[PastEdit, DocumentIndex]]:
        """Yield the finished ones of the last edits, newest first, each with the index of its document, which is known."""
        for edit in self.edits[:most]:
            origin = self.home(edit.uri) if edit is not None else None
            if edit is not None and origin is not None:
                yield edit, origin

    def function_at(self, line: int) -> int:
        """Return the node id of the innermost function around the start of a line; `MODULE` without one."""
        return function_at(line, self.index, self.trees)

    def others(self) -> Iterable[DocumentIndex]:
        """Return the indexes of the other documents that are searched."""
        return other_indexes(self.state, self.index, self.home)()


def brought_words(edit: PastEdit) -> list[str]:
    """Return the words that an edit brought into its lines, in order; of each line as far as names are looked at."""
    old = {word for line in edit.old for word in WORD.findall(line[:MAX_WIDTH])}
    new = (word for line in edit.new for word in WORD.findall(line[:MAX_WIDTH]))
    return [word for word in dict.fromkeys(new) if word not in old]


def changed_tokens(
    edit: PastEdit,
) -> Iterator[tuple[int, list[str], list[str], list[tuple[int, int, int, int]]]]:
    """Yield (row, old tokens, new tokens, changed spans) of each line that the edit rewrote, if it kept their number."""
    if len(edit.old) != len(edit.new):
        return
    for row, (before, after) in enumerate(zip(edit.old, edit.new, strict=True)):
        if before != after and max(len(before), len(after)) <= _MAX_LINE:
            a, b = tokenize(line_body(before)), tokenize(line_body(after))
            yield row, a, b, changed_spans(a, b)


def without_alignment(
    a: Sequence[str], b: Sequence[str], spans: Sequence[tuple[int, int, int, int]]
) -> Iterator[tuple[int, int, int, int]]:
    """Yield the changed spans of two lines' tokens without the white space at their ends, which only aligns columns."""
    for a1, a2, b1, b2 in spans:
        while a1 < a2 and b1 < b2 and a[a2 - 1].isspace() and b[b2 - 1].isspace():
            a2, b2 = a2 - 1, b2 - 1
        while a1 < a2 and b1 < b2 and a[a1].isspace() and b[b1].isspace():
            a1, b1 = a1 + 1, b1 + 1
        yield a1, a2, b1, b2
