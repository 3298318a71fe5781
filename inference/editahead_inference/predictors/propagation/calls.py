"""Calls in a document, and their arguments: added, dropped and put into another order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from editahead_prompts.syntax.language import NodeTypes
from editahead_prompts.syntax.languages import nodes_of
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.indentation import indentation_length
from editahead_prompts.text.snapshot import split_lines
from editahead_prompts.text.word_patterns import WordPattern

from .argument_rules import ArgumentChange, argument_spans
from .document_index import DocumentIndex
from .named_places import places_in
from .proposal import Proposal
from .renamed_definition import RenamedDefinition

MAX_LINES = 200
"""Lines with the function's name. A function on more lines is changed by a tool."""
WINDOW = 60
"""Lines of a parameter list or a call that are read."""
_OPENS = re.compile(r"\s?\(")
_KEYWORD = WordPattern(r"(?P<name>[^\W\d]\w*)\s*=(?!=)")


@dataclass(frozen=True, slots=True)
class Call:
    """A call in a document: the offset of its first line, the text from there on, and its arguments in that text."""

    line: int
    text: str
    spans: tuple[tuple[int, int], ...]

    @property
    def texts(self) -> list[str]:
        """The arguments. A comma after the last one adds none."""
        found = [self.text[a:b].strip() for a, b in self.spans]
        return found[:-1] if found and not found[-1] else found

    @property
    def end(self) -> int:
        """The last line."""
        return self.line + self.text.count("\n", 0, self.spans[-1][1])


def calls_in(
    index: DocumentIndex, name: str, target: RenamedDefinition, trees: SyntaxTrees
) -> Iterator[Call]:
    """Yield the calls of the function in a document."""
    nodes = nodes_of(index.snapshot.language)
    for line, column, site in places_in(index.few_lines_with(name, MAX_LINES), name, index, trees):
        end = column + len(name)
        opens = _OPENS.match(index.bodies[line], end)
        at = index.snapshot.starts[line]
        if site.defines or opens is None or not target.is_meant(site, line, column):
            continue
        call = call_at(index, line, opens.end() - 1)
        if call is not None and _is_called(trees.node_at(index.snapshot, at + column, at + end), nodes):
            yield call


def call_at(index: DocumentIndex, line: int, column: int) -> Call | None:
    """Return the call whose bracket opens in a line at a column; None where it does not end in sight."""
    text = "".join(index.snapshot.lines[line : line + WINDOW])
    spans = argument_spans(text, column)
    return None if spans is None else Call(line, text, tuple(spans))


def _is_called(node: Node | None, nodes: NodeTypes) -> bool:
    for _ in range(3):
        node = node.parent if node is not None else None
        if node is not None and (node.type in nodes.calls or node.type in nodes.delegations):
            return True
    return False


def keyword_of(argument: str) -> str:
    match = _KEYWORD.match(argument)
    return match["name"] if match is not None else ""


def with_argument(call: Call, place: int, text: str, language: str, name: str) -> str | None:
    """Return the text of a call with one more argument; None where its arguments do not tell their places."""
    texts = call.texts
    named = [n for n, one in enumerate(texts) if language == "python" and keyword_of(one)]
    is_mapping = text.startswith("**")
    if any(map(_is_unpacked, texts)) or any(keyword_of(texts[n]) == name for n in named):
        return None
    if named and not is_mapping:
        if text.startswith("*"):
            return None
        if (place == -1 or place >= named[0]) and not keyword_of(text):
            text = f"{name}={text}"
    if keyword_of(text) or is_mapping:
        place = -1
    rule = ArgumentChange("", "", "", "", "", None, "", text, place, True, len(texts) if texts != [""] else 0)
    return _spliced(call, rule.changed(call.text, list(call.spans)))


def _is_unpacked(argument: str) -> bool:
    """Return whether an argument passes any number of arguments."""
    return argument.startswith(("*", "..."))


def without_argument(call: Call, place: int, name: str, language: str) -> str | None:
    """Return the text of a call without an argument; None where it does not pass it."""
    texts = call.texts
    if language == "python":
        place = next((n for n, one in enumerate(texts) if keyword_of(one) == name), place)
    if place >= len(texts) or any(map(_is_unpacked, texts[: place + 1])):
        return None
    if language == "python" and keyword_of(texts[place]) not in ("", name):
        return None
    rule = ArgumentChange("", "", "", "", "", None, "", "", place, False, len(texts))
    return _spliced(call, rule.changed(call.text, list(call.spans)))


def reordered(call: Call, order: Sequence[int]) -> str | None:
    """Return the text of a call with its arguments in another order."""
    texts = call.texts
    if len(texts) != len(order) or any(keyword_of(one) or _is_unpacked(one) for one in texts):
        return None
    parts, at = [], 0
    for (start, end), source in zip(call.spans, order, strict=False):
        core = call.text[start:end]
        lead = indentation_length(core)
        parts += [call.text[at : start + lead], texts[source]]
        at = end - (len(core) - len(core.rstrip()))
    return "".join((*parts, call.text[at:]))


def _spliced(call: Call, change: tuple[int, int, str] | None) -> str | None:
    return None if change is None else call.text[: change[0]] + change[2] + call.text[change[1] :]


def changed_call(index: DocumentIndex, call: Call, text: str | None) -> Proposal | None:
    """Return the change of a call's lines to those of a text that begins with its first line; None without a text."""
    if text is None:
        return None
    tail = len(call.text) - sum(map(len, index.snapshot.lines[call.line : call.end + 1]))
    new = tuple(filter(None, split_lines(text[: len(text) - tail] if tail else text)))
    old = index.snapshot.lines[call.line : call.end + 1]
    if new == old:
        return None
    return Proposal(call.line, call.end + 1, new)
