"""`editahead-lab train encoder`: make pairs of texts, train the search's encoder on them, and measure it."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from editahead_cli.argument_types import positive_int
from editahead_cli.console import fail, print_json, print_text

from .train_common import add_run_arguments, lower_priority

DEFAULT_COMMITS, DEFAULT_PAIRS, DEFAULT_BATCH = 2_000, 3_000_000, 512
_SCIPY = ("numpy", "scipy")
_TORCH = ("numpy", "torch")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    steps = parser.add_subparsers(dest="step", metavar="STEP", required=True)
    pairs = steps.add_parser(
        "pairs",
        help="make pairs of texts that belong together",
        description="Make pairs from commits, documented code and installed packages; what is complete is not made again.",
    )
    pairs.add_argument("--edits", type=Path, metavar="FOLDER", help="a folder with train-*.jsonl.zst files")
    pairs.add_argument(
        "--repo",
        type=Path,
        action="append",
        default=[],
        metavar="FOLDER",
        help="a git repository of your own",
    )
    pairs.add_argument(
        "--packages",
        type=Path,
        action="append",
        default=[],
        metavar="FOLDER",
        help="a site-packages folder; only packages under permissive licences are read",
    )
    pairs.add_argument(
        "--searches",
        action="store_true",
        help="what you searched in editors and then opened, where the setting `search_log` is on",
    )
    pairs.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="write the pairs into FOLDER"
    )
    pairs.add_argument(
        "--commits",
        type=positive_int,
        default=DEFAULT_COMMITS,
        metavar="N",
        help=f"commits from each file of edits (default {DEFAULT_COMMITS})",
    )
    pairs.add_argument(
        "--leave-out",
        action="append",
        default=[],
        metavar="NAME",
        help="a repository or package to leave out, such as one that is measured on",
    )
    pairs.add_argument("--seed", type=int, default=1, metavar="S", help="seed of the choices (default 1)")
    pairs.add_argument("--json", action="store_true", help="print the provenance as JSON")
    fit = steps.add_parser(
        "fit",
        help="train an encoder on pairs",
        description="Train an encoder on pairs, and write it with its card; --resume continues an interrupted run.",
    )
    fit.add_argument("--pairs", type=Path, required=True, metavar="FILE", help="the file that `pairs` wrote")
    fit.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="write the encoder into FOLDER"
    )
    fit.add_argument(
        "--architecture",
        choices=("static", "transformer"),
        default="static",
        help="a vector for each word, or a small bidirectional transformer (default static)",
    )
    fit.add_argument(
        "--pooling",
        choices=("mean", "cls", "last"),
        default="mean",
        help="what of the transformer's output becomes the vector (default mean)",
    )
    fit.add_argument(
        "--seen",
        type=positive_int,
        default=DEFAULT_PAIRS,
        metavar="N",
        help=f"pairs that are seen in all, repeated ones counted (default {DEFAULT_PAIRS:,})",
    )
    fit.add_argument(
        "--batch",
        type=positive_int,
        default=DEFAULT_BATCH,
        metavar="B",
        help=f"pairs of one step, each other's negatives (default {DEFAULT_BATCH})",
    )
    fit.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="INGREDIENT",
        help="leave an ingredient out, for comparison: " + ", ".join(INGREDIENTS),
    )
    fit.add_argument("--seed", type=int, default=1, metavar="S", help="seed of weights and order (default 1)")
    fit.add_argument("--resume", action="store_true", help="continue the run in FOLDER")
    fit.add_argument(
        "--save-minutes", type=float, default=5.0, metavar="M", help="minutes between checkpoints (default 5)"
    )
    add_run_arguments(fit)


INGREDIENTS = (
    *("documentation", "subject", "rewrite", "hunk", "search"),
    *("hard-negatives", "matryoshka", "weights", "roles", "buckets", "dropout"),
)
"""What `--without` may name: kinds of pairs, hard negatives, the losses of shorter vectors, learned weights of words,
weights of their own for questions, rows for unknown words, and words that a step does not see."""


def run(args: argparse.Namespace) -> int:
    """Run a step. The exit code is 1 when data or a package is missing, or the run was interrupted."""
    if any(find_spec(package) is None for package in (_SCIPY if args.step == "pairs" else _TORCH)):
        return fail("training needs the extra `train`: pip install 'editahead-lab[train]'")
    from editahead_evals.errors import EvalError
    from editahead_lab.errors import TrainingError
    from editahead_retrieval.errors import SearchLogError

    try:
        return _pairs(args) if args.step == "pairs" else _fit(args)
    except (OSError, EvalError, SearchLogError, TrainingError) as error:
        return fail(str(error))


def _pairs(args: argparse.Namespace) -> int:
    from editahead_lab.training.encoder.make_pairs import PAIRS, PairsPlan, make_pairs
    from editahead_retrieval.search.search_log import FILE_NAME
    from editahead_workspace import user_dirs

    if args.edits is None and not args.repo and not args.packages and not args.searches:
        return fail("name a source: --edits, --repo, --packages or --searches")
    plan = PairsPlan(
        args.edits,
        tuple(args.repo),
        tuple(args.packages),
        args.commits,
        args.seed,
        tuple(args.leave_out),
        user_dirs.state_folder() / FILE_NAME if args.searches else None,
    )
    provenance = make_pairs(plan, args.out, (lambda line: None) if args.json else _tell)
    if args.json:
        print_json(provenance)
        return 0
    kinds = ", ".join(f"{name} {count:,}" for name, count in provenance["kinds"].items())
    print_text(f"wrote {args.out / PAIRS}: {provenance['pairs']:,} pairs ({kinds})")
    return 0


def _fit(args: argparse.Namespace) -> int:
    unknown = [name for name in args.without if name not in INGREDIENTS]
    if unknown:
        return fail(f"there is no ingredient {unknown[0]}; there are: {', '.join(INGREDIENTS)}")
    lower_priority(args.nice)
    import torch

    from editahead_lab.training.encoder.fit import FitPlan, fit

    torch.set_num_threads(args.threads)
    plan = FitPlan(
        architecture=args.architecture,
        pooling=args.pooling,
        seen=args.seen,
        batch=args.batch,
        seed=args.seed,
        without=tuple(sorted(set(args.without))),
        save_minutes=args.save_minutes,
    )
    result = fit(
        plan, args.pairs, args.out, resume=args.resume, tell=(lambda line: None) if args.json else _show
    )
    if result is None:
        return fail("interrupted; add --resume to continue")
    if args.json:
        print_json(result)
        return 0
    print_text(f"wrote {args.out}: {result['seen']:,} pairs seen in {result['seconds'] / 60:.1f} minutes")
    for kind, value in result["held out"].items():
        print_text(f"{kind}: MRR@10 {value}")
    return 0


def _tell(line: str) -> None:
    print_text(line)
    sys.stdout.flush()


def _show(line: dict[str, Any]) -> None:
    held = "  ".join(f"{kind} {value:.3f}" for kind, value in line.get("held out", {}).items())
    minutes, seconds = divmod(int(line["seconds left"]), 60)
    _tell(f"{line['seen']:,} pairs seen  loss {line['loss']:.3f}  {minutes}:{seconds:02d} left  {held}")
