"""A change of a workspace folder: its files with their texts before and after, and what does not take part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from editahead_inference.finish.report import ChangedFile
from editahead_prompts.syntax.languages import language_of
from editahead_prompts.text.snapshot import Snapshot, split_lines
from editahead_retrieval.errors import UnreadableFileError
from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.file_identity import path_from_folder
from editahead_retrieval.files.folder_reader import read_permitted
from editahead_retrieval.index.content import decode_text
from editahead_workspace import uris
from editahead_workspace.errors import ChangeError

from .renames import find_renames

MAX_FILES = 5_000
"""Files of a change. All of their texts are held at once."""
MAX_BYTES = 100_000_000
"""Bytes of all texts of a change."""


@dataclass(frozen=True)
class LeftOutFile:
    """A changed file that does not take part: its path from the root, with slashes, and the reason, a whole sentence."""

    path: str
    reason: str


@dataclass(frozen=True)
class WorkspaceChange:
    """A change.

    Attributes:
        source: What was compared, for a person, such as "the working tree against HEAD".
        files: The changed files, by path.
        left_out: The files that do not take part.
        is_on_disk: Whether the files on disk have the change. Else nothing can be written on top of it.
    """

    source: str
    files: tuple[ChangedFile, ...]
    left_out: tuple[LeftOutFile, ...] = ()
    is_on_disk: bool = True


class WorkspaceTexts:
    """The texts of the files of one workspace folder that may be read: no excluded, secret, binary or too large ones.

    Attributes:
        root: The workspace folder.
        left_out: The files that were asked for and may not be read.

    Args:
        root: The workspace folder.
        rules: The rules for its files.
        max_file_bytes: The size of a file in bytes, at most.
        documents: The open documents. Those of the folder count as they are, whatever is on disk.
        within: The folder outside of which no file may be read; None = `root`.
    """

    def __init__(
        self,
        root: Path,
        rules: ExclusionRules,
        max_file_bytes: int,
        documents: Sequence[Snapshot] = (),
        within: Path | None = None,
    ) -> None:
        self.root, self.max_file_bytes = root, max_file_bytes
        self._rules = rules
        self._within = within
        self.left_out: dict[str, LeftOutFile] = {}
        self.documents: dict[str, Snapshot] = {}
        """The open documents of the folder, by path from the root, with slashes."""
        for document in documents:
            path = uris.uri_to_path(document.uri)
            inner = None if path is None or ".." in path.parts else path_from_folder(path, root)
            if inner is not None:
                self.documents[inner.as_posix()] = document

    def is_allowed(self, path: str) -> bool:
        """Return whether a file may take part, whether it exists or not. Otherwise note it.

        Args:
            path: The path from the root, with slashes.
        """
        parts = path.split("/")
        if any(part in ("", ".", "..") for part in parts) or not _is_encodable(path):
            self.leave_out(path, "The file's name is not one that every program reads.")
        elif self._within is not None and path_from_folder(self.root / path, self._within) is None:
            self.leave_out(path, "The file is outside of the folder that is open.")
        elif reason := self._rules.reason(self.root / path):
            self.leave_out(path, reason)
        else:
            return True
        return False

    def leave_out(self, path: str, reason: str) -> None:
        """Note that a file does not take part.

        Args:
            path: The path from the root, with slashes.
            reason: The reason, a whole sentence.
        """
        self.left_out.setdefault(path, LeftOutFile(path, reason))

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a file: of its document if it is open, else of what is on disk.

        Return None where there is no such file, or none that may be read.
        """
        if path in self.documents:
            return self.documents[path].text.encode("utf-8", "surrogatepass")
        try:
            return read_permitted(self.root / path, self.root, self._rules, self.max_file_bytes)
        except FileNotFoundError:
            return None
        except UnreadableFileError as error:
            self.leave_out(path, f"The file cannot be read: {error}.")
            return None

    def decode(self, path: str, data: bytes) -> str | None:
        """Return the text of a file; None, and a note, for one that is too large or not text."""
        if len(data) > self.max_file_bytes:
            self.leave_out(path, f"The file is larger than {self.max_file_bytes} bytes (`max_file_bytes`).")
            return None
        text = decode_text(data)
        if text is None:
            self.leave_out(path, "The file is not text in UTF-8.")
        return text

    def like_document(self, path: str, text: str) -> str:
        """Return an earlier text of a file as an editor shows it, if it is open.

        Some editors keep the mark at the start of a file and the kind of its line ends to themselves.
        """
        document = self.documents.get(path)
        if document is None:
            return text
        if text.startswith("\ufeff") and not document.text.startswith("\ufeff"):
            text = text[1:]
        return text if "\r" in document.text else text.replace("\r\n", "\n")

    def snapshot(self, path: str, text: str) -> Snapshot:
        """Return a text as that of the file at a path from the root; an open document as it is."""
        document = self.documents.get(path)
        if document is not None and document.text == text:
            return document
        return Snapshot(uris.path_to_uri(self.root / path), language_of(path), 0, split_lines(text))


def make_change(
    source: str,
    texts: WorkspaceTexts,
    before: Mapping[str, str],
    after: Mapping[str, str],
    check: Callable[[], None],
) -> WorkspaceChange:
    """Return the change between texts, with the renames found in it.

    Args:
        source: What was compared, for a person.
        texts: The folder.
        before: The texts before, by path, of all files that changed.
        after: Their texts after.
        check: Raises to cancel.

    Raises:
        ChangeError: The change is too large.
    """
    check_size([*before.values(), *after.values()])
    deleted = {path: text for path, text in before.items() if path not in after}
    added = {path: text for path, text in after.items() if path not in before}
    renames = find_renames(deleted, added, check)
    old_paths = {new: old for old, new in renames.items()}
    files = []
    for path in sorted({*before, *after} - renames.keys()):
        old_path = old_paths.get(path, path)
        old, new = before.get(old_path), after.get(path)
        if old == new and old_path == path:
            continue
        files.append(
            ChangedFile(
                None if old is None else texts.snapshot(old_path, old),
                None if new is None else texts.snapshot(path, new),
            )
        )
    return WorkspaceChange(source, tuple(files), tuple(texts.left_out.values()))


def check_size(texts: Iterable[str]) -> None:
    """Check that a change is not too large.

    Raises:
        ChangeError: It is.
    """
    sizes = [len(text) for text in texts]
    if len(sizes) > 2 * MAX_FILES or sum(sizes) > MAX_BYTES:
        raise ChangeError(
            f"the change is too large, with more than {MAX_FILES} files or {MAX_BYTES // 10**6} MB; "
            "compare with a state that is nearer (`--base REF`)"
        )


def _is_encodable(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in path
