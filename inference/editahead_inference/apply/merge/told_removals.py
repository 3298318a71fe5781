"""Declarations of which a sketch says in words that they are gone: `# on_event removed`.

Where the words stand between two lines of the file, what is between these goes. Beside a mark, only the name tells what is
meant. It must be the only one in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from editahead_inference.apply.placement.declarations import Declaration
from editahead_inference.apply.placement.line_matching import is_comment, normalize_line
from editahead_inference.apply.placement.placement import Target, make_refusal
from editahead_inference.apply.results import MergeResult
from editahead_prompts.sketches.sketch import Code, Diff, FileSketch
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.snapshot import Snapshot
from editahead_prompts.text.syntax_trees import SyntaxTrees, count_errors

SAYS_REMOVED = re.compile(
    r"(?:#|//|--|/\*)\s*`?(?P<name>[\w.]+)(?:\(\))?`?(?: function| method| class)?,?"
    r" (?:was |is |has been |now )?(?:removed|deleted)\.?(?:\s*\*/)?"
)


def remove_as_told(part: FileSketch, target: Target, result: MergeResult) -> MergeResult:
    """Return a certain result without the declarations that the sketch names as removed.

    Refused if the file has one of them twice, or would not parse without it.

    Args:
        part: The part, as the sketch has it.
        target: The file.
        result: The result, which is certain.
    """
    edit = result.edit
    for name in _told_names(part, target):
        found = [each for each in target.declarations if each.name.rsplit(".", 1)[-1] == name]
        if any(_goes(each, target, edit) for each in found):
            continue
        if len(found) != 1:
            said = f"The sketch says that `{name}` is removed, and the file has {len(found)} of them."
            return replace(result, refusal=make_refusal("ambiguous", said))
        if _is_all_of_its_block(found[0], target):
            said = f"The sketch says that `{name}` is removed, which is all that its block has."
            return replace(result, refusal=make_refusal("ambiguous", said))
        gone = _replacement(found[0], target)
        if any(gone.start <= each.end and each.start <= gone.end for each in edit.replacements):
            said = f"The sketch says that `{name}` is removed, and changes it."
            return replace(result, refusal=make_refusal("ambiguous", said))
        edit = Edit.from_replacements((*edit.replacements, gone))
    if edit is result.edit:
        return result
    guess = edit.apply(target.original.text)
    if _errors(guess, target) > _errors(target.original.text, target):
        said = "The file would not parse without what the sketch says is removed."
        return replace(result, refusal=make_refusal("would-break-syntax", said))
    return replace(result, edit=edit, guess=guess)


def _told_names(part: FileSketch, target: Target) -> Iterator[str]:
    """Yield the names of declarations of the file that the sketch says are gone."""
    known = {each.name.rsplit(".", 1)[-1] for each in target.declarations}
    for piece in () if isinstance(part.content, Diff) else part.content.parts:
        for line in piece.lines if isinstance(piece, Code) else (piece.text,):
            key = normalize_line(line)
            said = SAYS_REMOVED.fullmatch(key)
            name = said["name"].rsplit(".", 1)[-1] if said else ""
            if name in known and key not in target.lines.places:
                yield name


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
