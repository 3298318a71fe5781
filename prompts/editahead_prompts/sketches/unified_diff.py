"""A parser of unified diffs as models write them: POSIX `diff -u` and git's headers, often incomplete."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from .combined_diff import MAX_HUNKS, Parents, as_one_hunk, parse_combined_hunk
from .hunk_lines import TAGS, PatchRegion, split_hunks
from .paths import path_of_header, tagged_path
from .sketch import Action, Diff, FileSketch, Hunk

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

_ACTIONS: tuple[tuple[str, Action], ...] = (("new file mode", "create"), ("deleted file mode", "delete"))
"""Beginnings of headers that say what becomes of the file."""

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
    action: Action = "edit"
    hunks: list[Hunk] = field(default_factory=list)
    final_newline: bool | None = None
    executable: bool | None = None
    old_blob: str | None = None
    path: str = ""
    unsupported: str = ""
    combined: list[Parents] | None = None
    seen: str = "lines with - and +"

    @property
    def is_followed(self) -> bool:
        """Whether the lines with `---` and `+++` below this header are about the same file."""
        return self.seen == "headers" and not self.hunks

    @property
    def is_complete(self) -> bool:
        """Whether further lines with `---` and `+++` are about another file."""
        return not self.is_followed and (bool(self.hunks) or self.old is not None)

    @property
    def is_empty(self) -> bool:
        """Whether nothing but names is known of the file."""
        return not self.hunks and not self.unsupported and self.executable is None


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
    is_header = partial(_is_header, lines, start)
    region = PatchRegion(lines, start, end, bounded=bounded, is_header=is_header, check=check)
    files: list[_File] = []
    at = stop = start
    while at < end:
        check()
        line = lines[at]
        is_hunk = line.startswith("@@")
        may_lack_header = bounded and not (files and files[-1].hunks)
        if not is_hunk and is_header(at):
            at = stop = _header(lines, at, end, files)
        elif is_hunk or (may_lack_header and line[:1] in TAGS):
            at = stop = _hunk(region, at, files, headless=not is_hunk)
        elif line.strip():
            break
        else:
            at += 1
    return _made_files(files, stop), stop


def _is_header(lines: Sequence[str], start: int, at: int) -> bool:
    """Return whether a header, of a file or of a hunk, is at a line of a diff that begins at line `start`."""
    if lines[at].startswith("@@") or _PREAMBLE.match(lines[at]):
        return True
    if at == start:
        return _is_file_header(lines, at)
    return _is_next_file(lines, at - 1 if lines[at].startswith("+++ ") else at)


def _hunk(region: PatchRegion, at: int, files: list[_File], *, headless: bool) -> int:
    """Add the hunk at a line to its file, the last one, and return the line after the hunk."""
    if not files:
        files.append(_File(at))
    file = files[-1]
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
    alone = _ALONE.fullmatch(line)
    if alone and alone["old"] and files and files[-1].is_followed:
        alone = None  # the file is named above
    file = _file_of_header(lines, at, alone, files)
    if _is_file_header(lines, at):
        _add_pair(lines, at, file)
        return at + 2
    _add_names(line, at, alone, file)
    _add_properties(line, file)
    return _skip_binary(lines, at + 1, end) if line == "GIT binary patch" else at + 1


def _file_of_header(lines: Sequence[str], at: int, alone: re.Match[str] | None, files: list[_File]) -> _File:
    """Return the file that a header's line is about, a new one where the line begins it."""
    is_git = lines[at].startswith(_GIT)
    is_new = is_git or alone is not None or not files
    if is_new or (_is_file_header(lines, at) and files[-1].is_complete):
        is_followed = is_git or (alone is not None and alone["path"] is not None)
        files.append(_File(at, seen="headers" if is_followed else "file headers"))
    return files[-1]


def _add_pair(lines: Sequence[str], at: int, file: _File) -> None:
    """Apply the two lines of a header that begin with `---` and `+++`."""
    file.old = path_of_header(_STAMP.sub("", lines[at][4:]), at)
    file.new = path_of_header(_STAMP.sub("", lines[at + 1][4:]), at + 1)
    file.seen = "file headers"
    missing = [_NEVER.search(side) is not None for side in lines[at : at + 2]]
    if missing[0] != missing[1]:
        file.action = "create" if missing[0] else "delete"


def _add_names(line: str, at: int, alone: re.Match[str] | None, file: _File) -> None:
    """Apply the names in a header's line, if any; `alone` is its match where it needs no other header."""
    git = _git_names(line)
    if git is not None:
        file.old, file.new = (path_of_header(name, at) for name in git)
        file.path = _without_first_folder(file.old, file.new)
    elif alone is not None:
        file.combined = [] if line.startswith("diff --c") else None
        only = f"{alone['folder']}/{alone['name']}" if alone["name"] else alone["path"]
        file.old, file.new = (path_of_header(alone[side] or only, at) for side in ("old", "new"))
    elif line.startswith("rename from "):
        file.old, file.moved = "a/" + path_of_header(line[12:], at), True
    elif line.startswith("rename to "):
        file.new, file.moved = "b/" + path_of_header(line[10:], at), True


