"""Whole lines: inserted beside each of a kind, deleted, or several lines rewritten together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from editahead_prompts.snapshot import line_body, line_end
from editahead_prompts.tokens import WORD, changed_spans, is_word, tokenize

from . import patterns
from .index import Index
from .rules import Proposal, Rule, shorten

_MAX_SITES = 40
_SIMILAR = 78.0
"""rapidfuzz ratio (0..100) from which a line counts as another of the same kind."""


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())].rstrip("\r\n")


def reindent(lines: tuple[str, ...], base: str, indent: str, eol: str) -> tuple[str, ...]:
    """The lines moved from the indentation `base` to `indent`, each with the line end `eol`."""
    out = []
    for line in lines:
        body = line_body(line)
        if body.startswith(base):
            body = indent + body[len(base) :] if body.strip() else body.strip()
        out.append(body + eol)
    return tuple(out)


@dataclass(frozen=True)
class Insertion(Rule):
    """`lines` come before (`after` false) or after every line that matches `anchor`, with its holes filled."""

    lines: tuple[tuple[patterns.Part, ...], ...] = ()
    anchor: tuple[patterns.Part, ...] = ()
    after: bool = False
    base: str = ""
    last: str = ""
    """When not empty, the anchor is a line's head only, and the line ends in this character."""

    def proposals(self, index: Index) -> Iterator[Proposal]:
        regex = patterns.compile_parts(self.anchor)
        sites = index.lines_with(patterns.literal_of(self.anchor))
        if len(sites) > _MAX_SITES * 4:
            return
        for line in sites:
            body = index.bodies[line].strip()
            match = regex.match(body) if self.last else regex.fullmatch(body)
            if match is None or not body.endswith(self.last):
                continue
            filled = tuple(patterns.fill(parts, match) for parts in self.lines)
            yield from _inserted(index, line, self.after, filled, self.base)


@dataclass(frozen=True)
class SimilarInsertion(Rule):
    """`lines` come before or after every line much like `anchor`; names that differ between the anchors are carried over."""

    lines: tuple[str, ...] = ()
    anchor: str = ""
    after: bool = False
    base: str = ""

    def proposals(self, index: Index) -> Iterator[Proposal]:
        best = process.extract(
            self.anchor,
            index.stripped,
            scorer=fuzz.ratio,
            score_cutoff=_SIMILAR,
            limit=_MAX_SITES,
            processor=None,
        )
        for text, _, line in sorted(best, key=lambda found: found[2]):
            table = _renaming(self.anchor, text)
            filled = tuple(_renamed(new, table) for new in self.lines)
            yield from _inserted(index, line, self.after, filled, self.base)


@dataclass(frozen=True)
class Mirror(Rule):
    """A line was added as a copy of its neighbour with other names (`table`): elsewhere the neighbour's name gets one too.

    The enum member and the match arm, the field and the constructor: wherever a run of lines ends that speaks of the
    neighbour's `name`, its copy is inserted after it.
    """

    name: str = ""
    table: tuple[tuple[str, str], ...] = ()

    def proposals(self, index: Index) -> Iterator[Proposal]:
        table = dict(self.table)
        lines = index.lines_with(self.name)
        if len(lines) > _MAX_SITES:
            return
        regex = re.compile(rf"(?<!\w){re.escape(self.name)}(?!\w)")
        for line in lines:
            body = index.bodies[line]
            if not regex.search(body) or body.rstrip()[-1:] in "{([:":
                continue
            copy = _renamed(body.strip(), table)
            if copy != body.strip():
                yield from _inserted(index, line, True, (copy,), "")


def _inserted(index: Index, line: int, after: bool, filled: tuple[str, ...], base: str) -> Iterator[Proposal]:
    """The filled lines before or after `line`, unless they stand there already."""
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


def _renaming(old: str, new: str) -> dict[str, str]:
    """Which words of one line stand for which of another like it."""
    a, b = tokenize(old), tokenize(new)
    table: dict[str, str] = {}
    for a1, a2, b1, b2 in changed_spans(a, b):
        if a2 - a1 == 1 and b2 - b1 == 1 and patterns.hole_kind(a[a1]) and patterns.hole_kind(b[b1]):
            table.setdefault(a[a1], b[b1])
    return table


def _renamed(text: str, table: dict[str, str]) -> str:
    return "".join(table.get(token, token) for token in tokenize(text)) if table else text


