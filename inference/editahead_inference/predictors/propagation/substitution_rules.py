"""Rules that rewrite inside one line: exact spans, spans with holes, whole lines, and renames."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from editahead_prompts.text.identifiers import (
    WORD,
    Span,
    case_style,
    case_variants,
    changed_spans,
    is_name,
    replaced_word,
    spell_like,
    split_words,
    tokenize,
    word_replacement,
)
from editahead_prompts.text.scripts import count_letters, spellings
from editahead_prompts.text.word_patterns import WordPattern

from . import token_patterns
from .document_index import DocumentIndex
from .follow_up import without_alignment
from .proposal import Proposal
from .rule import Rule, shorten

_MAX_LINES = 200
"""Lines with a rule's literal. A literal on more lines says nothing about where to edit."""
_MAX_NAMES = 12
"""Identifiers that hold a word. A word in more of them is too common to be renamed."""
_KEY = WordPattern(r"""(["'`])\w+(?:[-./:]\w+)+\1""")
"""A string of several words without spaces."""
_BY_ITSELF = WordPattern(r"\b(\w+)\s+as\s+\1\b|\bclass\s+(\w+)\s*(?:\(|\bextends\b).*(?<!\.)\b\2\b")
"""A name that is imported as itself, or a class that is its own base."""


@dataclass(frozen=True)
class Substitution(Rule):
    """A rule that replaces `old` by `new` anywhere in a line, or, if `whole`, only as a whole line (without indentation)."""

    old: tuple[token_patterns.PatternPart, ...] = ()
    new: tuple[token_patterns.PatternPart, ...] = ()
    whole: bool = False

    @cached_property
    def _regex(self) -> WordPattern:
        return token_patterns.compile_pattern(self.old)

    @property
    def source_pattern(self) -> str:
        return repr(self.old)

    def rewrite(self, body: str) -> str:
        """Rewrite a line's body, or return it as it is where the rule does not apply or was applied already."""
        if self.whole:
            stripped = body.strip()
            match = self._regex.fullmatch(stripped)
            return (
                body
                if match is None
                else body.replace(stripped, token_patterns.fill_holes(self.new, match), 1)
            )

        def replaced(match: re.Match[str]) -> str:
            piece, found = token_patterns.fill_holes(self.new, match), match[0]
            at = piece.find(found)
            if at >= 0:
                start = match.start() - at
                if start >= 0 and body.startswith(piece, start):
                    return found
            return piece

        return self._regex.sub(replaced, body)

    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        yield from _rewritten(index, index.lines_with(self.source), self.rewrite)


