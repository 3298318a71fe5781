"""Rules that rewrite several lines together, or a line with names from the line above it."""

from __future__ import annotations

from collections.abc import Iterator
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
                end = line_end(index.snapshot.lines[line])
                yield Proposal(line, line + 1, (index.indent(line) + apply_renaming(self.new, own) + end,))


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

    old: tuple[tuple[token_patterns.PatternPart, ...], ...] = ()
    new: tuple[tuple[token_patterns.PatternPart, ...], ...] = ()
    base: str = ""

    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        anchor = max(range(len(self.old)), key=lambda n: len(token_patterns.longest_literal(self.old[n])))
        literal = token_patterns.longest_literal(self.old[anchor])
        sites = index.lines_with(literal) if len(literal) >= 2 else []
        if len(sites) > MAX_SITES * 4:
            return
        joined: tuple[token_patterns.PatternPart, ...] = ()
        for number, parts in enumerate(self.old):
            joined += (("\x00",) if number else ()) + parts
        regex = token_patterns.compile_pattern(joined)
        for site in sites:
            start = site - anchor
            bodies = index.bodies[start : start + len(self.old)] if start >= 0 else []
            if len(bodies) < len(self.old):
                continue
            match = regex.fullmatch("\x00".join(body.strip() for body in bodies))
            if match is None:
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
    if not (len(old) + len(new) >= 2 and 1 <= len(old) <= 15 and len(new) <= 25) or len(old) == len(new) == 1:
        return []
    old_bodies = [line_body(line).strip() for line in old]
    base = indentation(line_body(old[0]))
    new_bodies = [line_body(line) for line in new]
    new_bodies = [body[len(base) :] if body.startswith(base) else body.strip() for body in new_bodies]
    if not any(len(text) > 3 for text in old_bodies):
        return []
    label = f"rewrite {shorten(old_bodies[0], 30)}"
    key = f"block:{old_bodies}:{new_bodies}"
    rules: list[Rule] = [
        BlockRewrite(
            "block",
            key,
            label,
            old_bodies[0],
            old_bodies[0],
            None,
            tuple((t,) if t else () for t in old_bodies),
            tuple((t,) if t else () for t in new_bodies),
            "",
        )
    ]
    a = [token for text in old_bodies for token in [*token_patterns.tokenize(text), "\x00"]]
    b = [token for text in new_bodies for token in [*token_patterns.tokenize(text), "\x00"]]
    for keep in (token_patterns.fixed_names(a), frozenset[str]()):
        holed = token_patterns.with_holes(a, b, keep=keep)
        if holed is None:
            continue
        split_old, split_new = _split(holed[0]), _split(holed[1])
        if any(len(token_patterns.longest_literal(parts)) >= 2 for parts in split_old):
            kind = "block-hole" if keep else "block-loose"
            rules.append(
                BlockRewrite(
                    kind,
                    f"{kind}:{holed}",
                    label,
                    old_bodies[0],
                    old_bodies[0],
                    None,
                    split_old,
                    split_new,
                    "",
                )
            )
    return rules


def _split(
    parts: tuple[token_patterns.PatternPart, ...],
) -> tuple[tuple[token_patterns.PatternPart, ...], ...]:
    lines: list[tuple[token_patterns.PatternPart, ...]] = [()]
    for part in parts:
        if part == "\x00":
            lines.append(())
        else:
            lines[-1] += (part,)
    return tuple(lines[:-1])
