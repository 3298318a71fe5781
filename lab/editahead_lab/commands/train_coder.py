"""`editahead-lab train coder`: make examples of next edits and continuations, train the adapter on them, and measure it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editahead_cli.argument_types import positive_int
from editahead_cli.console import fail, print_json, print_text

from .train_common import add_run_arguments, lower_priority, show_progress

if TYPE_CHECKING:
    from editahead_lab.training.coder.train_adapter import Machine

DEFAULT_MINUTES = 10.0
DEFAULT_ROW, DEFAULT_GPU_ROW = 4096, 32_768
DEFAULT_RATE, DEFAULT_RANK = 3e-4, 64
DEFAULT_MEASURED = 1200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    steps = parser.add_subparsers(dest="step", metavar="STEP", required=True)
    examples = steps.add_parser(
        "examples",
        help="make examples of real edits",
        description="Replay real edits, and pack them as examples: continuations, next edits, silence.",
    )
    examples.add_argument(
        "--edits", type=Path, metavar="FOLDER", help="a folder with train-*.jsonl.zst files"
    )
    examples.add_argument(
        "--repo", type=Path, metavar="FOLDER", help="a git repository of your own, whose history is used"
    )
    _add_base(examples)
    examples.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="write train.examples and held.examples into FOLDER",
    )
    examples.add_argument(
        "--commits",
        type=positive_int,
        metavar="N",
        help="commits from each file of edits, and of the repository (default: all, and the last 200)",
    )
    examples.add_argument("--seed", type=int, default=1, metavar="S", help="seed of all choices (default 1)")
    examples.add_argument(
        "--jobs",
        type=positive_int,
        default=os.cpu_count() or 1,
        metavar="J",
        help="parallel processes (default: one per core)",
    )
    examples.add_argument("--json", action="store_true", help="print the provenance as JSON")
    _add_adapter(steps)
    measure = steps.add_parser(
        "measure",
        help="measure an adapter on held-out examples",
        description="Answer held-out examples, and print how many are right, at which probability.",
    )
    measure.add_argument("--adapter", type=Path, required=True, metavar="FILE", help="the adapter")
    measure.add_argument("--held", type=Path, required=True, metavar="FILE", help="held-out examples")
    measure.add_argument(
        "--rank", type=positive_int, default=DEFAULT_RANK, metavar="R", help="its rank (default 64)"
    )
    _add_machine(measure)
    add_run_arguments(measure)


def _add_adapter(steps: Any) -> None:
    adapter = steps.add_parser(
        "adapter",
        help="train the adapter on examples",
        description="Train the adapter, write it and measure it; --resume continues an interrupted run.",
    )
    adapter.add_argument(
        "--data", type=Path, required=True, metavar="FILE", help="the examples that `examples` wrote"
    )
    adapter.add_argument(
        "--held", type=Path, metavar="FILE", help="held-out examples, to measure on at the end"
    )
    adapter.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="write the adapter into FOLDER, checkpoints and the log into FOLDER/run",
    )
    length = adapter.add_mutually_exclusive_group()
    length.add_argument(
        "--minutes", type=float, metavar="M", help=f"minutes of training (default {DEFAULT_MINUTES:g})"
    )
    length.add_argument("--steps", type=positive_int, metavar="N", help="train exactly N steps instead")
    adapter.add_argument(
        "--rate",
        type=float,
        default=DEFAULT_RATE,
        metavar="R",
        help=f"the highest learning rate (default {DEFAULT_RATE:g})",
    )
    adapter.add_argument(
        "--rank",
        type=positive_int,
        default=DEFAULT_RANK,
        metavar="R",
        help=f"the rank of the additions (default {DEFAULT_RANK})",
    )
    adapter.add_argument(
        "--seed", type=int, default=0, metavar="S", help="seed of the weights and the order (default 0)"
    )
    adapter.add_argument("--resume", action="store_true", help="continue the run in FOLDER")
    adapter.add_argument(
        "--save-minutes", type=float, default=2.0, metavar="M", help="minutes between checkpoints (default 2)"
    )
    _add_machine(adapter)
    add_run_arguments(adapter)


def _add_base(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--base",
        type=Path,
        required=True,
        metavar="FILE",
        help="the base: the GGUF file of Qwen2.5-Coder-0.5B-Instruct, or another Qwen2",
    )


def _add_machine(parser: argparse.ArgumentParser) -> None:
    _add_base(parser)
    parser.add_argument(
        "--row",
        type=positive_int,
        metavar="T",
        help=f"tokens computed together (default {DEFAULT_ROW:,}, on a GPU {DEFAULT_GPU_ROW:,})",
    )
    parser.add_argument(
        "--measured",
        type=int,
        default=DEFAULT_MEASURED,
        metavar="N",
        help=f"the most held-out examples to answer (default {DEFAULT_MEASURED:,})",
    )
    parser.add_argument(
        "--device", choices=("auto", "cpu", "cuda"), default="auto", help="where to compute (default auto)"
    )
    parser.add_argument(
        "--dtype",
        choices=("auto", "float32", "bfloat16"),
        default="auto",
        help="type of the multiplications; auto measures which is faster here",
    )


def run(args: argparse.Namespace) -> int:
    """Run a step.

    The exit code is 1 when there are no examples, files do not belong together, or the training was interrupted.
    """
    from editahead_evals.errors import GitError
    from editahead_inference.errors import SmallModelError
    from editahead_lab.errors import TrainingError

    steps = {"examples": _make_examples, "adapter": _train, "measure": _measure}
    try:
        return steps[args.step](args)
    except (GitError, OSError, SmallModelError, TrainingError) as error:
        return fail(str(error))


def _make_examples(args: argparse.Namespace) -> int:
    from editahead_evals.data.own_checkout import present_commit
    from editahead_lab.training.coder.build_examples import Sources, build_examples

    if args.edits is None and args.repo is None:
        return fail("name what to learn from: --edits FOLDER, --repo FOLDER, or both")
    made = build_examples(
        Sources(args.edits, args.repo, args.commits),
        args.base,
        args.out,
        seed=args.seed,
        jobs=args.jobs,
        revision=present_commit(),
        report=(lambda line: None) if args.json else print_text,
    )
    if args.json:
        print_json({name: packed.provenance for name, packed in made.items()})
        return 0
    for name, packed in made.items():
        path = args.out / f"{name}.examples"
        print_text(f"wrote {path}: {len(packed):,} examples, {len(packed.tokens):,} tokens")
    return 0


def _machine(args: argparse.Namespace) -> Machine:
    """Prepare this process for a long computation, and return where it runs.

    Raises:
        TrainingError: There is no GPU that torch can use.
    """
    from editahead_lab.training.model import malloc_tuning

    malloc_tuning.keep_freed_memory()
    lower_priority(args.nice)
    import torch

    from editahead_lab.errors import TrainingError
    from editahead_lab.training.coder.train_adapter import Machine

    torch.set_num_threads(args.threads)
    found = torch.cuda.is_available()
    if args.device == "cuda" and not found:
        raise TrainingError("there is no GPU that torch can use")
    device = ("cuda" if found else "cpu") if args.device == "auto" else args.device
    args.row = args.row or (DEFAULT_GPU_ROW if device == "cuda" else DEFAULT_ROW)
    return Machine(device, args.dtype)


def _train(args: argparse.Namespace) -> int:
    if args.minutes is not None and args.minutes <= 0:
        return fail("--minutes must be greater than 0")
    machine = _machine(args)
    from editahead_lab.training.coder.adapter_run import RunPlan
    from editahead_lab.training.coder.train_adapter import train_adapter

    minutes = None if args.steps else args.minutes or DEFAULT_MINUTES
    plan = RunPlan(minutes, args.steps, args.row, args.rate, args.rank, args.seed, args.save_minutes)
    card = train_adapter(
        plan,
        machine,
        args.base,
        args.data,
        args.held,
        args.out,
        resume=args.resume,
        measured=args.measured,
        tell=(lambda line: None) if args.json else show_progress,
    )
    if card is None:
        return fail("interrupted; add --resume to continue")
    if args.json:
        print_json(card)
        return 0
    print_text(f"wrote {args.out}: {card['tokens seen']:,} tokens seen in {card['seconds']:.0f} s")
    _print_figures(card.get("held", {}))
    return 0


def _measure(args: argparse.Namespace) -> int:
    machine = _machine(args)
    from editahead_lab.training.coder.train_adapter import measure_adapter

    figures = measure_adapter(
        args.adapter,
        machine,
        args.base,
        args.held,
        rank=args.rank,
        measured=args.measured,
        row=args.row,
    )
    if args.json:
        print_json(figures)
    else:
        _print_figures(figures)
    return 0


def _print_figures(figures: Mapping[str, Any]) -> None:
    for what, values in figures.items():
        plain = {name: value for name, value in values.items() if name != "calibration"}
        print_text(f"{what}: " + ", ".join(f"{name} {value}" for name, value in plain.items()))
        if (calibration := values.get("calibration")) is not None:
            bins = ", ".join(f"{name}: {one['right']}" for name, one in calibration["bins"].items())
            print_text(f"right answers by probability (error {calibration['error']}): {bins}")
