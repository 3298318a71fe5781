"""A parser of search/replace blocks: aider's (`<<<<<<< SEARCH`) and Cline's (`------- SEARCH`, with Roo's line number).

The path is above the block, in its fence or in a tag. A block without a path belongs to the file of the block before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from editahead_prompts.errors import UnfitSketchError
from editahead_prompts.text.snapshot import Snapshot, line_body

from .elision_markers import parse_marker
from .fences import path_above
from .paths import parse_info_string, parse_path, path_of_line
from .separators import OPEN, find_separators
from .sketch import Diff, FileSketch, Hunk, HunkLine, Split, Tag

_LINE = re.compile(r"[ \t]*:start_line:[ \t]*(\d{1,9})[ \t]*")
_END_LINE = re.compile(r"[ \t]*:end_line:[ \t]*\d*[ \t]*")
_ESCAPED = re.compile(r"^([ \t]*)\\(?=<{7}|={7}|>{7}|-{7}|:(?:start|end)_line:)")
"""Pattern of Roo's backslash before a line of the text that looks like a separator."""

_MIDDLE = re.compile(r"[ \t]*={7}[ \t]*")
_PROSE_OR_SIGN = re.compile(r"[\w \t,.:;!?'&/-]*|[ \t]*(?:<{7}|={7}|>{7}).*")
"""Pattern of a line beside which `=======` may be text: of a heading, or of a conflict of git."""

_RULE = re.compile(r"[ \t]*-{5,9}[ \t]*")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})(.*)")
_INNER_TAG = re.compile(r"[ \t]*<(?:diff|content|!\[CDATA\[)>?[ \t]*")
"""Pattern of tags between the one with the path and the block."""


def is_start(lines: Sequence[str], at: int) -> bool:
    """Return whether a block begins at this line."""
    return OPEN.fullmatch(lines[at]) is not None


def parse_search_replace(
    lines: Sequence[str], at: int, end: int, before: FileSketch | None = None
) -> tuple[FileSketch, int]:
    """Parse the block that begins at line `at`, up to `end`.

    Args:
        before: The part before, whose file the block is for if it names none.

    Returns:
        The block as a part of its own, and the line after it.

    Raises:
        SketchError: The block lacks its middle or its end.
    """
    start, number = at + 1, None
    while start < end and ((found := _LINE.fullmatch(lines[start])) or _END_LINE.fullmatch(lines[start])):
        number = max(0, int(found[1]) - 1) if found else number
        start += 1
    if start > at + 1 and start < end and _RULE.fullmatch(lines[start]):
        start += 1
    middles, close = find_separators(lines, at, start, end)
    path, word = _place(lines, at, before)
    splits = tuple(_splits(lines, range(start, close), middles, number))
    hunks = splits[0].hunks if len(splits) == 1 else (_uncertain(splits),)
    is_new = (
        path is not None and bool(hunks) and not any(hunk.old for split in splits for hunk in split.hunks)
    )
    why = "search/replace blocks: lines to be found, =======, and the lines in their place"
    action: Literal["create", "edit"] = "create" if is_new else "edit"
    file = FileSketch("search-replace", why, Diff(hunks), at, close + 1, path, word, action)
    return file, close + 1


def _uncertain(splits: tuple[Split, ...]) -> Hunk:
    """Return a hunk for all readings of a block."""
    return replace(next(hunk for split in splits for hunk in split.hunks), splits=splits)


def _splits(
    lines: Sequence[str], inner: range, middles: Sequence[int], number: int | None
) -> Iterator[Split]:
    """Yield the readings of a block with these lines, one for each line that may part them, and each spelling."""
    escaped = any(_ESCAPED.match(lines[at]) for at in inner)
    for middle in middles:
        is_plain = len(middles) == 1 or not _underlines(lines, middle)
        old = range(inner.start, middle)
        for new in _replacements(lines, range(middle + 1, inner.stop)):
            if escaped:
                plain = [_ESCAPED.sub(r"\1", line) for line in lines]
                yield Split(tuple(_hunks(plain, old, new, number)), is_plain, is_escaped=True)
            yield Split(tuple(_hunks(lines, old, new, number)), is_plain and not escaped)


