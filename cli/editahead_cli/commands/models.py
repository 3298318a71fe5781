"""`editahead models`: list the models that fit this machine; `models use NAME` gets one as the user's default."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editahead_cli.console import fail, print_note, print_output, print_text

if TYPE_CHECKING:
    from editahead_serving.hardware import Hardware
    from editahead_serving.model_catalog import CatalogModel, ModelFit


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        choices=["use", "export"],
        help="download a model and make it your default; or write editahead-coder for another server",
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="the name of the model in the list")
    parser.add_argument(
        "--base",
        type=Path,
        metavar="PATH",
        help="for editahead-coder: the base that you have, a GGUF file or a folder with safetensors",
    )
    parser.add_argument(
        "--install",
        action="store_true",
        help="for editahead-coder: install the packages that it needs with pip, beside Editahead",
    )
    parser.add_argument("--gguf", type=Path, metavar="FILE", help="export: write FILE, for llama.cpp")
    parser.add_argument(
        "--type",
        choices=("F16", "Q8_0", "Q4_K_M"),
        default="Q8_0",
        help="export: type of the weights in FILE (default Q8_0; llama.cpp's llama-quantize makes Q4_K_M)",
    )
    parser.add_argument("--folder", type=Path, metavar="FOLDER", help="export: write FOLDER, for vLLM")
    parser.add_argument("--json", action="store_true", help="print the list as JSON")


def run(args: argparse.Namespace) -> int:
    if args.action is None:
        return _list_models(args.json)
    if args.name is None:
        return fail("Name the model to use; `editahead models` lists them.")
    if args.action == "export":
        return _export_model(args)
    return _use_model(args.name, args.base, args.install)


def _export_model(args: argparse.Namespace) -> int:
    from editahead_cli.model_export import export_model
    from editahead_inference.backends.local.small_model import NAME

    if args.name != NAME:
        return fail(f"Only {NAME} can be exported, not {args.name!r}.")
    return export_model(args.base, args.gguf, args.type, args.folder)


def _list_models(as_json: bool) -> int:
    from editahead_serving.hardware import detect_hardware, measure_memory_bandwidth
    from editahead_serving.model_catalog import assess_fit, order_models

    machine = detect_hardware()
    speed = measure_memory_bandwidth(time.perf_counter)
    assessed = [assess_fit(model, machine, speed) for model in order_models(machine)]
    if as_json:
        print_output(_output(machine, speed, assessed))
    else:
        _print_table(machine, speed, assessed)
    return 0


def _output(machine: Hardware, speed: float, assessed: list[ModelFit]) -> Any:
    from editahead_cli import json_output
    from editahead_serving.model_runs import read_runs

    runs = read_runs()
    return json_output.ModelsOutput(
        json_output.MachineOutput(
            machine.cores,
            machine.memory,
            machine.free,
            [json_output.GpuOutput(gpu.name, gpu.memory) for gpu in machine.gpus],
            round(speed),
        ),
        [
            json_output.ModelOutput(
                fit.model.name,
                fit.model.repository,
                fit.model.purpose,
                fit.model.runtime,
                fit.model.format,
                fit.model.licence,
                fit.model.weight_bytes,
                fit.model.kv_bytes,
                fit.model.dimensions.context,
                fit.on,
                None if fit.tokens_per_second is None else round(fit.tokens_per_second, 1),
                fit.expect,
                None
                if (run := runs.get(fit.model.name)) is None
                else json_output.ModelRunOutput(**asdict(run)),
            )
            for fit in assessed
        ],
    )


WIDE = 110
"""Columns from which the table has room for what to expect. In a narrower terminal, this comes below the table."""


def _print_table(machine: Hardware, speed: float, assessed: list[ModelFit]) -> None:
    from rich.table import Table

    from editahead_cli.rich_console import SafeConsole
    from editahead_serving.model_runs import describe_run, read_runs

    console = SafeConsole()
    gpus = ", ".join(f"{gpu.name} ({gpu.memory / 1e9:.0f} GB)" for gpu in machine.gpus) or "no NVIDIA GPU"
    console.print(
        f"{machine.cores} cores, {machine.free / 1e9:.0f} of {machine.memory / 1e9:.0f} GB of memory free, "
        f"{speed / 1e9:.1f} GB/s of memory measured; {gpus}.",
        style="dim",
    )
    console.print("The models that Editahead knows, and what to expect of each on this machine:")
    headings = ("name", "for", "runs on", "weights", "licence")
    wide = console.width >= WIDE
    table = Table(box=None, pad_edge=False)
    for heading in (*headings, "run", "what to expect") if wide else headings:
        table.add_column(heading, no_wrap=heading != "what to expect")
    for fit in assessed:
        model = fit.model
        weights = f"{model.weight_bytes / 1e9:.1f} GB"
        cells = [model.name, model.purpose, model.runtime, weights, model.licence]
        more = [describe_run(model.name), fit.expect] if wide else ()
        table.add_row(*cells, *more, style="" if fit.on else "dim")
    console.print(table)
    if not wide:
        advised = [fit for fit in assessed if not fit.is_too_weak] or assessed[:1]
        for fit in advised:
            console.print(f"{fit.model.name}: {fit.expect}")
        if weak := ", ".join(fit.model.name for fit in assessed if fit not in advised):
            console.print(f"Too large for this machine, or too slow here while typing: {weak}.", style="dim")
    for name, run in read_runs().items():
        console.print(f"Run by us: {name} on {run.describe()}.", style="dim")
    console.print("All others were never run by us.", style="dim")
    console.print("`editahead models use NAME` gets one, and makes it your default.", style="dim")


def _warn_if_weak(model: CatalogModel) -> None:
    """Tell the user where the model does not fit this machine, or is too slow here to be used while typing."""
    from editahead_serving.hardware import detect_hardware, measure_memory_bandwidth
    from editahead_serving.model_catalog import assess_fit

    fit = assess_fit(model, detect_hardware(), measure_memory_bandwidth(time.perf_counter))
    if fit.is_too_weak:
        print_note(
            f"editahead: this machine is too weak for {model.name}. {fit.expect} Ctrl-C ends the download."
        )


def _use_model(name: str, base: Path | None, install: bool) -> int:
    from editahead_serving.errors import DownloadError
    from editahead_serving.model_catalog import CATALOGUE, OWN_MODEL, find_model
    from editahead_serving.model_download import download
    from editahead_workspace.policy import read_machine_policy

    model = find_model(name)
    if model is None:
        names = ", ".join(known.name for known in (OWN_MODEL, *CATALOGUE))
        return fail(f"There is no model {name!r} in the list; choose one of {names}.")
    policy, backend = read_machine_policy(), "local" if model.repository is None else "engine"
    wanted = model.repository or model.name
    if policy is not None and not (policy.allows_backend(backend) and policy.allows_model(wanted)):
        return fail(policy.refusal(wanted))
    if model.repository is None:
        from editahead_cli.own_model import set_up

        speed = set_up(base, install)
        if speed is None:
            return 1
        if not speed.is_enough:
            print_text(
                f"{model.name} is installed, but too slow here for use while typing, so it is not switched on. "
                'To use it all the same, write backend = "local" into your settings file.'
            )
            return 0
        return _make_default(
            model, {"backend": "local", "model": None}, "Editahead uses the model from now on."
        )
    _warn_if_weak(model)
    try:
        folder = download(model, print_text)
    except DownloadError as error:
        return fail(str(error))
    values = {"backend": "engine", "model": model.repository, "url": None}
    if model.runtime == "llama.cpp":
        files = (file for file in sorted(folder.glob("*.gguf")) if model.quantization in file.name.lower())
        values["model"] = str(next(files, folder))
    return _make_default(model, values, "Now run `editahead engine`.")


def _make_default(model: CatalogModel, values: Mapping[str, str | None], then: str) -> int:
    """Write the model into the user's settings file."""
    from editahead_serving.errors import SettingsWriteError
    from editahead_serving.settings_file import update_settings_file
    from editahead_workspace import user_dirs
    from editahead_workspace.settings import FILE_NAME

    settings = user_dirs.config_folder() / FILE_NAME
    try:
        update_settings_file(settings, values)
    except (SettingsWriteError, OSError) as error:
        wanted = ", ".join(f'{key} = "{value}"' for key, value in values.items() if value is not None)
        return fail(f"{settings} was not changed: {error}. Write into the file yourself: {wanted}.")
    print_text(f"{model.name} is now your default, in {settings}. {then}")
    return 0
