"""`editahead engine`: start vLLM or llama.cpp with the flags for next edits, and supervise it until a signal ends it."""

from __future__ import annotations

import argparse
import json
import os
import secrets
import signal
import socket
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editahead_cli.console import fail, print_note, print_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from editahead_serving.kv_cache_shape import KvCacheShape
    from editahead_serving.launch_plan import LaunchPlan
    from editahead_serving.nginx_router import NginxRouter
    from editahead_serving.replica_set import ReplicaSet
    from editahead_serving.resource_share import ResourceShare
    from editahead_serving.vllm_probe import VllmInstallation

_GGUF = ".gguf"
_LOCK = "engine.lock"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_ALL_ADDRESSES = ("0.0.0.0", "::")
_NO_MODEL = (
    "Name a model (a folder, or a name on Hugging Face's hub): the settings name none (`model`, with backend = "
    '"engine").'
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model",
        nargs="?",
        metavar="MODEL",
        help="editahead-coder, a folder, a GGUF file, or a name on Hugging Face's hub (default: the settings' model)",
    )
    parser.add_argument(
        "--llama-cpp",
        action="store_true",
        help="serve with llama.cpp instead of vLLM, for machines without a GPU (default for GGUF files)",
    )
    parser.add_argument("--print", action="store_true", help="print the command without starting it")
    parser.add_argument(
        "--replicas", type=int, default=1, metavar="N", help="start N servers behind a router (default 1)"
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="the address to listen on: 127.0.0.1 for this machine only (default), or 0.0.0.0 for all machines",
    )
    parser.add_argument(
        "--port", type=int, default=0, help="the port to listen on (default 0: any free port)"
    )
    parser.add_argument("--no-drafts", action="store_true", help="serve without speculative decoding")


def run(args: argparse.Namespace) -> int:
    from editahead_serving.errors import EngineUnavailableError
    from editahead_workspace import user_dirs
    from editahead_workspace.private_files import make_private_folder

    if sys.platform == "win32":
        return fail("The engine does not run on Windows; run `editahead engine` in WSL.")
    if args.replicas < 1:
        return fail(f"--replicas must be 1 or more, not {args.replicas}.")
    if args.host not in (*_LOOPBACK, *_ALL_ADDRESSES):
        return fail(f"--host must be one of {', '.join((*_LOOPBACK, *_ALL_ADDRESSES))}, not {args.host!r}.")
    try:
        folder = user_dirs.state_folder()
        make_private_folder(folder)
        if args.print:
            plans, router = _make_plans(args, folder)
            parts = [made.shell_command() for made in plans]
            print_text("\n".join(parts if router is None else [*parts, router.shell_command()]))
            return 0
        with _exclusive_lock(folder / _LOCK):
            return _supervise(*_make_plans(args, folder), folder)
    except EngineUnavailableError as error:
        return fail(str(error))
    except OSError as error:
        return fail(f"The engine's files in the state folder cannot be used: {error}.")


def _make_plans(args: argparse.Namespace, state: Path) -> tuple[list[LaunchPlan], NginxRouter | None]:
    """Return the plan of each server, and the router where there are several. Report notes to the user.

    Raises:
        EngineUnavailableError: The engine cannot be started.
    """
    from editahead_inference.backends.engine_runfile import served_name
    from editahead_serving.hardware import detect_hardware
    from editahead_serving.launch_plan import ListenAddress, make_launch_plan
    from editahead_serving.model_catalog import OWN_MODEL
    from editahead_serving.nginx_router import make_nginx_router
    from editahead_serving.resource_share import WHOLE_MACHINE

    model, folder = _resolve_model(args.model, llama_cpp=args.llama_cpp, printing=args.print)
    _check_policy(OWN_MODEL.name if args.model == OWN_MODEL.name else model)
    if args.llama_cpp or model.endswith(_GGUF):
        return [_make_llama_cpp_plan(args, model)], None
    installed, config = _probe_vllm(None if folder is not None else model, printing=args.print)
    shape = _load_shape(model, folder, config)
    machine = detect_hardware()
    several = args.replicas > 1
    first, *more = _free_ports(args.host, args.port, args.replicas if several else 0)
    place = ListenAddress(args.host, first)
    places = [ListenAddress(_LOOPBACK[0], port) for port in more] if several else [place]
    shares = _split_resources(args.replicas, installed, len(machine.gpus)) if several else [WHOLE_MACHINE]
    key = _key("VLLM_API_KEY")
    plans = [
        make_launch_plan(
            installed,
            shape,
            model=model,
            served=served_name(model),
            address=own,
            key=key,
            free_bytes=machine.free,
            share=share,
            drafts=not args.no_drafts,
        )
        for own, share in zip(places, shares, strict=True)
    ]
    before = (
        make_nginx_router(_find_nginx(printing=args.print), place, places, state / "router")
        if several
        else None
    )
    for note in dict.fromkeys((*plans[0].notes, *place.notes)):
        _report(note)
    return plans, before


