"""One module for each thing that the server does when a message comes. Their handlers are plain functions: what must
happen in the order of the messages happens there, and what may take time is returned as a coroutine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import (
    code_actions,
    commands,
    completion,
    configuration,
    inlay_hints,
    inline_completion,
    inline_edit,
    lifecycle,
    next_edit,
    outcomes,
    synchronisation,
)

if TYPE_CHECKING:
    from editahead_lsp.server import Server


def register_all(server: Server) -> None:
    for feature in (
        lifecycle,
        synchronisation,
        configuration,
        inline_completion,
        inline_edit,
        next_edit,
        code_actions,
        completion,
        inlay_hints,
        outcomes,
        commands,
    ):
        feature.register(server)
