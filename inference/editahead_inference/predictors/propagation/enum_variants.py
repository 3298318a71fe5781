"""Follow-ups of a new variant of an enum: the arm that each `switch` or `match` over its neighbour lacks.

The arm is that of the neighbour, with the new name in its case style. It follows only if the neighbour's arm is all about
the neighbour's name, and no arm is for all other variants: what else a new variant needs is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from editahead_prompts.state import PastEdit
from editahead_prompts.syntax.language import NodeTypes
from editahead_prompts.syntax.languages import nodes_of
from editahead_prompts.syntax.symbols import text_of
from editahead_prompts.text.identifiers import WORD, split_words, word_replacement
from editahead_prompts.text.snapshot import line_body, line_end
from editahead_prompts.text.word_patterns import WordPattern

from .document_index import DocumentIndex
from .follow_up import FollowUp, Situation, changed_tokens
from .named_places import whole_word
from .proposal import Proposal
from .substitution_rules import WordRename

_ARM = 0.6
"""Confidence that an arm follows. It is chosen."""
_MAX_EDITS = 6
_MAX_LINES = 80
"""Lines with a variant's name, and lines of an arm."""
_MAX_NEW = 3
"""Variants that one edit adds."""
_MAX_WIDTH = 300
_PYTHON_ENUM = re.compile(r"(?:Enum|Flag)\b")
_ENUM = WordPattern(r"\s*(?:\w+\s+)*enum\b")
_MEMBER = WordPattern(r"\s*(?P<name>\w*)\s*(?:[=(].*|\{)?[,;]?\s*")
"""A line in the body of an enum, or the bracket that opens it, for languages without a grammar."""
_DEFAULTS = frozenset({"default", "_", "else"})
"""Labels of an arm for all variants that have none."""
_LABEL = WordPattern(
    r"\s*(?:case\s+(?P<case>(?:::|[^:>])+?)\s*(?::(?!:)|->)"
    r"|(?P<arm>[\w:.]+(?:\s*(?:\([^()]*\)|\{[^{}]*\}))?)\s*[=-]>"
    r"|\[?(?P<key>[\w.]+|\"[^\"]*\"|'[^']*')\]?\s*:(?![:=]))"
)
"""The label of an arm: of a `switch`, of a Rust `match`, or the key of an object with a value for each variant."""


_CLOSERS = frozenset({"}", "},", "};"})
_SWITCH = re.compile(r"\s*switch\b")


@dataclass(frozen=True, slots=True)
class _Variant:
    """A new variant and the one beside it.

    Attributes:
        name: The new name, without quotes.
        neighbour: The name of the variant before it, else after it.
        is_after: Whether the new one comes after the neighbour.
        others: The names of all older variants.
        payload: The bracket after the new variant's name, "" if it holds no values.
    """

    name: str
    neighbour: str
    is_after: bool
    others: tuple[str, ...]
    payload: str


def follow_new_variants(situation: Situation) -> Iterator[FollowUp]:
    """Yield the arms that the new variants of enums need."""
    index = situation.index
    for edit, origin in situation.last(_MAX_EDITS):
        for variant in _new_variants(edit, origin, situation):
            for proposal in _arms(variant, index):
                label = f"{variant.name} beside {variant.neighbour}"
                yield FollowUp(proposal, "variant", f"variant:{variant.name}", label, _ARM)


def _new_variants(edit: PastEdit, origin: DocumentIndex, situation: Situation) -> list[_Variant]:
    found: dict[str, _Variant] = {}
    for line, column, name in _new_names(edit):
        if line >= len(origin.bodies) or len(found) == _MAX_NEW:
            break
        at = origin.snapshot.starts[line] + column
        if not origin.snapshot.text.startswith(name, at):
            continue
        node = situation.trees.node_at(origin.snapshot, at, at + len(name))
        variant = (
            _variant(node, name, nodes_of(origin.snapshot.language))
            if node is not None
            else _written_variant(origin, line, name)
        )
        if variant is not None:
            found[name] = variant
    return list(found.values())


