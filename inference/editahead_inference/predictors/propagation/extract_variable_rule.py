"""A rule for an expression that got a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from editahead_prompts.text.word_patterns import WordPattern, goes_on

from . import token_patterns
from .document_index import DocumentIndex
from .proposal import Proposal
from .rule import Rule, shorten

_ASSIGNMENT = WordPattern(
    r"\s*(?:export\s+|pub\s+|private\s+|public\s+|static\s+|final\s+)*(?:(?:const|let|var|val|auto)\s+(?:mut\s+)?)?"
    r"(?P<name>(?:self\.|this\.)?[^\W\d]\w*)(?:\s*:\s*[^=]+?)?\s*:?=(?![=>])\s*(?P<value>\S.*?);?\s*\Z"
)
_MIN_CHARS = 6
"""Characters below which an expression is too short to be worth a name."""
_MAX_USES = 12
"""Lines with the expression above which it is too common to be replaced everywhere."""


@dataclass(frozen=True)
class Extraction(Rule):
    """A rule that replaces the expression `source` by the variable `name`, to which an inserted line assigned it."""

    name: str = ""

    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        lines = index.lines_with(self.source)
        if len(lines) > _MAX_USES:
            return
        first, last = self.source[0], self.source[-1]
        whole = WordPattern(
            (r"(?<![\w.])" if goes_on(first) else "")
            + re.escape(self.source)
            + (r"(?!\w)" if goes_on(last) else "")
        )
        for line in lines:
            body = index.bodies[line]
            made = whole.sub(lambda _: self.name, body)
            given = _ASSIGNMENT.fullmatch(made)
            if made != body and (given is None or given["name"] != given["value"]):
                yield index.rewrite(line, made)


def learn_extraction(line: str) -> list[Rule]:
    """Learn a rule from an inserted line's body, if the line is an assignment."""
    given = _given(line)
    if given is None:
        return []
    name, value = given
    label = f"{shorten(value, 30)} -> {name}"
    return [Extraction("extract", f"extract:{name}:{value}", label, value, value, None, name)]


def _given(line: str) -> tuple[str, str] | None:
    match = _ASSIGNMENT.fullmatch(line)
    if match is None or match["name"] in token_patterns.KEYWORDS or match["value"][-1] in "([{,\\":
        return None
    name, value = match["name"], match["value"]
    return (name, value) if len(value) >= _MIN_CHARS and name not in value.split(".") else None
