"""The check that what a sketch shows in a function of the file is in that function, as the grammar finds it.

Lines of a string at the left margin hide from the indentation where the function ends; so do brackets that a sketch shows
less deep than they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editahead_inference.apply.placement.declarations import Declaration
from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.outline import has_substance, is_function, opens_named, walk
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.sketches.sketch import Code, Snippet
from editahead_prompts.text.indentation import indent_width

from .shown_runs import code_lines, lines_and_marks

_BRACES = frozenset(
    {"javascript", "javascriptreact", "typescript", "typescriptreact", "go", "rust", "java", "c", "cpp"}
)
"""Languages in which a function ends with a bracket at the indentation of its first line."""


_ENDS = (")", "]", "}")
"""What a header over several lines may end with, at its indentation, in Python."""

_MAX_HEADER = 3
"""Lines of a header among which the one with the name is."""


def outside_functions(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the lines of the file at which a change would be, although the sketch shows it in a function elsewhere."""
    if target.original.language not in _BRACES | {"python"}:
        return
    around = _functions_by_line(snippet, target)
    for splice in split_at_kept_lines(splices, target.lines.bodies) if around else ():
        if target.original.language == "python" and any(map(str.strip, splice.lines)):
            continue  # The indentation of new lines tells where they are.
        shown = [around[n] for n in range(splice.sketch_start, splice.sketch_end) if n in around]
        if not shown or len(shown) < splice.sketch_end - splice.sketch_start:
            continue
        if any(d is not shown[0] for d in shown):
            continue
        if splice.end <= shown[0].start or splice.start >= shown[0].end:
            yield min(splice.start, len(target.lines) - 1)


def leaves_lines_out(snippet: Snippet, target: Target) -> bool:
    """Return whether the snippet shows a function without a mark that has more lines in the file."""
    lines, marks = lines_and_marks(snippet)
    shown = target.outlined(lines)
    for item in walk(shown.items):
        head = shown.naming.head(item)
        below = next((n for n in range(item.end, len(lines)) if lines[n].strip()), None)
        is_whole = item.is_block and marks.isdisjoint(range(item.start, item.end)) and below not in marks
        if not (is_whole and is_function(head) and opens_named(head)):
            continue
        there = target.named_items.get(shown.naming.of(item) or "", ())
        mine = sum(map(has_substance, shown.naming.keys[item.start : item.end]))
        if len(there) == 1 and mine < sum(
            map(has_substance, target.lines.keys[there[0].start : there[0].end])
        ):
            return True
    return False


def _naming_line(d: Declaration, keys: Sequence[str]) -> int:
    """Return the line of a header with the name: in C, the type of the result may be on a line above."""
    lines = range(d.head, min(d.head + _MAX_HEADER, d.end))
    return next((line for line in lines if f"{d.name.rpartition('.')[2]}(" in keys[line]), d.head)


def _functions_by_line(snippet: Snippet, target: Target) -> dict[int, Declaration]:
    """Return the function of the file, found by its first line, that each line of the sketch is shown in."""
    keys = target.lines.keys
    shown = set(map(normalize_line, code_lines(snippet)))
    heads: dict[str, list[Declaration]] = {}
    for d in target.declarations:
        if any(keys[line] in shown for line in range(d.head, min(d.head + _MAX_HEADER, d.end))):
            heads.setdefault(keys[_naming_line(d, keys)], []).append(d)
    around: dict[int, Declaration] = {}
    is_python = target.original.language == "python"
    inner: tuple[Declaration, int] | None = None
    for piece in snippet.parts:
        if not isinstance(piece, Code):
            if inner is not None and piece.text.strip() and indent_width(piece.text) <= inner[1] > 0:
                inner = None
            continue
        for number, line in enumerate(piece.lines, piece.at):
            key = normalize_line(line)
            found = heads.get(key, ())
            if found:
                is_only = len(found) == 1 and found[0].kind == "function" and not line.rstrip().endswith("}")
                inner = (found[0], indent_width(line)) if is_only else None
            elif (
                inner is not None
                and is_python
                and 0 <= indent_width(line) <= inner[1]
                and not key.startswith(_ENDS)
            ):
                inner = None
            elif inner is not None:
                around[number] = inner[0]
                if key.startswith("}") and indent_width(line) <= inner[1]:
                    inner = None
    return around