def learn_insertion(new: tuple[str, ...], before: str, after: str) -> list[Rule]:
    """From inserted lines and the lines above and below them (bodies; "" at the document's ends)."""
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
        base = _indent(anchor)
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
            Move("move", f"move:{trimmed}", f"move {shown}", trimmed[0], trimmed[0], None, tuple(trimmed))
        )
    if len(new) == 1:
        for anchor in (before, after):
            table = _renaming(anchor.strip(), bodies[0].strip())
            names = [name for name in table if is_word(name) and len(name) > 2]
            if names and fuzz.ratio(anchor.strip(), bodies[0].strip()) >= 50 and len(table) <= 3:
                name = max(names, key=len)
                key = f"mirror:{name}:{sorted(table.items())}"
                label = f"{table[name]} beside {name}"
                rules.append(
                    Mirror("mirror", key, label, anchor.strip(), name, None, name, tuple(table.items()))
                )
                break
    return rules


def _holed_anchors(
    anchor: str, bodies: list[str]
) -> Iterator[tuple[str, bool, tuple[patterns.Part, ...], tuple[tuple[patterns.Part, ...], ...]]]:
    """(kind, is the anchor a line's head only, anchor, lines), with a hole for each of the anchor's names.

    The lines share the anchor's holes, inside strings too: a log line that tells the function's own name.
    """
    for kind, split in (("hole", patterns.tokenize), ("words", tokenize)):
        tokens = split(anchor)
        names: dict[str, patterns.Hole] = {}
        for token in tokens:
            hole = patterns.hole_kind(token)
            if hole and token not in names:
                names[token] = patterns.Hole(f"h{len(names)}", hole)
        if not names or len(names) > 8:
            continue
        lines = tuple(tuple(names.get(t, t) for t in split(body)) for body in bodies)
        parts = tuple(names.get(t, t) for t in tokens)
        if len(patterns.literal_of(parts)) >= 3:
            yield kind, False, parts, lines
        head = _head(tokens)
        if kind == "words" and head:
            own = {t: h for t, h in names.items() if t == tokens[head - 2]}
            yield (
                "head",
                True,
                tuple(own.get(t, t) for t in tokens[:head]),
                tuple(tuple(own.get(t, t) for t in tokenize(body)) for body in bodies),
            )


def _head(tokens: list[str]) -> int:
    """How many tokens make a declaration's head: up to the bracket after its name; 0 when the line is none."""
    for number in range(2, len(tokens)):
        if tokens[number] in "({" and is_word(tokens[number - 1]) and tokens[number - 2].isspace():
            return number + 1
    return 0


@dataclass(frozen=True)
class Deletion(Rule):
    """Lines like the deleted ones go too: the same text, the same with other names, or those that hold a dead name."""

    lines: tuple[tuple[patterns.Part, ...], ...] = ()

    def proposals(self, index: Index) -> Iterator[Proposal]:
        regexes = [patterns.compile_parts(parts) for parts in self.lines]
        sites = index.lines_with(patterns.literal_of(self.lines[0]))
        if len(sites) > _MAX_SITES:
            return
        for line in sites:
            bodies = index.bodies[line : line + len(regexes)]
            if len(bodies) == len(regexes) and all(
                r.fullmatch(b.strip()) for r, b in zip(regexes, bodies, strict=True)
            ):
                yield Proposal(line, line + len(regexes), ())


@dataclass(frozen=True)
class NameDeletion(Rule):
    """A line was deleted that held `name`, rare in the document: the other lines that hold it go too."""

    name: str = ""

    def proposals(self, index: Index) -> Iterator[Proposal]:
        if not 0 < index.words.get(self.name, 0) <= 6:
            return
        regex = re.compile(rf"(?<!\w){re.escape(self.name)}(?!\w)")
        for line in index.lines_with(self.name):
            body = index.bodies[line]
            if regex.search(body) and body.rstrip()[-1:] not in "{([:":
                yield Proposal(line, line + 1, ())


def learn_deletion(old: tuple[str, ...]) -> list[Rule]:
    """From deleted lines."""
    rules: list[Rule] = []
    bodies = [line_body(line).strip() for line in old]
    while bodies and not bodies[0]:
        bodies.pop(0)
    while bodies and not bodies[-1]:
        bodies.pop()
    if not bodies or len(bodies) > 6 or not any(len(body) > 3 for body in bodies) or not all(bodies):
        return rules
    label = f"delete {shorten(bodies[0], 30)}"
    first = bodies[0]
    rules.append(
        Deletion("delete", f"delete:{bodies}", label, first, first, None, tuple((body,) for body in bodies))
    )
    for kind, split in (("hole", patterns.tokenize), ("words", tokenize)):
        holed = tuple(_with_own_names(split(body)) for body in bodies)
        if len(patterns.literal_of(holed[0])) >= 4 and any(
            isinstance(p, patterns.Hole) for parts in holed for p in parts
        ):
            rules.append(
                Deletion(f"delete-{kind}", f"delete-{kind}:{holed}", label, first, first, None, holed)
            )
    if len(bodies) == 1:
        for name in dict.fromkeys(WORD.findall(first)):
            if len(name) > 3 and name not in patterns.KEYWORDS:
                rules.append(
                    NameDeletion(
                        "delete-name", f"delete-name:{name}", f"drop {name}", first, name, None, name
                    )
                )
    return rules


