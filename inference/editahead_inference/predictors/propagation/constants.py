"""Tests whether lines that an edit makes constant may be: nothing assigns to their names again."""

from __future__ import annotations

import re

from editahead_prompts.text.snapshot import line_body
from editahead_prompts.text.word_patterns import WordPattern

from .document_index import DocumentIndex
from .named_places import whole_word
from .proposal import Proposal

_NAME_AT_ONCE = WordPattern(r"(?:const|final)\b\s*(?P<name>[^\W\d]\w*)\s*=")

_FIELD = WordPattern(
    r"(?:(?:public|private|protected|static)\s+)*(?:readonly\s+|final\s+(?:[\w.]+(?:<[\w<>,. ?]*>)?(?:\[\])?\s+))"
    r"(?P<name>[^\W\d]\w*)\s*(?:[!?]?:[^=;]*)?(?P<value>=(?!=))?"
)
"""A field that TypeScript's `readonly` or Java's `final` makes constant."""


def keeps_assignments(proposal: Proposal, index: DocumentIndex) -> bool:
    """Return whether a proposal makes no line constant whose name is assigned again."""
    if proposal.end - proposal.start != len(proposal.lines):
        return True
    bodies = index.bodies[proposal.start : proposal.end]
    made = (line_body(line).strip() for line in proposal.lines)
    changed = (
        (number, new)
        for number, (old, new) in enumerate(zip(bodies, made, strict=True), proposal.start)
        if any(form.match(new) and not form.match(old.strip()) for form in (_NAME_AT_ONCE, _FIELD))
    )
    return all(may_be_constant(new, number, index) for number, new in changed)


def may_be_constant(made: str, line: int, index: DocumentIndex) -> bool:
    """Return whether nothing assigns again to a name that the new line makes constant."""
    field = _FIELD.match(made)
    if field is not None:
        return _is_field_set_once(field, index)
    match = _NAME_AT_ONCE.match(made)
    if match is None:
        return not WordPattern(r"(?:const|final)\s+[^\W\d]\w*\s*;?\Z").match(made)
    name = re.escape(match["name"])
    again = WordPattern(
        rf"(?<![\w.]){name}\s*(?:[-+*/%|&^]|\*\*|<<|>>)?=(?![=>])|(?:\+\+|--)\s*{name}(?!\w)|(?<![\w.]){name}\s*(?:\+\+|--)"
    )
    name_there = whole_word(match["name"])
    others = [n for n in index.lines_with(match["name"]) if n != line and name_there.search(index.bodies[n])]
    return not any(
        again.search(index.bodies[n])
        and not re.match(r"\s*(?:export\s+)?(?:var|let|const|final)\s", index.bodies[n])
        for n in others
    )


def _is_field_set_once(field: re.Match[str], index: DocumentIndex) -> bool:
    """Return whether nothing but one assignment gives a field its value."""
    name = re.escape(field["name"])
    target = rf"(?:(?<![\w.])|\bthis\.){name}"
    changed = WordPattern(
        rf"{target}\s*(?:[-+*/%|&^]|\*\*|<<|>>)=|(?:\+\+|--)\s*{target}(?!\w)|{target}\s*(?:\+\+|--)"
    )
    assigned = WordPattern(rf"\bthis\.{name}\s*=(?![=>])")
    bodies = [index.bodies[line] for line in index.lines_with(field["name"])]
    count = sum(bool(assigned.search(body)) for body in bodies) + bool(field["value"])
    return count <= 1 and not any(changed.search(body) for body in bodies)
