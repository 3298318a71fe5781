"""The client as its server knows it: what it can do, and how messages are sent to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .protocol.client_capabilities import ClientCapabilities


@dataclass
class ClientConnection:
    """A connection to a client.

    Attributes:
        notify: Sends a notification: its method and its params.
        send_request: Sends a request whose answer does not matter: its method and its params.
        capabilities: What the client can do, and its options.
        renders_edits: Whether it can show an edit before it is applied: by `initialize` or a request that only such send.
    """

    notify: Callable[[str, Any], None]
    send_request: Callable[[str, Any], None]
    capabilities: ClientCapabilities
    renders_edits: bool = False
