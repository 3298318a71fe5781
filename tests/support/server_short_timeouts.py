"""The real server on stdio with short timeouts: its circuit breaker counts hundredths of seconds.

Run `python server_short_timeouts.py`.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from functools import partial

from editahead_inference.backends.openai.backend import OpenAIBackend
from editahead_inference.backends.openai.http_transport import Timeouts
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_lsp.features import create_server
from editahead_workspace.model_config import ModelConfig

SOON = Timeouts(connect=1.0, first=0.2, between=0.2, total=1.0)


def create_model(wanted: ModelConfig) -> ModelPredictor | None:
    if wanted.url is None:
        return None
    backend = OpenAIBackend(
        wanted.url, model=wanted.model, waiting=SOON, patient=SOON, clock=lambda: 100 * time.monotonic()
    )
    return wanted.wrap_backend(backend)


async def serve() -> int:
    out = os.fdopen(os.dup(1), "wb")
    return await create_server(create_model=create_model).serve(partial(os.read, 0), out)


if __name__ == "__main__":
    sys.exit(asyncio.run(serve()))
