"""`editahead train`: what Editahead learns from real edits, learned again."""

from __future__ import annotations

import argparse
import os
from importlib.util import find_spec
from pathlib import Path

from .output import fail, tell, tell_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    gate = what.add_parser(
        "gate", help="fit the gate's weights to real commits", description="Fit the gate's weights."
    )
    gate.add_argument(
        "--edits", type=Path, required=True, metavar="FOLDER", help="with train-*.jsonl.zst files"
    )
    gate.add_argument("--out", type=Path, required=True, metavar="FILE", help="where the weights go, as JSON")
    gate.add_argument(
        "--files", type=int, default=800, metavar="N", help="records from each file of edits (default 800)"
    )
    gate.add_argument("--seed", type=int, default=1, metavar="S", help="which records (default 1)")
    gate.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="J", help="processes (default: one a core)"
    )
    gate.add_argument("--json", action="store_true", help="the provenance and the figures as JSON")


def run(args: argparse.Namespace) -> int:
    """Exit code 1 when the data or the extra `train` is missing."""
    if find_spec("sklearn") is None or find_spec("numpy") is None:
        return fail("training needs the extra `train`: pip install 'editahead[train]'")
    from editahead_inference.gate import threshold
    from editahead_training.gate import train

    try:
        provenance = train(
            args.edits, args.out, files=args.files, seed=args.seed, jobs=args.jobs, threshold=threshold(0.5)
        )
    except OSError as error:
        return fail(str(error))
    if args.json:
        tell_json(provenance)
        return 0
    tell(f"wrote {args.out}, fitted on {len(provenance['fitted on'])} files of edits")
    for order, figures in provenance["figures"].items():
        tell(f"set aside, {order}: " + ", ".join(f"{name} {value}" for name, value in figures.items()))
    return 0
