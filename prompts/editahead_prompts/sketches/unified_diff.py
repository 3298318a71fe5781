"""A parser of unified diffs as models write them: POSIX `diff -u` and git's headers, often incomplete."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from .combined_diff import MAX_HUNKS, Parents, as_one_hunk, parse_combined_hunk
from .hunk_lines import TAGS, PatchRegion, split_hunks
from .paths import path_of_header, tagged_path
from .sketch import Diff, FileSketch, Hunk

_HUNK = re.compile(
    r"@@+[ \t]*(?:-?(?P<old>\d{1,9})(?:,(?P<gone>\d{1,9}))?(?:[ \t]+\+?(?P<new>\d{1,9})(?:,(?P<come>\d{1,9}))?)?|\.{3}|…)?"
    r"[ \t]*@@+(?P<heading>.*)"
)
_GIT = "diff --git "
_QUOTED_PAIR = re.compile(r'("(?:[^"\\]|\\.)+"|\S.*?) ("(?:[^"\\]|\\.)+"|[^"]\S*)')
_LETTERS = re.compile(r"[abciwo12]/")
"""What git puts before the path of a side: `a/` and `b/`, or others with `diff.mnemonicPrefix`."""
_NEVER = re.compile(r"\t(?:1970-01-01|1969-12-31) ")
"""The time of a side of `diff -N` that is not there."""
_PREAMBLE = re.compile(
    r"(?:diff -\S+ |index [0-9a-f,]+\.\.|(?:new|deleted) file mode |(?:old|new) mode |mode [0-7,]+\.\.|"
    r"(?:dis)?similarity index |(?:rename|copy) (?:from|to) |Index: |={60,}$|Binary files .* differ$|GIT binary patch$|"
    r"Only in [^\s:]+: \S+$|Property changes on: )"
)
_STAMP = re.compile(
    r"\t.*|\s+\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*|\s+\((?:original|old|before|updated|modified|new|after)\)\s*"
)
_NAME = re.compile(r"/dev/null|\"?[\w@+~-]*[/.][^\s]*|[ab]")
"""Pattern of what is rather a file's name than a line of code that begins with the signs of a header."""

_STAND_INS = re.compile(
    r"(?:a/)?(?:original|old|before)(\.\w+)? (?:b/)?(?:modified|updated|changed|new|after)(\.\w+)?|a b|a/file b/file"
)
"""Pattern of both header paths, with a space between, where they name no file: `original.py modified.py`."""

_MODE = re.compile(r"(?:(?P<side>old|new|new file|deleted file) mode|index \S+\.\.\S+) (?P<mode>[0-7]{6})")
_INDEX = re.compile(r"index ([0-9a-f]{7,64})\.\.")
_COMBINED = (
    "comes from several parents, and Apply reads of such diffs only hunks, and those as they are counted"
)
"""What is to be said about a file of a combined diff that cannot be read, after its name."""

_UNSUPPORTED = (
    ("Binary files ", "is binary, and the patch does not have its contents"),
    ("GIT binary patch", "is binary, and Apply changes texts only"),
    ("Only in ", "is on one side only, and the patch does not have its text"),
    ("Property changes on: ", "has other properties of Subversion, which Apply does not change"),
    ("mode ", _COMBINED),
    ("copy from ", "is made as a copy of another file, which Apply does not do"),
)
"""Beginnings of headers of parts that Apply does not do, with what is to be said about the file."""

_FILE_TYPES = {
    "12": "is a symbolic link, which Apply does not change",
    "16": "is a submodule, which Apply does not change",
}
"""What is to be said about a file by the first two digits of its mode in git."""

_ALONE = re.compile(
    r"Binary files (?P<old>.+) and (?P<new>.+) differ|Only in (?P<folder>[^\s:]+): (?P<name>\S+)|"
    r"(?:diff --(?:cc|combined) |Index: )(?P<path>.+)"
)
"""Pattern of headers that name a file, and need no other header above."""

_SURE = ("Binary files ", "diff --c")
"""Beginnings of those of them that hardly any other text has."""

_BINARY_LINE = re.compile(r"(?:literal|delta) \d+|[A-Za-z][^\s]{5,65}")

_LOOK_AHEAD = 12
_MAX_PREAMBLE = 40
_MAX_NAMES = 4_096
"""Characters of git's header in which the end of the first name is looked for."""