def _new_names(edit: PastEdit) -> Iterator[tuple[int, int, str]]:
    """Yield (line, column, name) of each name that an edit inserted."""
    if not edit.old:
        for row, text in enumerate(edit.new[:_MAX_NEW]):
            match = WORD.search(line_body(text)[:_MAX_WIDTH])
            if match is not None:
                yield edit.line + row, match.start(), match[0]
    for row, _, b, spans in changed_tokens(edit):
        for a1, a2, b1, b2 in spans:
            for number in range(b1, b2 if a1 == a2 else b1):
                if WORD.fullmatch(b[number]):
                    yield edit.line + row, sum(map(len, b[:number])), b[number]


def _variant(node: Node | None, name: str, nodes: NodeTypes) -> _Variant | None:
    """Return the variant that the node names."""
    while node is not None and text_of(node).strip("\"'").startswith(name):
        if _is_variant(node, nodes):
            siblings = _siblings(node, nodes)
            ids = [sibling.id for sibling in siblings]
            names = [_name(sibling) for sibling in siblings]
            if node.id not in ids:
                return None
            at = ids.index(node.id)
            bracket = text_of(node)[len(names[at]) :].lstrip()[:1]
            return _beside(names, at, bracket if bracket in ("(", "{") else "")
        node = node.parent
    return None


def _is_variant(node: Node, nodes: NodeTypes) -> bool:
    parent = node.parent
    if parent is None:
        return False
    if node.type in nodes.expression_statements and parent.parent is not None:  # Python
        bases = parent.parent.child_by_field_name("superclasses")
        is_member = bool(node.named_children) and node.named_children[0].type in nodes.assignment_expressions
        return is_member and _PYTHON_ENUM.search(text_of(bases)) is not None
    return node.type in nodes.variants or parent.type in nodes.variant_lists


def _written_variant(index: DocumentIndex, line: int, name: str) -> _Variant | None:
    """Return the variant of a line in the body of an enum, by its text."""
    above, head = _written_members(index, range(line - 1, max(line - _MAX_LINES - 1, 0) - 1, -1))
    if head is None or not _ENUM.match(index.bodies[head]):
        return None
    below, _ = _written_members(index, range(line, min(line + _MAX_LINES + 1, len(index.bodies))))
    if below[:1] != [(line, name)]:
        return None
    return _beside([*(text for _, text in reversed(above)), *(text for _, text in below)], len(above), "")


def _written_members(index: DocumentIndex, lines: range) -> tuple[list[tuple[int, str]], int | None]:
    """Return the members (line, name) of an enum in some lines, and the line at which its body ends, if it does."""
    members: list[tuple[int, str]] = []
    for line in lines:
        match = _MEMBER.fullmatch(index.bodies[line][:_MAX_WIDTH])
        if match is None or _ENUM.match(index.bodies[line]):
            return members, line
        if match["name"]:
            members.append((line, match["name"]))
    return members, None


def _beside(names: Sequence[str], at: int, payload: str) -> _Variant | None:
    """Return the variant at a place among the names of all."""
    if len(names) < 3 or not all(names):
        return None
    beside = at - 1 if at else 1
    return _Variant(names[at], names[beside], at > 0, tuple(n for n in names if n != names[at]), payload)


def _siblings(node: Node, nodes: NodeTypes) -> list[Node]:
    """Return the variants of an enum, or the members of a union of literals, in order."""
    top = node.parent
    while (
        top is not None
        and top.type in nodes.unions
        and top.parent is not None
        and top.parent.type in nodes.unions
    ):
        top = top.parent
    found: list[Node] = []
    waiting = [*reversed(top.named_children)] if top is not None else []
    while waiting:
        at = waiting.pop()
        if at.type in nodes.unions:
            waiting += reversed(at.named_children)
        elif at.type == node.type and _is_variant(at, nodes):
            found.append(at)
    return found


def _name(node: Node) -> str:
    match = WORD.match(text_of(node).strip("\"'"))
    return match[0] if match is not None else ""


