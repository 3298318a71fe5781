"""`editahead train data`: turn real edits into examples for the model."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from editahead_cli.console import fail, print_json, print_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--edits", type=Path, metavar="FOLDER", help="a folder with train-*.jsonl.zst files")
    parser.add_argument(
        "--repo", type=Path, metavar="FOLDER", help="a git repository of your own, whose history is used"
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="write train.tokens and held.tokens into FOLDER",
    )
    parser.add_argument(
        "--files",
        type=int,
        default=1800,
        metavar="N",
        help="records (with --base: commits) from each file of edits, and commits of the repository (default 1800)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="seed of the choice of records (default 0)"
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        metavar="J",
        help="parallel processes (default: one per core)",
    )
    parser.add_argument(
        "--base", type=Path, metavar="FOLDER", help="make short examples of next edits for this base"
    )
    parser.add_argument(
        "--format",
        choices=("editahead-lines", "editahead"),
        default="editahead-lines",
        help="the prompt format of examples for a base (default editahead-lines)",
    )
    parser.add_argument("--json", action="store_true", help="print the provenance as JSON")


def run(args: argparse.Namespace) -> int:
    """Build the dataset. The exit code is 1 when there is nothing to learn from."""
    from editahead_evals.data.revisions import present_commit
    from editahead_evals.errors import GitError
    from editahead_prompts.errors import TokenizerUnavailableError
    from editahead_training.data.base_dataset import build_base_dataset
    from editahead_training.data.build_dataset import build_dataset
    from editahead_training.errors import ShardError

    if args.edits is None and args.repo is None:
        return fail("name what to learn from: --edits FOLDER, --repo FOLDER, or both")
    if args.base is not None and (args.edits is None or args.repo is not None):
        return fail("--base takes --edits, not --repo")
    common = {
        "seed": args.seed,
        "jobs": args.jobs,
        "commit": present_commit(),
        "report": (lambda line: None) if args.json else print_text,
    }
    try:
        if args.base is None:
            datasets = build_dataset(args.edits, args.repo, args.out, files=args.files, **common)
        else:
            datasets = build_base_dataset(
                args.edits, args.base, args.out, format=args.format, commits=args.files, **common
            )
    except (GitError, OSError, ShardError, TokenizerUnavailableError, ValueError) as error:
        return fail(str(error))
    if args.json:
        print_json({name: packed.provenance for name, packed in datasets.items()})
        return 0
    for name, packed in datasets.items():
        print_text(f"wrote {args.out / name}.tokens: {len(packed):,} examples, {len(packed.tokens):,} tokens")
    return 0