@dataclass
class _File:
    """A file's part during the parse.

    Attributes:
        old: The old path as in the headers, "/dev/null" included.
        new: The new path as in the headers, "/dev/null" included.
        executable: The permission to run the file that the headers give or take.
        old_blob: The beginning of git's name of the old text.
        path: The path that both sides have in git's header, without prefixes; "" if that is not clear.
        unsupported: What Apply does not do with the file, after its name.
        combined: The hunks of a diff of several parents; None for a diff of one.
        seen: The signs of a diff seen so far, for the sentence in `FileSketch.why`.
    """

    at: int
    old: str | None = None
    new: str | None = None
    moved: bool = False
    action: str = ""
    hunks: list[Hunk] = field(default_factory=list)
    final_newline: bool | None = None
    executable: bool | None = None
    old_blob: str | None = None
    path: str = ""
    unsupported: str = ""
    combined: list[Parents] | None = None
    seen: str = "lines with - and +"


def parse_hunk_header(line: str) -> tuple[tuple[str, ...], int | None, tuple[int, int] | None]:
    """Parse a line that begins with `@@`: headings, the 0-based old line, and the counts of old and new lines."""
    match = _HUNK.fullmatch(line)
    if match is None:
        heading = line.lstrip("@").strip()
        return ((heading,) if heading else ()), None, None
    heading = match["heading"].strip()
    number = counts = None
    if match["old"] is not None:
        deleted = int(match["gone"]) if match["gone"] else 1
        # "-5,0" means after line 5, counted from 1. Otherwise the number is that of the first line.
        number = int(match["old"]) if deleted == 0 else max(0, int(match["old"]) - 1)
        if match["new"] is not None:
            counts = deleted, int(match["come"]) if match["come"] else 1
    return ((heading,) if heading else ()), number, counts


def is_start(lines: Sequence[str], at: int) -> bool:
    """Return whether a unified diff certainly begins at this line."""
    line = lines[at]
    if line.startswith("@@"):
        match = _HUNK.fullmatch(line)
        return (match is not None and match["new"] is not None) or _is_tagged(lines, at + 1)
    if _git_names(line) is not None or (line.startswith(_SURE) and _ALONE.fullmatch(line) is not None):
        return True
    stop = min(len(lines), at + _MAX_PREAMBLE)
    while at < stop and _PREAMBLE.match(lines[at]):
        at += 1
    return at < stop and _is_file_header(lines, at)


def looks_like_diff(lines: Sequence[str]) -> bool:
    """Return whether every line has a tag or is blank, and at least one line is changed."""
    return any(line[:1] in ("+", "-") for line in lines) and all(
        not line or line[0] in TAGS for line in lines
    )


def parse_unified(
    lines: Sequence[str], start: int, end: int, *, bounded: bool, check: Callable[[], None] = lambda: None
) -> tuple[list[FileSketch], int]:
    """Parse the files of the diff that begins at line `start`, up to `end`; `bounded` and `check` are as of `PatchRegion`.

    Returns:
        The files, and the line after the diff.

    Raises:
        InvalidNameError: A header's name cannot be decoded or shown.
    """

    def is_header(at: int) -> bool:
        return (
            lines[at].startswith("@@")
            or _PREAMBLE.match(lines[at]) is not None
            or (_is_file_header(lines, at) if at == start else _is_next_file(lines, at))
            or (lines[at].startswith("+++ ") and at > start and _is_next_file(lines, at - 1))
        )

    region = PatchRegion(lines, start, end, bounded=bounded, is_header=is_header, check=check)
    files: list[_File] = []
    at = stop = start
    while at < end:
        check()
        line = lines[at]
        if not line.startswith("@@") and is_header(at):
            at = stop = _header(lines, at, end, files)
            continue
        headless = bounded and line[:1] in TAGS and (not files or not files[-1].hunks)
        if not line.startswith("@@") and not headless:
            if line.strip():
                break
            at += 1
            continue
        if not files:
            files.append(_File(at))
        at = stop = _hunk(region, at, files[-1], headless=headless)
    ends = [file.at for file in files[1:]] + [stop]
    made = (_made(file, stop) for file, stop in zip(files, ends, strict=True))
    return [file for file in made if file is not None], stop


def _hunk(region: PatchRegion, at: int, file: _File, *, headless: bool) -> int:
    """Add the hunk at a line to its file, and return the line after the hunk."""
    if file.combined is not None:
        return _combined_hunk(region, at, file)
    headings, number, counts = ((), None, None) if headless else parse_hunk_header(region.lines[at])
    body = region.body(at if headless else at + 1, counts)
    file.hunks += split_hunks(body.lines, headings, number, is_counted=body.is_counted)
    file.final_newline = body.final_newline if body.final_newline is not None else file.final_newline
    if not headless:
        named = "" if file.old is None else "file headers and "
        file.seen = f"{named}hunks that begin with @@"
    return max(body.end, at + 1)


