"""The search of one client: its thread, and what is kept from question to question."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from editahead_inference.worker_thread import WorkerThread
from editahead_retrieval.search.search_log import FILE_NAME
from editahead_workspace.codebase.team_search import TeamAnswers
from editahead_workspace.codebase.workspace_search import WorkspaceSearch

from .opened_results import OpenedResults


class SearchService:
    """The search of one client.

    Args:
        clock: Returns monotonic seconds.
        state_folder: The folder of the log of searches.
        now: Returns the Unix time, in seconds.

    Attributes:
        worker: The thread of searches, one after the other.
        workspace: The search in the workspace folders. The worker runs it.
        team: The answers of a team while indexes are being built.
        opened: The log of results that were opened. The worker writes it.
    """

    def __init__(self, clock: Callable[[], float], state_folder: Path, now: Callable[[], float]) -> None:
        self.worker = WorkerThread("editahead-search")
        self.workspace = WorkspaceSearch()
        self.team = TeamAnswers(clock)
        self.opened = OpenedResults(state_folder / FILE_NAME, now)

    def stop(self) -> None:
        """End the thread without waiting for a file of a network that hangs, and close the indexes."""
        self.worker.stop(timeout=0)
        self.workspace.close()
