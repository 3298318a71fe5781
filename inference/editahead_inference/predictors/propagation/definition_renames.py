"""Follow-ups of a renamed definition: whatever refers to it by its old name, which nothing defines any more.

References follow bindings: scopes for locals, parameters and captured names; the owner for members; imports, includes and
packages between documents. Where a binding is unknown, nothing follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import islice

from editahead_prompts.state import PastEdit
from editahead_prompts.text.identifiers import replaced_word
from editahead_prompts.text.word_patterns import WordPattern

from .document_index import DocumentIndex
from .follow_up import FollowUp, Situation, changed_tokens, follow_ups, without_alignment
from .named_places import MAX_WIDTH
from .proposal import Proposal
from .renamed_definition import RenamedDefinition
from .unfinished_edits import may_be_whole

_SURE, _ELSEWHERE, _DOCUMENTED, _TYPED = 0.62, 0.58, 0.56, 0.45
"""Confidence that a reference follows: in the same document, in another one, in the comment or docstring of the definition,
and while the cursor is still behind the new name.

Of the first predictions in train-08 and train-09, in small steps and file by file, 73 of 146 made whole remaining changes;
the line of every sixth changed in other ways, too.
"""
_CLOSED = 0.8
"""Confidence that a reference in a file that is not open follows. It is chosen."""
_REWRITTEN = 0.45
"""Confidence that the user goes to a reference when the edit also changed other parts of the definition's line.

It may define something else now: of 14 references, 9 were changed, and 3 only in the name.
"""
_LEFT, _PASSED = 3, 0.25
"""Edits after the renaming from which, when none of them goes on with it, a reference has been left as it is, and the
confidence then. Of 27 follow-ups that had been first three times before, and were not taken up, 4 were right (commits of
train-08 and train-09 in small steps)."""
_MAX_LINES = 200
"""Lines with the old name. A name on more lines is renamed by a tool."""
_MAX_RENAMES = 8
"""Renamed definitions that are followed, the last ones."""
_WORD = WordPattern(r"\w+")


def follow_renamed_definitions(situation: Situation) -> Iterator[FollowUp]:
    """Yield the references to the definitions that past edits renamed."""
    found = islice(_renamed_definitions(situation), _MAX_RENAMES)
    seen: set[tuple[str, str]] = set()
    # What was accepted is a consequence itself: the user's own edit shows what was renamed.
    for renamed in sorted(found, key=lambda renamed: renamed.edit.origin != "typed"):
        pair = renamed.old, renamed.new
        if renamed.edit.origin == "typed" or pair not in seen:
            yield from _references(renamed, situation)
        seen.add(pair)


def _renamed_definitions(situation: Situation) -> Iterator[RenamedDefinition]:
    for edit, origin in situation.last():
        known = _words(edit.old)
        for row, a, b, spans in changed_tokens(edit):
            line = edit.line + row
            pairs = [(span, replaced_word(a, b, span)) for span in without_alignment(a, b, spans)]
            for span, pair in pairs:
                if pair is None or not _is_renaming(pair[1], known) or line >= len(origin.bodies):
                    continue
                renamed = _renamed(pair, edit, origin, (line, sum(map(len, b[: span[2]]))), situation)
                if renamed is not None:
                    renamed.is_rewritten = any(other is None for _, other in pairs)
                    yield renamed


def _renamed(
    pair: tuple[str, str], edit: PastEdit, origin: DocumentIndex, place: tuple[int, int], situation: Situation
) -> RenamedDefinition | None:
    """Return the definition that an edit renamed at a place; None if it renamed none, or one of several."""
    index, trees = situation.index, situation.trees
    renamed = RenamedDefinition(*pair, origin, origin, edit, trees, place, situation.others)
    if not renamed.is_only_definition or renamed.is_unfinished:
        return None
    if index is origin:
        return renamed
    return RenamedDefinition(*pair, index, origin, edit, trees, place, situation.others)


def _words(lines: Sequence[str]) -> Set[str]:
    """Return the words of some lines, each as far as it is searched for names."""
    return {word for line in lines for word in _WORD.findall(line[:MAX_WIDTH])}


def _is_renaming(new: str, known: Set[str]) -> bool:
    """Return whether the new name means what the old one meant: neither nothing, nor one of the names known before."""
    return bool(new.strip("_")) and new not in known


def _references(renamed: RenamedDefinition, situation: Situation) -> Iterator[FollowUp]:
    index = situation.index
    lines = index.few_lines_with(renamed.old, _MAX_LINES)
    confidence = _confidence(renamed, situation) if lines and renamed.is_visible else None
    if confidence is None:
        return
    in_code: list[Proposal] = []
    in_text: list[Proposal] = []
    for line in lines:
        made = renamed.rename_references(index.bodies[line], line)
        if made != index.bodies[line]:
            (in_text if renamed.is_text(line) else in_code).append(index.rewrite(line, made))
    if renamed.is_rewritten and confidence > _REWRITTEN:
        for proposal in in_code:
            start, end = proposal.start, proposal.end
            place = Proposal(start, end, index.snapshot.lines[start:end])
            label = f"use of {renamed.old}"
            yield FollowUp(place, "rewritten", f"rewritten:{renamed.old}", label, _REWRITTEN)
        return
    label = f"rename {renamed.old} -> {renamed.new}"
    key = f"defined:{renamed.old}:{renamed.new}"
    for proposals, kind, sure in (
        (in_code, "rename-defined", confidence),
        (in_text, "rename-documented", min(confidence, _DOCUMENTED)),
    ):
        yield from follow_ups(proposals, kind, key, label, sure)


def _confidence(renamed: RenamedDefinition, situation: Situation) -> float | None:
    """Return the confidence that the references follow; None while the new name is half typed."""
    index, typing = situation.index, situation.typing
    if typing is not None and typing.edit is renamed.edit and typing.word == renamed.new:
        return _TYPED if may_be_whole(renamed.old, renamed.new, index) else None
    if _is_left(renamed, situation):
        return _PASSED
    if renamed.is_here:
        return _SURE
    return _ELSEWHERE if situation.state.is_open(index.snapshot.uri) else _CLOSED


def _is_left(renamed: RenamedDefinition, situation: Situation) -> bool:
    """Return whether the last edits all came after the renaming, and none of them goes on with it."""
    for edit in situation.edits[:_LEFT]:
        if edit is None or edit is renamed.edit:
            return False
        if renamed.old in _words(edit.old) and renamed.new in _words(edit.new):
            return False
    return len(situation.edits) > _LEFT