def _with_own_names(tokens: list[str]) -> tuple[patterns.Part, ...]:
    """A line with holes for all that does not say what the line does; what opens it, and what it calls, stays."""
    fixed = patterns.fixed_names(tokens) | {tokens[0]}
    names: dict[str, patterns.Hole] = {}
    for token in tokens:
        kind = patterns.hole_kind(token)
        if kind and token not in fixed and token not in names:
            names[token] = patterns.Hole(f"h{len(names)}", kind)
    return tuple(names.get(token, token) for token in tokens)


@dataclass(frozen=True)
class Move(Rule):
    """Lines were inserted that stand elsewhere too, but for their indentation: they were moved, the original goes."""

    lines: tuple[str, ...] = ()

    def proposals(self, index: Index) -> Iterator[Proposal]:
        longest = max(range(len(self.lines)), key=lambda n: len(self.lines[n]))
        for site in index.lines_with(self.lines[longest])[:_MAX_SITES]:
            start = site - longest
            end = start + len(self.lines)
            if start >= 0 and [body.strip() for body in index.bodies[start:end]] == list(self.lines):
                yield Proposal(start, end, ())


@dataclass(frozen=True)
class BlockRewrite(Rule):
    """Several lines become others, indentation and the names in the holes carried over."""

    old: tuple[tuple[patterns.Part, ...], ...] = ()
    new: tuple[tuple[patterns.Part, ...], ...] = ()
    base: str = ""

    def proposals(self, index: Index) -> Iterator[Proposal]:
        anchor = max(range(len(self.old)), key=lambda n: len(patterns.literal_of(self.old[n])))
        literal = patterns.literal_of(self.old[anchor])
        sites = index.lines_with(literal) if len(literal) >= 2 else []
        if len(sites) > _MAX_SITES * 4:
            return
        joined: tuple[patterns.Part, ...] = ()
        for number, parts in enumerate(self.old):
            joined += (("\x00",) if number else ()) + parts
        regex = patterns.compile_parts(joined)
        for site in sites:
            start = site - anchor
            bodies = index.bodies[start : start + len(self.old)] if start >= 0 else []
            if len(bodies) < len(self.old):
                continue
            match = regex.fullmatch("\x00".join(body.strip() for body in bodies))
            if match is None:
                continue
            eol = line_end(index.snapshot.lines[start]) or index.snapshot.eol
            filled = tuple(patterns.fill(parts, match) for parts in self.new)
            lines = reindent(filled, self.base, index.indent(start), eol)
            if lines != index.snapshot.lines[start : start + len(self.old)]:
                yield Proposal(start, start + len(self.old), lines)


def learn_rewrite(old: tuple[str, ...], new: tuple[str, ...]) -> list[Rule]:
    """From a block of lines that became another block, at least one of them several lines."""
    if not (len(old) + len(new) >= 2 and 1 <= len(old) <= 15 and len(new) <= 25) or len(old) == len(new) == 1:
        return []
    olds = [line_body(line).strip() for line in old]
    base = _indent(old[0])
    news = [line_body(line) for line in new]
    news = [body[len(base) :] if body.startswith(base) else body.strip() for body in news]
    if not any(len(text) > 3 for text in olds):
        return []
    label = f"rewrite {shorten(olds[0], 30)}"
    key = f"block:{olds}:{news}"
    rules: list[Rule] = [
        BlockRewrite(
            "block",
            key,
            label,
            olds[0],
            olds[0],
            None,
            tuple((t,) if t else () for t in olds),
            tuple((t,) if t else () for t in news),
            "",
        )
    ]
    a = [token for text in olds for token in [*patterns.tokenize(text), "\x00"]]
    b = [token for text in news for token in [*patterns.tokenize(text), "\x00"]]
    for keep in (patterns.fixed_names(a), frozenset[str]()):
        holed = patterns.with_holes(a, b, keep=keep)
        if holed is None:
            continue
        split_old, split_new = _split(holed[0]), _split(holed[1])
        if any(len(patterns.literal_of(parts)) >= 2 for parts in split_old):
            kind = "block-hole" if keep else "block-loose"
            rules.append(
                BlockRewrite(kind, f"{kind}:{holed}", label, olds[0], olds[0], None, split_old, split_new, "")
            )
    return rules


def _split(parts: tuple[patterns.Part, ...]) -> tuple[tuple[patterns.Part, ...], ...]:
    lines: list[tuple[patterns.Part, ...]] = [()]
    for part in parts:
        if part == "\x00":
            lines.append(())
        else:
            lines[-1] += (part,)
    return tuple(lines[:-1])
