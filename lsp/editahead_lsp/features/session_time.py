"""`editahead/sessionTime`: the time of a session that a client replays, such as the evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from editahead_lsp.protocol.custom_messages import SESSION_TIME, SessionTimeParams

if TYPE_CHECKING:
    from editahead_lsp.server import Server


MAX_SECONDS = 1e9
"""The longest session, in seconds: thirty years. Sums of larger times lose milliseconds."""


def report_time(server: Server, params: SessionTimeParams) -> None:
    """Handle `editahead/sessionTime`. An impossible time is ignored."""
    if 0 <= params.seconds <= MAX_SECONDS:
        server.session_clock.report(params.seconds)


HANDLERS = {SESSION_TIME: report_time}
