"""Calls in a document, and their arguments: added, dropped and put into another order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from editahead_prompts.syntax.language import NodeTypes
from editahead_prompts.syntax.languages import find_language, nodes_of
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
_KEYWORD = {
    "=": WordPattern(r"(?P<name>[^\W\d]\w*)\s*=(?!=)"),
    ":": WordPattern(r"(?P<name>[^\W\d]\w*)\s*:(?!:)"),
}
"""An argument with the name of its parameter, by the sign behind it."""


Change = tuple[int, int, str]
"""The start and the end of what is replaced in the text of a call, and the new text."""


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


def keyword_of(argument: str, language: str) -> str:
    """Return the name of the parameter that an argument begins with; "" without one."""
    known = find_language(language).keyword_parameters
    match = _KEYWORD["=" if known is None else known.mark].match(argument)
    return match["name"] if match is not None else ""


def with_argument(call: Call, place: int, text: str, language: str, name: str) -> Change | None:
    """Return the change that gives a call one more argument; None where its arguments do not tell their places."""
    texts = call.texts
    named = [n for n, one in enumerate(texts) if language == "python" and keyword_of(one, language)]
    is_mapping = text.startswith("**")
    if any(map(_is_unpacked, texts)) or any(keyword_of(texts[n], language) == name for n in named):
        return None
    if named and not is_mapping:
        if text.startswith("*"):
            return None
        if (place == -1 or place >= named[0]) and not keyword_of(text, language):
            text = f"{name}={text}"
    if is_mapping or (keyword_of(text, language) and not find_language(language).has_labels):
        place = -1
    rule = ArgumentChange("", "", "", "", "", None, "", text, place, True, len(texts) if texts != [""] else 0)
    return rule.changed(call.text, list(call.spans))


def _is_unpacked(argument: str) -> bool:
    """Return whether an argument passes any number of arguments."""
    return argument.startswith(("*", "..."))


def without_argument(call: Call, place: int, name: str, language: str) -> Change | None:
    """Return the change that takes an argument from a call; None where it does not pass it."""
    texts = call.texts
    if language == "python":
        place = next((n for n, one in enumerate(texts) if keyword_of(one, language) == name), place)
    if place >= len(texts) or any(map(_is_unpacked, texts[: place + 1])):
        return None
    if language == "python" and keyword_of(texts[place], language) not in ("", name):
        return None
    rule = ArgumentChange("", "", "", "", "", None, "", "", place, False, len(texts))
    return rule.changed(call.text, list(call.spans))


def reordered(call: Call, order: Sequence[int], language: str) -> Change | None:
    """Return the change that puts the arguments of a call into another order."""
    texts, has_labels = call.texts, find_language(language).has_labels
    if len(texts) != len(order) or any(map(_is_unpacked, texts)):
        return None
    if not has_labels and any(keyword_of(one, language) for one in texts):
        return None
    first = at = call.spans[0][0]
    parts = []
    for (start, end), source in zip(call.spans, order, strict=False):
        core = call.text[start:end]
        parts += [call.text[at : start + indentation_length(core)], texts[source]]
        at = start + len(core.rstrip())
    return first, at, "".join(parts)


def changed_calls(index: DocumentIndex, changes: Iterable[tuple[Call, Change | None]]) -> Iterator[Proposal]:
    """Yield the changes of calls in a document: those of calls that share a line as one."""
    snapshot = index.snapshot
    made = [(call, change) for call, change in changes if change is not None]
    made.sort(key=lambda one: (one[0].line, snapshot.starts[one[0].line] + one[1][0]))
    while made:
        first, last, together = made[0][0].line, made[0][0].end, 1
        while together < len(made) and made[together][0].line <= last:
            last, together = max(last, made[together][0].end), together + 1
        base = snapshot.starts[first]
        old = text = "".join(snapshot.lines[first : last + 1])
        stop = len(old)
        for call, (start, end, new) in sorted(
            made[:together], key=lambda one: snapshot.starts[one[0].line] + one[1][0], reverse=True
        ):
            offset = snapshot.starts[call.line] - base
            if offset + end <= stop:  # else it is inside of an argument that moves
                text = text[: offset + start] + new + text[offset + end :]
                stop = offset + start
        if text != old:
            yield Proposal(first, last + 1, tuple(filter(None, split_lines(text))))
        del made[:together]
