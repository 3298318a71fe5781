"""`editahead-lab eval --save-states` and `--render`: states of typing sessions, and the prompts for them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.console import print_json

if TYPE_CHECKING:
    from rich.console import Console

    from editahead_lab.prompt_costs.rendered_prompts import Rendered

DEFAULT_SESSIONS, MAX_HUNKS, MAX_REQUESTS = 12, 6, 300
"""Default number of sessions to save, and most hunks and requests of each."""

DEFAULT_DIFFS = 3
"""Default number of the most different prompts to show."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--save-states",
        type=Path,
        metavar="FILE",
        help="write the states of typing to FILE (.jsonl.zst), with their code, instead of measuring",
    )
    parser.add_argument(
        "--format", metavar="NAME", help="with --render: the prompt format (default editahead)"
    )
    parser.add_argument(
        "--with-format", metavar="NAME", help="with --render: another prompt format to compare with"
    )
    parser.add_argument(
        "--budget",
        type=int,
        metavar="TOKENS",
        help="with --render: most tokens of a prompt (default: the format's own)",
    )
    parser.add_argument(
        "--diffs",
        type=int,
        default=DEFAULT_DIFFS,
        metavar="N",
        help=f"with --render: show the N most different prompts (default {DEFAULT_DIFFS})",
    )


def usage_error(args: argparse.Namespace) -> str | None:
    """Return the problem of options that do not go together or name no format, else None."""
    from editahead_prompts.formats.registry import FORMATS

    for name in (args.format, args.with_format):
        if name and name not in FORMATS:
            return f"there is no prompt format {name!r}; choose one of {', '.join(FORMATS)}"
    if not args.render and (args.format or args.with_format or args.budget):
        return "--format, --with-format and --budget need --render"
    if args.render and (args.report or args.files or args.apply or args.save_states):
        return "--render cannot be combined with --apply, --files, --report or --save-states"
    if args.with_format and args.against:
        return "--with-format and --against are two comparisons; choose one"
    if args.save_states and not (args.edits or args.repo):
        return "--save-states needs --edits or --repo"
    if args.save_states and (args.apply or args.against or args.report):
        return "--save-states cannot be combined with --against, --apply or --report"
    return None


def save_states(args: argparse.Namespace, errors: Console) -> int:
    """Write the states of typing sessions and return the exit code.

    Raises:
        GitError: The repository cannot be read.
        RecordError: The records cannot be read, or none is suitable.
        StatesError: The states cannot be written.
    """
    from editahead_evals.data.edit_records import read_records
    from editahead_evals.data.git_records import recent_records
    from editahead_evals.errors import RecordError
    from editahead_lab.prompt_costs.state_files import write_states
    from editahead_lab.prompt_costs.typing_sessions import (
        MIN_LARGE_CHARACTERS,
        MIN_LARGE_HUNKS,
        sample_large,
        sessions,
        typing_states,
    )

    with errors.status("typing"):
        records = read_records(args.edits) if args.edits else recent_records(args.repo)
        drawn = sample_large(sessions(records), args.files or DEFAULT_SESSIONS, args.seed)
        if not drawn:
            raise RecordError(
                f"{args.edits or args.repo}: no file of {MIN_LARGE_CHARACTERS} characters or more in which a commit "
                f"changed {MIN_LARGE_HUNKS} places"
            )
        count = write_states(args.save_states, typing_states(drawn, MAX_HUNKS, MAX_REQUESTS))
    errors.print(
        f"written: {args.save_states}, {count} states of {len(drawn)} sessions; the file contains their code",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    return 0


def render_prompts(args: argparse.Namespace, errors: Console) -> int:
    """Render the prompts of stored states, print their costs and return the exit code.

    Raises:
        StatesError: The states cannot be read.
        TooFewPromptsError: The states give too few prompts.
        TokenizerUnavailableError: The tokenizer cannot be loaded.
        RevisionError: The other revision cannot be checked out.
        WorkerError: The other revision cannot render the prompts.
    """
    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.data.own_checkout import present_commit
    from editahead_lab.json_types import EvalRenderOutput
    from editahead_lab.prompt_costs import report
    from editahead_lab.prompt_costs.comparison import compare
    from editahead_lab.prompt_costs.costs import Costs
    from editahead_lab.prompt_costs.revision_worker import rendered_by
    from editahead_lab.revisions import checked_out

    name = args.format or "editahead"
    commit = present_commit()
    mine = _render(args, name)
    compared = other = None
    if args.with_format:
        other = args.with_format
        compared = compare(mine, _render(args, other), (name, other), args.diffs)
    elif args.against:
        with checked_out(args.against) as revision:
            other = f"{name} at {revision.commit}"
            theirs = list(rendered_by(revision, args.render, name, args.budget))
        compared = compare(mine, theirs, (name, other), args.diffs)
    costs = compared.mine if compared else Costs.from_rendered(mine)
    if args.json:
        output: EvalRenderOutput = {
            "measure": "prompts of stored states",
            "note": report.NOTE,
            "commit": commit,
            "data": str(args.render),
            "format": name,
            "budget": args.budget,
            "costs": costs.as_json(),
            "other": compared.as_json(other) if compared and other else None,
        }
        print_json(output)
        return 0
    columns = [(name, costs), *([(other, compared.theirs)] if compared and other else [])]
    report.print_report(columns, SafeConsole(), compared)
    return 0


def _render(args: argparse.Namespace, name: str) -> list[Rendered]:
    from editahead_lab.prompt_costs.rendered_prompts import render_all
    from editahead_lab.prompt_costs.state_files import read_states
    from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
    from editahead_prompts.formats.registry import FORMATS

    return list(render_all(FORMATS[name], read_states(args.render), bundled_tokenizer(), args.budget))