def _combined_hunk(region: PatchRegion, at: int, file: _File) -> int:
    """Add the hunk of a combined diff, and return the line after it; skip one that is not as its header says."""
    found = parse_combined_hunk(region.lines, at, region.end)
    if found is None or file.combined is None:
        file.unsupported = file.unsupported or _COMBINED
        return max(region.body(at + 1, None).end, at + 1)
    file.combined.append(found[0])
    return found[1]


def _header(lines: Sequence[str], at: int, end: int, files: list[_File]) -> int:
    """Apply a header's line to the files, and return the number of the line after the header."""
    line = lines[at]
    git = _git_names(line)
    alone = _ALONE.fullmatch(line)
    if alone and alone["old"] and files and not files[-1].hunks and files[-1].seen == "headers":
        alone = None  # the file is named above
    begins = line.startswith(_GIT) or alone is not None
    if begins or not files or (_is_file_header(lines, at) and (files[-1].hunks or files[-1].old is not None)):
        # git's header and the ---/+++ lines below it are about the same file.
        pending = files and not begins and not files[-1].hunks and files[-1].seen == "headers"
        if not pending:
            is_followed = line.startswith(_GIT) or (alone is not None and alone["path"] is not None)
            files.append(_File(at, seen="headers" if is_followed else ""))
    file = files[-1]
    if git is not None:
        file.old, file.new = (path_of_header(name, at) for name in git)
        file.path = _without_first_folder(file.old, file.new)
    elif _is_file_header(lines, at):
        file.old = path_of_header(_STAMP.sub("", line[4:]), at)
        file.new = path_of_header(_STAMP.sub("", lines[at + 1][4:]), at + 1)
        file.seen = "file headers"
        missing = [_NEVER.search(side) is not None for side in lines[at : at + 2]]
        if missing[0] != missing[1]:
            file.action = "create" if missing[0] else "delete"
        return at + 2
    elif alone is not None:
        file.combined = [] if line.startswith("diff --c") else None
        only = f"{alone['folder']}/{alone['name']}" if alone["name"] else alone["path"]
        file.old, file.new = (path_of_header(alone[side] or only, at) for side in ("old", "new"))
    elif line.startswith("new file mode"):
        file.action = "create"
    elif line.startswith("deleted file mode"):
        file.action = "delete"
    elif line.startswith("rename from "):
        file.old, file.moved = "a/" + path_of_header(line[12:], at), True
    elif line.startswith("rename to "):
        file.new, file.moved = "b/" + path_of_header(line[10:], at), True
    if index := _INDEX.match(line):
        file.old_blob = index[1]
    _add_mode(line, file)
    said = next((said for sign, said in _UNSUPPORTED if line.startswith(sign)), "")
    file.unsupported = file.unsupported or said
    return _skip_binary(lines, at + 1, end) if line == "GIT binary patch" else at + 1


def _add_mode(line: str, file: _File) -> None:
    """Apply the mode that a header gives, if any."""
    found = _MODE.fullmatch(line)
    if found is None:
        return
    file.unsupported = file.unsupported or _FILE_TYPES.get(found["mode"][:2], "")
    if found["side"] in ("new", "new file"):
        file.executable = int(found["mode"], 8) & 0o100 != 0


def _skip_binary(lines: Sequence[str], at: int, end: int) -> int:
    """Return the line after the encoded bytes that begin at a line."""
    stop = at
    while at < end and (not lines[at] or _BINARY_LINE.fullmatch(lines[at])):
        stop = at + 1 if lines[at] else stop
        at += 1
    return stop


def _made(file: _File, end: int) -> FileSketch | None:
    old, new, other = _paths(file)
    if file.combined is not None:
        _settle_combined(file)
    why = f"a unified diff: it has {file.seen or 'file headers'}"
    path = new or old
    made = FileSketch(
        "unified-diff",
        why,
        Diff(tuple(file.hunks)),
        file.at,
        end,
        path=path,
        other_path=other,
        final_newline=file.final_newline,
        executable=file.executable,
        old_blob=file.old_blob,
        unsupported=f"{path} {file.unsupported}." if file.unsupported else "",
    )
    if file.action == "create" or (file.old == "/dev/null" and new):
        return replace(made, action="create")
    if file.action == "delete" or (file.new == "/dev/null" and old):
        return replace(made, action="delete", path=old or new)
    if file.moved and old and new and old != new:
        return replace(made, action="move", path=old, moved_to=new)
    return made if file.hunks or file.unsupported or file.executable is not None else None


