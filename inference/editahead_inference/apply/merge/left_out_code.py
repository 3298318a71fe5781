"""Code that a sketch leaves out in other ways than by a marker: a body `pass  # unchanged`, a docstring of dots, `f(...)`.

Such lines stand for the code of the file. A body, a docstring or a list of arguments without substance never replaces one
with substance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.outline import Item, Naming, has_substance, normalized, walk
from editahead_inference.apply.placement.placement import Target
from editahead_prompts.sketches.elision_markers import DOTS
from editahead_prompts.sketches.sketch import Code, Diff, Elision, FileSketch, Snippet
from editahead_prompts.text.indentation import indent_width, indentation

from .dots_in_lines import find_gaps
from .left_out_docs import DocRestorer
from .substance import docstring_lines, one_line_body, says_that_it_stays, stands_for_code
from .told_removals import SAYS_REMOVED, is_in_function

_EMPTY_ARGUMENT = re.compile(r".*\w\s*\{\s*\}\)[;,)]*")
"""A value without fields as the last argument of a call, such as `Ok(Empty {})`, which is no body."""
_MAX_HEADER = 40
"""Lines of the header of a function, at most."""

_MAY_LEAVE_OUT = re.compile(
    r"[.…⋮⋯⋰⋱︙‥]{2}|[…⋮⋯⋰⋱︙‥]|pass|Ellipsis|remove|deleted|\"\"\"|'''|#|//|--|/\*|<!--|\{\s*\}"
)
"""What a line has that leaves something out."""
_SIGNS = re.compile(r"\s*[^\w\s(){}\[\],;]+[;\s]*")
"""A line of signs alone that are no brackets."""


def restore_left_out_code(part: FileSketch, target: Target) -> FileSketch:
    """Return the part with markers, or the file's own lines, where the sketch leaves code of the file out in other ways."""
    if isinstance(part.content, Diff) or not len(target.lines):
        return part
    parts: list[Code | Elision] = []
    restorer = _Restorer(target)
    for piece, below in zip_longest(part.content.parts, part.content.parts[1:]):
        mark = below if isinstance(below, Elision) else None
        parts += restorer.restore(piece, mark) if isinstance(piece, Code) else [piece]
    parts = list(_joined(parts))
    if tuple(parts) == part.content.parts:
        return part
    elided = any(isinstance(piece, Elision) for piece in parts)
    kind = "markers" if elided and part.kind in ("whole-file", "declaration") else part.kind
    return replace(part, kind=kind, content=Snippet(tuple(parts)))


def _joined(parts: Sequence[Code | Elision]) -> Iterator[Code | Elision]:
    """Yield the parts with neighbouring runs of code as one."""
    last: Code | None = None
    for part in parts:
        if isinstance(part, Elision):
            if last is not None:
                yield last
            last = None
            yield part
        elif part.lines:
            last = part if last is None else Code(last.lines + part.lines, last.at)
    if last is not None:
        yield last


