"""The real server without what is known already: every request is predicted for. To compare with."""

from __future__ import annotations

import asyncio
import os
import sys
from functools import partial

from editahead_lsp.features import create_server
from editahead_lsp.prediction.coordinator import ReuseOptions

if __name__ == "__main__":
    server = create_server(reuse=ReuseOptions(typed=False, cache_size=0, prefetch=False))
    sys.exit(asyncio.run(server.serve(partial(os.read, 0), os.fdopen(os.dup(1), "wb"))))