def _settle_combined(file: _File) -> None:
    """Make one hunk of those of a combined diff, or say that Apply does not read the diff."""
    hunks = file.combined or []
    is_plain = file.action == "" and file.executable is None and 0 < len(hunks) <= MAX_HUNKS
    if not is_plain or len(set(map(len, hunks))) != 1 or file.unsupported:
        file.unsupported = file.unsupported or _COMBINED
        return
    file.hunks = [as_one_hunk(hunks)]


def _git_names(line: str) -> tuple[str, str] | None:
    """Return the names in git's header, with their prefixes if any; None for another line, or where they are not clear."""
    if not line.startswith(_GIT):
        return None
    rest = line[len(_GIT) :]
    if '"' in rest:
        match = _QUOTED_PAIR.fullmatch(rest)
        return None if match is None else (match[1], match[2])
    pairs = [(rest[:at], rest[at + 1 :]) for at, char in enumerate(rest[:_MAX_NAMES]) if char == " "]
    for old, new in pairs:
        if old == new or (old[1:] == new[1:] and _have_letters(old, new)):
            return old, new
    for old, new in pairs:  # a file that moves, or prefixes of a person's own
        if _have_letters(old, new) or _without_first_folder(old, new):
            return old, new
    return pairs[0] if len(pairs) == 1 and "/" in rest else None


def _have_letters(old: str, new: str) -> bool:
    return bool(_LETTERS.match(old) and _LETTERS.match(new)) and old[0] != new[0]


def _without_first_folder(old: str, new: str) -> str:
    """Return the path that both sides have below different folders, as with `diff -ru old new`; "" if there is none."""
    (first, _, rest), (second, _, other) = old.partition("/"), new.partition("/")
    return rest if rest == other and first != second and first and second else ""


def _paths(file: _File) -> tuple[str | None, str | None, str | None]:
    """Return the old and the new path without prefixes, None for `/dev/null`; and the path if these lead to no file."""
    old, new = file.old or "", file.new or ""
    if _STAND_INS.fullmatch(f"{old} {new}"):
        return None, None, None
    sides = [side.strip('"') for side in (old, new)]
    is_usual = all(
        side in ("", "/dev/null") or side.startswith(letters)
        for side, letters in zip(sides, ("a/", "b/"), strict=True)
    )
    if file.path and "/dev/null" in sides:
        return file.path, file.path, None
    has_same = _have_letters(*sides) and sides[0][2:] == sides[1][2:]
    if is_usual or has_same or (file.moved and _have_letters(*sides)):
        stripped = ("" if side in ("", "/dev/null") else _LETTERS.sub("", side, count=1) for side in sides)
        before, after = map(tagged_path, stripped)
        return before, after, None
    before, after = tagged_path(old), tagged_path(new)
    # Models often write the prefix in one of the two headers only.
    if before and after and (before == f"a/{after}" or after == f"b/{before}"):
        before = after = min(before, after, key=len)
    elif before and after and (below := _without_first_folder(before, after)):
        is_new = bool(file.hunks) and not any(hunk.old for hunk in file.hunks)
        return (below, below, None) if is_new else (after, after, below)
    return before, after, None


def _is_file_header(lines: Sequence[str], at: int) -> bool:
    return (
        lines[at].startswith("--- ")
        and at + 1 < len(lines)
        and lines[at + 1].startswith("+++ ")
        and len(lines[at]) > 4
        and len(lines[at + 1]) > 4
    )


def _is_next_file(lines: Sequence[str], at: int) -> bool:
    """Return whether the header of a file is at a line below other lines of a diff, which may be lines of a hunk, too."""
    if not _is_file_header(lines, at):
        return False
    following = lines[at + 2] if at + 2 < len(lines) else ""
    names = (_STAMP.sub("", line[4:]).strip() for line in lines[at : at + 2])
    return following.startswith("@@") or all(_NAME.fullmatch(name) for name in names)


def _is_tagged(lines: Sequence[str], at: int) -> bool:
    """Return whether the next lines are tagged, and a changed line is among the first few."""
    some = lines[at : at + _LOOK_AHEAD]
    stop = next((number for number, line in enumerate(some) if line and line[0] not in TAGS), len(some))
    return any(line[:1] in ("+", "-") for line in some[:stop])
