"""`editahead train mine`: fit what is shown to the person's own recordings and outcomes."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.argument_types import positive_int
from editahead_cli.console import fail, print_output, print_text

if TYPE_CHECKING:
    from editahead_workspace.own_preferences import OwnPreferences

DEFAULT_S = 600
"""Default seconds for the replay of recordings."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what", choices=("mine",), help="your own preferences; `editahead-lab train` has the other trainings"
    )
    parser.add_argument(
        "--recordings", type=Path, metavar="DIR", help="recordings (default: those of `editahead record`)"
    )
    parser.add_argument(
        "--seconds",
        type=positive_int,
        default=DEFAULT_S,
        metavar="N",
        help=f"replay for N seconds at most, the newest recordings first (default {DEFAULT_S})",
    )
    parser.add_argument("--dry-run", action="store_true", help="only report; keep nothing")
    parser.add_argument("--revert", action="store_true", help="take back what was kept last")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    from editahead_cli import own_training
    from editahead_evals.errors import RecordingError, RunError
    from editahead_workspace import user_dirs
    from editahead_workspace.own_preferences import OwnPreferences

    own = OwnPreferences(user_dirs.state_folder())
    if args.revert:
        return _revert(own)
    if sys.platform == "win32":
        return fail("Recordings cannot be replayed apart from your own outcomes on Windows.")
    try:
        report = own_training.fit_own_preferences(args.recordings, args.seconds)
        if report.kept and not args.dry_run:
            own.write(
                report.weights, {"outcomes": report.fitted, "loss": [report.loss_before, report.loss_after]}
            )
    except (RecordingError, RunError, OSError) as error:
        return fail(str(error))
    if args.json:
        print_output(report)
        return 0
    for line in own_training.describe(report):
        print_text(line)
    if not report.kept:
        print_text("Nothing is changed.")
    elif args.dry_run:
        print_text("This would be kept. Nothing is changed, as --dry-run says.")
    else:
        print_text(
            f"Kept in {own.file}, for servers that start from now on. Take it back: editahead train mine --revert"
        )
    return 0


def _revert(own: OwnPreferences) -> int:
    try:
        was_there = own.revert()
    except OSError as error:
        return fail(f"{own.file}: {error.strerror or error}.")
    print_text(
        "What was kept last is taken back." if was_there else "Nothing was kept, so nothing is taken back."
    )
    return 0
