"""Transforms of whole lines for another place: indentation, line ends and names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from editahead_prompts.text.identifiers import changed_spans, tokenize
from editahead_prompts.text.snapshot import line_body

from . import token_patterns

COMMENT = re.compile(r"\s*(?:#(?!\s*include)|//|/?\*|\"\"\"|'''|--\s|<!--)")
"""A line that is a comment, or begins one."""
MAX_SITES = 40
"""Sites of one rule. A rule with many more is too general to be trusted."""


def reindent(lines: tuple[str, ...], base: str, indent: str, eol: str) -> tuple[str, ...]:
    """Move lines from the indentation `base` to `indent`, each with the line end `eol`."""
    out = []
    for line in lines:
        body = line_body(line)
        if body.startswith(base):
            body = indent + body[len(base) :] if body.strip() else body.strip()
        out.append(body + eol)
    return tuple(out)


def infer_renaming(old: str, new: str) -> dict[str, str]:
    """Return the words of one line that became others in a similar line."""
    a, b = tokenize(old), tokenize(new)
    table: dict[str, str] = {}
    for a1, a2, b1, b2 in changed_spans(a, b):
        if (
            a2 - a1 == 1
            and b2 - b1 == 1
            and token_patterns.hole_kind(a[a1])
            and token_patterns.hole_kind(b[b1])
        ):
            table.setdefault(a[a1], b[b1])
    return table


def apply_renaming(text: str, table: dict[str, str]) -> str:
    return "".join(table.get(token, token) for token in tokenize(text)) if table else text


def without_blank_ends(lines: Sequence[str]) -> list[str]:
    """Return the lines, stripped, from the first to the last one that is not blank."""
    texts = [line.strip() for line in lines]
    filled = [number for number, text in enumerate(texts) if text]
    return texts[filled[0] : filled[-1] + 1] if filled else []
