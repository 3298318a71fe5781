"""`editahead train experts`: turn a dense model into a mixture of experts."""

from __future__ import annotations

import argparse
from pathlib import Path

from editahead_cli.argument_types import positive_int
from editahead_cli.console import fail, print_json, print_text

from .train_common import add_dtype_argument, add_run_arguments, lower_priority, show_progress
from .train_tune import DEFAULT_ROW

DEFAULT_EXPERTS, DEFAULT_ACTIVE, DEFAULT_SHARED = 16, 4, 512
DEFAULT_SAMPLE = 6000
DEFAULT_ROUTER_TOKENS = 300_000
DEFAULT_ROUTER_RATE = 5e-4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--base",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="a dense model of Llama's kind: what `train base` or `train tune` wrote",
    )
    parser.add_argument(
        "--data", type=Path, required=True, metavar="FILE", help="examples of `train data --base`"
    )
    parser.add_argument("--held", type=Path, metavar="FILE", help="packed examples for measuring only")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="write the model into FOLDER"
    )
    parser.add_argument(
        "--experts",
        type=positive_int,
        default=DEFAULT_EXPERTS,
        metavar="N",
        help=f"experts of each layer, a power of two (default {DEFAULT_EXPERTS})",
    )
    parser.add_argument(
        "--active",
        type=positive_int,
        default=DEFAULT_ACTIVE,
        metavar="N",
        help=f"experts of each token (default {DEFAULT_ACTIVE})",
    )
    parser.add_argument(
        "--shared",
        type=positive_int,
        default=DEFAULT_SHARED,
        metavar="N",
        help=f"neurons of each layer that all tokens use (default {DEFAULT_SHARED})",
    )
    parser.add_argument(
        "--group-by",
        choices=("activations", "weights"),
        default="activations",
        help="how neurons are grouped: by the tokens they fire for, or by their gates' directions (default activations)",
    )
    parser.add_argument(
        "--sample",
        type=positive_int,
        default=DEFAULT_SAMPLE,
        metavar="N",
        help=f"tokens that the groups and the first router are made from (default {DEFAULT_SAMPLE:,})",
    )
    parser.add_argument(
        "--tokens",
        type=int,
        default=DEFAULT_ROUTER_TOKENS,
        metavar="N",
        help=f"tokens that the router is trained with; 0 = it is only fitted (default {DEFAULT_ROUTER_TOKENS:,})",
    )
    parser.add_argument(
        "--row",
        type=positive_int,
        default=DEFAULT_ROW,
        metavar="T",
        help=f"tokens per step (default {DEFAULT_ROW})",
    )
    parser.add_argument(
        "--rate",
        type=float,
        default=DEFAULT_ROUTER_RATE,
        metavar="R",
        help=f"the router's highest learning rate (default {DEFAULT_ROUTER_RATE:g})",
    )
    add_dtype_argument(parser)
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        metavar="S",
        help="seed of the groups and of the order of examples (default 1)",
    )
    parser.add_argument("--resume", action="store_true", help="continue the router's training in FOLDER")
    add_run_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Turn a dense model into a mixture of experts.

    The exit code is 1 when there are no examples, the model cannot be split so, or the training was interrupted.
    """
    from editahead_training.model import malloc_tuning

    malloc_tuning.keep_freed_memory()
    lower_priority(args.nice)
    import torch

    from editahead_prompts.errors import TokenizerUnavailableError
    from editahead_training.data.base_dataset import format_of, vocabulary_of
    from editahead_training.data.packed_dataset import read
    from editahead_training.errors import DatasetError, TrainingError
    from editahead_training.model.fine_tune import TuneConfig, faster_dtype
    from editahead_training.model.train_experts import ExpertsConfig, train_experts

    torch.set_num_threads(args.threads)
    plan = ExpertsConfig(args.experts, args.active, args.shared, args.group_by, args.sample)
    router = TuneConfig(
        tokens=args.tokens,
        row=args.row,
        rate=args.rate,
        seed=args.seed,
        dtype=args.dtype if args.dtype != "auto" else faster_dtype("cpu"),
    )
    quiet = (lambda line: None) if args.json else None
    try:
        vocabulary = vocabulary_of(args.base, format_of(args.data))
        provenance = train_experts(
            plan,
            router,
            args.base,
            read(args.data, vocabulary),
            vocabulary,
            args.out,
            held=read(args.held, vocabulary) if args.held else None,
            resume=args.resume,
            report=quiet or print_text,
            tell=quiet or show_progress,
        )
    except (DatasetError, TrainingError, TokenizerUnavailableError, OSError) as error:
        return fail(str(error))
    if args.json:
        print_json(provenance)
    else:
        print_text(f"wrote {args.out}")
        for name, tasks in provenance["held"].items():
            for task, figures in tasks.items():
                print_text(
                    f"{name}, {task}: " + ", ".join(f"{what} {value}" for what, value in figures.items())
                )
    if not provenance["finished"]:
        return fail("the router's training was interrupted; add --resume to continue")
    return 0
