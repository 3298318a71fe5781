"""Rules that rewrite several lines together, or a line with names from the line above it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editahead_prompts.text.identifiers import tokenize
from editahead_prompts.text.indentation import indentation
from editahead_prompts.text.scripts import count_letters
from editahead_prompts.text.snapshot import line_body, line_end

from . import token_patterns
from .document_index import DocumentIndex
from .line_transforms import MAX_SITES, apply_renaming, infer_renaming, reindent
from .proposal import Proposal
from .rule import Rule, shorten

_Lines = tuple[token_patterns.LinePattern, ...]


@dataclass(frozen=True)
class ContextRewrite(Rule):
    """A rule that rewrites a line with names from the line above it.

    Attributes:
        old: The old line, stripped.
        new: The new line, stripped.
        above: The line above the edited line, stripped.
        taken: The names in `new` that come from `above`. Each site takes the names of its own line above instead.
    """

    old: str = ""
    new: str = ""
    above: str = ""
    taken: tuple[str, ...] = ()

    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        for line in index.lines_with(self.old):
            if line == 0 or index.bodies[line].strip() != self.old:
                continue
            table = infer_renaming(self.above, index.bodies[line - 1].strip())
            if all(name in table for name in self.taken):
                own = {name: table[name] for name in self.taken}
                yield index.rewrite(line, index.indent(line) + apply_renaming(self.new, own))


def learn_context(old: str, new: str, above: str) -> list[Rule]:
    """Learn a rule from a changed line whose new names also occur in the line above it.

    Args:
        old: The line's body before the edit.
        new: The line's body after the edit.
        above: The body of the line above.
    """
    o, n, context = old.strip(), new.strip(), above.strip()
    known, there = set(tokenize(o)), set(tokenize(context))
    taken = tuple(
        dict.fromkeys(
            t
            for t in tokenize(n)
            if t not in known and t in there and token_patterns.hole_kind(t) and count_letters(t) > 1
        )
    )
    if not taken or len(o) < 3:
        return []
    label = f"{shorten(o, 20)} -> {shorten(n, 40)}"
    key = f"context:{o}:{apply_renaming(n, dict.fromkeys(taken, '·'))}"
    return [ContextRewrite("line-context", key, label, o, o, None, o, n, context, taken)]


@dataclass(frozen=True)
class BlockRewrite(Rule):
    """A rule that replaces a block of lines by another, with the site's indentation and the names in the holes.

    Attributes:
        old: The pattern of each old line.
        new: The pattern of each new line.
        base: The indentation of the new lines that is replaced by the site's.
    """

    old: _Lines = ()
    new: _Lines = ()
    base: str = ""

    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        anchor = max(range(len(self.old)), key=lambda n: len(token_patterns.longest_literal(self.old[n])))
        literal = token_patterns.longest_literal(self.old[anchor])
        sites = index.lines_with(literal) if len(literal) >= 2 else []
        if len(sites) > MAX_SITES * 4:
            return
        regex = token_patterns.compile_pattern(_joined(self.old))
        for start in (site - anchor for site in sites if site >= anchor):
            bodies = index.bodies[start : start + len(self.old)]
            match = regex.fullmatch("\x00".join(body.strip() for body in bodies))
            if match is None or len(bodies) < len(self.old):
                continue
            eol = line_end(index.snapshot.lines[start]) or index.snapshot.eol
            filled = tuple(token_patterns.fill_holes(parts, match) for parts in self.new)
            lines = reindent(filled, self.base, index.indent(start), eol)
            if lines != index.snapshot.lines[start : start + len(self.old)]:
                yield Proposal(start, start + len(self.old), lines)


def learn_rewrite(old: tuple[str, ...], new: tuple[str, ...]) -> list[Rule]:
    """Learn rules from a block that an edit replaced by another, unless both are a single line.

    Args:
        old: The old lines. More than 15 teach nothing.
        new: The new lines. More than 25 teach nothing.
    """
    if not 1 <= len(old) <= 15 or len(new) > 25 or max(len(old), len(new)) == 1:
        return []
    old_bodies = [line_body(line).strip() for line in old]
    base = indentation(line_body(old[0]))
    new_bodies = [line_body(line) for line in new]
    new_bodies = [body[len(base) :] if body.startswith(base) else body.strip() for body in new_bodies]
    if not any(len(text) > 3 for text in old_bodies):
        return []
    label = f"rewrite {shorten(old_bodies[0], 30)}"

    def rule(kind: str, key: str, old_lines: _Lines, new_lines: _Lines) -> Rule:
        return BlockRewrite(
            kind, f"{kind}:{key}", label, old_bodies[0], old_bodies[0], None, old_lines, new_lines, ""
        )

    rules = [rule("block", f"{old_bodies}:{new_bodies}", _literal(old_bodies), _literal(new_bodies))]
    a, b = _joined_tokens(old_bodies), _joined_tokens(new_bodies)
    for keep in (token_patterns.fixed_names(a), frozenset[str]()):
        holed = token_patterns.with_holes(a, b, keep=keep)
        if holed is None:
            continue
        old_lines = _split(holed[0])
        if any(len(token_patterns.longest_literal(parts)) >= 2 for parts in old_lines):
            kind = "block-hole" if keep else "block-loose"
            rules.append(rule(kind, f"{holed}", old_lines, _split(holed[1])))
    return rules


def _literal(texts: Sequence[str]) -> _Lines:
    return tuple((text,) if text else () for text in texts)


def _joined_tokens(texts: Sequence[str]) -> list[str]:
    return [token for text in texts for token in [*token_patterns.tokenize(text), "\x00"]]


def _joined(lines: _Lines) -> token_patterns.LinePattern:
    return tuple(part for parts in lines for part in ("\x00", *parts))[1:]


def _split(parts: token_patterns.LinePattern) -> _Lines:
    lines: list[token_patterns.LinePattern] = [()]
    for part in parts:
        if part == "\x00":
            lines.append(())
        else:
            lines[-1] += (part,)
    return tuple(lines[:-1])
