"""`editahead doctor`: check that Editahead works on this machine with the present settings."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.console import print_output, print_text
from editahead_cli.json_output import Check, DoctorOutput
from editahead_programs.child_process import run_child
from editahead_programs.child_python import OWN_FOLDER, make_module_command
from editahead_programs.errors import ChildError
from editahead_programs.program_search import find_program
from editahead_prompts.text.control_characters import escape_line

if TYPE_CHECKING:
    from editahead_inference.backends.base import Backend
    from editahead_workspace.settings import Settings

_EDITORS = ("nvim", "code", "codium", "hx", "emacs", "zed", "kak", "subl")
_START_TIMEOUT_S = 60.0
"""Seconds in which the server has to start and answer. A cold start on a busy machine takes more than ten."""
_MAX_ANSWER_BYTES = 1_000_000
"""Bytes of what the server writes until it ends."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    checks = [
        check
        for make in (
            _check_python,
            _check_grammars,
            _check_folders,
            _check_settings,
            _check_policy,
            _check_index,
            _check_models,
            _check_server,
            _check_editors,
        )
        for check in make()
    ]
    good = all(check.good is not False for check in checks)
    if args.json:
        print_output(DoctorOutput(good, checks))
    else:
        for check in checks:
            mark = {True: "ok  ", False: "FAIL", None: "    "}[check.good]
            print_text(escape_line(f"{mark}  {check.name}: {check.detail}"))
    return 0 if good else 1


def _check_python() -> list[Check]:
    version = ".".join(map(str, sys.version_info[:3]))
    return [Check("python", sys.version_info >= (3, 11), f"{version} ({sys.executable})")]


def _check_grammars() -> list[Check]:
    from editahead_prompts.syntax.languages import PARSED_LANGUAGES
    from editahead_prompts.syntax.syntax_trees import SyntaxTrees
    from editahead_prompts.text.snapshot import Snapshot

    broken = []
    for language in PARSED_LANGUAGES:
        try:
            if SyntaxTrees().tree(Snapshot.from_text("x\n", language=language)) is None:
                broken.append(language)
        except Exception as error:  # a wheel built for another Python raises all sorts
            broken.append(f"{language} ({type(error).__name__})")
    detail = f"not usable: {', '.join(broken)}" if broken else f"{len(PARSED_LANGUAGES)} languages parse"
    return [Check("grammars", not broken, detail)]


def _check_folders() -> list[Check]:
    from editahead_workspace import user_dirs

    return [
        _check_writable("settings folder", user_dirs.config_folder),
        _check_writable("state folder", user_dirs.state_folder),
    ]


def _check_writable(name: str, folder: Callable[[], Path]) -> Check:
    path = folder()
    existing = next(parent for parent in (path, *path.parents) if parent.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        return Check(name, False, f"{path}: {error.strerror}")
    return Check(name, True, f"{path}" if existing == path else f"{path} (will be created when needed)")


def _check_settings() -> list[Check]:
    from editahead_workspace import user_dirs
    from editahead_workspace.settings import load_settings

    resolved = load_settings(os.environ, None, [Path.cwd()], user_dirs.config_folder())
    return [Check("settings", False, message) for message in resolved.messages] or [
        Check("settings", True, "all valid")
    ]


def _check_policy() -> list[Check]:
    from editahead_workspace.policy import policy_file, read_machine_policy

    policy = read_machine_policy()
    if policy is None:
        return [Check("policy", None, f"none ({policy_file()})")]
    detail = policy.problem or f"{policy.name}: {policy.describe()}"
    return [Check("policy", policy.problem is None, detail)]


def _check_index() -> list[Check]:
    """Check that SQLite has the full-text search, and describe the index of the present folder."""
    from editahead_cli.commands.index import describe, make_task, read_status
    from editahead_retrieval.errors import IndexUnusableError
    from editahead_retrieval.index import schema

    try:
        with tempfile.TemporaryDirectory() as folder:
            schema.open_for_writing(Path(folder) / "index.sqlite").close()
    except (IndexUnusableError, OSError) as error:
        return [Check("index", False, str(error))]
    status = read_status(make_task(Path.cwd()))
    return [Check("index", status.state != "damaged", describe(status))]


def _check_models() -> list[Check]:
    """Ask the configured servers of models, if there are any, for their lists of models. No code is sent."""
    from editahead_workspace import user_dirs
    from editahead_workspace.setting_values import with_apply_model
    from editahead_workspace.settings import Settings, load_settings

    settings = load_settings(os.environ, None, [Path.cwd()], user_dirs.config_folder()).settings
    found = _check_backend(settings)
    if settings.apply_model:
        own = _check_backend(Settings(**with_apply_model(vars(settings))))
        found += [Check(f"{check.name} for Apply", check.good, check.detail) for check in own]
    return found


def _check_backend(settings: Settings) -> list[Check]:
    from editahead_inference.backends.engine_runfile import FILE_NAME
    from editahead_inference.backends.factory import create_backend
    from editahead_inference.backends.local.small_model import NAME, is_installed, small_model_folder
    from editahead_workspace import user_dirs

    try:
        backend = create_backend(
            settings.backend,
            url=settings.url,
            model=settings.model,
            api_key_env=settings.api_key_env,
            environment=os.environ,
            engine=user_dirs.state_folder() / FILE_NAME,
        )
    except ValueError as error:
        return [Check("backend", False, str(error))]
    if backend is None:
        return [Check("backend", True, "embedded, no model")]
    if settings.backend == "local" and settings.model is None and not is_installed(small_model_folder()):
        found = f"the installed model is damaged or of another version; `editahead models use {NAME}` makes it anew"
        return [Check("backend", False, found)]
    return asyncio.run(_check_model(backend, settings.format))


async def _check_model(backend: Backend, format: str) -> list[Check]:
    from editahead_inference.errors import BackendError
    from editahead_prompts.formats.registry import FORMATS, format_name

    try:
        await backend.prepare()
        capabilities = backend.capabilities
    except BackendError as error:
        return [Check("backend", False, error.detail)]
    finally:
        await backend.close()
    context = (
        "of unknown context"
        if capabilities.context is None
        else f"with a context of {capabilities.context} tokens"
    )
    found = Check("backend", True, f"{backend.name} serves {backend.model!r} {context}")
    try:
        chosen = format_name(backend.model or "", None if format == "auto" else format)
    except ValueError as error:
        return [found, Check("prompt format", False, str(error))]
    return [
        found,
        Check("prompt format", True, chosen if chosen in FORMATS else f"{chosen}, for Apply alone"),
    ]


def _check_server() -> list[Check]:
    """Start a server as an editor does, and wait for its first answer."""
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
    body = json.dumps(request).encode()
    started = time.monotonic()
    try:
        done = run_child(
            make_module_command("editahead_cli", "lsp"),
            cwd=OWN_FOLDER,
            stdin=b"Content-Length: %d\r\n\r\n" % len(body) + body,
            timeout_s=_START_TIMEOUT_S,
            max_bytes=_MAX_ANSWER_BYTES,
        )
    except (OSError, ChildError) as error:
        return [Check("server", False, f"does not start: {type(error).__name__}")]
    seconds = time.monotonic() - started
    if b'"serverInfo"' not in done.out:
        return [Check("server", False, "does not answer: " + done.last_error()[-200:])]
    return [Check("server", True, f"started, answered and ended in {seconds:.2f} s")]


def _check_editors() -> list[Check]:
    found = [name for name in _EDITORS if find_program(name, [])]
    return [Check("editors", None, ", ".join(found) if found else "none found on PATH")]
