"""What became of shown predictions: `editahead/outcome`, and what other clients send instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from editahead_lsp.protocol import (
    DID_PARTIALLY_ACCEPT_COMPLETION,
    DID_SHOW_COMPLETION,
    DID_SHOW_INLINE_EDIT,
    EVENTS,
    OUTCOME,
    DidShowParams,
    Event,
    OutcomeParams,
)

if TYPE_CHECKING:
    from editahead_lsp.server import Server


def register(server: Server) -> None:
    session = server.session

    @server.feature(OUTCOME)
    def outcome(params: OutcomeParams) -> None:
        if params.event in EVENTS:
            session.shown_predictions.record_outcome(
                params.id,
                cast(Event, params.event),
                accepted_units=params.accepted_length,
                shown_ms=params.shown_ms,
            )

    def tell(params: DidShowParams, event: Event) -> None:
        arguments = params.item.command.arguments
        if arguments and isinstance(arguments[0], str):
            session.shown_predictions.record_outcome(
                arguments[0], event, accepted_units=params.accepted_length
            )

    @server.feature(DID_SHOW_INLINE_EDIT)
    def did_show_inline_edit(params: DidShowParams) -> None:
        tell(params, "shown")

    @server.feature(DID_SHOW_COMPLETION)
    def did_show_completion(params: DidShowParams) -> None:
        tell(params, "shown")

    @server.feature(DID_PARTIALLY_ACCEPT_COMPLETION)
    def did_partially_accept_completion(params: DidShowParams) -> None:
        tell(params, "partiallyAccepted")
