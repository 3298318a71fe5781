"""Rules that delete lines: lines like the deleted ones, lines with a deleted name, the originals of moved lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from editahead_prompts.text.identifiers import WORD, tokenize
from editahead_prompts.text.scripts import count_letters
from editahead_prompts.text.snapshot import line_body
from editahead_prompts.text.word_patterns import WordPattern

from . import token_patterns
from .document_index import DocumentIndex
from .line_transforms import MAX_SITES, without_blank_ends
from .proposal import Proposal
from .rule import Rule, shorten

_DECLARES = WordPattern(
    r"(?:export\s+|default\s+|async\s+|pub(?:\([^)]*\))?\s+|static\s+|private\s+|public\s+)*"
    r"(?:class|def|func|function|fn|interface|struct|enum|trait|type|const|let|var)\s+(?:\([^)]*\)\s*)?([^\W\d]\w*)"
)
_MAX_NAMES = 40
"""Names of one deleted line that teach a rule."""
_MAX_DECLARED = 4
"""Names declared in one deletion that teach a rule."""


@dataclass(frozen=True)
class Deletion(Rule):
    """A rule that deletes lines like the deleted ones: those that match the patterns `lines` one by one."""

    lines: tuple[token_patterns.LinePattern, ...] = ()

    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        regexes = [token_patterns.compile_pattern(parts) for parts in self.lines]
        sites = index.lines_with(token_patterns.longest_literal(self.lines[0]))
        if len(sites) > MAX_SITES:
            return
        for line in sites:
            bodies = index.bodies[line : line + len(regexes)]
            if len(bodies) == len(regexes) and all(
                r.fullmatch(b.strip()) for r, b in zip(regexes, bodies, strict=True)
            ):
                yield Proposal(line, line + len(regexes), ())


@dataclass(frozen=True)
class NameDeletion(Rule):
    """A rule that deletes the lines with a name of the deleted line, if the name is rare in the document.

    Lines that open a block or a bracket stay.
    """

    name: str = ""

    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        if not 0 < index.words.get(self.name, 0) <= 6:
            return
        regex = WordPattern(rf"(?<!\w){re.escape(self.name)}(?!\w)")
        for line in index.lines_with(self.name):
            body = index.bodies[line]
            if regex.search(body) and body.rstrip()[-1:] not in "{([:":
                yield Proposal(line, line + 1, ())


def learn_deletion(old: tuple[str, ...]) -> list[Rule]:
    """Learn rules from deleted lines."""
    rules = _declared([line_body(line).strip() for line in old])
    bodies = without_blank_ends([line_body(line) for line in old])
    if not 0 < len(bodies) <= 6 or not any(len(body) > 3 for body in bodies) or not all(bodies):
        return rules
    return [*rules, *_alike(bodies), *(_uses(bodies[0]) if len(bodies) == 1 else ())]


def _alike(bodies: list[str]) -> Iterator[Rule]:
    """Yield the rules that delete the same lines, and lines like them."""
    first = bodies[0]
    common = (f"delete {shorten(first, 30)}", first, first, None)
    yield Deletion("delete", f"delete:{bodies}", *common, tuple((body,) for body in bodies))
    for kind, split in (("delete-hole", token_patterns.tokenize), ("delete-words", tokenize)):
        holed = tuple(_with_own_names(split(body)) for body in bodies)
        has_hole = any(isinstance(part, token_patterns.Hole) for parts in holed for part in parts)
        if has_hole and len(token_patterns.longest_literal(holed[0])) >= 4:
            yield Deletion(kind, f"{kind}:{holed}", *common, holed)


def _uses(line: str) -> Iterator[Rule]:
    """Yield the rules that delete the lines with a name of a deleted line."""
    for name in list(dict.fromkeys(WORD.findall(line)))[:_MAX_NAMES]:
        if count_letters(name) > 3 and name not in token_patterns.KEYWORDS:
            yield NameDeletion("delete-name", f"delete-name:{name}", f"drop {name}", line, name, None, name)


def _declared(bodies: list[str]) -> list[Rule]:
    """Return the rules that delete the uses of the names declared in several deleted lines."""
    names = dict.fromkeys(match[1] for body in bodies if (match := _DECLARES.match(body)))
    if len(bodies) < 2:
        return []
    return [
        NameDeletion("delete-uses", f"delete-uses:{name}", f"drop {name}", bodies[0], name, None, name)
        for name in list(names)[:_MAX_DECLARED]
        if count_letters(name) > 3
    ]


def _with_own_names(tokens: list[str]) -> token_patterns.LinePattern:
    """Return the line with a hole for each name, except its first token, called names and names after a dot."""
    fixed = token_patterns.fixed_names(tokens) | {tokens[0]}
    return token_patterns.put_holes(tokens, token_patterns.holes_of(tokens, fixed))


@dataclass(frozen=True)
class MovedOriginalDeletion(Rule):
    """A rule that deletes the original of moved lines.

    Inserted lines that also occur elsewhere, apart from their indentation, are taken as moved.
    """

    lines: tuple[str, ...] = ()

    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        longest = max(range(len(self.lines)), key=lambda n: len(self.lines[n]))
        for site in index.lines_with(self.lines[longest])[:MAX_SITES]:
            start = site - longest
            end = start + len(self.lines)
            if start >= 0 and [body.strip() for body in index.bodies[start:end]] == list(self.lines):
                yield Proposal(start, end, ())
