"""The count of the places that the change still lacks, found in a pause, for the status of a client that asks for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from editahead_lsp.client_connection import ClientConnection
from editahead_lsp.idle_trigger import IdleTrigger
from editahead_lsp.protocol.custom_messages import PLACES_LEFT
from editahead_lsp.protocol.finish_messages import PlacesLeftParams
from editahead_workspace import uris
from editahead_workspace.codebase.index_service import IndexService
from editahead_workspace.errors import ChangeError
from editahead_workspace.finish.messages import Found

from .service import FinishService

IDLE_S = 4.0
"""Seconds without a change before the places are counted. A person who pauses for less is in the middle of an edit."""


class FinishCounter:
    """A count that follows the change of the repository of the focused document.

    Args:
        client: The client.
        finish: Searches for the places.
        index: The indexes, without which there is no search.
        sleep: Waits for a number of seconds.
    """

    def __init__(
        self,
        client: ClientConnection,
        finish: FinishService,
        index: IndexService,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._client, self._finish, self._index = client, finish, index
        self._changes = 0
        self._search: asyncio.Task[Found] | None = None
        self._trigger = IdleTrigger(self._input, self._count, IDLE_S, sleep)
        self.places: int | None = None
        """The number of likely places; None while it is not known."""

    def on_change(self) -> None:
        """Note that a text has changed. A search for the texts before ends."""
        self._changes += 1
        self.pause()

    def on_message(self) -> None:
        """Count in the next pause. Called after every message."""
        self._trigger.on_message()

    def pause(self) -> None:
        """End a search that runs."""
        if self._search is not None:
            self._search.cancel()

    def stop(self) -> None:
        """Stop the trigger, and end a search."""
        self._trigger.stop()
        self.pause()

    def report(self, root: Path, places: int | None) -> None:
        """Tell the client how many places a workspace folder still lacks; None = it is not known."""
        if places is None and self.places is None:
            return
        self.places = places
        if self._client.capabilities.counts_places:
            message = places_message(places) if places else ""
            params = PlacesLeftParams(uris.path_to_uri(root), places, message)
            self._client.notify(PLACES_LEFT, params)

    def _input(self) -> int | None:
        if not (self._changes and self._client.capabilities.counts_places):
            return None
        is_ready = all(report.state == "ready" for report in self._index.reports.values())
        return self._changes if self._index.is_on and is_ready else None

    async def _count(self) -> None:
        try:
            job = self._finish.create_job(None, is_idle=True)
        except ChangeError:
            return
        self._search = asyncio.ensure_future(self._finish.find(job))
        await asyncio.wait({self._search})
        search, self._search = self._search, None
        if search.cancelled():
            return
        failed = search.exception() is not None
        count = None if failed else sum(place.likely for place in search.result().places)
        self.report(Path(job.task.root), count)


def places_message(count: int) -> str:
    """Return a number of places in words."""
    return "1 place left" if count == 1 else f"{count} places left"
