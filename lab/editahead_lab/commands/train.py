"""`editahead-lab train`: train on real edits what Editahead has learned from them."""

from __future__ import annotations

import argparse
import json
import os
from importlib.util import find_spec
from pathlib import Path

from editahead_cli.argument_types import positive_int
from editahead_cli.console import fail, print_json, print_text

from . import train_coder, train_delta, train_encoder

MODEL_PACKAGES = {
    "local": ("numpy", "onnxruntime", "tokenizers"),
    "transformers": ("numpy", "torch", "transformers", "safetensors", "tokenizers"),
}
"""What a model in this process needs, by the extra that has it."""
REQUIRED_PACKAGES = {
    "gate": ("sklearn", "numpy"),
    "closed-files": ("scipy", "numpy"),
    "finish": ("sklearn", "numpy"),
    "search": ("scipy", "numpy"),
    "completion": ("sklearn", "numpy"),
    "tokenizer": ("tokenizers",),
    "coder": ("numpy", "safetensors", "tokenizers", "gguf"),
    "delta": ("numpy",),
    "encoder": ("numpy",),
}
"""Packages of the extra `train` that each sub-command imports."""
_EDITS_HELP = "a folder with train-*.jsonl.zst files"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    gate = what.add_parser(
        "gate", help="fit the gate's weights to real commits", description="Fit the gate's weights."
    )
    _add_common_options(gate, "write the weights to FILE, as JSON", files=800, seed=1)
    gate.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        metavar="J",
        help="parallel processes (default: one per core)",
    )
    gate.add_argument(
        "--keep-trees",
        type=Path,
        metavar="FILE",
        help="keep the trees of these weights, and fit only the terms and the calibration",
    )
    gate.add_argument(
        "--model",
        type=Path,
        metavar="FOLDER",
        help="fit instead what the edits of the rules and of this model are worth beside each other",
    )
    gate.add_argument(
        "--answers",
        type=Path,
        metavar="FILE",
        help="keep in FILE what the model answers, so that a run that was stopped goes on there",
    )
    closed = what.add_parser(
        "closed-files",
        help="fit what an edit in a file that is not open takes to be shown",
        description="Fit the gate's terms for closed files to commits of several files.",
    )
    closed.add_argument(
        "--commits", type=Path, required=True, metavar="FILE", help="commits of several files (.jsonl.zst)"
    )
    closed.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="write the terms to FILE, as JSON"
    )
    closed.add_argument("--json", action="store_true", help="print the provenance as JSON")
    finish = what.add_parser(
        "finish",
        help="fit what `editahead finish` tells",
        description="Fit the weights of `editahead finish` to commits of several files with hunks left out.",
    )
    finish.add_argument(
        "--commits", type=Path, required=True, metavar="FILE", help="commits of several files (.jsonl.zst)"
    )
    finish.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="write the weights to FILE, as JSON"
    )
    finish.add_argument(
        "--every", type=positive_int, default=1, metavar="N", help="use each Nth commit only (default: 1)"
    )
    finish.add_argument("--json", action="store_true", help="print the provenance as JSON")
    search = what.add_parser(
        "search",
        help="fit the order of search results",
        description="Fit the weights that order search results to questions whose answers are known: "
        "the subjects of commits, and the documentation of functions.",
    )
    search.add_argument(
        "--commits", type=Path, required=True, metavar="FILE", help="commits of several files (.jsonl.zst)"
    )
    search.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="write the weights to FILE, as JSON"
    )
    search.add_argument(
        "--last",
        type=positive_int,
        default=30,
        metavar="N",
        help="use the last N commits of each repository (default: 30)",
    )
    search.add_argument(
        "--encoder",
        default="",
        metavar="FILE",
        help="fit the weights with vectors too, to those of this encoder, which must not know these commits and packages",
    )
    search.add_argument(
        "--packages",
        type=Path,
        metavar="FOLDER",
        help="fit to the documentation of functions too, of the packages in FOLDER, one in each folder of it",
    )
    completion = what.add_parser(
        "completion",
        help="fit the weights of the completion at the cursor to typed commits",
        description="Fit the weights of the completion at the cursor.",
    )
    completion.add_argument("--edits", type=Path, required=True, metavar="FOLDER", help=_EDITS_HELP)
    completion.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="write the weights to FILE, as JSON"
    )
    completion.add_argument(
        "--commits", type=int, default=60, metavar="N", help="commits from each file of edits (default 60)"
    )
    completion.add_argument(
        "--seed", type=int, default=1, metavar="S", help="seed of the choice of commits (default 1)"
    )
    completion.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        metavar="J",
        help="parallel processes (default: one per core)",
    )
    completion.add_argument("--json", action="store_true", help="print the provenance as JSON")
    tokenizer = what.add_parser(
        "tokenizer",
        help="learn the vocabulary of our own prompt format from real code",
        description="Learn the vocabulary of our own prompt format.",
    )
    _add_common_options(tokenizer, "write the vocabulary to FILE, as JSON", files=800, seed=0)
    coder = what.add_parser(
        "coder",
        help="train the adapter that predicts next edits and continues code",
        description="Make examples, and train and measure the adapter of the model editahead-coder.",
    )
    train_coder.add_arguments(coder)
    delta = what.add_parser(
        "delta",
        help="store checkpoints as small differences",
        description="Store checkpoints of one model as differences, and restore them.",
    )
    train_delta.add_arguments(delta)
    encoder = what.add_parser(
        "encoder",
        help="train the encoder of the search by meaning",
        description="Make pairs of texts, and train the encoder of the search by meaning on them.",
    )
    train_encoder.add_arguments(encoder)