def _replacements(lines: Sequence[str], new: range) -> Iterator[range]:
    """Yield the readings of a replacement: a `=======` at its end or start may be the line between the parts once more."""
    for at, beside, rest in (
        (new.stop - 1, new.stop - 2, new[:-1]),
        (new.start, new.start + 1, new[1:]),
    ):
        if at in new and _MIDDLE.fullmatch(lines[at]):
            if beside < at and beside in new and _underlines(lines, at):
                break
            yield rest
            if beside not in new or _PROSE_OR_SIGN.fullmatch(lines[beside]):
                yield new
            return
    yield new


def _underlines(lines: Sequence[str], at: int) -> bool:
    """Return whether a line is just as long as the title above, as the underline of a heading is."""
    title = lines[at - 1].strip() if at else ""
    return any(map(str.isalnum, title)) and len(title) == len(lines[at].strip())


def _hunks(lines: Sequence[str], search: range, replacement: range, number: int | None) -> list[Hunk]:
    """Return one hunk, or several if the search and the replacement have the same elision markers."""
    old, new = _pieces(lines, search), _pieces(lines, replacement)
    if [lines[piece.stop].strip() for piece in old[:-1]] != [lines[piece.stop].strip() for piece in new[:-1]]:
        old, new = [search], [replacement]
    out: list[Hunk] = []
    for deleted, inserted in zip(old, new, strict=True):
        tagged = (*_tagged("-", lines, deleted), *_tagged("+", lines, inserted))
        if tagged:
            out.append(Hunk(tagged, tagged[0].at, (), number if deleted is old[0] else None))
    return [hunk for hunk in out if hunk.old != hunk.new] or out


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


def _place(lines: Sequence[str], at: int, before: FileSketch | None) -> tuple[str | None, str | None]:
    """Return the path and the fence's word of a block that begins at line `at`."""
    sign = OPEN.fullmatch(lines[at])
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
        return before.path, word if word is not None else before.language
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


def settle_splits(file: FileSketch, original: Snapshot) -> FileSketch:
    """Return search/replace blocks with the only reading of their separators that fits the file.

    Raises:
        UnfitSketchError: Several readings fit.
    """
    if not isinstance(file.content, Diff) or not any(hunk.splits for hunk in file.content.hunks):
        return file
    bodies = [line_body(line).rstrip() for line in original.lines]
    hunks: list[Hunk] = []
    is_markdown = original.language == "markdown"
    for hunk in file.content.hunks:
        hunks += _settled(hunk, bodies, is_markdown=is_markdown) if hunk.splits else (hunk,)
    return replace(file, content=Diff(tuple(hunks)))


def _settled(block: Hunk, bodies: Sequence[str], *, is_markdown: bool) -> tuple[Hunk, ...]:
    fit = [split for split in block.splits if all(_occurs(hunk, bodies) for hunk in split.hunks)]
    left = fit or list(block.splits)
    if len(left) > 1:
        left = [split for split in left if split.is_plain]
    is_stray = any(
        not split.is_escaped and _adds_stray(hunk, is_markdown=is_markdown)
        for split in left[:1]
        for hunk in split.hunks
    )
    if len(left) != 1 or is_stray:
        end = 1 + max(line.at for split in block.splits for hunk in split.hunks for line in hunk.lines)
        raise UnfitSketchError(
            "ambiguous", "The separators of this block can be read in several ways.", block.at, end
        )
    return left[0].hunks


def _adds_stray(hunk: Hunk, *, is_markdown: bool) -> bool:
    """Return whether a hunk adds a line `=======` that neither underlines a title nor parts a conflict of git."""
    old_middles = sum(_MIDDLE.fullmatch(line) is not None for line in hunk.old)
    depth = found = 0
    title = ""
    for line in hunk.new:
        depth += line.startswith("<" * 7) - line.startswith(">" * 7)
        if _MIDDLE.fullmatch(line) and not depth:
            is_title = any(map(str.isalnum, title)) and _PROSE_OR_SIGN.fullmatch(title) is not None
            found += not (is_title and (is_markdown or len(title.strip()) == len(line.strip())))
        title = line
    return found > old_middles


def _occurs(hunk: Hunk, bodies: Sequence[str]) -> bool:
    old = [line for line in hunk.lines if line.tag == "-"]
    return bool(old) and _is_in(bodies, old)
