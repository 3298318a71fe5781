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
    from editahead_lsp.apply.service import ApplyPlan
    from editahead_prompts.sketches.sketch import Sketch
    from editahead_workspace.apply.partial_results import PartialResultReporter
    from editahead_workspace.apply.workspace_files import WorkspaceFiles
    from editahead_workspace.settings import Settings


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
        action="store_true",
        help="check for new problems with ruff, gofmt and tsc, where installed",
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
    import asyncio

    from editahead_lsp.apply.to_lsp import to_problems
    from editahead_workspace.apply.linters import find_new_problems

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
    files = _workspace_files(args.file, root, settings)
    code = _plan_changes(args, report, files, settings)
    if code is not None:
        return code
    if args.check:
        found = asyncio.run(find_new_problems(report.changes, [root], "utf-16"))
        report.problems = to_problems(found)
    doubt = _doubt(report.changes)
    if args.write and doubt is not None and not args.yes:
        report.finish(show_diff=True)
        return fail(f"nothing was written, because {doubt}; review it, and then add --yes")
    if args.write and not report.problems:
        why = _write(report, files, backup=args.backup, force=args.force)
        if why is not None:
            return fail(f"nothing was written: {why}")
    return report.finish(show_diff=not args.write)


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

    from editahead_cli.errors import SketchInputError
    from editahead_cli.sketch_input import read_sketch
    from editahead_inference.apply.results import Refusal
    from editahead_inference.errors import ApplyRefusedError
    from editahead_lsp.apply.service import ApplyPlan
    from editahead_prompts.errors import SketchError
    from editahead_prompts.sketches.parse import parse_sketch

    report.started = time.perf_counter()
    try:
        text = read_sketch(args.sketch, settings.max_file_bytes)
    except SketchInputError as error:
        return fail(str(error))
    try:
        own = files.resolve(None)
        sketch = parse_sketch(
            text, language=own.language if own else None, path=args.file.name if args.file else None
        )
        report.kind = sketch.files[0].kind
        asking = args.model and args.choose is None
        report.planned = _make_plan(sketch, files, report.root, settings, asking=asking)
    except SketchError as error:
        lines = text.splitlines()[error.at : error.end]
        return report.report_refusal(Refusal("unparsed", str(error), "\n".join(lines)))
    except ApplyRefusedError as error:
        chosen = _choose(error.refusal, args, report.root)
        if chosen is None:
            return report.report_refusal(error.refusal)
        report.planned = ApplyPlan(sketch, chosen.changes, first_hunk_at=time.perf_counter())
    except ValueError as error:
        return fail(f"--model: {error}")
    else:
        if args.choose not in (None, 1):
            return fail("the sketch is clear: there is nothing to choose")
    report.ended = time.perf_counter()
    return None


def _choose(refusal: Refusal, args: argparse.Namespace, root: Path) -> Choice | None:
    """Return the reading that the person means, or None."""
    if not refusal.choices:
        return None
    if args.choose is not None:
        return refusal.choices[args.choose - 1] if args.choose <= len(refusal.choices) else None
    if args.json:
        return None
    from editahead_cli.choice_prompt import ask_choice

    return ask_choice(refusal.choices, refusal.detail, root)


def _write(report: ApplyReport, files: WorkspaceFiles, *, backup: bool, force: bool) -> str | None:
    """Write the changes. Return why nothing was written, or None."""
    from .apply_report import file_writes

    why = write_files(file_writes(report.changes, files), report.root, backup=backup, force=force)
    report.written = why is None
    return why


def _load_settings(root: Path) -> Settings:
    from editahead_workspace import user_dirs
    from editahead_workspace.settings import load_settings

    return load_settings(os.environ, None, [root], user_dirs.config_folder()).settings


def _make_plan(
    sketch: Sketch, files: WorkspaceFiles, root: Path, settings: Settings, *, asking: bool
) -> ApplyPlan:
    """Plan the changes that the sketch describes.

    Raises:
        ApplyRefusedError: The sketch cannot be applied.
        ValueError: A model is wanted, and the settings name none.
    """
    import asyncio
    import time

    from editahead_inference.apply.merge.merge import merge
    from editahead_inference.apply.planner import plan_changes
    from editahead_lsp.apply.service import ApplyPlan
    from editahead_workspace.apply.partial_results import PartialResultReporter

    reporter = PartialResultReporter(lambda news: None, time.perf_counter)
    if asking:
        return asyncio.run(_plan_with_model(sketch, files, root, settings, reporter))
    return ApplyPlan(
        sketch,
        plan_changes(
            sketch,
            files,
            merge,
            flag_file=files.find_flag,
            is_executable=files.is_executable,
            on_settled=reporter.on_file_done,
        ),
        first_hunk_at=reporter.first_hunk_at,
    )


async def _plan_with_model(
    sketch: Sketch, files: WorkspaceFiles, root: Path, settings: Settings, reporter: PartialResultReporter
) -> ApplyPlan:
    """Plan the changes with the model of the settings. Cancellation ends the request to the model."""
    import asyncio

    from editahead_inference.apply.merge.merge import merge
    from editahead_inference.apply.model.model_fallback import ModelFallback
    from editahead_inference.apply.planner import plan_changes
    from editahead_inference.worker_thread import CancellableJob, WorkerThread
    from editahead_lsp.apply.service import ApplyPlan
    from editahead_prompts.syntax.syntax_trees import SyntaxTrees
    from editahead_workspace import uris
    from editahead_workspace.apply.blocking_model import BlockingModelClient
    from editahead_workspace.model_config import ModelConfig

    model = ModelConfig.from_settings(settings, os.environ, [uris.path_to_uri(root)]).create_predictor()
    if model is None:
        raise ValueError('the settings name no model (`backend` is "embedded"); see docs/backends.md')
    trees = SyntaxTrees(reproducible=True)
    asks = ModelFallback(
        merge,
        BlockingModelClient(asyncio.get_running_loop(), model, files.exclusion_reason),
        lambda coming: reporter.on_partial_rewrite(coming, trees),
    )
    try:
        changes = await CancellableJob(WorkerThread()).run(
            lambda check: plan_changes(
                sketch,
                files,
                asks,
                syntax=trees,
                flag_file=files.find_flag,
                is_executable=files.is_executable,
                on_settled=reporter.on_file_done,
                check=check,
            )
        )
    finally:
        await model.backend.close()
    return ApplyPlan(sketch, changes, tuple(asks.usages), reporter.first_hunk_at)


def _workspace_files(file: Path | None, root: Path, settings: Settings) -> WorkspaceFiles:
    from editahead_workspace import uris
    from editahead_workspace.apply.workspace_files import WorkspaceFiles
    from editahead_workspace.file_exclusion import FileExclusion

    uri = uris.path_to_uri(Path(os.path.normpath(Path.cwd() / file))) if file is not None else None
    exclusion = FileExclusion([root], settings.exclude)
    return WorkspaceFiles([root], {}, exclusion, settings.max_file_bytes, uri, Path.cwd())
