"""A parser of search/replace blocks: aider's (`<<<<<<< SEARCH`) and Cline's (`------- SEARCH`, with Roo's line number).

The path is above the block, in its fence or in a tag. A block without a path belongs to the file of the block before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from editahead_prompts.errors import SketchError
from editahead_prompts.text.snapshot import Snapshot, line_body

from .elision_markers import parse_marker
from .fences import path_above
from .paths import parse_info_string, parse_path, path_of_line
from .sketch import Diff, FileSketch, Hunk, HunkLine, Tag

_OPEN = re.compile(
    r"[ \t]*(?:<{5,9} ?(?:SEARCH|ORIGINAL)|-{5,9} ?SEARCH)\b(?P<rest>[^\n]{0,200})",
    re.IGNORECASE,
)
_MIDDLE = re.compile(r"[ \t]*={7}[ \t]*")
_MIDDLE_ABOUT = re.compile(r"[ \t]*={5,9}[ \t]*")
_CLOSE = re.compile(
    r"[ \t]*(?:>{5,9}(?: ?REPLACE\b:?)?(?: ?[\w./-]*)?|\+{5,9} ?(?:REPLACE|UPDATED|NEW)?)[ \t]*>?",
    re.IGNORECASE,
)
_LINE = re.compile(r"[ \t]*:start_line:[ \t]*(\d{1,9})[ \t]*")
_END_LINE = re.compile(r"[ \t]*:end_line:[ \t]*\d*[ \t]*")
_TITLE = re.compile(r"\S.{3,7}\S\s*")
"""Pattern of a line that `=======` may underline, as headings in Markdown and reStructuredText are."""

_RULE = re.compile(r"[ \t]*-{5,9}[ \t]*")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})(.*)")
_INNER_TAG = re.compile(r"[ \t]*<(?:diff|content|!\[CDATA\[)>?[ \t]*")
"""Pattern of tags between the one with the path and the block."""


@dataclass(frozen=True, slots=True)
class _Block:
    at: int
    end: int
    hunks: tuple[Hunk, ...]
    path: str | None
    word: str | None


def is_start(lines: Sequence[str], at: int) -> bool:
    """Return whether a block begins at this line."""
    return _OPEN.fullmatch(lines[at]) is not None


def parse_search_replace(lines: Sequence[str], start: int, end: int) -> list[FileSketch]:
    """Parse the blocks in the lines from `start` up to `end`. Consecutive blocks of one file make one part.

    Raises:
        SketchError: A block lacks its middle or its end.
    """
    blocks: list[_Block] = []
    at = start
    while at < end:
        if _OPEN.fullmatch(lines[at]) is None:
            at += 1
            continue
        blocks.append(_block(lines, at, end, blocks[-1] if blocks else None))
        at = blocks[-1].end
    out: list[list[_Block]] = []
    for block in blocks:
        if out and out[-1][0].path == block.path:
            out[-1].append(block)
        else:
            out.append([block])
    return [_made(group) for group in out]


def _made(blocks: list[_Block]) -> FileSketch:
    hunks = tuple(hunk for block in blocks for hunk in block.hunks)
    is_new = blocks[0].path is not None and bool(hunks) and not any(hunk.old for hunk in hunks)
    why = "search/replace blocks: lines to be found, =======, and the lines in their place"
    return FileSketch(
        "search-replace",
        why,
        Diff(hunks),
        blocks[0].at,
        blocks[-1].end,
        blocks[0].path,
        blocks[0].word,
        "create" if is_new else "edit",
    )


def _block(lines: Sequence[str], at: int, end: int, before: _Block | None) -> _Block:
    start, number = at + 1, None
    while start < end and ((found := _LINE.fullmatch(lines[start])) or _END_LINE.fullmatch(lines[start])):
        number = max(0, int(found[1]) - 1) if found else number
        start += 1
    if start > at + 1 and start < end and _RULE.fullmatch(lines[start]):
        start += 1
    middle = _find(_MIDDLE, lines, start, end)
    if middle is None:
        middle = _find(_MIDDLE_ABOUT, lines, start, end)
    if middle is None:
        raise SketchError("a search block without its =======", at, end)
    close = _find(_CLOSE, lines, middle + 1, end)
    if close is None:
        raise SketchError("a search block without the end of its replacement", at, end)
    path, word = _place(lines, at, before)
    new = _replacement(lines, middle, close)
    return _Block(at, close + 1, tuple(_hunks(lines, range(start, middle), new, number)), path, word)


def _replacement(lines: Sequence[str], middle: int, close: int) -> range:
    """Return the numbers of the replacement's lines, without a second `=======` at either end."""
    start, end = middle + 1, close
    if start < end and _MIDDLE.fullmatch(lines[start]):
        start += 1
    elif start < end - 1 and _MIDDLE.fullmatch(lines[end - 1]) and not _TITLE.fullmatch(lines[end - 2]):
        end -= 1
    return range(start, end)