def _add_common_options(parser: argparse.ArgumentParser, out: str, *, files: int, seed: int) -> None:
    parser.add_argument("--edits", type=Path, required=True, metavar="FOLDER", help=_EDITS_HELP)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help=out)
    parser.add_argument(
        "--files",
        type=int,
        default=files,
        metavar="N",
        help=f"records from each file of edits (default {files})",
    )
    parser.add_argument(
        "--seed", type=int, default=seed, metavar="S", help=f"seed of the choice of records (default {seed})"
    )
    parser.add_argument("--json", action="store_true", help="print the provenance and the figures as JSON")


def run(args: argparse.Namespace) -> int:
    """Run a sub-command. The exit code is 1 when the data or the extra `train` is missing, or the data is damaged."""
    if any(find_spec(package) is None for package in REQUIRED_PACKAGES[args.what]):
        return fail("training needs the extra `train`: pip install 'editahead-lab[train]'")
    if args.what == "delta":
        return train_delta.run(args)
    if args.what == "encoder":
        return train_encoder.run(args)
    if args.what == "coder":
        return train_coder.run(args)
    from editahead_evals.errors import RecordError
    from editahead_lab.errors import ShardError
    from editahead_retrieval.errors import EncoderError

    try:
        work = {
            "gate": _train_gate,
            "closed-files": _train_closed_files,
            "finish": _train_finish,
            "search": _train_search,
            "completion": _train_completion,
            "tokenizer": _train_tokenizer,
        }
        return work[args.what](args)
    except (EncoderError, OSError, RecordError, ShardError, ValueError) as error:
        return fail(str(error))


def _train_gate(args: argparse.Namespace) -> int:
    if args.model is not None:
        return _train_model_gate(args)
    from editahead_inference.gate.thresholds import threshold
    from editahead_lab.training.gate.fit_gate import train

    provenance = train(
        args.edits,
        args.out,
        files=args.files,
        seed=args.seed,
        jobs=args.jobs,
        threshold=threshold(0.5),
        kept=args.keep_trees,
    )
    if args.json:
        print_json(provenance)
        return 0
    print_text(f"wrote {args.out}, fitted on {len(provenance['fitted on'])} files of edits")
    for order, figures in provenance["figures"].items():
        print_text(f"set aside, {order}: " + ", ".join(f"{name} {value}" for name, value in figures.items()))
    return 0


def _train_closed_files(args: argparse.Namespace) -> int:
    from editahead_lab.training.gate.fit_closed_files import train

    provenance = train(args.commits, args.out)
    if args.json:
        print_json(provenance)
        return 0
    print_text(f"wrote {args.out}, fitted on {provenance['candidates']} candidates")
    print_text("set aside: " + ", ".join(f"{name} {value}" for name, value in provenance["figures"].items()))
    return 0


def _train_search(args: argparse.Namespace) -> int:
    from editahead_lab.training.search.fit_search import fit_search

    found = fit_search(args.commits, args.last, args.encoder, args.packages)
    args.out.write_text(json.dumps(found, indent=2) + "\n", "utf-8")
    fitted = "; ".join(f"{order}: {what}" for order, what in found["fitted"].items())
    print_text(f"wrote {args.out}, fitted on {fitted}")
    return 0


def _train_finish(args: argparse.Namespace) -> int:
    from editahead_lab.training.finish.fit_finish import train

    provenance = train(args.commits, args.out, every=args.every)
    if args.json:
        print_json(provenance)
        return 0
    print_text(f"wrote {args.out}, fitted on {provenance['candidates']} candidates")
    print_text("set aside: " + ", ".join(f"{name} {value}" for name, value in provenance["figures"].items()))
    return 0


def _train_completion(args: argparse.Namespace) -> int:
    from editahead_inference.gate.thresholds import completion_threshold
    from editahead_lab.training.completion.fit_completion import train

    provenance = train(
        args.edits,
        args.out,
        commits=args.commits,
        seed=args.seed,
        jobs=args.jobs,
        least=completion_threshold(0.5),
    )
    if args.json:
        print_json(provenance)
        return 0
    print_text(f"wrote {args.out}, fitted on {len(provenance['fitted on'])} files of edits")
    print_text("set aside: " + ", ".join(f"{name} {value}" for name, value in provenance["figures"].items()))
    return 0


def _train_model_gate(args: argparse.Namespace) -> int:
    """Fit the joint gate of the rules and a model."""
    extra = "local" if (args.model / "model.onnx").is_file() else "transformers"
    if any(find_spec(package) is None for package in MODEL_PACKAGES[extra]):
        return fail(f"the model needs the extra `{extra}`: pip install 'editahead[{extra}]'")
    from editahead_lab.training.gate.fit_model_gate import train

    provenance = train(
        args.edits,
        args.model,
        args.out,
        files=args.files,
        seed=args.seed,
        jobs=args.jobs,
        kept=args.answers,
    )
    if args.json:
        print_json(provenance)
        return 0
    print_text(f"wrote {args.out}, fitted on {', '.join(provenance['fitted on'])}")
    for what, figures in provenance["figures"].items():
        print_text(f"left out, {what}: " + ", ".join(f"{name} {value}" for name, value in figures.items()))
    return 0


def _train_tokenizer(args: argparse.Namespace) -> int:
    from editahead_evals.data.own_checkout import present_commit
    from editahead_lab.training.data.train_tokenizer import train

    provenance = train(args.edits, args.out, files=args.files, seed=args.seed, commit=present_commit())
    if args.json:
        print_json(provenance)
        return 0
    print_text(
        f"wrote {args.out}: {provenance['tokens']} tokens, learned from {provenance['records']} records"
    )
    return 0
