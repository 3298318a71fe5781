"""The count of the places that the change still lacks, found in a pause, for the status of a client that asks for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_lsp.idle_trigger import IdleTrigger
from editahead_lsp.protocol.custom_messages import PLACES_LEFT
from editahead_lsp.protocol.finish_messages import PlacesLeftParams
from editahead_workspace import uris
from editahead_workspace.errors import ChangeError
from editahead_workspace.finish.messages import Found

if TYPE_CHECKING:
    from editahead_lsp.server import Server

IDLE_S = 4.0
"""Seconds without a change before the places are counted. A person who pauses for less is in the middle of an edit."""


class PlacesLeft:
    """A count that follows the change of the repository of the focused document.

    Args:
        server: The server of the client.
        sleep: Waits for a number of seconds.
    """

    def __init__(self, server: Server, sleep: Callable[[float], Awaitable[None]]) -> None:
        self._server = server
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

    def tell(self, root: Path, places: int | None) -> None:
        """Tell the client how many places a workspace folder still lacks; None = it is not known."""
        if places is None and self.places is None:
            return
        self.places = places
        if self._server.client.counts_places:
            message = places_message(places) if places else ""
            params = PlacesLeftParams(uris.path_to_uri(root), places, message)
            self._server.protocol.notify(PLACES_LEFT, params)

    def _input(self) -> int | None:
        server = self._server
        if not (self._changes and server.client.counts_places):
            return None
        is_ready = all(report.state == "ready" for report in server.index.reports.values())
        return self._changes if server.index.is_on and is_ready else None

    async def _count(self) -> None:
        server = self._server
        try:
            job = server.finish_service.create_job(None, is_idle=True)
        except ChangeError:
            return
        self._search = asyncio.ensure_future(server.finish_service.find(job))
        await asyncio.wait({self._search})
        search, self._search = self._search, None
        if search.cancelled():
            return
        failed = search.exception() is not None
        count = None if failed else sum(place.likely for place in search.result().places)
        self.tell(Path(job.task.root), count)


def places_message(count: int) -> str:
    """Return a number of places in words."""
    return "1 place left" if count == 1 else f"{count} places left"
