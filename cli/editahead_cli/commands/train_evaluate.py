"""`editahead train measure`: measure a trained model on held-out examples."""

from __future__ import annotations

import argparse
from pathlib import Path

from editahead_cli.console import fail, print_json, print_text

DEFAULT_TOKENS = 500_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", type=Path, required=True, metavar="FOLDER", help="a trained model")
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="packed examples")
    parser.add_argument(
        "--tokens",
        type=int,
        default=DEFAULT_TOKENS,
        metavar="N",
        help=f"most tokens to measure (default {DEFAULT_TOKENS:,})",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="seed of the choice of examples (default 0)"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure a model. The exit code is 1 when there is no model, or there are no examples."""
    from editahead_training.data.packed_dataset import read
    from editahead_training.errors import DatasetError
    from editahead_training.model.evaluate import load, measure

    try:
        found = measure(load(args.model), read(args.data), args.tokens, args.seed)
    except (DatasetError, OSError, ValueError) as error:
        return fail(str(error))
    if args.json:
        print_json(found)
        return 0
    for task, figures in found.items():
        print_text(f"{task}: " + ", ".join(f"{name} {value}" for name, value in figures.items()))
    return 0
