"""The real server without prefill, as a baseline for benchmarks."""

from __future__ import annotations

import asyncio
import os
import sys
from functools import partial

from editahead_lsp.features import create_server
from editahead_lsp.model.prompt_warmer import PromptWarmer


class NoPrefill(PromptWarmer):
    def on_message(self) -> None:
        pass


async def serve() -> int:
    server = create_server()
    server.prompt_warmer.__class__ = NoPrefill
    return await server.serve(partial(os.read, 0), os.fdopen(os.dup(1), "wb"))


if __name__ == "__main__":
    sys.exit(asyncio.run(serve()))
