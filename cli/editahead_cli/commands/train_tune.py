"""`editahead train tune`: teach a base our examples."""

from __future__ import annotations

import argparse
from pathlib import Path

from editahead_cli.console import fail, print_json, print_text

from .train_common import add_dtype_argument, add_run_arguments, lower_priority, show_progress

DEFAULT_TOKENS = 5_000_000
DEFAULT_ROW = 2048
DEFAULT_RATE, DEFAULT_LORA_RATE = 3e-4, 1e-3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--base", type=Path, required=True, metavar="FOLDER", help="the folder that `train base` wrote"
    )
    parser.add_argument(
        "--data", type=Path, required=True, metavar="FILE", help="examples of `train data --base`"
    )
    parser.add_argument(
        "--held", type=Path, metavar="FILE", help="packed examples for measuring at the end only"
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="write the model into FOLDER, checkpoints and the log into FOLDER/run",
    )
    parser.add_argument(
        "--tokens",
        type=int,
        default=DEFAULT_TOKENS,
        metavar="N",
        help=f"tokens of the whole run (default {DEFAULT_TOKENS:,})",
    )
    parser.add_argument(
        "--row", type=int, default=DEFAULT_ROW, metavar="T", help=f"tokens per step (default {DEFAULT_ROW})"
    )
    parser.add_argument(
        "--rate",
        type=float,
        metavar="R",
        help=f"the highest learning rate (default {DEFAULT_RATE:g}, with --lora {DEFAULT_LORA_RATE:g})",
    )
    parser.add_argument(
        "--lora", type=int, default=0, metavar="RANK", help="train low-rank additions only (default: all)"
    )
    parser.add_argument(
        "--start",
        type=Path,
        metavar="FILE",
        help="with --lora: begin with the additions in FILE, which --export-adapter wrote at the same rank",
    )
    add_dtype_argument(parser)
    parser.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="where to train (default cpu)"
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="S", help="seed of the order of examples (default 1)"
    )
    parser.add_argument("--resume", action="store_true", help="continue the run in FOLDER")
    parser.add_argument(
        "--export", action="store_true", help="write the model of an interrupted run, without training"
    )
    parser.add_argument(
        "--export-adapter",
        type=Path,
        metavar="FILE",
        help="with --lora: also write the additions alone into FILE, in bytes, for `editahead models use`",
    )
    parser.add_argument(
        "--save-minutes",
        type=float,
        default=10.0,
        metavar="M",
        help="minutes between checkpoints (default 10)",
    )
    add_run_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Train a base.

    The exit code is 1 when there are no examples, the folder does not fit the options, or the run was interrupted.
    """
    from editahead_training.model import malloc_tuning

    malloc_tuning.keep_freed_memory()
    lower_priority(args.nice)
    import torch

    from editahead_prompts.errors import TokenizerUnavailableError
    from editahead_training.data.base_dataset import format_of, vocabulary_of
    from editahead_training.data.packed_dataset import read
    from editahead_training.errors import DatasetError, TrainingError
    from editahead_training.model.fine_tune import TuneConfig, faster_dtype, load_base, tune
    from editahead_training.model.tuned_model import export_adapter, export_tuned, measure_tuned

    if args.start and not args.lora:
        return fail("--start begins with additions, which --lora trains")
    torch.set_num_threads(args.threads)
    if args.device == "cuda" and not torch.cuda.is_available():
        return fail("there is no GPU that torch can use")
    dtype = args.dtype if args.dtype != "auto" else faster_dtype(args.device)
    plan = TuneConfig(
        tokens=args.tokens,
        row=args.row,
        rate=args.rate or (DEFAULT_LORA_RATE if args.lora else DEFAULT_RATE),
        seed=args.seed,
        rank=args.lora,
        dtype=dtype,
        save_minutes=args.save_minutes,
        start=str(args.start or ""),
    )
    try:
        vocabulary = vocabulary_of(args.base, format_of(args.data))
        data = read(args.data, vocabulary)
        held = read(args.held, vocabulary) if args.held else None
        model = load_base(args.base, vocabulary, args.device)
        tell = (lambda line: None) if args.json else show_progress
        result = tune(
            plan,
            model,
            data,
            args.out / "run",
            resume=args.resume or args.export,
            markers=sorted(vocabulary.encoder.get_added_tokens_decoder()),
            idle=args.export,
            tell=tell,
        )
        if not result.finished and not args.export:
            return fail(f"interrupted after step {result.where.step}; add --resume to continue")
        if args.export_adapter:
            export_adapter(result, plan, data, args.base, args.export_adapter)
        provenance = export_tuned(result, plan, data, vocabulary, args.base, args.out)
        if held is not None:
            provenance["held"] = measure_tuned(result.model, held, dtype)
    except (DatasetError, TrainingError, TokenizerUnavailableError, OSError) as error:
        return fail(str(error))
    if args.json:
        print_json(provenance)
    else:
        print_text(f"wrote {args.out}: {result.where.tokens:,} tokens seen")
        for task, figures in provenance.get("held", {}).items():
            print_text(f"{task}: " + ", ".join(f"{name} {value}" for name, value in figures.items()))
    return 0
