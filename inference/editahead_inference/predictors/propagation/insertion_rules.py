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
from .line_transforms import MAX_SITES, apply_renaming, infer_renaming, reindent
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

    lines: tuple[tuple[token_patterns.PatternPart, ...], ...] = ()
    anchor: tuple[token_patterns.PatternPart, ...] = ()
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
    eol = line_end(index.snapshot.lines[line]) or index.snapshot.eol
    if at >= len(bodies) or (at == len(bodies) - 1 and after and not line_end(index.snapshot.lines[line])):
        return
    yield Proposal(at, at, reindent(filled, base, index.indent(line), eol))


def learn_insertion(new: tuple[str, ...], before: str, after: str) -> list[Rule]:
    """Learn rules from inserted lines.

    Args:
        new: The inserted lines. More than 40 teach nothing.
        before: The body of the line above them, "" at the document's start.
        after: The body of the line below them, "" at the document's end.
    """
    rules: list[Rule] = []
    bodies = [line_body(line) for line in new]
    if not any(body.strip() for body in bodies) or len(new) > 40:
        return rules
    shown = shorten(next(body for body in bodies if body.strip()), 30)
    for where, anchor in (("below", after), ("above", before)):
        text = anchor.strip()
        if len(text) < 3:
            continue
        is_after = where == "above"
        label = f"insert {shown}"
        base = indentation(line_body(anchor))
        key = f"{where}:{text}:{''.join(bodies)}"
        exact = tuple((body,) for body in bodies)
        rules.append(
            Insertion(f"insert-{where}", key, label, text, shown, None, exact, (text,), is_after, base)
        )
        for kind, is_head, parts, filled in _holed_anchors(text, bodies):
            name = f"insert-{where}-{kind}"
            holed_key = f"{name}:{parts}:{filled}"
            rules.append(
                Insertion(
                    name,
                    holed_key,
                    label,
                    text,
                    shown,
                    None,
                    filled,
                    parts,
                    is_after,
                    base,
                    text[-1] if is_head else "",
                )
            )
        rules.append(
            SimilarInsertion(
                f"insert-{where}-like",
                "like" + key,
                label,
                text,
                shown,
                None,
                tuple(bodies),
                text,
                is_after,
                base,
            )
        )
    trimmed = [body.strip() for body in bodies]
    while trimmed and not trimmed[-1]:
        trimmed.pop()
    while trimmed and not trimmed[0]:
        trimmed.pop(0)
    if trimmed and sum(map(len, trimmed)) >= 12:
        rules.append(
            MovedOriginalDeletion(
                "move", f"move:{trimmed}", f"move {shown}", trimmed[0], trimmed[0], None, tuple(trimmed)
            )
        )
    for body in bodies[:_MAX_ASSIGNMENTS]:
        rules += learn_extraction(body)
    if len(trimmed) > 1:
        rules += _moved_in_part(trimmed)
    if len(new) == 1:
        rules += _mirrors(bodies[0].strip(), before.strip(), after.strip())
    return rules


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


def _moved_in_part(lines: list[str]) -> list[Rule]:
    """Return the rules for the imports among the inserted lines, which may have been moved from elsewhere."""
    return [
        MovedOriginalDeletion(
            "move-part", f"move:{text}", f"move {shorten(text, 30)}", text, text, None, (text,)
        )
        for text in lines[:_MAX_ASSIGNMENTS]
        if IMPORT.match(text)
    ]


def _holed_anchors(
    anchor: str, bodies: list[str]
) -> Iterator[
    tuple[
        str, bool, tuple[token_patterns.PatternPart, ...], tuple[tuple[token_patterns.PatternPart, ...], ...]
    ]
]:
    """Yield (kind, whether the anchor is a line's head only, anchor, lines), with holes for the anchor's names.

    A head has one hole, for the declared name. The lines share the anchor's holes, inside strings too, because a log line
    may hold the function's own name.
    """
    tokens = tokenize(anchor)
    names: dict[str, token_patterns.Hole] = {}
    for token in tokens:
        hole = token_patterns.hole_kind(token)
        if hole and token not in names:
            names[token] = token_patterns.Hole(f"h{len(names)}", hole)
    if not names or len(names) > 8:
        return
    lines = tuple(tuple(names.get(t, t) for t in tokenize(body)) for body in bodies)
    parts = tuple(names.get(t, t) for t in tokens)
    if len(token_patterns.longest_literal(parts)) >= 3:
        yield "hole", False, parts, lines
    head = _head(tokens)
    if head:
        own = {t: h for t, h in names.items() if t == tokens[head - 2]}
        headed = tuple(tuple(own.get(t, t) for t in tokenize(body)) for body in bodies)
        yield "head", True, tuple(own.get(t, t) for t in tokens[:head]), headed


def _head(tokens: list[str]) -> int:
    """Return the number of tokens up to the bracket after a declaration's name; 0 if the line is no declaration."""
    for number in range(2, len(tokens)):
        if tokens[number] in "({" and is_word(tokens[number - 1]) and tokens[number - 2].isspace():
            return number + 1
    return 0
