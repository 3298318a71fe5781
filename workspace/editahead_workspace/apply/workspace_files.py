"""The files that a sketch may change: open documents, and files of the workspace.

No path and no symbolic link leads to a file outside of the workspace. Files that git ignores, that `exclude` names or that
look like secrets are neither read nor written, unless they are open.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from editahead_inference.apply.results import Refusal, RefusalReason
from editahead_inference.apply.review.file_names import REPOSITORY_PARTS, FileFlag, make_flag, runs_by_itself
from editahead_inference.errors import ApplyRefusedError
from editahead_prompts.syntax.languages import language_of
from editahead_prompts.text.file_names import fold_name, is_git_folder
from editahead_prompts.text.snapshot import Snapshot
from editahead_retrieval.errors import FileTooLargeError, NotRegularFileError, UnreadableFileError
from editahead_retrieval.files.bounded_files import read_file_without_links
from editahead_retrieval.files.file_identity import path_from_folder, real_path
from editahead_retrieval.files.secret_names import is_secret_path
from editahead_workspace import uris
from editahead_workspace.file_exclusion import FileExclusion
from editahead_workspace.open_files import OpenFiles
from editahead_workspace.settings import Settings

BOM = "\ufeff"


class WorkspaceFiles:
    """The files that one sketch may change.

    Args:
        folders: The workspace folders. Without any, only open documents may be changed.
        documents: The open documents by key.
        exclusion: Finds excluded files.
        max_bytes: The size of a file in bytes, at most.
        uri: The file to change where the sketch names none.
        here: The folder for relative paths when `uri` does not give one.
    """

    def __init__(
        self,
        folders: Sequence[Path],
        documents: Mapping[str, Snapshot],
        exclusion: FileExclusion,
        max_bytes: int,
        uri: str | None = None,
        here: Path | None = None,
    ) -> None:
        self._folders = folders
        self._open_files = OpenFiles(lambda: {key: snapshot.uri for key, snapshot in documents.items()})
        self._documents, self._exclusion, self.max_bytes = documents, exclusion, max_bytes
        self._uri = uri
        own = uris.uri_to_path(uri) if uri is not None else None
        self._here = here if own is None else own.parent
        self.with_bom: set[str] = set()
        """The URIs of files that were read and begin with a byte order mark, which is not part of their text."""

    @classmethod
    def on_disk(cls, root: Path, settings: Settings, here: Path, file: Path | str | None) -> WorkspaceFiles:
        """Return the files of a workspace folder, none of which is open in an editor.

        Args:
            root: The workspace folder.
            settings: What is excluded, and how large a file may be.
            here: The folder for relative paths.
            file: The file to change where the sketch names none, maybe relative to `here`.
        """
        uri = uris.path_to_uri(Path(os.path.normpath(here / file))) if file is not None else None
        return cls([root], {}, FileExclusion([root], settings.exclude), settings.max_file_bytes, uri, here)

    def resolve(self, path: str | None) -> Snapshot | None:
        """Return the file at a path; None when there is none. See `editahead_inference.apply.planner.FileProvider`.

        A relative path starts at a workspace folder, or at the folder of the file that the sketch is for. A path without a
        file still means that file if it ends with the same name.

        Raises:
            ApplyRefusedError: The path is ambiguous or outside of the workspace, or the file must not be changed.
        """
        if path is None:
            return None if self._uri is None else self._at(self._uri)
        found: dict[str, str] = {}
        for candidate in self._candidates(path):
            uri = uris.path_to_uri(candidate)
            if self._open_files.find(uri) is not None or os.path.lexists(candidate):
                found.setdefault(str(real_path(candidate)), uri)
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
        """Return an empty text for a new file.

        Raises:
            ApplyRefusedError: The file exists or must not be created.
        """
        candidate = next(iter(self._candidates(path)), None)
        if candidate is None:
            raise _refused("outside-workspace", f"There is no workspace in which {path} could be made.")
        uri = uris.path_to_uri(candidate)
        if self._open_files.find(uri) is not None or os.path.lexists(candidate):
            raise _refused("would-lose-code", f"{path} exists already.")
        # Such a file is flagged, and holds nothing yet that could be read.
        is_flagged_secret = self.find_flag(uri) is not None and is_secret_path(candidate.as_posix())
        self._check_place(candidate, uri, may_be_excluded=is_flagged_secret)
        return Snapshot.from_text("", uri=uri, language=language_of(path))

    def exclusion_reason(self, uri: str) -> str | None:
        """Return one sentence that says why a document is excluded; None if it is not. An open one can be changed."""
        return self._exclusion.exclusion_reason(uri)

    def find_flag(self, uri: str) -> FileFlag | None:
        """Return what a person should know about a file before it changes, or None."""
        path = uris.uri_to_path(uri)
        if path is None:
            return None
        ways = [
            (folder, inner)
            for folder in self._folders
            for way in (path, real_path(path))
            if (inner := path_from_folder(way, folder)) is not None
        ]
        if any(_is_in_repository(folder, inner) for folder, inner in ways):
            return make_flag("always")
        names = [inner for _, inner in ways] or [Path(path.name)]
        scopes = [scope for inner in names if (scope := runs_by_itself(PurePosixPath(inner.as_posix())))]
        return make_flag(min(scopes)) if scopes else None  # "always" comes first

    def is_executable(self, uri: str) -> bool:
        """Return whether the owner may run the file with a URI."""
        path = uris.uri_to_path(uri)
        try:
            return path is not None and path.stat().st_mode & stat.S_IXUSR != 0
        except OSError:
            return False

    def _candidates(self, path: str) -> list[Path]:
        """Return the paths at which the file may be. Refuse when all are outside of the workspace."""
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
        inside = [each for each in out if any(path_from_folder(each, f) is not None for f in self._folders)]
        if out and not inside:
            raise _refused("outside-workspace", f"{path} is outside of the workspace.")
        return inside

    def _at(self, uri: str) -> Snapshot:
        """Return the file as the client has it, or as it is on the disk."""
        path, document = uris.uri_to_path(uri), self._documents.get(self._open_files.find(uri) or "")
        if document is not None:
            if path is not None and self._folders:
                self._check_inside(path)
            if len(document.text.encode("utf-8", "replace")) > self.max_bytes:
                raise self._too_large(uri)
            return document
        if path is None:
            raise _refused("unplaced", "The document is not open.")
        real = self._check_place(path, uri)
        return Snapshot.from_text(self._read(real, path.name, uri), uri=uri, language=language_of(path.name))

    def _check_place(self, path: Path, uri: str, *, may_be_excluded: bool = False) -> Path:
        """Return the path without links of a file that may be changed."""
        real, straight = self._check_inside(path)
        if any(is_git_folder(name) for place in (path, straight) for name in self._inner_parts(place)):
            raise _refused(
                "outside-workspace", f"{path.name} is git's own file, or has a name that may lead to one."
            )
        why = self._exclusion.exclusion_reason(uri) or self._exclusion.exclusion_reason(
            uris.path_to_uri(straight)
        )
        if why is not None and not may_be_excluded:
            raise _refused("outside-workspace", f"{path.name} is left alone. {why}")
        return real

    def _inner_parts(self, path: Path) -> Iterator[str]:
        """Yield the components of a path below the workspace folders that it is in."""
        for folder in self._folders:
            if path.is_relative_to(folder):
                yield from path.relative_to(folder).parts

    def _check_inside(self, path: Path) -> tuple[Path, Path]:
        """Return the file's path without links, and from a workspace folder with the links below the folder resolved."""
        real = real_path(path)
        for folder in self._folders:
            inner = path_from_folder(real, real_path(folder))
            if inner is not None:
                return real, folder / inner
        raise _refused("outside-workspace", f"{path.name} is outside of the workspace.")

    def _read(self, real: Path, name: str, uri: str) -> str:
        """Return the text of a file whose place was checked, and in whose path nothing is a link."""
        try:
            data = read_file_without_links(str(real), self.max_bytes)
        except FileTooLargeError:
            raise self._too_large(uri) from None
        except NotRegularFileError:
            raise _refused("unparsed", f"{name} is not a regular file.") from None
        except (FileNotFoundError, UnreadableFileError) as error:
            raise _refused("unplaced", f"{name} cannot be read: {_reason_of(error)}.") from None
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            raise _refused("unparsed", f"{name} is not a text file in UTF-8.")
        if text.startswith(BOM):
            self.with_bom.add(uri)
        return text.removeprefix(BOM)

    def _too_large(self, uri: str) -> ApplyRefusedError:
        name = PurePosixPath(uris.canonical_key(uri)).name
        return _refused("too-large", f"{name} is larger than {self.max_bytes} bytes (`max_file_bytes`).")


def _reason_of(error: FileNotFoundError | UnreadableFileError) -> str:
    return str(error.strerror) if isinstance(error, FileNotFoundError) else str(error)


def _refused(reason: RefusalReason, detail: str) -> ApplyRefusedError:
    return ApplyRefusedError(Refusal(reason, detail))


def _is_in_repository(folder: Path, inner: Path) -> bool:
    """Return whether a file is a part of a repository of git that has no `.git`: beside a `HEAD`."""
    names = [fold_name(part) for part in inner.parts]
    return any(
        name in REPOSITORY_PARTS and os.path.lexists(folder.joinpath(*inner.parts[:depth], "HEAD"))
        for depth, name in enumerate(names)
    )
