"""The check that an entry is not added behind the end of its list.

An arm goes before the default one, an item of a document not below a paragraph, and a key to no table that is not shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.sketches.sketch import Snippet
from editahead_prompts.text.indentation import indent_width

from .document_sections import is_document
from .shown_runs import ShownRuns, without_blanks

_ARM = re.compile(r"case\b.*:|case\b.*(?:=>|->)|[^=]+=>|\(?[^\s()#][^()#]*\)$")
_DEFAULT = re.compile(r"default\s*(?::|=>|->)|case\s+_\s*:|_\s*=>|\*\)$")
_KEY = re.compile(r"[\w.\"'-]+\s*=")
_TABLE = re.compile(r"\[.*\]\s*(?:[#;].*)?$")
_TABLE_SUFFIXES = (".toml", ".ini", ".cfg", ".conf")
_ENTRY = re.compile(r"(?:[-*+]|\d+[.)]|\|)\s")


def is_arm(key: str) -> bool:
    """Return whether a normalised line opens an arm of a `switch`, a `match` or a shell's `case`."""
    return _ARM.match(key) is not None and not is_default_arm(key)


def is_default_arm(key: str) -> bool:
    """Return whether a normalised line opens the arm for all other values, which comes last."""
    return _DEFAULT.match(key) is not None


def strayed_entries(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the lines of the file behind which entries would be added that do not belong there."""
    keys, widths = target.lines.keys, target.lines.widths
    runs = ShownRuns(snippet, without_blanks)
    tables = [n for n, key in enumerate(keys) if _TABLE.match(key)] if _has_tables(target) else []
    has_entries = is_document(target) and any(map(_ENTRY.match, keys))
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        first = next((line for line in splice.lines if line.strip()), None)
        above = next((n for n in range(splice.start - 1, -1, -1) if keys[n]), None)
        if first is None or above is None or splice.start < splice.end:
            continue
        new, width = normalize_line(first), indent_width(first)
        if is_arm(new):
            head = next((n for n in range(above, -1, -1) if 0 <= widths[n] <= width), above)
            is_stray = widths[head] == width and is_default_arm(keys[head])
        elif len(tables) > 1 and _KEY.match(new):
            table = next((keys[n] for n in reversed(tables) if n < splice.start), None)
            is_stray = table is None or not runs.contain([table])
        else:
            is_entry = has_entries and _ENTRY.match(new) is not None
            is_stray = is_entry and not _ENTRY.match(keys[above]) and widths[above] <= width
        below = next((key for key in keys[splice.end :] if key), "")
        last = next(normalize_line(line) for line in reversed(splice.lines) if line.strip())
        if is_arm(new) and not re.search(r"\w", below):
            below = ""  # The end of the arms is below the default one in any case.
        is_stray = is_stray and not (below and runs.contain([last, below]))
        if is_stray and not runs.contain([keys[above], new]):
            yield above


def _has_tables(target: Target) -> bool:
    return target.original.language in ("toml", "ini") or target.original.uri.endswith(_TABLE_SUFFIXES)
