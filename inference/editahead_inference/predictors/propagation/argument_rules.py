"""Rules that add an argument to, or remove it from, every call of a function. A call may span lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editahead_prompts.text.identifiers import WORD, case_variants, changed_spans, is_word, tokenize
from editahead_prompts.text.indentation import indentation
from editahead_prompts.text.snapshot import split_lines
from editahead_prompts.text.word_patterns import WordPattern

from .document_index import DocumentIndex
from .insertion_rules import MirroredInsertion
from .proposal import Proposal
from .rule import Rule, shorten

_MAX_CALL = 2000
"""Characters of a call's argument list that are read, so that an unclosed bracket costs little."""
_MAX_READ = 20_000
"""Characters of the argument lists of a line that are read: of calls in calls, the inner ones are read again and again."""

_PAIRS = {"(": ")", "[": "]", "{": "}"}


def argument_spans(text: str, open_at: int) -> list[tuple[int, int]] | None:
    """Return the spans (start, end) of the arguments in a bracket, or None if the bracket does not close.

    The spans do not include the commas. An empty list has one empty span. The last span ends at the closing bracket.

    Args:
        text: The code, of any number of lines.
        open_at: The offset of the opening bracket.
    """
    spans: list[tuple[int, int]] = []
    open_brackets = [text[open_at]]
    start = open_at + 1
    at, limit = start, min(len(text), open_at + _MAX_CALL)
    while at < limit:
        char = text[at]
        if char in "\"'`":
            at = _string_end(text, at, limit)
        elif char in _PAIRS:
            open_brackets.append(char)
        elif char in ")]}":
            if char != _PAIRS[open_brackets.pop()]:
                return None
            if not open_brackets:
                return [*spans, (start, at)]
        elif char == "," and len(open_brackets) == 1:
            spans.append((start, at))
            start = at + 1
        at += 1
    return None


def _string_end(text: str, start: int, limit: int) -> int:
    """Return the offset of the quote that closes a string, or its start if none does on the line."""
    quote, at = text[start], start + 1
    while at < limit and text[at] != quote and (quote == "`" or text[at] != "\n"):
        at += 2 if text[at] == "\\" else 1
    return at if at < limit and text[at] == quote else start


@dataclass(frozen=True)
class ArgumentChange(Rule):
    """A rule that adds an argument to, or removes it from, each call of `callee`.

    Attributes:
        callee: The name of the function.
        text: The argument.
        place: The 0-based position of the argument; -1 is the end.
        add: Whether the argument is added.
        count: The number of arguments that a call has before the change. Other calls stay.
    """

    callee: str = ""
    text: str = ""
    place: int = -1
    add: bool = True
    count: int = 0

    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        return (proposal for _, proposal in self.places(index))

    def places(self, index: DocumentIndex) -> Iterator[tuple[int, Proposal]]:
        """Yield the changes of all calls, each with the offset of the callee."""
        source, starts = index.snapshot.text, index.snapshot.starts
        for match in _calls_in(index, self.callee):
            spans = argument_spans(source, match.end() - 1)
            if spans is None:
                continue
            changed = self.changed(source, spans)
            if changed is None:
                continue
            start, end, text = changed
            first, last = index.snapshot.line_at(start), index.snapshot.line_at(end)
            begin, stop = starts[first], starts[last + 1]
            new = source[begin:start] + text + source[end:stop]
            if new != source[begin:stop]:
                yield match.start(), Proposal(first, last + 1, tuple(filter(None, split_lines(new))))

    def changed(self, source: str, spans: list[tuple[int, int]]) -> tuple[int, int, str] | None:
        """Return (start, end, text) of the change of a call with these arguments; None where the rule does not apply."""
        texts = [source[a:b].strip() for a, b in spans]
        if len(texts) > 1 and not texts[-1]:  # a trailing comma
            texts, spans = texts[:-1], spans[:-1]
        if texts == [""]:
            texts = []
        if len(texts) != self.count or (self.add and self.text in texts):
            return None
        if self.add:
            return self._added(source, spans) if texts else (*spans[0], self.text)
        return self._dropped(source, spans) if self.place < len(texts) else None

    def _added(self, source: str, spans: list[tuple[int, int]]) -> tuple[int, int, str]:
        is_last = self.place == -1 or self.place >= len(spans)
        start, stop = spans[-1 if is_last else self.place]
        lead = _lead(source, (start, stop))
        space = lead if "\n" in lead else " "
        if is_last:
            end = start + len(source[start:stop].rstrip())
            return end, end, f",{space}{self.text}"
        at = start + len(lead)
        return at, at, f"{self.text},{space}"

    def _dropped(self, source: str, spans: list[tuple[int, int]]) -> tuple[int, int, str] | None:
        place = self.place if self.place >= 0 else len(spans) - 1
        if len(spans) == 1:
            return (*spans[0], "") if self.count else None
        if place == 0:
            start, end = (span[0] + len(_lead(source, span)) for span in spans[:2])
            return start, end, ""
        start, end = spans[place]
        if place == len(spans) - 1:  # the bracket stays where it is
            end = start + len(source[start:end].rstrip())
        return spans[place - 1][1], end, ""


