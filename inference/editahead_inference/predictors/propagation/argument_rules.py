"""Rules that add an argument to, or remove it from, every call of a function. A call may span lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
    stack: list[str] = []
    start = open_at + 1
    at, limit = start, min(len(text), open_at + _MAX_CALL)
    while at < limit:
        char = text[at]
        if char in "\"'`":
            close = at + 1
            while close < limit and text[close] != char and (char == "`" or text[close] != "\n"):
                close += 2 if text[close] == "\\" else 1
            if close < limit and text[close] == char:
                at = close
        elif char in _PAIRS:
            stack.append(_PAIRS[char])
        elif char in ")]}":
            if not stack:
                spans.append((start, at))
                return spans if char == _PAIRS[text[open_at]] else None
            if stack.pop() != char:
                return None
        elif char == "," and not stack:
            spans.append((start, at))
            start = at + 1
        at += 1
    return None


@dataclass(frozen=True)
class ArgumentChange(Rule):
    """A rule that adds an argument to, or removes it from, each call of `callee`.

    Attributes:
        callee: The name of the function.
        text: The argument.
        place: The 0-based position of the argument; -1 is the end.
        add: Whether the argument is added.
        count: The number of arguments that a call has before the change. Other calls stay.
        in_scope: Whether only calls follow whose function has the name that is passed. So it is for a new parameter of a
            definition: the text is the parameter's name, and no call has shown yet what is passed.
    """

    callee: str = ""
    text: str = ""
    place: int = -1
    add: bool = True
    count: int = 0
    in_scope: bool = False

    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        return (proposal for _, proposal in self.places(index))

    def places(self, index: DocumentIndex) -> Iterator[tuple[int, Proposal]]:
        """Yield the changes of all calls, each with the offset of the callee."""
        source, starts = index.snapshot.text, index.snapshot.starts
        for match in _calls_in(index, self.callee):
            if self.in_scope and not self._has_name(index, index.snapshot.line_at(match.start())):
                continue
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

    def _has_name(self, index: DocumentIndex, line: int) -> bool:
        """Return whether the lines of the outermost block down to a call, but no definition, hold the argument's name."""
        if _DEFINITION.search(index.bodies[line]):
            return False
        name = WordPattern(rf"(?<![\w.]){re.escape(self.text)}(?!\w)")
        at = line
        while (above := index.block(at)) >= 0:
            at = above
            if _DEFINITION.search(index.bodies[at]):
                break
        if index.bodies[at].strip() == "{" and at:  # C's functions begin above their bracket
            at -= 1
        return any(name.search(body) for body in index.bodies[at : line + 1])

    def changed(self, source: str, spans: list[tuple[int, int]]) -> tuple[int, int, str] | None:
        """Return (start, end, text) of the change of a call with these arguments; None where the rule does not apply."""
        texts = [source[a:b].strip() for a, b in spans]
        if texts == [""]:
            texts, empty = [], True
        else:
            empty = False
        if len(texts) > 1 and not texts[-1]:  # a trailing comma
            texts, spans = texts[:-1], spans[:-1]
        if self.add:
            if self.text in texts or len(texts) != self.count:
                return None
            if empty:
                return spans[0][0], spans[0][1], self.text
            if self.place == -1 or self.place >= len(texts):
                lead = _lead(source, spans[-1])
                end = spans[-1][0] + len(source[spans[-1][0] : spans[-1][1]].rstrip())
                return end, end, f",{lead if chr(10) in lead else ' '}{self.text}"
            lead = _lead(source, spans[self.place])
            at = spans[self.place][0] + len(lead)
            return at, at, f"{self.text},{lead if chr(10) in lead else ' '}"
        if len(texts) != self.count or not texts:
            return None
        place = self.place if self.place >= 0 else len(texts) - 1
        if place >= len(texts):
            return None
        if len(texts) == 1:
            return spans[0][0], spans[0][1], ""
        if place == 0:
            start, end = (span[0] + len(_lead(source, span)) for span in spans[:2])
            return start, end, ""
        end = spans[place][1]
        if place == len(spans) - 1:  # the bracket stays where it is
            end -= len(source[spans[place][0] : end]) - len(source[spans[place][0] : end].rstrip())
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
_RECEIVER = WordPattern(r"(?:&(?:'\w+\s+)?)?(?:mut\s+)?(?:self|cls)\b")
"""A first parameter that calls do not pass."""


def learn_argument_rules(old: str, new: str) -> list[Rule]:
    """Learn rules from a line in which a call gained or lost an argument, or a definition's parameters changed.

    Args:
        old: The line's body before the edit.
        new: The line's body after the edit.
    """
    o, n = old.strip(), new.strip()
    rules: list[Rule] = []
    for (callee, before), (other, after) in zip(_calls(o), _calls(n), strict=False):
        if callee != other or before == after:
            continue
        defines = bool(_DEFINITION.search(n))
        if defines:
            if before and after and before[0] == after[0] and _RECEIVER.match(before[0]):
                before, after = before[1:], after[1:]
            count = len(after) if len(after) != len(before) else None
            label = f"call of {callee}()"
            rules.append(CallSite("call-site", f"calls:{callee}", label, o, callee, count=count))
        if abs(len(before) - len(after)) != 1:
            continue
        longer, shorter = (after, before) if len(after) > len(before) else (before, after)
        spans = changed_spans(shorter, longer)
        if len(spans) != 1 or spans[0][0] != spans[0][1]:
            continue
        at = spans[0][2]
        place = -1 if at == len(longer) - 1 else at
        add = longer is after
        text = longer[at]
        if defines and add:
            name = WORD.match(text)
            if name is None or "=" in text:  # a default: calls may stay as they are
                break
            text = name[0]
        label = f"{'add' if add else 'drop'} {shorten(text, 24)} {'to' if add else 'from'} {callee}()"
        key = f"argument:{callee}:{text if add else ''}:{place}:{add}:{len(before)}"
        kind = "argument-add" if add else "argument-drop"
        rules.append(
            ArgumentChange(
                kind, key, label, o, callee, None, callee, text, place, add, len(before), defines and add
            )
        )
        if add and at:
            rules += _beside(longer[at - 1], text, o)
        break
    return rules


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
