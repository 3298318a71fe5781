"""New imports beside a mark: the import of the file that they come next to is shown with them.

`import sys` above `# ... existing imports ...` has no line of the file, and yet no person asks where it goes. With the first
import of the file below it, any reading of the sketch knows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tree_sitter import Node

from editahead_inference.apply.placement.line_matching import normalize_line, unmatched_brackets
from editahead_inference.apply.placement.outline import has_substance
from editahead_inference.apply.placement.placement import Target
from editahead_prompts.sketches.sketch import Code, Diff, Elision, FileSketch, Snippet
from editahead_prompts.syntax.languages import nodes_of

_IMPORT = re.compile(
    r"""(?:import\b|from\s.+\simport\b|use\s|pub\s+use\s|using\s|\#\s*include\b
    |(?:const|let|var)\s.+=\s*require\()""",
    re.VERBOSE,
)
_GO_IMPORT = re.compile(r"(?:[\w.]+ )?\"[^\"]+\"")
_MAX_LINES = 100
"""Lines of one import, which bounds the time."""
_SOURCE = re.compile(r"""from\s+(?:(['"])(?P<quoted>.+?)\1|(?P<module>\S+)\s+import)""")
_NAMED = re.compile(r"\b(?:imports?|includes?|use statements?|usings?|requires?)\b", re.IGNORECASE)


def anchor_imports(part: FileSketch, target: Target) -> FileSketch | None:
    """Return the part with an import of the file beside each run of new imports that has only a mark as its neighbour.

    None if the sketch ends with imports below the others, and the file does not tell where those are.
    """
    if isinstance(part.content, Diff) or not any(isinstance(each, Elision) for each in part.content.parts):
        return part
    parts = list(part.content.parts)
    above: list[Elision] = []
    imports: list[list[str]] | None = None
    for at, piece in enumerate(parts):
        if not isinstance(piece, Code):
            continue
        if target.original.language == "go" and (last := _last_of_block(parts, at, target)):
            parts[at] = Code((last, *piece.lines), piece.at - 1)
            continue
        size = import_lines(piece.lines)
        shown = filter(has_substance, _keys(piece.lines[:size]))
        if not size or any(_is_outside_functions(key, target) for key in shown):
            continue
        before, after = parts[at - 1] if at else None, parts[at + 1] if at + 1 < len(parts) else None
        is_whole = not any(_keys(piece.lines[size:]))
        imports = _imports(target) if imports is None else imports
        sources = _sources(line for each in imports for line in each)
        # It may be another version of an import that the file has.
        is_new = _sources(piece.lines[:size]).isdisjoint(sources) or _has_other_names(
            piece.lines[:size], imports, target
        )
        if _names_imports(before):
            if is_new and imports and _is_usable(imports[-1], parts, target):
                parts[at] = Code((*imports[-1], *piece.lines), piece.at - len(imports[-1]))
            elif is_whole and after is None:
                return None
        elif not is_new:
            continue
        elif imports and is_whole and _names_imports(after) and _is_usable(imports[0], parts, target):
            parts[at] = Code((*piece.lines[:size], *imports[0]), piece.at)
            if before is None and target.lines.places[_keys(imports[0])[0]][0]:
                above.append(Elision("", piece.at))  # what the file begins with stays
    return replace(part, content=Snippet((*above, *parts)))


def _last_of_block(parts: Sequence[Code | Elision], at: int, target: Target) -> str | None:
    """Return the last import of the only block of imports of a file of Go, where the sketch ends it with new ones."""
    piece = parts[at]
    is_below_mark = at > 1 and isinstance(parts[at - 1], Elision) and isinstance(parts[at - 2], Code)
    if not is_below_mark or not isinstance(piece, Code):
        return None
    above, keys = parts[at - 2], _keys(piece.lines)
    opener = _keys(above.lines)[-1:] if isinstance(above, Code) else []
    end = keys.index(")") if ")" in keys else 0
    places = target.lines.places
    is_new = (
        end > 0
        and all(map(_GO_IMPORT.fullmatch, keys[:end]))
        and not any(key in places for key in keys[:end])
    )
    if opener != ["import ("] or not is_new or len(places.get("import (", ())) != 1:
        return None
    found = target.lines.keys.index(")", places["import ("][0])
    last = target.lines.bodies[found - 1]
    return last if _GO_IMPORT.fullmatch(normalize_line(last)) and _is_usable([last], parts, target) else None


def _is_outside_functions(key: str, target: Target) -> bool:
    """Return whether the file has a line at its left margin, or one indented in brackets, as Go's imports are."""
    widths, places = target.lines.widths, target.lines.places.get(key, ())
    return any(widths[line] == 0 or not _IMPORT.match(key) for line in places)


def import_lines(lines: Sequence[str]) -> int:
    """Return the number of lines up to the last of the whole imports that a run of code begins with."""
    end = at = 0
    while at < len(lines):
        if lines[at].strip() and not _IMPORT.match(lines[at]):
            break
        begins = at
        at += 1
        while at < min(len(lines), begins + _MAX_LINES) and unmatched_brackets(lines[begins:at]) != (0, 0):
            at += 1
        if unmatched_brackets(lines[begins:at]) != (0, 0):
            break
        if lines[begins].strip():
            end = at
    return end


def _imports(target: Target) -> list[list[str]]:
    """Return the lines of each import that a file begins with, without those of the future, which stay the first."""
    tree, nodes = target.syntax.tree(target.original), nodes_of(target.original.language)
    found: list[Node] = []
    for node in tree.root_node.named_children if tree is not None else ():
        if node.type in nodes.imports or node.type == "preproc_include":
            found.append(node)
        elif found and node.type not in nodes.comments and node.type not in nodes.inclusions:
            break
    bodies = target.lines.bodies
    # The node of an `#include` ends behind its line.
    return [
        list(bodies[node.start_point.row : node.end_point.row + (1 if node.end_point.column else 0)])
        for node in found
    ]


def _sources(lines: Iterable[str]) -> set[str]:
    """Return what some imports import names from, in Python and JavaScript."""
    return {found["quoted"] or found["module"] for line in lines for found in _SOURCE.finditer(line)}


def _has_other_names(shown: Sequence[str], imports: Iterable[Sequence[str]], target: Target) -> bool:
    """Return whether imports have no name of those that the file imports from the same place, and uses."""
    sources, names = _sources(shown), _names(shown)
    used = Counter(re.findall(r"\w+", target.original.text))
    same = [_names(lines) for lines in imports if not sources.isdisjoint(_sources(lines))]
    return bool(names) and all(
        theirs and names.isdisjoint(theirs) and any(used[n] > 1 for n in theirs) for theirs in same
    )


def _names(lines: Iterable[str]) -> set[str]:
    """Return the names that imports of Python or JavaScript bring; none where one brings all."""
    text = " ".join(line.partition("//")[0].partition("#")[0] for line in lines)
    listed = re.findall(r"\{([^}]*)\}", text) or re.findall(r"\bimport\s+\(?([\w\s,]+)", text)
    if "*" in text or re.search(r"import\s+(?:type\s+)?\w+\s*(?:,|from\b)", text):
        return set()  # All of them, or a default one.
    return {part.split(" as ")[0].strip() for each in listed for part in each.split(",")} - {"", "type"}


def _names_imports(piece: Code | Elision | None) -> bool:
    return isinstance(piece, Elision) and not piece.removed and bool(_NAMED.search(piece.text))


def _is_usable(shown: Sequence[str], parts: Iterable[Code | Elision], target: Target) -> bool:
    """Return whether the file has an import once, and the sketch does not show it."""
    keys = _keys(shown)
    sketch = {key for piece in parts if isinstance(piece, Code) for key in _keys(piece.lines)}
    return len(target.lines.places.get(keys[0], ())) == 1 and sketch.isdisjoint(keys)


def _keys(lines: Sequence[str]) -> list[str]:
    return [key for key in map(normalize_line, lines) if key]
