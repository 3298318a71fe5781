"""The check that no element goes which only a text tells from others: a route, an argument of a command, a job.

`@app.get("/users")` above several functions of one name, and `parser.add_argument(` with `"--size",` below it, are the same
but for the text. Where another text takes its place, the sketch may as well add the other element beside it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from editahead_inference.apply.placement.line_matching import is_annotation, normalize_line
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.new_versions import is_new_version
from editahead_inference.apply.placement.outline import Item
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice
from editahead_prompts.sketches.sketch import Snippet

from .shown_neighbours import encloses_removal
from .shown_runs import lines_and_marks

_TABLE = re.compile(r"\[\[.*\]\]")
"""The header of a table of TOML's that is one of several."""

_CALL = re.compile(r"[\w.:$>!-]+\(")
"""The first line of a call over several lines."""

_BRANCH = re.compile(r"(?:\}\s*)?(?:elif|else if)\b.*[\"']")
"""A further branch, by what it compares with."""

_TEXT = re.compile(r"""(?:[\w-]+\s*=\s*)?["'`][^"'`]+["'`],?$""")
_TEXT_INSIDE = re.compile(r"""\(.*["'`][^"'`]+["'`]""")


def lost_labels(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the lines with such a text that would go, although the sketch does not show what is around them."""
    removed = [line for splice in splices for line in range(splice.start, splice.end)]
    if not any(_may_be_label(target.lines.keys[line]) for line in removed):
        return
    target.check()
    known = dict(_labels(target.items, target.lines.keys))
    roles = Counter(known.values())
    deleted = [line for line in removed if roles[known.get(line, "")] > 1]
    if not deleted:
        return
    inserted = Counter(normalize_line(line) for splice in splices for line in splice.lines)
    lines, _ = lines_and_marks(snippet)
    sketch = target.outlined(lines)
    shown_keys = sketch.naming.keys
    shown = {(shown_keys[line], role) for line, role in _labels(sketch.items, shown_keys)}
    for line in deleted:
        key = target.lines.keys[line]
        others = {text for text, role in shown if role == known[line]} - {key}
        is_branch = _BRANCH.match(key) is not None
        is_shown = bool(others) and not (is_branch and any(is_new_version(text, key) for text in others))
        if inserted[key] or not is_shown:
            continue
        if not encloses_removal(snippet, target, splices, line, by_frames=False):
            yield line


def _may_be_label(key: str) -> bool:
    return (
        _BRANCH.match(key) is not None
        or _TEXT.match(key) is not None
        or (is_annotation(key) and _TEXT_INSIDE.search(key) is not None)
    )


def _labels(items: Sequence[Item], keys: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines whose text alone tells an element from others, each with the rest of what the element begins with."""
    waiting: list[Sequence[Item]] = [items]
    while waiting:
        level = waiting.pop()
        for number, item in enumerate(level):
            key = keys[item.start]
            inner = item.sections[0].items
            waiting += [section.items for section in item.sections if section.items]
            yield from (
                (section.line, "else if")
                for section in item.sections[1:]
                if _BRANCH.match(keys[section.line])
            )
            if is_annotation(key) and _TEXT_INSIDE.search(key):
                below = next(
                    (each for each in level[number + 1 :] if not is_annotation(keys[each.start])), None
                )
                name = None if below is None else identity(keys[below.start])
                if name is not None:
                    yield item.start, f"{key.partition('(')[0]} {name}"
            elif (
                (_CALL.fullmatch(key) or _TABLE.fullmatch(key))
                and inner
                and _TEXT.match(keys[inner[0].start])
            ):
                yield inner[0].start, key
