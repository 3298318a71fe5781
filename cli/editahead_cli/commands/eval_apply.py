"""`editahead eval --apply`: how well sketches of real commits become exact edits."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from editahead_cli.console import print_json
from editahead_inference.backends.local.small_model import small_model_folder

from .eval_common import load_configured_model

if TYPE_CHECKING:
    from rich.console import Console

DEFAULT_SKETCHES = 2500
"""Default number of sketches."""


def run(args: argparse.Namespace, errors: Console) -> int:
    """Apply sketches of real commits, print the figures and return the exit code.

    Raises:
        ClientError: The server failed.
        RecordError: The records cannot be read.
        RunError: The settings name no model, and one is needed.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.apply import report
    from editahead_evals.apply.runner import apply_all
    from editahead_evals.apply.sketch_generator import cases
    from editahead_evals.client.editor import Editor
    from editahead_evals.data.edit_records import MAX_FILE_CHARACTERS, read_records
    from editahead_evals.data.revisions import present_commit
    from editahead_evals.errors import RecordError
    from editahead_evals.report.report import Provenance

    count = args.files or DEFAULT_SKETCHES
    settings = model_settings() if args.with_model else None
    records = [record for record in read_records(args.edits) if len(record.before) < MAX_FILE_CHARACTERS]
    outcomes = []
    columns = (TextColumn("applying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True) as progress:
        task = progress.add_task("", total=count)
        for outcome in apply_all(cases(records, count, args.seed), lambda: Editor(settings)):
            outcomes.append(outcome)
            progress.advance(task)
    if not outcomes:
        raise RecordError(f"{args.edits}: no sketch can be made of these records")
    where = Provenance(present_commit(), str(args.edits), args.seed)
    found = report.summarize(outcomes, where, with_model=args.with_model)
    if args.failures:
        args.failures.write_text("".join(report.failure_listing(outcomes)), "utf-8")
        errors.print(f"written: {args.failures}", markup=False, highlight=False, soft_wrap=True)
    if args.json:
        print_json(report.as_json(found))
    else:
        report.render(found, SafeConsole())
    return 0


def model_environment(args: argparse.Namespace) -> dict[str, str]:
    """Return the variables for a server with the model configured here; none without --with-model.

    Raises:
        RunError: The settings name no model.
    """
    settings = model_settings() if args.with_model else {}
    return {f"EDITAHEAD_{name.upper()}": str(value) for name, value in settings.items()}


def model_settings() -> dict[str, Any]:
    """Return the settings of the environment and the user that select the model.

    Raises:
        RunError: The settings name no model.
    """
    settings, _ = load_configured_model("--with-model")
    if settings.backend == "local" and settings.model is None:
        # The servers of a replay have another cache folder.
        settings = replace(settings, model=str(small_model_folder()))
    names = ("backend", "url", "model", "api_key_env", "format")
    return {name: value for name in names if (value := getattr(settings, name)) is not None}
