"""The status that clients of Copilot's server show: ready, with no account to sign in to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from editahead_lsp.protocol.copilot_messages import (
    CHECK_STATUS,
    DID_CHANGE_STATUS,
    DID_CHANGE_STATUS_V2,
    SIGN_IN,
    AccountParams,
    AccountStatus,
)

if TYPE_CHECKING:
    from editahead_lsp.server import Server


def notify_status(server: Server) -> None:
    """Send the status in both forms. That of 2026, the second one, has a part for each category."""
    server.protocol.notify(DID_CHANGE_STATUS, {"busy": False, "message": "", "kind": "Normal"})
    statuses = [
        {"category": "auth", "kind": "Normal", "result": AccountStatus()},
        {"category": "completion", "busy": False},
        {"category": "cls", "kind": "Normal", "inactive": False},
    ]
    server.protocol.notify(DID_CHANGE_STATUS_V2, {"statuses": statuses})


def check_status(server: Server, params: AccountParams) -> AccountStatus:
    """Handle `checkStatus`."""
    return AccountStatus()


def sign_in(server: Server, params: AccountParams) -> AccountStatus:
    """Handle `signIn`, to which there is nothing to do."""
    return AccountStatus("AlreadySignedIn")


HANDLERS = {CHECK_STATUS: check_status, SIGN_IN: sign_in}
