"""The search of one client: its thread, and what is kept from question to question."""

from __future__ import annotations

from collections.abc import Callable

from editahead_inference.worker_thread import WorkerThread

from .team_search import TeamAnswers
from .workspace_search import WorkspaceSearch


class SearchService:
    """The search of one client.

    Args:
        clock: Returns monotonic seconds.

    Attributes:
        worker: The thread of searches, one after the other.
        workspace: The search in the workspace folders. The worker runs it.
        team: The answers of a team while indexes are being built.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.worker = WorkerThread("editahead-search")
        self.workspace = WorkspaceSearch()
        self.team = TeamAnswers(clock)

    def stop(self) -> None:
        """End the thread without waiting for a file of a network that hangs, and close the indexes."""
        self.worker.stop(timeout=0)
        self.workspace.close()
