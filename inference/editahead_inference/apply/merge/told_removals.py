"""Declarations of which a sketch says in words that they are gone: `# on_event removed`.

Where the words stand between two lines of the file, what is between these goes. Beside a mark, only the name tells what is
meant. It must be the only one in the file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from editahead_inference.apply.placement.declarations import Declaration
from editahead_inference.apply.placement.line_matching import is_comment, normalize_line
from editahead_inference.apply.placement.outline import is_function
from editahead_inference.apply.placement.placement import Target, make_refusal
from editahead_inference.apply.results import MergeResult
from editahead_prompts.sketches.sketch import Diff, FileSketch
from editahead_prompts.syntax.syntax_trees import SyntaxTrees, count_errors
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.indentation import indent_width
from editahead_prompts.text.snapshot import Snapshot

from .shown_runs import lines_and_marks

SAYS_REMOVED = re.compile(
    r"(?:#|//|--|/\*)\s*`?(?P<name>[\w.]+)(?:\(\))?`?(?: function| method| class)?,?"
    r" (?:was |is |has been |now )?(?:removed|deleted)\.?(?:\s*\*/)?"
)

_MAX_NAMES = 100
"""Names of one sketch, which bounds the time."""


def remove_as_told(part: FileSketch, target: Target, result: MergeResult) -> MergeResult:
    """Return a certain result without the declarations that the sketch names as removed.

    Refused if the file has one of them twice, or would not parse without it.

    Args:
        part: The part, as the sketch has it.
        target: The file.
        result: The result, which is certain.
    """
    said = _told_names(part)
    if not said:
        return result
    declared: dict[str, list[Declaration]] = {}
    for each in target.declarations:
        declared.setdefault(each.name.rsplit(".", 1)[-1], []).append(each)
    deleted: list[Replacement] = []
    for name, key in said.items():
        found = declared.get(name, [])
        if key in target.lines.places or not found or any(_goes(d, target, result.edit) for d in found):
            continue
        doubt = _doubt(name, found, target, result.edit)
        if doubt:
            return replace(result, refusal=make_refusal("ambiguous", doubt))
        deleted.append(_replacement(found[0], target))
    if not deleted:
        return result
    try:
        edit = Edit.from_replacements((*result.edit.replacements, *deleted))
    except ValueError:
        doubt = "Of two declarations that the sketch says are removed, one is inside the other."
        return replace(result, refusal=make_refusal("ambiguous", doubt))
    guess = edit.apply(target.original.text)
    if _errors(guess, target) > _errors(target.original.text, target):
        doubt = "The file would not parse after the removal that the sketch states."
        return replace(result, refusal=make_refusal("would-break-syntax", doubt))
    return replace(result, edit=edit, guess=guess)


def _doubt(name: str, found: Sequence[Declaration], target: Target, edit: Edit) -> str:
    """Return why it is not clear that a declaration goes; "" if it is."""
    (first, *others) = found
    if others:
        return f"The sketch says that `{name}` is removed, and the file has {len(found)} of them."
    if not target.low <= first.start < target.high:
        return f"The sketch says that `{name}` is removed, but it is outside the selection."
    if _is_all_of_its_block(first, target):
        return f"The sketch says that `{name}` is removed, but its block has nothing else."
    deleted = _replacement(first, target)
    if any(deleted.start <= each.end and each.start <= deleted.end for each in edit.replacements):
        return f"The sketch says that `{name}` is removed, and changes it."
    return ""


def is_in_function(lines: Sequence[str], number: int) -> bool:
    """Return whether a line of a sketch is in the body of a function, where it may say what the code around it does.

    Args:
        lines: The lines.
        number: The number of the line.
    """
    width = indent_width(lines[number])
    above = (line for line in reversed(lines[:number]) if line.strip() and indent_width(line) < width)
    return is_function(normalize_line(next(above, "")))


def _told_names(part: FileSketch) -> dict[str, str]:
    """Return the names that the sketch says are gone, with the normalised lines that say so.

    The words are beside a mark, or begin the sketch. Elsewhere they may be a comment on the code around them.
    """
    if isinstance(part.content, Diff):
        return {}
    lines, marks = lines_and_marks(part.content)
    filled = [number for number, line in enumerate(lines) if line.strip()]
    said: dict[str, str] = {}
    for at, number in enumerate(filled):
        key = normalize_line(lines[number])
        found = SAYS_REMOVED.fullmatch(key)
        beside = {*filled[max(at - 1, 0) : at], *filled[at + 1 : at + 2]}
        is_told = at == 0 or at == len(filled) - 1 or not marks.isdisjoint(beside)
        if found and is_told and len(said) < _MAX_NAMES and not is_in_function(lines, number):
            said.setdefault(found["name"].rsplit(".", 1)[-1], key)
    return said


def _goes(declared: Declaration, target: Target, edit: Edit) -> bool:
    """Return whether the first line of a declaration is changed."""
    start = target.original.starts[declared.head]
    return any(each.start <= start < each.end for each in edit.replacements)


def _is_all_of_its_block(declared: Declaration, target: Target) -> bool:
    """Return whether a block without brackets has nothing but a declaration."""
    keys, widths = target.lines.keys, target.lines.widths
    above = next((line for line in range(declared.start - 1, -1, -1) if keys[line]), None)
    below = next((line for line in range(declared.end, len(keys)) if keys[line]), None)
    opens = above is not None and keys[above].endswith(":") and widths[above] < widths[declared.start]
    return opens and (below is None or widths[below] < widths[declared.start])


def _replacement(declared: Declaration, target: Target) -> Replacement:
    """Return the deletion of a declaration with the comments that belong to it, and the blank lines below it."""
    keys, starts = target.lines.keys, target.original.starts
    first, end = declared.start, declared.end
    while first and keys[first - 1] and is_comment(keys[first - 1]):
        first -= 1
    while end < len(keys) and not keys[end]:
        end += 1
    if end == len(keys):
        while first and not keys[first - 1]:
            first -= 1
    return Replacement(starts[first], starts[end] if end < len(starts) else len(target.original.text), "")


def _errors(text: str, target: Target) -> int:
    tree = SyntaxTrees().tree(Snapshot.from_text(text, language=target.original.language))
    return 0 if tree is None else count_errors(tree.root_node)
