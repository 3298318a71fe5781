"""Messages of Copilot's language server of 2026 that clients of its dialect exchange with this server."""

from __future__ import annotations

import attrs

REPORT_CACHED_INLINE_EDIT = "textDocument/reportCachedInlineEdit"
DID_CHANGE_STATUS = "didChangeStatus"
DID_CHANGE_STATUS_V2 = "didChangeStatus/v2"
CHECK_STATUS = "checkStatus"
SIGN_IN = "signIn"
COPILOT_OUTCOMES = tuple(
    f"github.copilot.did{what}NextEditSuggestionItem" for what in ("Accept", "Reject", "Ignore")
)
"""The commands by which clients of Copilot's server tell what became of an edit of `copilotInlineEdit`."""


@attrs.frozen
class ReportCachedInlineEditParams:
    """What became of an edit that the client held and drew again by itself.

    Attributes:
        opportunity_id: The id of the prediction.
        is_shown: It was on the screen.
        acceptance: "accepted", or "rejected" of any other end.
    """

    opportunity_id: str = ""
    is_shown: bool = False
    acceptance: str = ""


@attrs.frozen
class AccountParams:
    """What a client asks of an account. The server reads none of it."""


@attrs.frozen
class AccountStatus:
    """The account of a client of Copilot's server: there is none, and nothing to sign in to.

    Attributes:
        status: "OK", or "AlreadySignedIn" after `signIn`.
        user: The name of the account, always empty.
    """

    status: str = "OK"
    user: str = ""
