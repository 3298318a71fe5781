"""Rules that insert lines beside each anchor of a kind.

An anchor is the same line, a line that matches a pattern with holes, a declaration's head, or a similar line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz import fuzz, process

from editahead_prompts.text.identifiers import is_word, tokenize
from editahead_prompts.text.indentation import indentation
from editahead_prompts.text.scripts import count_letters
from editahead_prompts.text.snapshot import line_body, line_end
from editahead_prompts.text.word_patterns import WordPattern

from . import token_patterns
from .deletion_rules import MovedOriginalDeletion
from .document_index import DocumentIndex
from .extract_variable_rule import learn_extraction
from .import_rules import IMPORT
from .line_transforms import MAX_SITES, apply_renaming, infer_renaming, reindent, without_blank_ends
from .proposal import Proposal
from .rule import Rule, shorten

_MAX_ASSIGNMENTS = 8
"""Lines of one insertion that are examined one by one."""
_SIMILAR = 78.0
"""rapidfuzz ratio (0..100) from which a line counts as another of the same kind."""


@dataclass(frozen=True)
class Insertion(Rule):
    """A rule that inserts lines beside every line that matches a pattern.

    Attributes:
        lines: The patterns of the inserted lines. Their holes are filled from the anchor.
        anchor: The pattern of the line beside which the lines are inserted.
        after: Whether the lines come after the anchor.
        base: The indentation of the anchor in the edit, replaced by that of each site.
        last: When not empty, the anchor is a line's head only, and the line ends in this character.
    """

    lines: tuple[token_patterns.LinePattern, ...] = ()
    anchor: token_patterns.LinePattern = ()
    after: bool = False
    base: str = ""
    last: str = ""

    @cached_property
    def _compiled(self) -> tuple[WordPattern, str]:
        return token_patterns.compile_pattern(self.anchor), token_patterns.longest_literal(self.anchor)

    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        regex, literal = self._compiled
        sites = index.lines_with(literal)
        if len(sites) > MAX_SITES * 4:
            return
        for line in sites:
            body = index.bodies[line].strip()
            match = regex.match(body) if self.last else regex.fullmatch(body)
            if match is None or not body.endswith(self.last):
                continue
            filled = tuple(token_patterns.fill_holes(parts, match) for parts in self.lines)
            yield from _inserted(index, line, self.after, filled, self.base)


@dataclass(frozen=True)
class SimilarInsertion(Rule):
    """A rule that inserts `lines` beside every line similar to `anchor`, with the names of that line."""

    lines: tuple[str, ...] = ()
    anchor: str = ""
    after: bool = False
    base: str = ""

    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        best = process.extract(
            self.anchor,
            index.stripped,
            scorer=fuzz.ratio,
            score_cutoff=_SIMILAR,
            limit=MAX_SITES,
            processor=None,
        )
        split = [tokenize(new) for new in self.lines]
        for text, _, line in sorted(best, key=lambda found: found[2]):
            table = infer_renaming(self.anchor, text)
            filled = tuple("".join(table.get(token, token) for token in tokens) for tokens in split)
            yield from _inserted(index, line, self.after, filled, self.base)


@dataclass(frozen=True)
class MirroredInsertion(Rule):
    """A rule that copies the lines with a name, with the names in `table` replaced.

    The edit added such a copy of a neighbouring line. A new enum member, for example, also needs a match arm. Each line
    with `name` gets its copy after it, unless the line opens a block or a bracket.
    """

    name: str = ""
    table: tuple[tuple[str, str], ...] = ()

    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        table = dict(self.table)
        lines = index.lines_with(self.name)
        if len(lines) > MAX_SITES:
            return
        regex = WordPattern(rf"(?<!\w){re.escape(self.name)}(?!\w)")
        for line in lines:
            body = index.bodies[line]
            if not regex.search(body) or body.rstrip()[-1:] in "{([:":
                continue
            copy = apply_renaming(body.strip(), table)
            if copy != body.strip():
                yield from _inserted(index, line, True, (copy,), "")


def _inserted(
    index: DocumentIndex, line: int, after: bool, filled: tuple[str, ...], base: str
) -> Iterator[Proposal]:
    """Yield the insertion of the filled lines before or after `line`, unless they are there already."""
    at = line + after
    bodies, count = index.bodies, len(filled)
    stripped = [text.strip() for text in filled]
    for start in (at - count, at):
        if start >= 0 and [body.strip() for body in bodies[start : start + count]] == stripped:
            return
    end = line_end(index.snapshot.lines[line])
    is_last = at >= len(bodies) or (after and not end and at == len(bodies) - 1)
    if not is_last:
        yield Proposal(at, at, reindent(filled, base, index.indent(line), end or index.snapshot.eol))


def learn_insertion(new: tuple[str, ...], before: str, after: str) -> list[Rule]:
    """Learn rules from inserted lines.

    Args:
        new: The inserted lines. More than 40 teach nothing.
        before: The body of the line above them, "" at the document's start.
        after: The body of the line below them, "" at the document's end.
    """
    bodies = [line_body(line) for line in new]
    texts = without_blank_ends(bodies)
    if not texts or len(new) > 40:
        return []
    rules = [*_beside(bodies, after, is_after=False), *_beside(bodies, before, is_after=True)]
    if sum(map(len, texts)) >= 12:
        rules.append(_moved("move", f"{texts}", texts))
    for body in bodies[:_MAX_ASSIGNMENTS]:
        rules += learn_extraction(body)
    if len(texts) > 1:  # the imports among them may have been moved from elsewhere
        rules += (
            _moved("move-part", text, [text]) for text in texts[:_MAX_ASSIGNMENTS] if IMPORT.match(text)
        )
    if len(new) == 1:
        rules += _mirrors(texts[0], before.strip(), after.strip())
    return rules


def _beside(bodies: list[str], neighbour: str, *, is_after: bool) -> Iterator[Rule]:
    """Yield the rules that insert lines before or after each line that is like the one beside them."""
    anchor = neighbour.strip()
    if len(anchor) < 3:
        return
    where = "insert-above" if is_after else "insert-below"
    shown = shorten(without_blank_ends(bodies)[0], 30)
    common = (f"insert {shown}", anchor, shown, None)
    base = indentation(line_body(neighbour))
    key = f"{where.removeprefix('insert-')}:{anchor}:{''.join(bodies)}"
    yield Insertion(where, key, *common, tuple((body,) for body in bodies), (anchor,), is_after, base)
    for kind, is_head, parts, lines in _holed_anchors(anchor, bodies):
        holed, last = f"{where}-{kind}", anchor[-1] if is_head else ""
        yield Insertion(holed, f"{holed}:{parts}:{lines}", *common, lines, parts, is_after, base, last)
    yield SimilarInsertion(f"{where}-like", f"like{key}", *common, tuple(bodies), anchor, is_after, base)


def _moved(kind: str, key: str, lines: list[str]) -> Rule:
    """Return the rule that deletes the original of moved lines."""
    label = f"move {shorten(lines[0], 30)}"
    return MovedOriginalDeletion(kind, f"move:{key}", label, lines[0], lines[0], None, tuple(lines))


def _mirrors(line: str, before: str, after: str) -> list[Rule]:
    """Return the rule for an inserted line that copies the line before or after it with other names."""
    for anchor in (before, after):
        table = infer_renaming(anchor, line)
        names = [name for name in table if is_word(name) and count_letters(name) > 2]
        if names and fuzz.ratio(anchor, line) >= 50 and len(table) <= 3:
            name = max(names, key=len)
            key = f"mirror:{name}:{sorted(table.items())}"
            label = f"{table[name]} beside {name}"
            return [MirroredInsertion("mirror", key, label, anchor, name, None, name, tuple(table.items()))]
    return []


def _holed_anchors(
    anchor: str, bodies: list[str]
) -> Iterator[tuple[str, bool, token_patterns.LinePattern, tuple[token_patterns.LinePattern, ...]]]:
    """Yield (kind, whether the anchor is a line's head only, anchor, lines), with holes for the anchor's names.

    A head has one hole, for the declared name. The lines share the anchor's holes, inside strings too, because a log line
    may hold the function's own name.
    """
    tokens, lines = tokenize(anchor), [tokenize(body) for body in bodies]
    holes = token_patterns.holes_of(tokens)
    if not 0 < len(holes) <= 8:
        return
    parts = token_patterns.put_holes(tokens, holes)
    if len(token_patterns.longest_literal(parts)) >= 3:
        yield "hole", False, parts, tuple(token_patterns.put_holes(line, holes) for line in lines)
    head = _head(tokens)
    if head:
        own = {name: hole for name, hole in holes.items() if name == tokens[head - 2]}
        parts = token_patterns.put_holes(tokens[:head], own)
        yield "head", True, parts, tuple(token_patterns.put_holes(line, own) for line in lines)


def _head(tokens: list[str]) -> int:
    """Return the number of tokens up to the bracket after a declaration's name; 0 if the line is no declaration."""
    for number in range(2, len(tokens)):
        if tokens[number] in "({" and is_word(tokens[number - 1]) and tokens[number - 2].isspace():
            return number + 1
    return 0
