"""What the long trainings of `editahead-lab train` have in common: options, a low priority, and lines of progress."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from editahead_cli.argument_types import positive_int
from editahead_cli.console import print_text

DEFAULT_NICE = 10
"""How much lower the priority of a training is than that of other work."""


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of a long training: threads, priority, and output as JSON."""
    parser.add_argument(
        "--threads", type=positive_int, default=1, metavar="N", help="threads of torch (default 1)"
    )
    parser.add_argument(
        "--nice",
        type=int,
        default=DEFAULT_NICE,
        metavar="N",
        help=f"lower the priority by N, so that other work goes first (default {DEFAULT_NICE})",
    )
    parser.add_argument("--json", action="store_true", help="print the provenance and the figures as JSON")


def add_dtype_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option that chooses the type of the multiplications."""
    parser.add_argument(
        "--dtype",
        choices=("auto", "float32", "bfloat16"),
        default="auto",
        help="type of the multiplications; auto measures which is faster here",
    )


def lower_priority(by: int) -> None:
    """Let other processes go first, where the system knows priorities."""
    if hasattr(os, "nice"):
        os.nice(max(by, 0))


def show_progress(line: dict[str, Any]) -> None:
    """Print a line of a training's log."""
    losses = "  ".join(f"{task} {loss:.3f}" for task, loss in line["loss"].items())
    minutes, seconds = divmod(int(line["seconds left"]), 60)
    print_text(
        f"step {line['step']}  {line['tokens']:,} tokens  {line['tokens/s']:,}/s  rate {line['rate']:.1e}  "
        f"{minutes}:{seconds:02d} left  loss: {losses}"
    )
    sys.stdout.flush()
