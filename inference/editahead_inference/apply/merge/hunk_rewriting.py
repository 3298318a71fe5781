"""Hunks in the form in which they are placed and written.

Later searches are folded into earlier hunks, shared lines are context, and added lines are as the file writes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editahead_inference.apply.placement.indent_transform import IndentTransform
from editahead_inference.apply.placement.line_matching import FileLines
from editahead_inference.apply.placement.placement import Target
from editahead_prompts.sketches.sketch import Hunk, HunkLine
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.typography import carry_change


def fold_later_searches(hunks: Sequence[Hunk], target: Target) -> list[Hunk]:
    """Return the hunks, with those that search for what an earlier one writes made a part of that one."""
    out: list[Hunk] = []
    writers: dict[str, list[int]] = {}
    for hunk in hunks:
        target.check()
        wanted = [line.rstrip() for line in hunk.old]
        first = next(filter(None, wanted), None)
        earlier = () if first is None or target.lines.find_exact(hunk.old) else writers.get(first, ())
        at = next((n for n in earlier if len(_places_in_new(out[n], wanted)) == 1), None)
        if at is None:
            at = len(out)
            out.append(hunk)
        else:
            (place,) = _places_in_new(out[at], wanted)
            inserted = [line for line in out[at].lines if line.tag == "+"]
            inserted[place : place + len(wanted)] = [
                replace(line, tag="+") for line in hunk.lines if line.tag != "-"
            ]
            out[at] = replace(
                out[at], lines=(*(line for line in out[at].lines if line.tag != "+"), *inserted)
            )
        for text in {line.text.rstrip() for line in hunk.lines if line.tag != "-"}:
            writers.setdefault(text, []).append(at)
    return out


def _places_in_new(hunk: Hunk, wanted: Sequence[str]) -> list[int]:
    """Return the places of lines among those that a hunk writes, if it writes all of its lines anew."""
    if any(line.tag == " " for line in hunk.lines):
        return []
    inserted = [line.text.rstrip() for line in hunk.lines if line.tag == "+"]
    return [
        n for n in range(len(inserted) - len(wanted) + 1) if inserted[n : n + len(wanted)] == list(wanted)
    ]


def interleave(hunk: Hunk) -> Hunk:
    """Return the hunk with the lines that its removed and added lines share as context.

    Only hunks that list all removed lines and then all added lines change.
    """
    tags = "".join(line.tag for line in hunk.lines)
    deleted = [line for line in hunk.lines if line.tag == "-"]
    inserted = [line for line in hunk.lines if line.tag == "+"]
    if not deleted or not inserted or tags != "-" * len(deleted) + "+" * len(inserted):
        return hunk
    lines: list[HunkLine] = []
    i = 0
    end = (len(deleted), len(deleted), len(inserted), len(inserted))
    for i1, i2, j1, j2 in [*diff_lines([g.text for g in deleted], [c.text for c in inserted]), end]:
        lines += (replace(line, tag=" ") for line in deleted[i:i1])
        lines += deleted[i1:i2]
        lines += inserted[j1:j2]
        i = i2
    return replace(hunk, lines=tuple(lines))


def written_lines(
    group: Sequence[tuple[HunkLine, int | None]], file: FileLines, indenting: IndentTransform
) -> tuple[str, ...]:
    """Return the added lines of a group as the file writes them.

    Args:
        group: Lines that are removed and added together, each with its line of the file.
        file: The lines of the file.
        indenting: The change of the indentation.
    """
    deleted = [
        (line.text, file.bodies[place]) for line, place in group if line.tag == "-" and place is not None
    ]
    inserted = [line.text for line, _ in group if line.tag == "+"]
    if any(shown.lstrip() != there.lstrip() for shown, there in deleted):
        inserted = carry_change([shown for shown, _ in deleted], inserted, [there for _, there in deleted])
    return indenting.apply_all(inserted)