def _key(variable: str) -> str:
    """Return the key in an environment variable, or a new one."""
    return os.environ.get(variable, "").strip() or secrets.token_urlsafe(24)


def _make_llama_cpp_plan(args: argparse.Namespace, model: str) -> LaunchPlan:
    """Return the plan of llama.cpp's server. Report notes to the user.

    Raises:
        EngineUnavailableError: The engine cannot be started.
    """
    from editahead_inference.backends.engine_runfile import served_name
    from editahead_serving.errors import EngineUnavailableError
    from editahead_serving.hardware import detect_hardware
    from editahead_serving.launch_plan import ListenAddress
    from editahead_serving.llama_cpp_plan import find_gguf, find_llama_server, make_llama_cpp_plan

    if args.replicas > 1:
        raise EngineUnavailableError(
            "--replicas is for vLLM; one server of llama.cpp answers several requests at once."
        )
    try:
        program = find_llama_server(os.environ)
    except EngineUnavailableError as error:
        if not args.print:
            raise
        _report(str(error))
        program = Path("llama-server")
    place = Path(model)
    file = find_gguf(place) if place.is_absolute() else None
    machine = detect_hardware()
    plan = make_llama_cpp_plan(
        program,
        file or model,
        served=served_name(str(file or model)).removesuffix(_GGUF),
        address=ListenAddress(args.host, _free_ports(args.host, args.port, 0)[0]),
        key=_key("LLAMA_API_KEY"),
        free_bytes=machine.free,
        cpu=not machine.gpus,
        drafts=not args.no_drafts,
    )
    for note in plan.notes:
        _report(note)
    return plan


def _split_resources(count: int, installed: VllmInstallation, gpus: int) -> list[ResourceShare]:
    """Return a share of the machine for each replica.

    Raises:
        EngineUnavailableError: There are too few GPUs.
    """
    from editahead_serving.hardware import physical_cores
    from editahead_serving.resource_share import split_cores, split_gpus

    if installed.cpu:
        return split_cores(count, physical_cores())
    named = os.environ.get("CUDA_VISIBLE_DEVICES")
    return split_gpus(
        count, [str(n) for n in range(gpus)] if named is None else named.replace(",", " ").split()
    )


def _find_nginx(*, printing: bool) -> Path:
    """Return the path of nginx. A printed command may be for another machine, so it needs none here.

    Raises:
        EngineUnavailableError: nginx is needed and not installed.
    """
    from editahead_serving.errors import EngineUnavailableError
    from editahead_serving.nginx_router import find_nginx

    try:
        return find_nginx(os.environ)
    except EngineUnavailableError as error:
        if not printing:
            raise
        _report(str(error))
        return Path("nginx")


def _probe_vllm(model: str | None, *, printing: bool) -> tuple[VllmInstallation, dict[str, Any] | None]:
    """Probe the installed vLLM. A printed command may be for another machine, so it needs none here.

    Raises:
        EngineUnavailableError: vLLM is needed, and not installed or broken.
    """
    from editahead_serving.errors import EngineUnavailableError
    from editahead_serving.hardware import detect_hardware
    from editahead_serving.vllm_probe import assume_installation, find_vllm, probe_vllm

    try:
        program = find_vllm(os.environ)
    except EngineUnavailableError:
        if not printing:
            raise
        _report(
            "vLLM is not installed here: this is the command for vLLM 0.32 or newer with Editahead installed beside it."
        )
        return assume_installation(cpu=not detect_hardware().gpus), None
    return probe_vllm(program, model, os.environ)


def _load_shape(model: str, folder: Path | None, config: dict[str, Any] | None) -> KvCacheShape:
    """Return the shape of a model's cache, from the configuration or else from the catalogue.

    Args:
        model: A folder or a name.
        folder: The folder of the model, if it has one.
        config: The configuration of a model on the hub, if it could be downloaded.

    Raises:
        EngineUnavailableError: The model is unknown, or is not a language model.
    """
    from editahead_serving.errors import EngineUnavailableError
    from editahead_serving.kv_cache_shape import KvCacheShape
    from editahead_serving.model_catalog import find_model

    if folder is not None:
        try:
            config = json.loads((folder / "config.json").read_bytes())
        except (OSError, ValueError, RecursionError):
            raise EngineUnavailableError(
                f"There is no model in {folder}: its config.json cannot be read."
            ) from None
    if config is None:
        known = find_model(model)
        if known is None:
            raise EngineUnavailableError(
                f"{model!r} is not a folder, and Hugging Face's hub does not deliver its configuration; check the name."
            )
        return known.shape
    try:
        return KvCacheShape.from_config(config)
    except (ValueError, AttributeError):
        raise EngineUnavailableError(
            f"{model} cannot be served: its config.json is not that of a language model."
        ) from None


