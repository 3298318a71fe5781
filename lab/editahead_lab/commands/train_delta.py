"""`editahead-lab train delta`: store checkpoints as small differences, without loss."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from editahead_cli.console import fail, print_json, print_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="delta", metavar="WHAT", required=True)
    make = what.add_parser(
        "make",
        help="write the difference between two checkpoints",
        description="Write the difference between two checkpoints (safetensors) of the same model; or add a checkpoint to a "
        "chain.",
        usage="%(prog)s [-h] [--json] (BASE TARGET --out FILE | TARGET --chain FOLDER)",
    )
    make.add_argument("checkpoints", type=Path, nargs="+", metavar="CHECKPOINT", help=argparse.SUPPRESS)
    _add_locations(make, "write the difference to FILE", "the folder of the chain, created if needed")
    make.add_argument("--json", action="store_true", help="print the sizes as JSON")
    apply = what.add_parser(
        "apply",
        help="restore the later checkpoint, bit by bit",
        description="Restore a checkpoint, bit by bit: from an earlier one and the difference, or from a chain.",
        usage="%(prog)s [-h] (BASE DELTA --out FILE | --chain FOLDER [--number N] --out FILE)",
    )
    apply.add_argument("files", type=Path, nargs="*", metavar="FILE", help=argparse.SUPPRESS)
    _add_locations(apply, "write the checkpoint to FILE", "the folder of the chain")
    apply.add_argument(
        "--number",
        type=int,
        metavar="N",
        help="the number of the checkpoint in the chain, from 0 (default: the last)",
    )
    make.set_defaults(parser=make)
    apply.set_defaults(parser=apply)


def _add_locations(parser: argparse.ArgumentParser, out: str, chain: str) -> None:
    parser.add_argument("--out", type=Path, metavar="FILE", help=out)
    parser.add_argument("--chain", type=Path, metavar="FOLDER", help=chain)


def run(args: argparse.Namespace) -> int:
    """Run a sub-command. The exit code is 1 when files do not fit each other, or cannot be read or written."""
    from editahead_lab.errors import CheckpointError, DeltaError

    try:
        return _write_delta(args) if args.delta == "make" else _restore_checkpoint(args)
    except (DeltaError, CheckpointError, OSError) as error:
        return fail(str(error))


def _write_delta(args: argparse.Namespace) -> int:
    from editahead_lab.training.delta.checkpoint_delta import write_delta
    from editahead_lab.training.delta.delta_chain import DeltaChain

    if args.chain is not None:
        if len(args.checkpoints) != 1 or args.out is not None:
            args.parser.error("a chain takes one checkpoint, and no --out")
        link = DeltaChain(args.chain).add(args.checkpoints[0])
        if args.json:
            print_json(
                {"number": link.number, "file": str(link.path), "whole": link.whole, "size": link.size}
            )
        else:
            print_text(
                f"number {link.number}{', whole' if link.whole else ''}: {link.path}, {link.size:,} bytes"
            )
        return 0
    if len(args.checkpoints) != 2 or args.out is None:
        args.parser.error("name two checkpoints and --out, or one and --chain")
    base, target = args.checkpoints
    stats = write_delta(base, target, args.out)
    if args.json:
        print_json({**asdict(stats), "ratio": stats.ratio})
    else:
        print_text(
            f"wrote {args.out}: {stats.size:,} bytes for {stats.target_size:,}, {stats.ratio:.1f} times smaller; "
            f"{stats.changed:.1%} of the bytes differ"
        )
    return 0


def _restore_checkpoint(args: argparse.Namespace) -> int:
    from editahead_lab.training.delta.checkpoint_delta import apply_delta
    from editahead_lab.training.delta.delta_chain import DeltaChain

    if args.out is None or bool(args.files) == (args.chain is not None) or len(args.files) not in (0, 2):
        args.parser.error("name a checkpoint and a difference, or --chain; and --out")
    if args.chain is None:
        base, delta = args.files
        apply_delta(base, delta, args.out)
    else:
        chain = DeltaChain(args.chain)
        chain.write(len(chain.links()) - 1 if args.number is None else args.number, args.out)
    print_text(f"wrote {args.out}")
    return 0
