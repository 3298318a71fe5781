"""`editahead.accept`, `editahead.reject`, `editahead.restore`, `editahead.resetLearning`, and Copilot's for outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from editahead_lsp.protocol import custom_messages as wire

if TYPE_CHECKING:
    from editahead_lsp.server import Server
    from editahead_lsp.session.session import Session


def accept(server: Server, arguments: list[Any]) -> None:
    """Handle the command `editahead.accept`."""
    _record(server.session, arguments, "accepted")


def reject(server: Server, arguments: list[Any]) -> None:
    """Handle the command `editahead.reject`."""
    _record(server.session, arguments, "rejected")


def copilot_accept(server: Server, arguments: list[Any]) -> bool:
    """Handle Copilot's command for an accepted edit, which answers true."""
    _record(server.session, arguments, "accepted")
    return True


def copilot_reject(server: Server, arguments: list[Any]) -> bool:
    """Handle Copilot's command for a rejected edit."""
    _record(server.session, arguments, "rejected")
    return True


def copilot_ignore(server: Server, arguments: list[Any]) -> bool:
    """Handle Copilot's command for an ignored edit."""
    _record(server.session, arguments, "ignored")
    return True


def restore(server: Server, arguments: list[Any]) -> wire.RestoreResult:
    """Handle the command `editahead.restore`: bring back the edit that was rejected last."""
    return wire.RestoreResult(server.session.restore_rejected())


def _record(session: Session, arguments: list[Any], event: wire.OutcomeEvent) -> None:
    if not arguments or not isinstance(arguments[0], str):
        raise JsonRpcInvalidParams("The first argument must be the id of a prediction.")
    session.shown_predictions.record_outcome(arguments[0], event)


def reset_learning(server: Server, arguments: list[Any]) -> None:
    """Handle the command `editahead.resetLearning`."""
    server.session.reset_learning()