def _resolve_model(named: str | None, *, llama_cpp: bool, printing: bool) -> tuple[str, Path | None]:
    """Return the model's name for the server, and its folder if it has one. A GGUF file has none.

    Args:
        named: What the user named; None = the settings' model.
        llama_cpp: Whether llama.cpp serves it.
        printing: Whether nothing is started, so that nothing is written either.

    Raises:
        EngineUnavailableError: No model is named, or there is none by this name.
    """
    from editahead_serving.errors import EngineUnavailableError
    from editahead_serving.model_catalog import OWN_MODEL
    from editahead_workspace import user_dirs
    from editahead_workspace.settings import load_settings

    if named is None:
        settings = load_settings(os.environ, None, [], user_dirs.config_folder()).settings
        named = settings.model if settings.backend == "engine" else None
    if named is None:
        raise EngineUnavailableError(_NO_MODEL)
    try:
        folder = Path(named).expanduser().absolute()
    except RuntimeError:  # "~name" of an unknown user
        folder = Path(named).absolute()
    if folder.is_dir():
        return str(folder), folder
    if named.endswith(_GGUF):
        if not folder.is_file():
            raise EngineUnavailableError(f"There is no file {named}.")
        return str(folder), None
    if named == OWN_MODEL.name:
        own = _own_model(llama_cpp, write=not printing)
        return str(own), None if llama_cpp else own
    if named.count("/") != 1 or named.startswith((".", "/", "~")):
        raise EngineUnavailableError(
            f"There is no folder {named}, and this is not a name on Hugging Face's hub (OWNER/MODEL)."
        )
    return named, None


def _check_policy(model: str) -> None:
    """Raise EngineUnavailableError where the policy of this machine does not allow a model."""
    from editahead_serving.errors import EngineUnavailableError
    from editahead_workspace.policy import read_machine_policy

    policy = read_machine_policy()
    if policy is not None and not (policy.allows_backend("engine") and policy.allows_model(model)):
        raise EngineUnavailableError(policy.refusal(f"an engine with {model}"))


def _own_model(llama_cpp: bool, *, write: bool) -> Path:
    """Return Editahead's own model as an engine loads it.

    Raises:
        EngineUnavailableError: It cannot be written, or there is no engine for which it would be.
    """
    from editahead_cli.model_export import find_for_engine
    from editahead_serving.errors import EngineUnavailableError, ModelExportError
    from editahead_serving.llama_cpp_plan import find_llama_server
    from editahead_serving.vllm_probe import find_vllm

    if write:
        (find_llama_server if llama_cpp else find_vllm)(os.environ)
    try:
        return find_for_engine(llama_cpp, write=write)
    except ModelExportError as error:
        raise EngineUnavailableError(str(error)) from None


def _free_ports(host: str, wanted: int, more: int) -> list[int]:
    """Return free ports.

    Args:
        host: The address of the first port.
        wanted: The first port, or 0 for any.
        more: The number of further ports, for this machine only.

    Raises:
        EngineUnavailableError: The wanted port is invalid or in use.
    """
    from editahead_serving.errors import EngineUnavailableError

    if not 0 <= wanted <= 65535:
        raise EngineUnavailableError(f"--port must be 0 to 65535, not {wanted}.")
    with ExitStack() as free:
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            found = [free.enter_context(socket.create_server((host, wanted), family=family))]
            found += [free.enter_context(socket.create_server((_LOOPBACK[0], 0))) for _ in range(more)]
        except OSError as error:
            raise EngineUnavailableError(
                f"Port {wanted} of {host} cannot be used: {error.strerror}."
            ) from None
        return [int(listening.getsockname()[1]) for listening in found]


@contextmanager
def _exclusive_lock(file: Path) -> Iterator[None]:
    """Keep other engines of this user from running.

    Raises:
        EngineUnavailableError: One is running.
    """
    import fcntl

    from editahead_serving.errors import EngineUnavailableError

    with file.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise EngineUnavailableError(
                "Another `editahead engine` is already running; stop it first."
            ) from None
        yield


def _supervise(plans: Sequence[LaunchPlan], router: NginxRouter | None, folder: Path) -> int:
    import asyncio

    from editahead_serving.replica_set import ReplicaSet

    times = f", {len(plans)} times" if len(plans) > 1 else ""
    _report(f"Starting {plans[0].program} with {plans[0].served}{times} ...")
    replica_set = ReplicaSet(plans, router, folder, _report, environment=os.environ, clock=time.monotonic)
    return asyncio.run(_run_until_signal(replica_set))


async def _run_until_signal(replica_set: ReplicaSet) -> int:
    import asyncio

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, replica_set.stop)
    return await replica_set.run()


def _report(text: str) -> None:
    """Print a sentence for the user on stderr, because `--print` uses stdout for the command."""
    print_note(f"editahead: {text}")