@dataclass(frozen=True)
class Rename(Rule):
    """A rule that replaces identifiers as whole words, by a table of one name and perhaps its case variants."""

    table: tuple[tuple[str, str], ...] = ()

    @cached_property
    def _names(self) -> dict[str, str]:
        return dict(self.table)

    @property
    def source_pattern(self) -> str:
        return self.source

    @cached_property
    def _regex(self) -> WordPattern:
        longest_first = sorted(self._names, key=len, reverse=True)
        return WordPattern(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")

    def rewrite(self, body: str) -> str:
        """Replace the names in a line's body, unless the line would then define a name by itself."""
        made = self._regex.sub(lambda match: self._names[match[0]], body)
        return body if _BY_ITSELF.search(made) and not _BY_ITSELF.search(body) else made

    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        lines = sorted({line for name in self._names for line in index.lines_with(name)})
        yield from _rewritten(index, lines, self.rewrite)


@dataclass(frozen=True)
class WordRename(Rule):
    """A rule that replaces a run of words inside any identifier.

    After getUser -> getAccount, it proposes setUser -> setAccount and user_id -> account_id.

    Attributes:
        old_words: The words that are replaced, in lower case.
        new_words: The words that replace them.
        exact: Pairs (old, new) of whole identifiers, which take precedence.
    """

    old_words: tuple[str, ...] = ()
    new_words: tuple[str, ...] = ()
    exact: tuple[tuple[str, str], ...] = ()

    @cached_property
    def _exact(self) -> dict[str, str]:
        return dict(self.exact)

    @cached_property
    def _kept(self) -> frozenset[str]:
        """The new names, and private old names without their underscores: the public member is another name."""
        public = {old.strip("_") for old in self._exact if old != old.strip("_")}
        return frozenset(public | set(self._exact.values()))

    def renamed(self, name: str) -> str:
        """Replace the words in an identifier, in the identifier's case style."""
        if name in self._exact or name in self._kept:
            return self._exact.get(name, name)
        words, run = split_words(name), len(self.old_words)
        for at in range(len(words) - run + 1):
            if words[at : at + run] == self.old_words:
                if case_style(name) in ("other", "flat") and len(words) > 1:
                    return name
                return spell_like(name, (*words[:at], *self.new_words, *words[at + run :]))
        return name

    def rewrite(self, body: str) -> str:
        """Replace the words inside the identifiers of a line's body."""
        return WORD.sub(lambda match: self.renamed(match[0]), body)

    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        probe = self.old_words[0]
        names = [name for name in index.words if probe in name.lower() and self.renamed(name) != name]
        if len(names) <= _MAX_NAMES:
            lines = sorted({line for name in names for line in index.lines_with(name)})
            yield from _rewritten(index, lines, self.rewrite)


def _rewritten(index: DocumentIndex, lines: list[int], rewrite: Callable[[str], str]) -> Iterator[Proposal]:
    return index.rewrite_all(lines if len(lines) <= _MAX_LINES else (), rewrite)


def learn_substitution_rules(old: str, new: str) -> list[Substitution | Rename | WordRename]:
    """Learn the rewrites that explain how one line's body became another."""
    o, n = old.strip(), new.strip()
    if o == n or not o or not n:
        return []
    a, b = tokenize(o), tokenize(n)
    spans = changed_spans(a, b)
    spelled = _spelled(a, b, spans)
    rules: list[Substitution | Rename | WordRename] = [
        *_substitution("line", (o,), (n,), o, whole=True),
        *([] if _is_in_key(o, n) else _renames(a, b, spelled, o)),
        *(rule for kind, x, y in _literal_spans(a, b, spans) for rule in _substitution(kind, x, y, o)),
        *_with_holes(o, n),
    ]
    table = {(a[a1], b[b1]) for a1, a2, b1, b2 in spelled if a2 - a1 == b2 - b1 == 1}
    if any(rule.renames for rule in rules) and len(table) == 1:
        renames = next(iter(table))
        if not renames[1].strip("_"):
            return []  # what is not used any more has no name
        rules = [replace(rule, renames=renames) for rule in rules]
    if any(name in a for _, name in table):  # a name that was on the line before is no new one
        rules = [rule for rule in rules if isinstance(rule, Substitution)]
    return rules


def _literal_spans(
    a: list[str], b: list[str], spans: list[Span]
) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Yield (kind, old, new) of what changed, with none or some of the names around it, then of each part alone."""
    cover = (spans[0][0], spans[-1][1], spans[0][2], spans[-1][3])
    grown = [(f"span{left}", _grow(a, b, cover, left, 0)) for left in (0, 1, 2)]
    grown.append(("span-both", _grow(a, b, cover, 1, 1)))
    if len(spans) > 1:
        grown += (("part", span) for span in spans)
    for kind, (a1, a2, b1, b2) in grown:
        yield kind, tuple(a[a1:a2]), tuple(b[b1:b2])


def _substitution(
    kind: str, source: tuple[str, ...], target: tuple[str, ...], example: str, *, whole: bool = False
) -> Iterator[Substitution]:
    """Yield the rule that puts one text for another, if the text is long enough to mean something."""
    literal = token_patterns.longest_literal(source)
    is_distinctive = whole or any(map(str.isalnum, literal)) or len(literal) >= 3
    if source != target and count_letters(literal) >= 2 and is_distinctive:
        label = _change_label(source, target)
        key = f"{kind}:{source}:{target}"
        yield Substitution(kind, key, label, example, literal, None, source, target, whole)


def _is_in_key(o: str, n: str) -> bool:
    """Return whether only strings changed that are no names and no prose, such as "font-size": their parts are no names."""
    a, b = token_patterns.tokenize(o), token_patterns.tokenize(n)
    spans = changed_spans(a, b)
    return bool(spans) and all(
        a2 - a1 == b2 - b1 == 1 and _KEY.fullmatch(a[a1]) and _KEY.fullmatch(b[b1])
        for a1, a2, b1, b2 in spans
    )


def _spelled(a: list[str], b: list[str], spans: list[Span]) -> list[Span]:
    """Return the spans without white space at their ends, and without spans that are only white space.

    A formatter's new alignment is not a change that is worth repeating. If no span is left, all spans are returned.
    """
    out = [
        (a1, a2, b1, b2)
        for a1, a2, b1, b2 in without_alignment(a, b, spans)
        if "".join((*a[a1:a2], *b[b1:b2])).strip()
    ]
    return out or spans


def _renames(a: list[str], b: list[str], spans: list[Span], example: str) -> list[Rename | WordRename]:
    """Return the renames if every changed span replaces one identifier by another.

    They are the exact rename, the rename with its case variants, and the rename of its words in other names.
    """
    table: dict[str, str] = {}
    for span in spans:
        pair = replaced_word(a, b, span)
        if pair is None or table.setdefault(*pair) != pair[1]:
            return []
    if len(table) > 3:
        return []
    return [
        rule
        for old, new in table.items()
        if old not in token_patterns.KEYWORDS
        for rule in _renames_of(old, new, example)
    ]


def _renames_of(old: str, new: str, example: str) -> Iterator[Rename | WordRename]:
    label, spelled = f"rename {old} -> {new}", tuple((one, new) for one in spellings(old))
    for kind in ("rename", "rename-bound", "rename-siblings"):
        yield Rename(kind, f"{kind}:{old}:{new}", label, example, old, (old, new), spelled)
    public = old.strip("_")  # the public member of a private name is another name
    variants = {k: v for k, v in case_variants(old, new).items() if count_letters(k) > 2 and k != public}
    if variants:
        names = (*spelled, *((one, new) for name, new in variants.items() for one in spellings(name)))
        yield Rename("rename-cases", f"cases:{old}:{new}", label, example, old, (old, new), names)
    words = word_replacement(old, new) or (split_words(old), split_words(new))
    if words[1] and count_letters("".join(words[0])) > 2:
        label = f"rename {'_'.join(words[0])} -> {'_'.join(words[1])} in names"
        key = f"words:{words[0]}:{words[1]}"
        exact = ((old, new), *variants.items())
        yield WordRename("rename-words", key, label, example, old, (old, new), words[0], words[1], exact)


def _with_holes(o: str, n: str) -> list[Substitution]:
    """Return the rewrites with holes for the text that the edit did not change, from a narrow span to the whole line."""
    rules: list[Substitution] = []
    seen: set[tuple[token_patterns.PatternPart, ...]] = set()
    # A string is one token, then split into its words; then each argument and each chain before a method is one token.
    strings = token_patterns.tokenize(o), token_patterns.tokenize(n)
    for a, b in (strings, (tokenize(o), tokenize(n)), token_patterns.join_expressions(*strings)):
        spans = changed_spans(a, b)
        if not spans:
            continue
        cover = (spans[0][0], spans[-1][1], spans[0][2], spans[-1][3])
        fixed = token_patterns.fixed_names(a)
        for kind, left, right in (("hole0", 0, 0), ("hole1", 1, 0), ("hole2", 1, 1), ("hole-line", 99, 99)):
            a1, a2, b1, b2 = _grow(a, b, cover, left, right)
            for keep, suffix in ((fixed, ""), (frozenset[str](), "-loose"), (fixed, "-any")):
                holed = token_patterns.with_holes(a[a1:a2], b[b1:b2], keep=keep, expressions=suffix == "-any")
                if holed is None or holed[0] in seen or holed[0] == holed[1]:
                    continue
                seen.add(holed[0])
                literal = token_patterns.longest_literal(holed[0])
                if count_letters(literal) < 2:
                    continue
                key = f"{kind}{suffix}:{holed[0]}:{holed[1]}"
                label = f"like {_change_label(a[a1:a2], b[b1:b2])}"
                whole = kind == "hole-line"
                rules.append(Substitution(kind + suffix, key, label, o, literal, None, *holed, whole=whole))
    return rules


def _grow(a: list[str], b: list[str], span: Span, left: int, right: int) -> Span:
    """Extend the span by `left` names before it and `right` names after it, with the tokens between them."""
    a1, a2, b1, b2 = span
    while left and a1 and b1 and a[a1 - 1] == b[b1 - 1]:
        a1, b1 = a1 - 1, b1 - 1
        left -= is_name(a[a1])
    while right and a2 < len(a) and b2 < len(b) and a[a2] == b[b2]:
        right -= is_name(a[a2])
        a2, b2 = a2 + 1, b2 + 1
    return a1, a2, b1, b2


def _change_label(old: Iterable[str], new: Iterable[str]) -> str:
    return f"{shorten(''.join(old))} -> {shorten(''.join(new))}"
