"""The change of a git repository: the working tree, what is staged, or all since a branch began."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from editahead_workspace.errors import ChangeError

from .git_command import GitCommand
from .workspace_change import (
    MAX_BYTES,
    MAX_FILES,
    WorkspaceChange,
    WorkspaceTexts,
    make_change,
)

GitSource = Literal["working-tree", "staged"]
"""What is compared with the earlier state."""

_RAW = re.compile(r":(?P<old_mode>\d+) (?P<mode>\d+) (?P<old>[0-9a-f]+) (?P<new>[0-9a-f]+) [A-Z]\d*")
_FILE_MODES = frozenset({"100644", "100755"})
_RAW_DIFF = ("--raw", "-z", "--no-renames", "--no-abbrev")


@dataclass(frozen=True)
class _RawChange:
    """A line of a raw diff. A blob's id is None where there is no regular file, or where it is only on disk."""

    path: str
    old: str | None
    new: str | None
    is_file: bool


def read_git_change(
    git: GitCommand,
    texts: WorkspaceTexts,
    source: GitSource = "working-tree",
    base: str | None = None,
    check: Callable[[], None] = lambda: None,
) -> WorkspaceChange:
    """Return the change of a repository.

    Files that git does not know and does not ignore count as added, but not to what is staged. The text of a staged file is
    the staged one, even where the working tree's is another.

    Args:
        git: The repository.
        texts: The texts of its files.
        source: What is compared.
        base: A revision. The change is then all since the history left it, up to the working tree. None compares with HEAD.
        check: Raises to cancel.

    Raises:
        ChangeError: The change cannot be read, or is too large.
    """
    since, name = _find_base(git, base)
    is_staged = source == "staged"
    out = git.run("diff-index", *(["--cached"] if is_staged else []), *_RAW_DIFF, since, "--")
    changes = {change.path: change for change in _parse_raw(out)}
    if not is_staged:
        for path in _split(git.run("ls-files", "-z", "--others", "--exclude-standard")):
            if not path.endswith("/"):  # a repository inside of this one
                known = changes.get(path)
                changes[path] = _RawChange(path, None if known is None else known.old, None, is_file=True)
        changes.update(_documents(git, texts, since, changes))
    if len(changes) > MAX_FILES:
        raise ChangeError(
            f"the change has {len(changes)} files, and {MAX_FILES} is the limit; "
            "compare with a state that is nearer (`--base REF`), or let git ignore files that are made"
        )
    for entry in _split(git.run("ls-files", "-z", "--unmerged")):
        texts.leave_out(entry.partition("\t")[2], "The file has a conflict.")
    wanted = [change for change in changes.values() if texts.is_allowed(change.path)]
    _leave_out_filtered(git, texts, wanted)
    wanted = [change for change in wanted if change.path not in texts.left_out]
    before, after = _read_texts(git, texts, wanted, is_staged=is_staged, check=check)
    what = "what is staged" if is_staged else "the working tree"
    return make_change(f"{what} against {name}", texts, before, after, check)


def _find_base(git: GitCommand, base: str | None) -> tuple[str, str]:
    """Return the id of the earlier state, and its name for a person."""
    head = git.try_run("rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}")
    if base is None:
        if head is None:
            return git.run("hash-object", "-t", "tree", "--stdin").decode().strip(), "no commit"
        return head, "HEAD"
    commit = git.try_run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}")
    if commit is None:
        raise ChangeError(f"{base} is neither a revision of the repository nor a folder")
    if head is None:
        raise ChangeError("the repository has no commit yet")
    common = git.try_run("merge-base", commit, head)
    if common is None:
        raise ChangeError(
            f"{base} and HEAD have no commit in common; in a shallow clone, fetch more of the history"
        )
    return common, base if common == commit else f"the commit where it left {base}"


def is_revision(git: GitCommand, name: str) -> bool:
    """Return whether a name is a revision of the repository."""
    return (
        git.try_run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}") is not None
    )


def _split(out: bytes) -> list[str]:
    return [field for field in out.decode("utf-8", "surrogateescape").split("\0") if field]


def _parse_raw(out: bytes) -> list[_RawChange]:
    """Return the changes of a raw diff."""
    changes: list[_RawChange] = []
    fields = iter(_split(out))
    for entry in fields:
        path = next(fields, "")
        match = _RAW.fullmatch(entry)
        if match is None:
            raise ChangeError("git: a raw diff that cannot be read")
        was_file, is_file = (match[mode] in _FILE_MODES for mode in ("old_mode", "mode"))
        if was_file or is_file:
            old = match["old"] if was_file else None
            new = match["new"] if is_file and match["new"].strip("0") else None
            changes.append(_RawChange(path, old, new, is_file))
    return changes


