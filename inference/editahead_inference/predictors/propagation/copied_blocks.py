"""Follow-ups in a copy: a block that was copied, and in which a name is being replaced, goes on with the new name.

The original stays. A block counts as a copy if the words that an edit replaced in it also differ between its head and that
of a block with otherwise equal lines, or if it was inserted and two of its lines differ from the original by these words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from rapidfuzz import fuzz

from editahead_prompts.state import PastEdit
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.identifiers import changed_spans, is_word, split_words, tokenize, word_replacement
from editahead_prompts.text.snapshot import line_body

from .document_index import DocumentIndex
from .follow_up import FollowUp, Situation, follow_ups
from .single_examples import renames_local_only
from .substitution_rules import WordRename
from .token_patterns import KEYWORDS

_CONTINUED = 0.8
"""Confidence that the other lines of a copy follow. It is chosen."""
_MAX_EDITS = 3
"""Past edits that may have changed a copy."""
_MAX_ORIGINALS = 12
"""Blocks with an equal line that are compared with a copy."""
_MAX_LINES = 40
"""Lines of a copy on each side of the edit."""
_MAX_HEADS = 3
"""Lines above that differ between a block and its copy."""
_MIN_ALIKE = 50.0
"""rapidfuzz ratio (0..100) from which a line may be the changed copy of another."""
_MAX_WIDTH = 400
"""Characters of a line of a copy."""

_HEAD = re.compile(
    r"\b(?:def|class|func|fn|function|impl|struct|interface|enum|test|it|describe|void|public|private|static)\b"
)
"""What is in the first line of a function, a type or a test, of which no two are called alike."""

Words = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Copy:
    """A copied block in which an edit replaced words.

    Attributes:
        edit: The edit.
        line: A 0-based line of the copy.
        original: The line of the original that it was copied from.
        words: The words of the original and those that replace them in the copy; () while nothing shows them.
    """

    edit: PastEdit
    line: int
    original: int
    words: tuple[Words, ...]


def find_copies(edits: Sequence[PastEdit | None], index: DocumentIndex, trees: SyntaxTrees) -> list[Copy]:
    """Return the copies in a document that the last edits changed."""
    uri = index.snapshot.uri
    here = [edit for edit in edits[:_MAX_EDITS] if edit is not None and edit.uri == uri and edit.new]
    return [copy for edit in here if (copy := _find_copy(edit, index, trees)) is not None]


def continue_copies(situation: Situation) -> Iterator[FollowUp]:
    """Yield the lines of copies that still have the words of the original."""
    index = situation.index
    for copy in find_copies(situation.edits, index, situation.trees):
        if not copy.words:
            continue
        rules = [WordRename("copy", "", "", "", "".join(old), None, old, new, ()) for old, new in copy.words]
        proposals = index.rewrite_all(_rest(copy, index, rules), partial(_mapped, rules))
        label = f"{'_'.join(copy.words[0][0])} -> {'_'.join(copy.words[0][1])} in the copy"
        yield from follow_ups(proposals, "copy", f"copy:{copy.words}", label, _CONTINUED)


def _find_copy(edit: PastEdit, index: DocumentIndex, trees: SyntaxTrees) -> Copy | None:
    if not edit.old:
        return _inserted_copy(edit, index)
    if len(edit.old) != len(edit.new):
        return None
    is_local = renames_local_only(edit, index, trees)
    for row, (before, after) in enumerate(zip(edit.old, edit.new, strict=True)):
        old, line = line_body(before), edit.line + row
        if len(old.strip()) < 3 or max(len(old), len(after)) > _MAX_WIDTH or line >= len(index.bodies):
            continue
        original = _equal_original(line, old, line_body(after), index, is_local=is_local)
        if original is None and _HEAD.search(old):
            original = _head_original(line, old, line_body(after), index)
        if original is not None:
            return Copy(edit, line, *original)
    return None


def _equal_original(
    line: int, old: str, new: str, index: DocumentIndex, *, is_local: bool
) -> tuple[int, tuple[Words, ...]] | None:
    """Return the line that a changed line was equal to in the original, with the words that were replaced."""
    made = _replaced_words(old, new)
    equal = [n for n in index.lines_with(old.strip()) if n != line and index.bodies[n] == old]
    for original in equal[:_MAX_ORIGINALS]:
        head = _head_words(index, original, line)
        is_all = head and _is_same_block(index, original, line) and not is_local
        words = tuple(pair for pair in made if is_all or pair in head)
        if words and _is_alike_below(index, original, line):
            return original, words
        if _HEAD.search(old) and _is_same_below(index, original, line):
            return original, ()
    return None


def _head_original(
    line: int, old: str, new: str, index: DocumentIndex
) -> tuple[int, tuple[Words, ...]] | None:
    """Return the head of the original of a changed head, with the words in which they differ."""
    made = set(_replaced_words(old, new))
    for original in _heads_like(index, line) if made else ():
        words = tuple(_replaced_words(index.bodies[original], new))
        if made.intersection(words, _replaced_words(index.bodies[original], old)):
            return original, words
    return None


def _heads_like(index: DocumentIndex, line: int) -> Iterator[int]:
    """Yield the lines below which the lines are those below a line, too."""
    below = index.bodies[line + 1] if line + 1 < len(index.bodies) else ""
    for n in index.lines_with(below.strip())[:_MAX_ORIGINALS] if len(below.strip()) >= 3 else ():
        if n - 1 != line and n > 0 and _is_same_below(index, n - 1, line):
            yield n - 1


def _inserted_copy(edit: PastEdit, index: DocumentIndex) -> Copy | None:
    """Return the copy if the edit inserted lines of which some differ from other lines by the same words."""
    lines = range(edit.line, edit.line + len(edit.new))
    if not 3 <= len(lines) <= _MAX_LINES or lines.stop > len(index.bodies):
        return None
    shifts = Counter(n - line for line in lines for n in _equal_lines(line, index) if n not in lines)
    if not shifts or shifts.most_common(1)[0][1] < 2:
        return None
    shift = shifts.most_common(1)[0][0]
    counts: Counter[Words] = Counter()
    for line in lines:
        if 0 <= line + shift < len(index.bodies):
            counts.update(set(_replaced_words(index.bodies[line + shift], index.bodies[line])))
    words = tuple(pair for pair, count in counts.items() if count >= 2)
    return Copy(edit, edit.line, edit.line + shift, words) if words else None


def _equal_lines(line: int, index: DocumentIndex) -> list[int]:
    """Return the lines of which one has the text of a line."""
    text = index.bodies[line]
    if len(text.strip()) < 3 or len(text) > _MAX_WIDTH:
        return []
    return [n for n in index.lines_with(text)[:_MAX_ORIGINALS] if index.bodies[n] == text]


def _replaced_words(old: str, new: str) -> list[Words]:
    """Return the words that were replaced, if a line differs from another only by names."""
    if old == new or max(len(old), len(new)) > _MAX_WIDTH:
        return []
    a, b = tokenize(old), tokenize(new)
    spans = changed_spans(a, b)
    if any(a2 - a1 != b2 - b1 for a1, a2, b1, b2 in spans):
        return []
    pairs = [(x, y) for a1, a2, b1, b2 in spans for x, y in zip(a[a1:a2], b[b1:b2], strict=True) if x != y]
    if not all(is_word(token) and token not in KEYWORDS for pair in pairs for token in pair):
        return []
    replaced = (word_replacement(x, y) or (split_words(x), split_words(y)) for x, y in pairs)
    return list(dict.fromkeys(words for words in replaced if words[1] and len("".join(words[0])) > 1))


def _head_words(index: DocumentIndex, original: int, line: int) -> set[Words]:
    """Return the words that differ between the lines that open the block of a copied line and of the original."""
    found: set[Words] = set()
    heads = 0
    is_beside = _is_beside(index, original, line)
    for up in range(1, min(_MAX_LINES, line, original) + 1):
        theirs, ours = index.bodies[original - up], index.bodies[line - up]
        if theirs == ours:
            if heads and not ours.strip():
                break
            continue
        words = _replaced_words(theirs, ours)
        is_head = len(index.indent(line - up)) < len(index.indent(line))
        if not words or (is_head and fuzz.ratio(theirs.strip(), ours.strip()) < _MIN_ALIKE):
            break
        if is_head or is_beside:  # a head, or a line of the copy like the edited one
            found.update(words)
        heads += is_head
        if heads == _MAX_HEADS:
            break
    return found


def _is_beside(index: DocumentIndex, original: int, line: int) -> bool:
    """Return whether nothing between a line and its original is less indented."""
    between = range(*sorted((original, line)))
    return len(between) <= _MAX_LINES and all(
        index.indent(n).startswith(index.indent(line)) for n in between if index.bodies[n].strip()
    )


def _ends_block(index: DocumentIndex, blank: int, step: int, line: int) -> bool:
    """Return whether the block of a line ends at a blank line: what comes behind it is further out, or not indented."""
    while 0 <= blank < len(index.bodies) and not index.bodies[blank].strip():
        blank += step
    if not 0 <= blank < len(index.bodies):
        return True
    return len(index.indent(blank)) < max(len(index.indent(line)), 1)


def _is_alike_below(index: DocumentIndex, original: int, line: int) -> bool:
    """Return whether the next lines are those of the original, too, or its block ends."""
    below = index.bodies[line + 1 : line + 2], index.bodies[original + 1 : original + 2]
    return below[0] == below[1] or bool(_replaced_words("".join(below[1]), "".join(below[0])))


def _is_same_block(index: DocumentIndex, original: int, line: int) -> bool:
    """Return whether the line above or the one below is the same in both blocks and no bracket alone."""
    return any(
        0 < line + step < len(index.bodies)
        and 0 < original + step < len(index.bodies)
        and index.bodies[line + step] == index.bodies[original + step]
        and any(map(str.isalnum, index.bodies[line + step]))
        for step in (-1, 1)
    )


def _is_same_below(index: DocumentIndex, original: int, line: int) -> bool:
    """Return whether the lines of both blocks are equal, two at least."""
    ours, theirs = (index.bodies[at + 1 : at + 3] for at in (line, original))
    return ours == theirs and len(ours) == 2 and len(index.indent(line + 1)) > len(index.indent(line))


def _mapped(rules: Sequence[WordRename], body: str) -> str:
    for rule in rules:
        body = rule.rewrite(body)
    return body


def _rest(copy: Copy, index: DocumentIndex, rules: Sequence[WordRename]) -> Iterator[int]:
    """Yield the lines of the copy that are as in the original, on both sides of the edit."""
    if copy.edit.old:
        yield from _rest_beside(copy, 1, index, rules)
        yield from _rest_beside(copy, -1, index, rules)
        return
    bodies, shift = index.bodies, copy.original - copy.line
    lines = [n for n in range(copy.line, copy.line + len(copy.edit.new)) if 0 <= n + shift < len(bodies)]
    # Who has changed a line further down has passed those above it, and left them as they are.
    last = max(n for n in lines if set(copy.words) & set(_replaced_words(bodies[n + shift], bodies[n])))
    yield from (n for n in lines if n > last and bodies[n] == bodies[n + shift])


def _rest_beside(copy: Copy, step: int, index: DocumentIndex, rules: Sequence[WordRename]) -> Iterator[int]:
    """Yield the lines above (step -1) or below (1) a changed line of a copy that are as in the original."""
    bodies = index.bodies
    for away in range(step, step * (_MAX_LINES + 1), step):
        line, original = copy.line + away, copy.original + away
        if not (0 <= line < len(bodies) and 0 <= original < len(bodies)) or len(bodies[line]) > _MAX_WIDTH:
            return
        ours, theirs = bodies[line], bodies[original]
        if ours == theirs:
            if not ours.strip() and _ends_block(index, line, step, copy.line):
                return
            yield line
        elif not _replaced_words(theirs, ours) and ours != _mapped(rules, theirs):
            return
