"""`editahead eval`: how well the next edit of real commits is predicted."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from editahead_prompts.state import State


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--edits", type=Path, required=True, metavar="FILE", help="records of real edits (.jsonl.zst)"
    )
    parser.add_argument("--files", type=_count, metavar="N", help="so many of them; default: all")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the choice of files; default: 0")
    parser.add_argument(
        "--jobs",
        type=_count,
        default=os.cpu_count() or 1,
        metavar="N",
        help="servers side by side; default: one for each core",
    )
    parser.add_argument("--json", action="store_true", help="everything as JSON")


def run(args: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from editahead_evals.records import RecordError, read_records, sample
    from editahead_evals.report import Provenance, as_json, summarize
    from editahead_evals.run import Plan, RunError, evaluate
    from editahead_evals.tables import render

    errors = Console(stderr=True)
    results = []
    provenance = Provenance(_commit(), str(args.edits), args.seed)
    try:
        records = sample(read_records(args.edits), args.files, args.seed)
        if not records:
            raise RecordError(f"{args.edits}: no records")
        columns = (TextColumn("replaying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=errors, transient=True) as progress:
            task = progress.add_task("", total=len(records))
            with closing(evaluate(records, args.jobs, Plan(propose=candidates))) as running:
                for result in running:
                    results.append(result)
                    progress.advance(task)
    except (RecordError, RunError) as error:
        errors.print(str(error), markup=False, highlight=False, soft_wrap=True)
        return 1
    except KeyboardInterrupt:
        errors.print("stopped")
        return 1
    report = summarize(results, provenance)
    if args.json:
        json.dump(as_json(report), sys.stdout, indent=2)
        sys.stdout.write("\n")
    else:
        render(report, Console())
    return 0


def candidates() -> Callable[[State], Iterator[str]]:
    """What proposes all candidates for a state: the text of its document after each, before gate and checks."""
    from editahead_inference.pipeline import Pipeline

    pipeline = Pipeline()

    def propose(state: State) -> Iterator[str]:
        for verdict in pipeline.predict(state, eagerness=0).verdicts:
            if verdict.candidate.edit and verdict.candidate.uri == state.document.uri:
                yield verdict.candidate.edit.apply(state.document.text)

    return propose


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


def _commit() -> str:
    """The commit of the checkout that this code runs from, with a mark when files differ from it."""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(here.parent), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    here = Path(__file__)
    try:
        git(
            "rev-parse", f"HEAD:./{here.name}"
        )  # fails where this code lies in a repository that is not its own
        return git("describe", "--always", "--dirty", "--exclude=*")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