def _calls_in(index: DocumentIndex, callee: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a callee with its opening bracket, in document order."""
    regex = WordPattern(rf"(?<!\w){re.escape(callee)}\s?\(")
    text, starts = index.snapshot.text, index.snapshot.starts
    for line in index.lines_with(callee):
        for match in regex.finditer(text, starts[line], starts[line + 1] + 1):
            if match.start() < starts[line + 1]:
                yield match


def _lead(source: str, span: tuple[int, int]) -> str:
    """Return the white space before an argument, with a line end where the argument has a line of its own."""
    text = source[span[0] : span[1]]
    return indentation(text)


@dataclass(frozen=True)
class CallSite(Rule):
    """A rule that leads to each call of a definition whose parameters changed.

    The new arguments are unknown, so the proposals keep the lines as they are.

    Attributes:
        count: The number of arguments of a call that was changed already; None where the number of parameters is as it was.
    """

    count: int | None = None

    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        text = index.snapshot.text
        lines = [
            index.snapshot.line_at(match.start())
            for match in _calls_in(index, self.source)
            if self.count is None or _argument_count(text, match.end() - 1) != self.count
        ]
        for line in dict.fromkeys(lines):
            if not _DEFINITION.search(index.bodies[line]):
                yield Proposal(line, line + 1, (index.snapshot.lines[line],))


def _argument_count(text: str, open_at: int) -> int | None:
    """Return the number of arguments in a bracket; None if the bracket does not close."""
    spans = argument_spans(text, open_at)
    return None if spans is None else sum(bool(text[start:end].strip()) for start, end in spans)


_DEFINITION = WordPattern(r"(?<!\w)(?:def|func|fn|function)\s")
RECEIVER = WordPattern(r"(?:&\s*(?:'\w+\s+)?)?(?:mut\s+)?(?P<name>self|cls)\b")
"""A first parameter that calls do not pass."""


def learn_argument_rules(old: str, new: str) -> list[Rule]:
    """Learn rules from a line in which a call gained or lost an argument, or a definition's parameters changed.

    Args:
        old: The line's body before the edit.
        new: The line's body after the edit.
    """
    o, n = old.strip(), new.strip()
    defines = bool(_DEFINITION.search(n))
    rules: list[Rule] = []
    for (callee, before), (other, after) in zip(_calls(o), _calls(n), strict=False):
        if callee != other or before == after:
            continue
        if defines:
            if before and after and before[0] == after[0] and RECEIVER.match(before[0]):
                before, after = before[1:], after[1:]
            count = len(after) if len(after) != len(before) else None
            label = f"call of {callee}()"
            rules.append(CallSite("call-site", f"calls:{callee}", label, o, callee, count=count))
        shorter, longer = sorted((before, after), key=len)
        at = place_of_one_more(shorter, longer)
        if at is not None:
            return [*rules, *_changes(callee, (before, after), at, o, defines)]
    return rules


def place_of_one_more(shorter: Sequence[str], longer: Sequence[str]) -> int | None:
    """Return the place of the only argument that a list has more than another."""
    if len(longer) - len(shorter) != 1:
        return None
    spans = changed_spans(list(shorter), list(longer))
    return spans[0][2] if len(spans) == 1 and spans[0][0] == spans[0][1] else None


def _changes(
    callee: str, arguments: tuple[list[str], list[str]], at: int, example: str, defines: bool
) -> list[Rule]:
    """Return the rules for one argument more or less, at a place in the longer one of the lists before and after."""
    before, after = arguments
    add = len(after) > len(before)
    verb, preposition, longer = ("add", "to", after) if add else ("drop", "from", before)
    text = longer[at]
    beside = _beside(longer[at - 1], text, example) if add and at else []
    if add and defines:  # calls follow by what they have: see `changed_calls`
        return [] if "=" in text else beside
    place = -1 if at == len(longer) - 1 else at
    label = f"{verb} {shorten(text, 24)} {preposition} {callee}()"
    key = f"argument:{callee}:{text if add else ''}:{place}:{add}:{len(before)}"
    rule = ArgumentChange(
        f"argument-{verb}", key, label, example, callee, None, callee, text, place, add, len(before)
    )
    return [rule, *beside]


def _beside(sibling: str, added: str, example: str) -> list[Rule]:
    """Return a rule that copies each line with the neighbour's name, with the name of the added argument instead."""
    name, new = WORD.match(sibling), WORD.match(added)
    if name is None or new is None or name[0] == new[0]:
        return []
    table = {name[0]: new[0], **case_variants(name[0], new[0])}
    label = f"{new[0]} beside {name[0]}"
    key = f"mirror:{name[0]}:{new[0]}"
    return [
        MirroredInsertion(
            "mirror-argument", key, label, example, name[0], None, name[0], tuple(table.items())
        )
    ]


def _calls(line: str) -> list[tuple[str, list[str]]]:
    """Return (callee, arguments) of each call that closes on the line, in order, up to a limit."""
    tokens = tokenize(line)
    calls: list[tuple[str, list[str]]] = []
    at = read = 0
    for number, token in enumerate(tokens):
        if token == "(" and number and is_word(tokens[number - 1]):
            spans = argument_spans(line, at)
            read += min(_MAX_CALL, len(line) - at) if spans is None else spans[-1][1] - at
            if read > _MAX_READ:
                break
            if spans is not None:
                texts = [line[a:b].strip() for a, b in spans]
                calls.append((tokens[number - 1], [] if texts == [""] else texts))
        at += len(token)
    return calls