def _add_properties(line: str, file: _File) -> None:
    """Apply what a header's line says of a file besides its names: its action, text, mode and kind."""
    file.action = next((action for sign, action in _ACTIONS if line.startswith(sign)), file.action)
    if index := _INDEX.match(line):
        file.old_blob = index[1]
    if mode := _MODE.fullmatch(line):
        file.unsupported = file.unsupported or _FILE_TYPES.get(mode["mode"][:2], "")
        if mode["side"] in ("new", "new file"):
            file.executable = int(mode["mode"], 8) & 0o100 != 0
    said = next((said for sign, said in _UNSUPPORTED if line.startswith(sign)), "")
    file.unsupported = file.unsupported or said


def _skip_binary(lines: Sequence[str], at: int, end: int) -> int:
    """Return the line after the encoded bytes that begin at a line."""
    stop = at
    while at < end and (not lines[at] or _BINARY_LINE.fullmatch(lines[at])):
        stop = at + 1 if lines[at] else stop
        at += 1
    return stop


def _made_files(files: Sequence[_File], stop: int) -> list[FileSketch]:
    """Return the parts of the files, of which the last one ends before line `stop`."""
    ends = [*(file.at for file in files[1:]), stop]
    return [made for made in map(_made, files, ends) if made is not None]


def _made(file: _File, end: int) -> FileSketch | None:
    """Return a file's part; None for a part that says nothing."""
    old, new, other = _paths(file)
    if file.combined is not None:
        _settle_combined(file)
    action = _action(file, old, new)
    if action == "edit" and file.is_empty:
        return None
    return FileSketch(
        "unified-diff",
        f"a unified diff: it has {file.seen}",
        Diff(tuple(file.hunks)),
        file.at,
        end,
        path=new or old if action in ("create", "edit") else old or new,
        action=action,
        moved_to=new if action == "move" else None,
        other_path=other,
        final_newline=file.final_newline,
        executable=file.executable,
        old_blob=file.old_blob,
        unsupported=f"{new or old} {file.unsupported}." if file.unsupported else "",
    )


def _action(file: _File, old: str | None, new: str | None) -> Action:
    """Return the effect on a file with these paths."""
    if file.action == "create" or (file.old == "/dev/null" and new):
        return "create"
    if file.action == "delete" or (file.new == "/dev/null" and old):
        return "delete"
    return "move" if file.moved and old != new and None not in (old, new) else "edit"


def _settle_combined(file: _File) -> None:
    """Make one hunk of those of a combined diff, or say that Apply does not read the diff."""
    hunks = file.combined or []
    is_plain = file.action == "edit" and file.executable is None and 0 < len(hunks) <= MAX_HUNKS
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
    pairs = _pairs(rest)
    # The second predicate is for a file that moves, and for prefixes of a person's own.
    fit = (pair for is_pair in (_name_one_path, _name_two_paths) for pair in pairs if is_pair(*pair))
    return next(fit, pairs[0] if len(pairs) == 1 and "/" in rest else None)


def _pairs(text: str) -> list[tuple[str, str]]:
    """Return what is before and after each space."""
    return [(text[:at], text[at + 1 :]) for at, char in enumerate(text[:_MAX_NAMES]) if char == " "]


def _name_one_path(old: str, new: str) -> bool:
    """Return whether both names are of the same path."""
    return old == new or (old[1:] == new[1:] and _have_letters(old, new))


def _name_two_paths(old: str, new: str) -> bool:
    """Return whether two names can be those of the two sides of a diff."""
    return _have_letters(old, new) or _without_first_folder(old, new) != ""


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
    sides = (old.strip('"'), new.strip('"'))
    if file.path and "/dev/null" in sides:
        return file.path, file.path, None
    if _have_prefixes(*sides, is_moved=file.moved):
        before, after = (tagged_path(_LETTERS.sub("", side, count=1)) for side in sides)
        return before, after, None
    before, after = tagged_path(old), tagged_path(new)
    return _paths_in_folders(before, after, file) if before and after else (before, after, None)


def _paths_in_folders(before: str, after: str, file: _File) -> tuple[str, str, str | None]:
    """Return the paths as `_paths` does, where folders of a person's own may be before both."""
    # Models often write the prefix in one of the two headers only.
    if before == f"a/{after}" or after == f"b/{before}":
        shorter = min(before, after, key=len)
        return shorter, shorter, None
    below = _without_first_folder(before, after)
    if not below:
        return before, after, None
    is_new = bool(file.hunks) and not any(hunk.old for hunk in file.hunks)
    return (below, below, None) if is_new else (after, after, below)


def _have_prefixes(old: str, new: str, *, is_moved: bool) -> bool:
    """Return whether the letters before the paths of both sides are git's, and no folders."""
    sides = ((old, "a/"), (new, "b/"))
    if all(side in ("", "/dev/null") or side.startswith(letters) for side, letters in sides):
        return True
    return _have_letters(old, new) and (is_moved or old[2:] == new[2:])


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