def _find(sign: re.Pattern[str], lines: Sequence[str], start: int, end: int) -> int | None:
    for at in range(start, end):
        if sign.fullmatch(lines[at]):
            return at
        if _OPEN.fullmatch(lines[at]):
            return None
    return None


def _hunks(lines: Sequence[str], search: range, replacement: range, number: int | None) -> list[Hunk]:
    """Return one hunk, or several if the search and the replacement have the same elision markers."""
    old, new = _pieces(lines, search), _pieces(lines, replacement)
    if [lines[piece.stop].strip() for piece in old[:-1]] != [lines[piece.stop].strip() for piece in new[:-1]]:
        old, new = [search], [replacement]
    out = []
    for gone, come in zip(old, new, strict=True):
        if [lines[at] for at in gone] == [lines[at] for at in come]:
            continue
        tagged = (*_tagged("-", lines, gone), *_tagged("+", lines, come))
        out.append(Hunk(tagged, tagged[0].at, (), number if gone is old[0] else None))
    return out


def _pieces(lines: Sequence[str], numbers: range) -> list[range]:
    out, at = [], numbers.start
    for number in numbers:
        marker = parse_marker(lines[number])
        if marker is not None:
            out.append(range(at, number))
            at = number + 1
    return [*out, range(at, numbers.stop)]


def _tagged(tag: Tag, lines: Sequence[str], numbers: range) -> tuple[HunkLine, ...]:
    return tuple(HunkLine(tag, lines[number], number) for number in numbers)


def _place(lines: Sequence[str], at: int, before: _Block | None) -> tuple[str | None, str | None]:
    """Return the path and the fence's word of a block that begins at line `at`."""
    sign = _OPEN.fullmatch(lines[at])
    if sign is not None and (path := parse_path(sign["rest"].strip(" \t>:"))) is not None:
        return path, None
    above = at - 1
    while above > 0 and _INNER_TAG.fullmatch(lines[above]):
        above -= 1
    word = None
    if above >= 0 and (fence := _FENCE.fullmatch(lines[above])):
        word, path = parse_info_string(fence[1])
        if path is not None:
            return path, word
    else:
        path = path_of_line(lines[above]) if above >= 0 else None
        if path is not None:
            return path, word
        above = at
    floor = before.end if before is not None else 0
    path = path_above(lines, above, word=word) if above - 1 >= floor else None
    if path is None and before is not None:
        return before.path, word if word is not None else before.word
    return path, word


def fit_blank_edges(file: FileSketch, original: Snapshot) -> FileSketch:
    """Return search/replace blocks without blank lines around their search part that the file lacks."""
    if file.kind != "search-replace" or not isinstance(file.content, Diff):
        return file
    if not any(_has_blank_edge(hunk) for hunk in file.content.hunks):
        return file
    bodies = [line_body(line).rstrip() for line in original.lines]
    return replace(file, content=Diff(tuple(_fitted(hunk, bodies) for hunk in file.content.hunks)))


def _has_blank_edge(hunk: Hunk) -> bool:
    old = hunk.old
    return bool(old) and not (old[0].strip() and old[-1].strip())


def _fitted(hunk: Hunk, bodies: Sequence[str]) -> Hunk:
    old = [line for line in hunk.lines if line.tag == "-"]
    used = [at for at, line in enumerate(old) if line.text.strip()]
    if not used or len(old) == used[-1] - used[0] + 1 or _is_in(bodies, old):
        return hunk
    kept = old[used[0] : used[-1] + 1]
    if not _is_in(bodies, kept):
        return hunk
    new = [line for line in hunk.lines if line.tag == "+"]
    before, after = used[0], len(old) - used[-1] - 1
    # The replacement often repeats the blank lines; those that it has alone are meant.
    while before and new and not new[0].text.strip():
        new, before = new[1:], before - 1
    while after and new and not new[-1].text.strip():
        new, after = new[:-1], after - 1
    return replace(hunk, lines=(*kept, *new))


def _is_in(bodies: Sequence[str], lines: Sequence[HunkLine]) -> bool:
    wanted = [line.text.rstrip() for line in lines]
    return any(bodies[at : at + len(wanted)] == wanted for at, body in enumerate(bodies) if body == wanted[0])
