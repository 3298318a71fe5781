"""The end of connections: a client can read the last bytes, but not keep its connection open by reading nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

CLOSE_TIMEOUT_S = 1.0
"""Seconds in which a client can read the last bytes before its connection is closed."""


async def close_connection(writer: asyncio.StreamWriter) -> None:
    """Close a connection after the client has read the last bytes, or after CLOSE_TIMEOUT_S."""
    writer.close()
    try:
        async with asyncio.timeout(CLOSE_TIMEOUT_S):
            await writer.wait_closed()
    except (TimeoutError, OSError):
        writer.transport.abort()


async def stop_listening(
    listener: asyncio.Server | None, connections: Collection[asyncio.Task[None]]
) -> None:
    """Accept no more connections, cancel the tasks that serve them, and wait until they have ended."""
    if listener is not None:
        listener.close()
    for connection in connections:
        connection.cancel()
    await asyncio.gather(*connections, return_exceptions=True)
