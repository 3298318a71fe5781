"""Follow-ups of a replaced literal: the same string or version number in files that are not open.

A literal that another file repeats, such as a version, an address or an option's name, has no binding that tells what it
means there. So only whole literals follow, and the gate weighs them by what it has learned of closed files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from editahead_prompts.state import PastEdit
from editahead_prompts.text.snapshot import line_body, line_end

from .follow_up import FollowUp, Situation
from .named_places import MAX_WIDTH
from .rule import Proposal, shorten

_CONFIDENCE = 0.5
"""It is chosen: the gate's terms for closed files correct it."""
_MAX_EDITS = 3
_MAX_LINES = 20
"""Lines with the literal. One on more lines is no single fact."""
MIN_LITERAL = 3
"""Characters of a literal, without quotes, that is looked for."""
_MAX_LITERAL = 120
_VERSION = r"(?<![\w.])v?\d+(?:\.\d+)+(?:[-+.]?\w+)*"
_LITERAL = re.compile(
    rf"\"(?P<double>[^\"\\]*)\"|'(?P<single>[^'\\]*)'|`(?P<back>[^`\\]*)`|(?P<version>{_VERSION})"
)


def replaced_literals(edit: PastEdit) -> Iterator[tuple[str, str]]:
    """Yield the literals that an edit replaced, each as the old and the new text without quotes.

    The rest of a line stays as it is.
    """
    if len(edit.old) != len(edit.new):
        return
    for before, after in zip(edit.old, edit.new, strict=True):
        if before == after or max(len(before), len(after)) > MAX_WIDTH:
            continue
        old, new = list(_LITERAL.finditer(before)), list(_LITERAL.finditer(after))
        changed = [(a, b) for a, b in zip(old, new, strict=False) if a[0] != b[0]]
        if len(old) != len(new) or len(changed) != 1:
            continue
        a, b = changed[0]
        if before[: a.start()] != after[: b.start()] or before[a.end() :] != after[b.end() :]:
            continue
        was, now = _content(a), _content(b)
        if MIN_LITERAL <= len(was) <= _MAX_LITERAL and now and any(map(str.isalnum, was)):
            yield was, now


def follow_replaced_literals(situation: Situation) -> Iterator[FollowUp]:
    """Yield the lines of a closed file with a literal that a past edit replaced, if its own file has it no more."""
    index = situation.index
    if situation.state.is_open(index.snapshot.uri):
        return
    seen: set[str] = set()
    for edit in _typed(situation.edits[:_MAX_EDITS]):
        origin = situation.home(edit.uri)
        for old, new in replaced_literals(edit):
            lines = index.lines_with(old)
            is_left = origin is None or bool(origin.lines_with(old))
            if old in seen or is_left or len(lines) > _MAX_LINES:
                continue
            seen.add(old)
            for line in lines:
                body = line_body(index.snapshot.lines[line])
                made = _rewritten(body, old, new)
                if made != body:
                    proposal = Proposal(line, line + 1, (made + line_end(index.snapshot.lines[line]),))
                    label = f"{shorten(old, 24)} -> {shorten(new, 24)}"
                    yield FollowUp(proposal, "literal", f"literal:{old}:{new}", label, _CONFIDENCE)


def _typed(edits: Sequence[PastEdit | None]) -> Iterator[PastEdit]:
    return (edit for edit in edits if edit is not None and edit.origin == "typed")


def _content(match: re.Match[str]) -> str:
    return next(part for part in match.groups() if part is not None)


def _rewritten(body: str, old: str, new: str) -> str:
    if len(body) > MAX_WIDTH:
        return body

    def replaced(match: re.Match[str]) -> str:
        if _content(match) != old:
            return match[0]
        quote = "" if match["version"] is not None else match[0][0]
        return match[0] if quote and quote in new else f"{quote}{new}{quote}"

    return _LITERAL.sub(replaced, body)
