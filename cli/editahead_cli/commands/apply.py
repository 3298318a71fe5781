"""`editahead apply`: turn a sketch of a change into the exact edit of the files, in this process."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.argument_types import positive_int
from editahead_cli.console import fail, print_note
from editahead_cli.workspace_writes import find_workspace, recover, write_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from editahead_cli.commands.apply_report import ApplyReport
    from editahead_inference.apply.file_change import FileChange
    from editahead_inference.apply.results import Choice, Refusal
    from editahead_lsp.protocol.apply_messages import Problem
    from editahead_workspace.apply.apply_sketch import ApplyPlan, ReadSketch
    from editahead_workspace.apply.partial_results import PartialResultReporter
    from editahead_workspace.apply.workspace_files import WorkspaceFiles
    from editahead_workspace.settings import Settings

CHECK_LIMIT_S = 10.0
"""Limits the seconds for the problems that are named behind a diff without `--check`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        nargs="?",
        type=Path,
        metavar="FILE",
        help="the file that the sketch changes, if the sketch names none",
    )
    parser.add_argument(
        "--sketch",
        default="-",
        metavar="F",
        help="read the sketch from this file, or from stdin with - (default)",
    )
    parser.add_argument("--write", action="store_true", help="change the files instead of showing a diff")
    parser.add_argument("--backup", action="store_true", help="with --write: keep the old text as FILE.orig")
    parser.add_argument(
        "--force",
        action="store_true",
        help="with --write: write read-only files, too, and those that lose an owner or a hard link",
    )
    parser.add_argument(
        "--choose",
        type=positive_int,
        metavar="N",
        help="where several readings of the sketch are plausible, take the one with this number",
    )
    parser.add_argument(
        "--check",
        action=argparse.BooleanOptionalAction,
        help="write nothing with new problems of ruff, gofmt and tsc, where installed; without it, new problems are named "
        "behind the diff, and with --no-check they are not looked for",
    )
    parser.add_argument(
        "--model", action="store_true", help="use the model of your settings where the sketch is not clear"
    )
    parser.add_argument(
        "--yes",
        action="store_true",
        help="with --write: write without a review, too, what a model wrote and files that programs run by themselves",
    )
    parser.add_argument(
        "--patch", action="store_true", help="print the diff with every character as it is, for `git apply`"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, as `editahead.apply` answers")


def run(args: argparse.Namespace) -> int:
    from editahead_workspace.apply.workspace_files import WorkspaceFiles

    from .apply_report import ApplyReport

    for name in ("backup", "force", "yes"):
        if getattr(args, name) and not args.write:
            print_note(f"editahead: --{name} needs --write")
            return 2
    if args.write and sys.platform == "win32":
        return fail("--write does not run on Windows; apply the diff, or run the command in WSL")
    root = find_workspace(Path.cwd())
    recover(root)
    report = ApplyReport(args.json, root, exact=args.patch)
    settings = _load_settings(root)
    files = WorkspaceFiles.on_disk(root, settings, Path.cwd(), args.file)
    code = _plan_changes(args, report, files, settings)
    if code is not None:
        return code
    if args.check:
        report.problems = _find_problems(report, None)
    doubt = _doubt(report.changes)
    if args.write and doubt is not None and not args.yes:
        report.finish(show_diff=True)
        return fail(f"nothing was written, because {doubt}; review it, and then add --yes")
    if args.write and not report.problems:
        why = _write(report, files, backup=args.backup, force=args.force)
        if why is not None:
            return fail(f"nothing was written: {why}")
    code = report.finish(show_diff=not args.write)
    if args.check is None and settings.apply_check and report.changes and not args.json and not args.patch:
        _name_problems(report)
    return code


def _find_problems(report: ApplyReport, limit_s: float | None) -> list[Problem]:
    """Return the new problems of the changes.

    Raises:
        TimeoutError: The linters took longer than the limit.
    """
    import asyncio

    from editahead_lsp.apply.to_lsp import to_problems
    from editahead_workspace.apply.linters import find_new_problems

    finding = find_new_problems(report.changes, [report.root], "utf-16")
    return to_problems(asyncio.run(asyncio.wait_for(finding, limit_s)))


def _name_problems(report: ApplyReport) -> None:
    """Name the new problems behind a diff that is there already, if they are found soon."""
    sys.stdout.flush()
    try:
        found = _find_problems(report, CHECK_LIMIT_S)
    except TimeoutError:
        print_note(f"editahead: not checked within {CHECK_LIMIT_S:.0f} s; --check waits for the linters")
        return
    from .apply_report import count_problems

    report.print_problems(found)
    if found:
        print_note(f"editahead: {count_problems(found)}")


def _doubt(changes: Sequence[FileChange]) -> str | None:
    """Return why a person should read the changes before they are written, or None."""
    if any(change.origin == "model" for change in changes):
        return "a model wrote this text"
    if any(change.needs_yes for change in changes):
        return "other programs run or obey a file of it without a question"
    return None


def _plan_changes(
    args: argparse.Namespace, report: ApplyReport, files: WorkspaceFiles, settings: Settings
) -> int | None:
    """Read the sketch, and put its plan into the report. Return the exit code if there is no plan."""
    import time

    from editahead_cli import sketch_input
    from editahead_cli.errors import SketchInputError
    from editahead_inference.errors import ApplyRefusedError
    from editahead_workspace.apply.apply_sketch import ApplyPlan, SketchTask, read_sketch
    from editahead_workspace.errors import NothingToChooseError, UnreadableSketchError

    report.started = time.perf_counter()
    try:
        text = sketch_input.read_sketch(args.sketch, settings.max_file_bytes)
        read = read_sketch(SketchTask(text, files, choice=args.choose))
    except SketchInputError as error:
        return fail(str(error))
    except (UnreadableSketchError, ApplyRefusedError) as error:
        return report.report_refusal(error.refusal)
    report.kind = read.sketch.files[0].kind
    try:
        report.planned = _plan(read, report.root, settings, with_model=args.model and args.choose is None)
    except ApplyRefusedError as error:
        chosen = _ask(error.refusal, args, report.root)
        if chosen is None:
            return report.report_refusal(error.refusal)
        report.planned = ApplyPlan(read.sketch, chosen.changes, first_hunk_at=time.perf_counter())
    except NothingToChooseError as error:
        return fail(str(error))
    except ValueError as error:
        return fail(f"--model: {error}")
    report.ended = time.perf_counter()
    return None


def _ask(refusal: Refusal, args: argparse.Namespace, root: Path) -> Choice | None:
    """Return the reading that the person means, or None."""
    if not refusal.choices or args.choose is not None or args.json:
        return None
    from editahead_cli.choice_prompt import ask_choice

    return ask_choice(refusal.choices, refusal.detail, root)


def _write(report: ApplyReport, files: WorkspaceFiles, *, backup: bool, force: bool) -> str | None:
    """Write the changes. Return why nothing was written, or None."""
    from editahead_workspace.apply.change_writes import change_writes

    why = write_files(change_writes(report.changes, files), report.root, backup=backup, force=force)
    report.written = why is None
    return why


def _load_settings(root: Path) -> Settings:
    from editahead_workspace import user_dirs
    from editahead_workspace.settings import load_settings

    return load_settings(os.environ, None, [root], user_dirs.config_folder()).settings


def _plan(read: ReadSketch, root: Path, settings: Settings, *, with_model: bool) -> ApplyPlan:
    """Plan the changes that the sketch describes.

    Raises:
        ApplyRefusedError: The sketch cannot be applied.
        NothingToChooseError: A reading was chosen, and there is one only.
        ValueError: A model is wanted, and the settings name none.
    """
    import asyncio
    import time
    from dataclasses import replace

    from editahead_workspace.apply.apply_sketch import load_merge, plan_sketch
    from editahead_workspace.apply.partial_results import PartialResultReporter

    reporter = PartialResultReporter(lambda result: None, time.perf_counter)
    if with_model:
        plan = asyncio.run(_plan_with_model(read, root, settings, reporter))
    else:
        plan = plan_sketch(read, load_merge(), on_file_done=reporter.on_file_done)
    return replace(plan, first_hunk_at=reporter.first_hunk_at)


async def _plan_with_model(
    read: ReadSketch, root: Path, settings: Settings, reporter: PartialResultReporter
) -> ApplyPlan:
    """Plan the changes with the model of the settings. Cancellation ends the request to the model."""
    from editahead_workspace import uris
    from editahead_workspace.apply.apply_models import create_apply_models
    from editahead_workspace.apply.model_plan import plan_with_model

    model, witness = create_apply_models(settings, os.environ, [uris.path_to_uri(root)])
    if model is None:
        raise ValueError('the settings name no model (`backend` is "embedded"); see docs/backends.md')
    return await plan_with_model(
        read,
        model,
        witness=witness,
        on_file_done=reporter.on_file_done,
        on_partial=reporter.on_partial_rewrite,
    )