def _arms(variant: _Variant, index: DocumentIndex) -> Iterator[Proposal]:
    """Yield the arms that the new variant lacks in one document."""
    for line in index.few_lines_with(variant.neighbour, _MAX_LINES):
        label = _label(index, line)
        if label is None or not whole_word(variant.neighbour).search(label):
            continue
        labels = _block_labels(index, line)
        if not _needs_arm([text for _, text in labels], variant) or not _holds_as_much(label, variant):
            continue
        end = next((n for n, _ in labels if n > line), None) or _arm_end(index, line)
        while not index.bodies[end - 1].strip():
            end -= 1
        made = _renamed(index.bodies[line:end], variant, label, index)
        if made is not None:
            at = end if variant.is_after else line
            eol = line_end(index.snapshot.lines[line]) or index.snapshot.eol
            yield Proposal(at, at, tuple(body + eol for body in made))


def _needs_arm(labels: Sequence[str], variant: _Variant) -> bool:
    """Return whether a block has an arm for each older variant, none for the new one, and none for all others."""
    words = {word for text in labels for word in WORD.findall(text)}
    if variant.name in words or not words.issuperset(variant.others[:8]):
        return False
    return not any(text.strip() in _DEFAULTS for text in labels)


def _holds_as_much(label: str, variant: _Variant) -> bool:
    """Return whether a label without values is for any variant, and one with values for a variant with the same bracket."""
    bracket = {")": "(", "}": "{"}.get(label.rstrip()[-1:])
    return bracket is None or bracket == variant.payload


def _label(index: DocumentIndex, line: int) -> str | None:
    body = index.bodies[line]
    match = _LABEL.match(body) if len(body) <= _MAX_WIDTH else None
    return None if match is None else match["case"] or match["arm"] or match["key"]


def _block_labels(index: DocumentIndex, line: int) -> list[tuple[int, str]]:
    """Return the labels (line, text) that have the indentation of the one at `line`, in its block."""
    indent = index.indent(line)
    found = [(line, _label(index, line) or "")]
    for step in (-1, 1):
        at = line + step
        for _ in range(_MAX_LINES):
            if not 0 <= at < len(index.bodies):
                break
            body = index.bodies[at]
            if body.strip() and (len(index.indent(at)) < len(indent) or _SWITCH.match(body)):
                break
            label = _label(index, at) if index.indent(at) == indent else None
            if label is not None:
                found.append((at, label))
            at += step
    return sorted(found)


def _arm_end(index: DocumentIndex, line: int) -> int:
    """Return the line after the last arm of a block."""
    has_bracket = index.bodies[line].rstrip().endswith("{")
    at = line + 1
    while at < len(index.bodies) and at - line <= _MAX_LINES:
        body = index.bodies[at].strip()
        if body and len(index.indent(at)) <= len(index.indent(line)):
            return at + (has_bracket and body in _CLOSERS)
        at += 1
    return at


def _renamed(lines: list[str], variant: _Variant, label: str, index: DocumentIndex) -> list[str] | None:
    """Return the arm for the new variant; None if something in it is not about the neighbour's name."""
    whole = split_words(variant.neighbour), split_words(variant.name)
    old, new = word_replacement(variant.neighbour, variant.name) or whole
    rule = WordRename("variant", "", "", "", "", None, old, new, ((variant.neighbour, variant.name),))
    rest = "\n".join(lines).replace(label, "", 1)
    texts = _STRING.findall(rest)
    names = (rule.renamed(word) for word in WORD.findall(_STRING.sub("", rest)) if rule.renamed(word) != word)
    renamed = list(names)
    is_known = all(word in index.words for word in renamed)
    if not (texts or renamed) or not is_known or any(rule.rewrite(text) == text for text in texts):
        return None
    if re.search(r"\d", rest) or any(len(body) > _MAX_WIDTH for body in lines):
        return None
    return [rule.rewrite(body) for body in lines]


_STRING = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`")
