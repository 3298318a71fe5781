"""The choices of a refusal: described for the client, or put to the person with `window/showMessageRequest`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from editahead_inference.apply.results import Choice, Refusal
from editahead_inference.errors import ApplyRefusedError
from editahead_lsp.apply import to_lsp
from editahead_lsp.apply.service import ApplyJob
from editahead_lsp.protocol.client_capabilities import get_nested

if TYPE_CHECKING:
    from editahead_lsp.server import Server

REQUEST_FAILED = -32803
"""The code `RequestFailed` of LSP: the request was valid but failed."""


def to_rpc_error(server: Server, job: ApplyJob, error: ApplyRefusedError) -> JsonRpcException:
    """Return the error for a refusal. Its message also says why the model did not help."""
    refusal = error.refusal
    try:
        choices = [
            to_lsp.to_apply_choice(
                choice, server.apply_service.rebase(job, choice.changes), server.apply_service.folders
            )
            for choice in refusal.choices
        ]
    except ApplyRefusedError as stale:
        refusal, choices = stale.refusal, []
    message = f"{refusal.detail} {refusal.model}" if refusal.model else refusal.detail
    data = server.protocol.unstructure(to_lsp.to_refusal_data(refusal, choices))
    return JsonRpcException(message, REQUEST_FAILED, data)


async def ask_choice(server: Server, refusal: Refusal) -> Choice | None:
    """Ask the person which reading is meant. Return None if there are none, or if the person picks none."""
    if not refusal.choices:
        return None
    titles = [to_lsp.choice_title(choice) for choice in refusal.choices]
    if len(set(titles)) < len(titles):  # the answer names the title only
        titles = [f"{number}: {title}" for number, title in enumerate(titles, 1)]
    params = {
        "type": types.MessageType.Info.value,
        "message": f"Editahead: {refusal.detail} Which change do you mean?",
        "actions": [{"title": title} for title in titles],
    }
    try:
        answer = await asyncio.wrap_future(
            server.protocol.send_request(types.WINDOW_SHOW_MESSAGE_REQUEST, params)
        )
    except JsonRpcException:
        return None
    title = get_nested(answer, "title")
    return refusal.choices[titles.index(title)] if title in titles else None
