"""The outcomes of shown predictions: `editahead/outcome`, and the messages that other clients send instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from editahead_lsp.protocol.copilot_messages import (
    REPORT_CACHED_INLINE_EDIT,
    ReportCachedInlineEditParams,
)
from editahead_lsp.protocol.custom_messages import (
    DID_PARTIALLY_ACCEPT_COMPLETION,
    DID_SHOW_COMPLETION,
    DID_SHOW_INLINE_EDIT,
    EVENTS,
    OUTCOME,
    DidShowParams,
    OutcomeEvent,
    OutcomeParams,
)

if TYPE_CHECKING:
    from editahead_lsp.server import Server
    from editahead_lsp.session.session import Session


def outcome(server: Server, params: OutcomeParams) -> None:
    """Handle `editahead/outcome`."""
    if params.event in EVENTS:
        server.session.shown_predictions.record_outcome(
            params.id,
            cast(OutcomeEvent, params.event),
            accepted_units=params.accepted_length,
            shown_ms=params.shown_ms,
        )


def did_show(server: Server, params: DidShowParams) -> None:
    """Handle `textDocument/didShowInlineEdit` and `textDocument/didShowCompletion`."""
    _record(server.session, params, "shown")


def did_partially_accept_completion(server: Server, params: DidShowParams) -> None:
    """Handle `textDocument/didPartiallyAcceptCompletion`."""
    _record(server.session, params, "partiallyAccepted")


def report_cached_inline_edit(server: Server, params: ReportCachedInlineEditParams) -> None:
    """Handle `textDocument/reportCachedInlineEdit`.

    Clients say "rejected" of an ignored edit, too. For a rejected one, they send the command before.
    """
    events: list[OutcomeEvent] = ["shown"] if params.is_shown else []
    events.append("accepted" if params.acceptance == "accepted" else "ignored")
    for event in events:
        server.session.shown_predictions.record_outcome(params.opportunity_id, event)


def _record(session: Session, params: DidShowParams, event: OutcomeEvent) -> None:
    arguments = params.item.command.arguments
    if arguments and isinstance(arguments[0], str):
        session.shown_predictions.record_outcome(arguments[0], event, accepted_units=params.accepted_length)


HANDLERS = {
    OUTCOME: outcome,
    DID_SHOW_INLINE_EDIT: did_show,
    DID_SHOW_COMPLETION: did_show,
    DID_PARTIALLY_ACCEPT_COMPLETION: did_partially_accept_completion,
    REPORT_CACHED_INLINE_EDIT: report_cached_inline_edit,
}
