"""The log of what a person searched and then opened, as a server writes it where the setting `search_log` is "on"."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from editahead_lsp.protocol.custom_messages import DidOpenSearchResultParams
from editahead_retrieval.errors import SearchLogError
from editahead_retrieval.files.file_identity import path_from_folder
from editahead_retrieval.search.places import FileText
from editahead_retrieval.search.search_log import OpenedResult, add_opened
from editahead_workspace import uris
from editahead_workspace.codebase.workspace_codebase import IndexedFolder
from editahead_workspace.codebase.workspace_search import FolderTexts
from editahead_workspace.private_files import create_private_file, make_private_folder

log = logging.getLogger(__name__)


class OpenedResults:
    """The log, which one thread writes.

    Args:
        file: The SQLite file. The first result creates it, for the user alone.
        now: Returns the Unix time, in seconds.
    """

    def __init__(self, file: Path, now: Callable[[], float]) -> None:
        self._file, self._now = file, now
        self._warned = False

    def add(
        self,
        params: DidOpenSearchResultParams,
        folders: Sequence[IndexedFolder],
        max_file_bytes: int,
        open_text: str | None,
    ) -> None:
        """Add what was opened. Nothing is written of a file that the index must not show; a failure is logged once.

        Args:
            params: What was searched, and where the person went.
            folders: The workspace folders with an index.
            max_file_bytes: The size of a file in bytes, at most.
            open_text: The text of the document, where it is open.
        """
        opened = self._describe(params, folders, max_file_bytes, open_text)
        if opened is None:
            return
        try:
            make_private_folder(self._file.parent)
            create_private_file(self._file)
            add_opened(self._file, opened)
        except (OSError, SearchLogError) as error:
            if not self._warned:
                self._warned = True
                log.warning("searches are not logged: %s", error)

    def _describe(
        self,
        params: DidOpenSearchResultParams,
        folders: Sequence[IndexedFolder],
        max_file_bytes: int,
        open_text: str | None,
    ) -> OpenedResult | None:
        path = uris.uri_to_path(params.uri)
        if path is None or ".." in path.parts or not params.query.strip():
            return None
        for folder in folders:
            inner = path_from_folder(path, folder.root)
            if inner is None:
                continue
            relative = inner.as_posix()
            texts = FolderTexts(folder, max_file_bytes, lambda uri: open_text, lambda: None)
            text = texts.read(relative)
            file = None if text is None else FileText(relative, text)
            place = None if file is None else file.place_at(params.line)
            if file is not None and place is not None:
                shown = "".join(file.shown_lines[place.line : place.end_line])
                return OpenedResult(
                    self._now(), params.query, folder.root.name, relative, file.language, place.line, shown
                )
        return None