def _documents(
    git: GitCommand, texts: WorkspaceTexts, since: str, known: Mapping[str, _RawChange]
) -> dict[str, _RawChange]:
    """Return the open documents as changes. What is on disk may still be as it was."""
    paths = [path for path in texts.documents if path not in known]
    if not paths:
        return {}
    old: dict[str, str] = {}
    for entry in _split(git.run("ls-tree", "-z", "--full-tree", since, "--", *paths)):
        about, _, path = entry.partition("\t")
        mode, _, blob = about.split(" ")
        if mode in _FILE_MODES:
            old[path] = blob
    return {path: _RawChange(path, old.get(path), None, is_file=True) for path in paths}


def _leave_out_filtered(git: GitCommand, texts: WorkspaceTexts, changes: Sequence[_RawChange]) -> None:
    """Leave out the files that a filter converts, such as those of Git LFS: what git stores is not their text."""
    if not git.filters or not changes:
        return
    stdin = "".join(f"{change.path}\0" for change in changes).encode("utf-8", "surrogateescape")
    fields = _split(git.run("check-attr", "-z", "--stdin", "filter", stdin=stdin))
    for path, value in zip(fields[::3], fields[2::3], strict=False):
        if value in git.filters:
            texts.leave_out(path, f"The filter {value} of git converts the file.")


def _read_texts(
    git: GitCommand,
    texts: WorkspaceTexts,
    changes: Sequence[_RawChange],
    *,
    is_staged: bool,
    check: Callable[[], None],
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the texts before and after, by path. A file whose text cannot be read on one side is left out of both."""
    on_disk = {} if is_staged else _read_files(texts, changes, check)
    # Of some files, only the time has changed.
    touched = {change.path for change in changes if _has_text(change.old, on_disk.get(change.path))}
    changes = [change for change in changes if change.path not in touched]
    ids = dict.fromkeys(blob for change in changes for blob in (change.old, change.new) if blob is not None)
    blobs, problems = _read_blobs(git, list(ids), texts.max_file_bytes)
    old_texts: dict[str, str] = {}
    new_texts: dict[str, str] = {}
    for change in changes:
        check()
        path = change.path
        for blob in (change.old, change.new):
            if blob in problems:
                texts.leave_out(path, problems[blob])
        new_data = blobs.get(change.new or "") if is_staged else on_disk.get(path)
        old, new = (_decoded(texts, path, data) for data in (blobs.get(change.old or ""), new_data))
        if path in texts.left_out:
            continue
        if old is not None:
            old_texts[path] = texts.like_document(path, _with_line_ends_of(new, old))
        if new is not None:
            new_texts[path] = new
    return old_texts, new_texts


def _read_files(
    texts: WorkspaceTexts, changes: Sequence[_RawChange], check: Callable[[], None]
) -> dict[str, bytes | None]:
    """Return what the files are on disk, by path."""
    out: dict[str, bytes | None] = {}
    for change in changes:
        check()
        if change.is_file:
            out[change.path] = texts.read(change.path)
    return out


def _has_text(blob: str | None, data: bytes | None) -> bool:
    """Return whether a file has the text of a blob."""
    return blob is not None and data is not None and _blob_id(data, blob) == blob


def _decoded(texts: WorkspaceTexts, path: str, data: bytes | None) -> str | None:
    return None if data is None else texts.decode(path, data)


def _with_line_ends_of(new: str | None, old: str) -> str:
    """Return the old text with the line ends of the new one, as git stores those of some systems otherwise."""
    if new is None or "\r" in old or "\r\n" not in new:
        return old
    return old.replace("\n", "\r\n")


def _read_blobs(
    git: GitCommand, ids: Sequence[str], max_bytes: int
) -> tuple[dict[str, bytes], dict[str, str]]:
    """Return the contents of blobs, and the reasons for those that are missing or too large, both by id."""
    if not ids:
        return {}, {}
    problems: dict[str, str] = {}
    small: list[str] = []
    total = 0
    stdin = "".join(f"{blob}\n" for blob in ids).encode()
    for line in git.run("cat-file", "--batch-check", stdin=stdin).decode().splitlines():
        fields = line.split(" ")
        if len(fields) != 3 or fields[1] != "blob":
            problems[fields[0]] = "The repository lacks a text of the file."
        elif int(fields[2]) > max_bytes:
            problems[fields[0]] = f"The file is larger than {max_bytes} bytes (`max_file_bytes`)."
        else:
            small.append(fields[0])
            total += int(fields[2])
    if total > MAX_BYTES:
        raise ChangeError(f"the change has more than {MAX_BYTES // 10**6} MB of text")
    out = git.run("cat-file", "--batch", stdin="".join(f"{blob}\n" for blob in small).encode())
    blobs: dict[str, bytes] = {}
    at = 0
    for blob in small:
        end = out.index(b"\n", at)
        size = int(out[at:end].split(b" ")[2])
        blobs[blob] = out[end + 1 : end + 1 + size]
        at = end + 2 + size
    return blobs, problems


def _blob_id(data: bytes, like: str) -> str:
    """Return the id of a blob, with the hash of another id's length."""
    digest = hashlib.sha1(usedforsecurity=False) if len(like) == 40 else hashlib.sha256()
    digest.update(b"blob %d\0" % len(data))
    digest.update(data)
    return digest.hexdigest()
