"""The files that a sketch may change: open documents, and files of the workspace.

Nothing outside of the workspace is read or written, whatever a path says and wherever a symbolic link leads; nor is what
git ignores, what `exclude` names and what looks like a secret, unless it is open.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from editahead_inference.apply.results import Refusal, RefusalReason
from editahead_inference.errors import ApplyRefusedError
from editahead_lsp.workspace import uris
from editahead_lsp.workspace.file_exclusion import FileExclusion
from editahead_prompts.sketches.paths import language_of
from editahead_prompts.text.snapshot import Snapshot

BOM = "\ufeff"


class WorkspaceFiles:
    """folders: of the workspace; without any, only open documents are changed. documents: the open ones, by their keys.
    uri: the file that the sketch is for, as far as it names none; here: its folder, if that is not plain from it.
    most_bytes: what a file may have."""

    def __init__(
        self,
        folders: Sequence[Path],
        documents: Mapping[str, Snapshot],
        exclusion: FileExclusion,
        most_bytes: int,
        uri: str | None = None,
        here: Path | None = None,
    ) -> None:
        self._folders = folders
        self._real_folders = [Path(os.path.realpath(folder)) for folder in folders]
        self._documents, self._exclusion, self._most_bytes = documents, exclusion, most_bytes
        self._uri = uri
        own = uris.uri_to_path(uri) if uri is not None else None
        self._here = here if own is None else own.parent
        self.with_bom: set[str] = set()
        """The files that were read and begin with a byte order mark, by URI. It is no part of their text."""

    def resolve(self, path: str | None) -> Snapshot | None:
        """See `editahead_inference.apply.planner.Files`. A relative path is one from a folder of the workspace, or from the
        folder of the file that the sketch is for. A path that leads nowhere may still mean that file, if it ends with
        the same name."""
        if path is None:
            return None if self._uri is None else self._at(self._uri)
        found: dict[str, str] = {}
        for candidate in self._candidates(path):
            uri = uris.path_to_uri(candidate)
            if uris.canonical_key(uri) in self._documents or os.path.lexists(candidate):
                found.setdefault(os.path.realpath(candidate), uri)
        if len(found) > 1:
            raise _refused("ambiguous", f"There are several files {path} in the workspace.")
        if found:
            return self._at(next(iter(found.values())))
        if (
            self._uri is not None
            and PurePosixPath(path).name == PurePosixPath(uris.canonical_key(self._uri)).name
        ):
            return self._at(self._uri)
        return None

    def create(self, path: str) -> Snapshot:
        candidate = next(iter(self._candidates(path)), None)
        if candidate is None:
            raise _refused("outside-workspace", f"There is no workspace in which {path} could be made.")
        if os.path.lexists(candidate):
            raise _refused("would-lose-code", f"{path} exists already.")
        uri = uris.path_to_uri(candidate)
        self._check_place(candidate, uri)
        return Snapshot.from_text("", uri=uri, language=language_of(path) or "plaintext")

    def _candidates(self, path: str) -> list[Path]:
        """Where the file may be. Those outside of the workspace are refused, not passed over."""
        if not path or "\0" in path:
            raise _refused("unplaced", "The sketch names a file with an impossible name.")
        named = Path(path)
        if named.is_absolute():
            candidates = [named]
        else:
            candidates = [folder / named for folder in self._folders]
            if self._here is not None and self._folders:
                candidates.append(self._here / named)
        out = [Path(os.path.normpath(candidate)) for candidate in candidates]
        inside = [candidate for candidate in out if any(candidate.is_relative_to(f) for f in self._folders)]
        if out and not inside:
            raise _refused("outside-workspace", f"{path} is outside of the workspace.")
        return inside

    def _at(self, uri: str) -> Snapshot:
        """The file, as the client has it or as it is on the disk."""
        path, document = uris.uri_to_path(uri), self._documents.get(uris.canonical_key(uri))
        if document is not None:
            if path is not None and self._folders:
                self._check_inside(path)
            if len(document.text.encode("utf-8", "replace")) > self._most_bytes:
                raise self._too_large(uri)
            return document
        if path is None:
            raise _refused("unplaced", "The document is not open.")
        self._check_place(path, uri)
        return Snapshot.from_text(
            self._read(path, uri), uri=uri, language=language_of(path.name) or "plaintext"
        )

    def _check_place(self, path: Path, uri: str) -> None:
        straight = self._check_inside(path)
        why = self._exclusion.exclusion_reason(uri) or self._exclusion.exclusion_reason(
            uris.path_to_uri(straight)
        )
        if why is not None:
            raise _refused("outside-workspace", f"{path.name} is left alone. {why}")

    def _check_inside(self, path: Path) -> Path:
        """The same file by a path from a folder of the workspace that follows no symbolic link below it."""
        real = Path(os.path.realpath(path))
        for folder, real_folder in zip(self._folders, self._real_folders, strict=True):
            if real.is_relative_to(real_folder):
                return folder / real.relative_to(real_folder)
        raise _refused("outside-workspace", f"{path.name} is outside of the workspace.")

    def _read(self, path: Path, uri: str) -> str:
        try:
            found = path.stat()
            if not stat.S_ISREG(found.st_mode):
                raise _refused("unparsed", f"{path.name} is not a regular file.")
            if found.st_size > self._most_bytes:
                raise self._too_large(uri)
            data = path.read_bytes()
        except OSError as error:
            raise _refused("unplaced", f"{path.name} cannot be read: {error.strerror}.") from None
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            raise _refused("unparsed", f"{path.name} is not a text file in UTF-8.")
        if text.startswith(BOM):
            self.with_bom.add(uri)
        return text.removeprefix(BOM)

    def _too_large(self, uri: str) -> ApplyRefusedError:
        name = PurePosixPath(uris.canonical_key(uri)).name
        return _refused("too-large", f"{name} is larger than {self._most_bytes} bytes (`max_file_bytes`).")


def _refused(reason: RefusalReason, detail: str) -> ApplyRefusedError:
    return ApplyRefusedError(Refusal(reason, detail))
