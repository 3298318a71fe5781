"""`editahead engine`: starts vLLM with the flags that next edits want, and looks after it until it is told to end."""

from __future__ import annotations

import argparse
import json
import os
import secrets
import signal
import socket
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .output import fail, tell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from editahead_lsp.engine.installed import Installed
    from editahead_lsp.engine.plan import Plan
    from editahead_lsp.engine.shape import Shape
    from editahead_lsp.engine.supervisor import Supervisor

_LOG = "engine.log"
_LOCK = "engine.lock"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_ALL = ("0.0.0.0", "::")
_NO_MODEL = (
    "Name a model, a folder or one of Hugging Face's hub: no model is shipped with this build, and the settings name none "
    '(`model`, with backend = "engine").'
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model",
        nargs="?",
        metavar="MODEL",
        help="a folder, or a name on Hugging Face's hub; else the settings' or ours",
    )
    parser.add_argument("--print", action="store_true", help="show the command, and start nothing")
    parser.add_argument("--replicas", type=int, default=1, metavar="N", help="servers; as yet 1")
    parser.add_argument("--host", default="127.0.0.1", help="127.0.0.1 (this machine only), or 0.0.0.0 (all)")
    parser.add_argument("--port", type=int, default=0, help="0: one that is free")
    parser.add_argument("--no-drafts", action="store_true", help="without speculative decoding")


def run(args: argparse.Namespace) -> int:
    from editahead_lsp import paths
    from editahead_lsp.engine.installed import NoEngine

    if sys.platform == "win32":
        return fail("vLLM does not run on Windows; it does in WSL.")
    if args.replicas != 1:
        return fail(f"One engine has one server as yet, not {args.replicas}.")
    if args.host not in (*_LOOPBACK, *_ALL):
        return fail(f"--host can be one of {', '.join((*_LOOPBACK, *_ALL))}, not {args.host!r}.")
    try:
        folder = paths.state_folder()
        folder.mkdir(parents=True, exist_ok=True)
        if args.print:
            made = _plan(args)
            for note in made.notes:
                _say(note)
            tell(made.pasteable())
            return 0
        with _alone(folder / _LOCK):
            return _look_after(_plan(args), folder)
    except NoEngine as error:
        return fail(str(error))
    except OSError as error:
        return fail(f"The engine's files in the state folder cannot be used: {error}.")


def _plan(args: argparse.Namespace) -> Plan:
    """`NoEngine`."""
    from editahead_inference.backends.choice import SHIPPED
    from editahead_inference.backends.notice import served_name
    from editahead_lsp.engine.machine import look
    from editahead_lsp.engine.plan import Place, plan

    model, folder = _chosen(args.model)
    installed, config = _asked(None if folder is not None else model, printing=args.print)
    return plan(
        installed,
        _shape(model, folder, config),
        model=model,
        served="editahead" if folder == SHIPPED else served_name(model),
        place=Place(args.host, _port(args.host, args.port)),
        key=os.environ.get("VLLM_API_KEY", "").strip() or secrets.token_urlsafe(24),
        free_bytes=look().free,
        drafts=not args.no_drafts,
    )


def _asked(model: str | None, *, printing: bool) -> tuple[Installed, dict[str, Any] | None]:
    """As `installed.ask`; a command that is only printed may be for another machine. `NoEngine`."""
    from editahead_lsp.engine.installed import NoEngine, ask, assumed, find
    from editahead_lsp.engine.machine import look

    try:
        program = find(os.environ)
    except NoEngine:
        if not printing:
            raise
        _say(
            "There is no vLLM here: this is the command for 0.32 or newer with Editahead installed beside it."
        )
        return assumed(cpu=not look().gpus), None
    return ask(program, model, os.environ)


def _shape(model: str, folder: Path | None, config: dict[str, Any] | None) -> Shape:
    """config: of a model of the hub. Where it cannot be had, the catalogue may know. `NoEngine`."""
    from editahead_lsp.engine.catalogue import find
    from editahead_lsp.engine.installed import NoEngine
    from editahead_lsp.engine.shape import Shape

    if folder is not None:
        try:
            config = json.loads((folder / "config.json").read_bytes())
        except (OSError, ValueError, RecursionError):
            raise NoEngine(f"There is no model in {folder}: its config.json cannot be read.") from None
    if config is None:
        known = find(model)
        if known is None:
            raise NoEngine(
                f"{model!r} is no folder here, and its configuration cannot be had from Hugging Face's hub."
            )
        return known.shape
    try:
        return Shape.of(config)
    except (ValueError, AttributeError):
        raise NoEngine(f"{model} cannot be served: its config.json is no language model's.") from None


def _chosen(named: str | None) -> tuple[str, Path | None]:
    """The model, as vLLM is to be told of it, and its folder, where it has one. `NoEngine`."""
    from editahead_inference.backends.choice import SHIPPED
    from editahead_lsp import paths
    from editahead_lsp.engine.installed import NoEngine
    from editahead_lsp.settings import gather

    if named is None:
        settings = gather(os.environ, None, [], paths.config_folder()).settings
        named = settings.model if settings.backend == "engine" else None
    if named is None:
        if not (SHIPPED / "config.json").is_file():
            raise NoEngine(_NO_MODEL)
        return str(SHIPPED), SHIPPED
    try:
        folder = Path(named).expanduser().absolute()
    except RuntimeError:  # nobody's home
        folder = Path(named).absolute()
    if folder.is_dir():
        return str(folder), folder
    if named.count("/") != 1 or named.startswith((".", "/", "~")):
        raise NoEngine(f"There is no folder {named}, and no model of Hugging Face's hub is called so.")
    return named, None


def _port(host: str, wanted: int) -> int:
    """One that is free; `NoEngine` when the wanted one is not."""
    from editahead_lsp.engine.installed import NoEngine

    if not 0 <= wanted <= 65535:
        raise NoEngine(f"There is no port {wanted}.")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.create_server((host, wanted), family=family) as free:
            return int(free.getsockname()[1])
    except OSError as error:
        raise NoEngine(f"Nobody can listen on port {wanted} of {host}: {error.strerror}.") from None


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """While this lasts, no other engine of this person's is looked after. `NoEngine` when one is."""
    import fcntl

    from editahead_lsp.engine.installed import NoEngine

    with file.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise NoEngine("Another `editahead engine` is running already; end that one first.") from None
        yield


def _look_after(made: Plan, folder: Path) -> int:
    import asyncio

    from editahead_inference.backends.notice import FILE_NAME
    from editahead_lsp.engine.supervisor import Supervisor

    for note in made.notes:
        _say(note)
    _say(f"Starting vLLM with {made.served} ...")
    supervisor = Supervisor(
        made, folder / FILE_NAME, folder / _LOG, _say, environment=os.environ, clock=time.monotonic
    )
    return asyncio.run(_until_told(supervisor))


async def _until_told(supervisor: Supervisor) -> int:
    import asyncio

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, supervisor.stop)
    return await supervisor.run()


def _say(text: str) -> None:
    """To the person who looks on; on stderr, as `--print` has stdout for the command."""
    sys.stderr.write(f"editahead: {text}\n")
    sys.stderr.flush()