class _Restorer:
    """The comparison of the code of one sketch with one file."""

    def __init__(self, target: Target) -> None:
        self._target, self._bodies = target, target.lines.bodies
        self._docs = DocRestorer(target)

    @property
    def _named(self) -> dict[str, list[Item]]:
        """Identity -> the items of the file that have it."""
        return self._target.named_items

    def restore(self, code: Code, below: Elision | None) -> list[Code | Elision]:
        """Return the parts for one run of code.

        Args:
            code: The run.
            below: The mark below it.
        """
        lines = list(code.lines)
        if not self._may_leave_out(lines):
            return [code]
        keys = normalized(lines)
        split = dict(self._restore_gaps(lines, keys))
        split.update(self._one_line_bodies(lines, keys))
        deleted: set[int] = set()
        marks = dict(self._told_removals(lines, keys, code.at))
        shown = self._target.outlined(lines)
        items = list(walk(shown.items))
        heads = {item.start: self._named.get(shown.naming.of(item) or "", ()) for item in items}
        for run, text in list(self._docs.comments(lines, heads)):
            lines[run.start] = "\n".join(text)
            deleted.update(run[1:])
        for item in items:
            body = _body_lines(item, keys)
            found = self._items_like(shown.naming, item) if body else ()
            docstring = docstring_lines(lines, body)
            whole = self._docs.docstring(found, [lines[n] for n in docstring]) if docstring else None
            if whole is not None:
                lines[docstring[0]] = "\n".join(whole)
                deleted.update(docstring[1:])
            if not found or _goes_on_below(item, keys, below):
                continue
            stands = self._stands_for_body(found, body[len(docstring) :], keys)
            if stands:
                marks[stands[0]] = Elision(lines[stands[0]], code.at + stands[0])
                deleted.update(stands[1:])
        if not marks and not split and not deleted and lines == list(code.lines):
            return [code]
        out: list[Code | Elision] = []
        for number, line in enumerate(lines):
            if number in marks:
                out.append(marks[number])
            elif number in split:
                head, end = split[number]
                at = code.at + number
                out += [Code((head,), at), Elision(f"{indentation(line)}    ...", at)]
                out += [Code((end,), at)] if end else []
            elif number not in deleted:
                out.append(Code(tuple(line.split("\n")), code.at + number))
        return out

    def _told_removals(
        self, lines: Sequence[str], keys: Sequence[str], at: int
    ) -> Iterator[tuple[int, Elision]]:
        """Yield the lines that say that something of the file is removed, as marks."""
        for number, key in enumerate(keys):
            said = SAYS_REMOVED.fullmatch(key)
            is_known = said is not None and f"named {said['name']}" in self._named
            if is_known and key not in self._target.lines.places and not is_in_function(lines, number):
                yield number, Elision(lines[number], at + number, removed=True)

    def _one_line_bodies(
        self, lines: Sequence[str], keys: Sequence[str]
    ) -> Iterator[tuple[int, tuple[str, str]]]:
        """Yield the lines whose header and body without substance are on one line, with the header and the end."""
        for number, key in enumerate(keys):
            line = lines[number].rstrip()
            found = None if key in self._target.lines.places else one_line_body(line)
            if found is None or _EMPTY_ARGUMENT.fullmatch(line):
                continue
            head, body, end = found
            if stands_for_code(normalize_line(body)) and self._has_body(normalize_line(head)):
                yield number, (head, indentation(line) + end if end else "")

    def _may_leave_out(self, lines: Sequence[str]) -> bool:
        """Return whether any line may stand for others. Most sketches have none."""
        return any(map(_MAY_LEAVE_OUT.search, lines)) or any(map(_SIGNS.fullmatch, lines))

    def _has_body(self, key: str) -> bool:
        """Return whether each item of the file with the name of this line has lines of substance below."""
        found = self._named.get(identity(key) or f"block {key}", ())
        return bool(found) and all(map(self._has_substance, found))

    def _items_like(self, naming: Naming, item: Item) -> Sequence[Item]:
        """Return the items of the file with the name of an item of the sketch, if all have lines of substance."""
        found: Sequence[Item] = ()
        for name in (naming.of(item), identity(naming.head(item))):
            found = found or self._named.get(name or "", ())
        return found if all(map(self._has_substance, found)) else ()

    def _stands_for_body(self, found: Sequence[Item], body: Sequence[int], keys: Sequence[str]) -> list[int]:
        """Return those lines of a body that stand for that of the file, if it has no other ones.

        Comments of the file stay as they are.
        """
        if not all(stands_for_code(keys[n]) for n in body):
            return []
        own = {line for item in found for line in self._target.lines.keys[item.start : item.end]}
        return [n for n in body if keys[n] not in own]

    def _has_substance(self, item: Item) -> bool:
        keys = self._target.lines.keys
        body = [n for n in range(item.start + 1, item.end) if keys[n]]
        return any(has_substance(keys[n]) for n in body[len(docstring_lines(keys, body)) :])

    def _restore_gaps(self, lines: list[str], keys: list[str]) -> Iterator[tuple[int, tuple[str, str]]]:
        """Put the file's own line where dots stand for a part of it.

        Yield the lines of which the dots stand for several lines of the file, with what is before and behind the dots.
        """
        for number, key in enumerate(keys):
            if DOTS.search(key) is None:
                continue
            gaps = None if key in self._target.lines.places else find_gaps(key, self._target)
            if gaps is None or gaps.is_sentence:
                continue
            fitting = gaps.find_fitting(self._target)
            if len(fitting) == 1:
                body = self._bodies[self._target.lines.places[fitting[0]][0]]
                lines[number], keys[number] = indentation(lines[number]) + body.strip(), fitting[0]
            elif not fitting and len(gaps.pieces) == 2 and self._is_block(*gaps.pieces):
                yield (
                    number,
                    (
                        indentation(lines[number]) + gaps.pieces[0],
                        indentation(lines[number]) + gaps.pieces[1],
                    ),
                )

    def _is_block(self, head: str, end: str) -> bool:
        """Return whether the file has one block that begins and ends with these lines."""
        places = self._target.lines.places.get(head, ())
        if len(places) != 1 or end[:1] not in (")", "]", "}"):
            return False
        keys, widths = self._target.lines.keys, self._target.lines.widths
        rows = range(places[0] + 1, len(keys))
        last = next((n for n in rows if keys[n] and widths[n] <= widths[places[0]]), None)
        return last is not None and keys[last] == end and last > places[0] + 1


def shows_empty_body(line: str) -> bool:
    """Return whether a line shows a function with brackets that have nothing between them."""
    found = one_line_body(line.rstrip())
    is_empty = found is not None and bool(found[2]) and not found[1]
    return is_empty and not _EMPTY_ARGUMENT.fullmatch(line.rstrip())


def words_for_code(target: Target, lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines, of those that would come, that are a body in words: `pass  # unchanged`."""
    for line in lines:
        if says_that_it_stays(normalize_line(line)) and normalize_line(line) not in target.lines.places:
            yield line


def _body_lines(item: Item, keys: Sequence[str]) -> list[int]:
    """Return the lines of the body of an item that are not blank."""
    end = item.sections[-1].line if item.closes_itself else item.end
    return [n for n in range(_header_end(item, keys), end) if keys[n]]


def _goes_on_below(item: Item, keys: Sequence[str], mark: Elision | None) -> bool:
    """Return whether the mark below the lines of a sketch is in the body of an item."""
    is_last = not any(keys[item.end :]) and not item.closes_itself
    return mark is not None and is_last and indent_width(mark.text) > item.width


def _header_end(item: Item, keys: Sequence[str]) -> int:
    """Return the line after the header of an item, which may go over several lines."""
    depth = 0
    for number in range(item.start, min(item.end, item.start + _MAX_HEADER)):
        depth += keys[number].count("(") - keys[number].count(")")
        if depth <= 0:
            opens_below = not keys[number].endswith(("{", ":")) and keys[number + 1 : number + 2] == ["{"]
            return number + 1 + opens_below
    return item.start + 1
