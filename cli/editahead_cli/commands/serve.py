"""`editahead serve`: an OpenAI-compatible endpoint on this machine, for editors that take a URL instead of a plugin."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.argument_types import port_number
from editahead_cli.console import LogFormatter, fail, print_note
from editahead_cli.listening import load_token, stop_on_signals

if TYPE_CHECKING:
    from editahead_inference.predictors.model.predictor import ModelPredictor
    from editahead_workspace.settings import Settings

DEFAULT_PORT = 7770


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--port",
        type=port_number,
        default=DEFAULT_PORT,
        metavar="N",
        help=f"the port on 127.0.0.1 (default {DEFAULT_PORT}); 0 takes a free port and prints it on stderr",
    )
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="the file with the token that clients send (default: `token` in the state folder); made if there is none",
    )


def run(args: argparse.Namespace) -> int:
    from editahead_workspace import user_dirs
    from editahead_workspace.settings import load_settings

    handler = logging.StreamHandler()
    handler.setFormatter(LogFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    token = load_token(args.token_file)
    if token is None:
        return 1
    resolved = load_settings(os.environ, None, [], user_dirs.config_folder())
    for message in resolved.messages:
        print_note(f"editahead: {message}")
    try:
        model = _create_model(resolved.settings)
    except ValueError as error:
        print_note(f"editahead: only the rules answer. {error}")
        model = None
    return asyncio.run(_serve(args.port, token, resolved.settings, model))


def _create_model(settings: Settings) -> ModelPredictor | None:
    """Return the model that the settings name, behind the gate.

    Raises:
        ValueError: It cannot be used; the message is one sentence with the reason.
    """
    from editahead_workspace.model_config import ModelConfig

    return ModelConfig.from_settings(settings, os.environ, ()).create_predictor()


async def _serve(port: int, token: str, settings: Settings, model: ModelPredictor | None) -> int:
    from editahead_cli.endpoint.api import Api
    from editahead_cli.endpoint.completer import Completer
    from editahead_cli.endpoint.http_server import HttpServer

    stop = asyncio.Event()
    stop_on_signals(stop)
    completer = Completer(settings, model)
    server = HttpServer(Api(completer, token).handle)
    try:
        listening = await server.start(port)
    except OSError as error:
        await completer.close()
        return fail(f"cannot listen on port {port}: {error.strerror or error}")
    warming = asyncio.ensure_future(completer.warm_up())
    print_note(f"editahead: serving on http://127.0.0.1:{listening}/v1")
    print_note("editahead: the token is the API key; or the URL is http://127.0.0.1:PORT/TOKEN/v1")
    await stop.wait()
    warming.cancel()
    await server.stop()
    await completer.close()
    return 0
