"""`editahead train model`: train our own small model on packed examples."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editahead_cli.console import fail, print_json, print_text

if TYPE_CHECKING:
    from editahead_training.data.packed_dataset import PackedDataset
    from editahead_training.model.train_loop import TrainConfig, TrainResult

DEFAULT_MINUTES = 45.0
DEFAULT_ROW = 6144
DEFAULT_READING = 0.25


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="packed examples")
    parser.add_argument(
        "--held", type=Path, metavar="FILE", help="packed examples for measuring the loss only"
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="write the model and its curves into FOLDER, checkpoints and the log into FOLDER/run",
    )
    parser.add_argument(
        "--size",
        choices=("tiny", "small", "large"),
        default="small",
        help="the size of the model (default small)",
    )
    parser.add_argument(
        "--dense", action="store_true", help="a model without experts, with as many active parameters"
    )
    long = parser.add_mutually_exclusive_group()
    long.add_argument(
        "--minutes", type=float, metavar="M", help=f"most minutes of training (default {DEFAULT_MINUTES:g})"
    )
    long.add_argument("--steps", type=int, metavar="N", help="train exactly N steps instead")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="seed of the weights and the order (default 0)"
    )
    parser.add_argument(
        "--row", type=int, default=DEFAULT_ROW, metavar="T", help=f"tokens per step (default {DEFAULT_ROW})"
    )
    parser.add_argument(
        "--rate", type=float, metavar="R", help="the highest learning rate (default: the size's)"
    )
    parser.add_argument(
        "--reading",
        type=float,
        default=DEFAULT_READING,
        metavar="W",
        help=f"weight of tokens that the model only reads, from 0 to 1 (default {DEFAULT_READING})",
    )
    parser.add_argument(
        "--from", dest="start", type=Path, metavar="FOLDER", help="start with the weights of a trained model"
    )
    parser.add_argument("--resume", action="store_true", help="continue the run in FOLDER")
    parser.add_argument(
        "--save-minutes", type=float, default=2.0, metavar="M", help="minutes between checkpoints (default 2)"
    )
    parser.add_argument("--threads", type=int, metavar="N", help="threads of torch")
    parser.add_argument("--float32", action="store_true", help="compute and save everything in float32")
    parser.add_argument("--json", action="store_true", help="print the provenance and the figures as JSON")


def run(args: argparse.Namespace) -> int:
    """Train a model.

    The exit code is 1 when there are no examples, the folder does not fit the options, or the run was interrupted.
    """
    from editahead_training.model import loss_plot, malloc_tuning

    malloc_tuning.keep_freed_memory()
    import torch

    from editahead_training.data.packed_dataset import read
    from editahead_training.errors import DatasetError, TrainingError
    from editahead_training.model.architecture import SIZES
    from editahead_training.model.train_loop import TrainConfig, train

    if (args.minutes is not None and args.minutes <= 0) or (args.steps is not None and args.steps <= 0):
        return fail("--minutes and --steps must be greater than 0")
    if not 0 <= args.reading <= 1:
        return fail("--reading must be from 0 to 1")
    if args.threads:
        torch.set_num_threads(args.threads)
    plan = TrainConfig(
        size=args.size,
        dense=args.dense,
        minutes=None if args.steps else args.minutes or DEFAULT_MINUTES,
        steps=args.steps,
        seed=args.seed,
        row=args.row,
        rate=args.rate or SIZES[args.size].rate,
        reading=args.reading,
        exact=args.float32,
        start=None if args.start is None else str(args.start),
        save_minutes=args.save_minutes,
    )
    try:
        data = read(args.data)
        held = read(args.held) if args.held else None
        with _progress(quiet=args.json) as show:
            result = train(plan, data, held, args.out / "run", resume=args.resume, tell=show)
        loss_plot.draw(loss_plot.read(args.out / "run" / "log.jsonl"), args.out / "curves.png")
        if not result.finished:
            return fail(f"interrupted after step {result.where.step}; add --resume to continue")
        provenance = _export(args, plan, data, result)
    except (DatasetError, TrainingError, OSError) as error:
        return fail(str(error))
    if args.json:
        print_json(provenance)
    else:
        print_text(
            f"wrote {args.out}: {provenance['parameters']:,} parameters, {result.where.tokens:,} tokens seen"
        )
    return 0


def _export(
    args: argparse.Namespace, plan: TrainConfig, data: PackedDataset, result: TrainResult
) -> dict[str, Any]:
    from dataclasses import asdict

    from editahead_evals.data.revisions import present_commit
    from editahead_training.model.architecture import count_parameters
    from editahead_training.model.export import export

    total, active = count_parameters(result.model)
    where = result.where
    provenance = {
        "made by": "editahead train model",
        "commit": present_commit(),
        **asdict(plan),
        "start": plan.start and Path(plan.start).name,
        "parameters": total,
        "active": active,
        "steps seen": where.step,
        "tokens seen": where.tokens,
        "epochs": where.epoch,
        "seconds": round(where.seconds),
        "tokens/s": round(where.tokens / max(where.seconds, 1e-9)),
        "held": result.held,
        "examples": len(data),
        "data": dict(data.provenance),
    }
    export(result.model, args.out, provenance, dtype="float32" if args.float32 else "bfloat16")
    return provenance


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Return a function that shows a line of the log. On a terminal, only losses on held-out examples stay visible."""
    if quiet:
        yield lambda _: None
        return
    if not sys.stdout.isatty():
        yield _print_now
        return
    from rich.status import Status

    from editahead_cli.rich_console import SafeConsole

    with Status("the first steps", console=SafeConsole(highlight=False)) as status:

        def show(line: dict[str, Any]) -> None:
            if "held" in line:
                status.console.print(_format_line(line))
            else:
                status.update(_format_line(line))

        yield show


def _print_now(line: dict[str, Any]) -> None:
    print_text(_format_line(line))
    sys.stdout.flush()


def _format_line(line: dict[str, Any]) -> str:
    losses = line.get("held") or line["loss"]
    figures = "  ".join(f"{task} {loss:.3f}" for task, loss in losses.items())
    head = f"step {line['step']}  {line['tokens'] / 1e6:.2f}M tokens"
    if "held" in line:
        return f"{head}  held out: {figures}"
    minutes, seconds = divmod(int(line["seconds left"]), 60)
    return f"{head}  {line['tokens/s']:,}/s  rate {line['rate']:.1e}  {minutes}:{seconds:02d} left  loss: {figures}"
