"""`editahead apply`: turn a sketch of a change into the exact edit of the files, in this process."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.console import fail, print_output, print_text

if TYPE_CHECKING:
    from editahead_cli.atomic_write import FileWrite
    from editahead_inference.apply.planner import FileChange
    from editahead_inference.apply.results import Refusal
    from editahead_lsp.apply.partial_results import PartialResultReporter
    from editahead_lsp.apply.service import ApplyPlan
    from editahead_lsp.apply.workspace_files import WorkspaceFiles
    from editahead_lsp.protocol.apply_messages import ApplyStats, Problem
    from editahead_prompts.sketches.sketch import Sketch, SketchKind


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
        "--check",
        action="store_true",
        help="check for new problems with ruff, gofmt and tsc, where installed",
    )
    parser.add_argument(
        "--model", action="store_true", help="use the model of your settings where the sketch is not clear"
    )
    parser.add_argument(
        "--yes", action="store_true", help="with --write: write the text of a model, too, without a review"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, as `editahead.apply` answers")


def run(args: argparse.Namespace) -> int:
    import asyncio
    import time

    from editahead_cli.atomic_write import write_all
    from editahead_cli.errors import WriteError
    from editahead_inference.apply.results import Refusal
    from editahead_inference.errors import ApplyRefusedError
    from editahead_lsp.apply.linters import find_new_problems
    from editahead_prompts.errors import SketchError
    from editahead_prompts.sketches.parse import parse_sketch

    for name in ("backup", "yes"):
        if getattr(args, name) and not args.write:
            sys.stderr.write(f"editahead: --{name} needs --write\n")
            return 2
    started = time.perf_counter()
    report = _Report(args.json, find_workspace(Path.cwd()))
    files = _workspace_files(args.file, report.root)
    try:
        text = sys.stdin.read() if args.sketch == "-" else Path(args.sketch).read_text("utf-8")
        text.encode("utf-8")  # stdin decodes invalid bytes as halves of surrogate pairs
    except (OSError, UnicodeError) as error:
        return fail(f"the sketch cannot be read: {error}")
    try:
        own = files.resolve(None)
        sketch = parse_sketch(
            text, language=own.language if own else None, path=args.file.name if args.file else None
        )
        report.kind = sketch.files[0].kind
        report.planned = _make_plan(sketch, files, report.root, asking=args.model)
    except SketchError as error:
        lines = text.splitlines()[error.at : error.end]
        return report.report_refusal(Refusal("unparsed", str(error), "\n".join(lines)))
    except ApplyRefusedError as error:
        return report.report_refusal(error.refusal)
    except ValueError as error:
        return fail(f"--model: {error}")
    report.started, report.ended = started, time.perf_counter()
    if args.check:
        report.problems = asyncio.run(find_new_problems(report.changes, [report.root], "utf-16"))
    by_model = any(change.origin == "model" for change in report.changes)
    if args.write and by_model and not args.yes:
        report.finish(show_diff=True)
        return fail("nothing was written, because a model wrote this text; review it, and then add --yes")
    if args.write and not report.problems:
        try:
            write_all(_file_writes(report.changes, files), backup=args.backup)
        except WriteError as error:
            return fail(f"nothing was written: {error}")
        report.written = True
    return report.finish(show_diff=not args.write)


def find_workspace(folder: Path) -> Path:
    """Return the git repository around the folder, or else the folder itself."""
    return next((path for path in (folder, *folder.parents) if (path / ".git").exists()), folder)


def _make_plan(sketch: Sketch, files: WorkspaceFiles, root: Path, *, asking: bool) -> ApplyPlan:
    """Plan the changes that the sketch describes.

    Raises:
        ApplyRefusedError: The sketch cannot be applied.
        ValueError: A model is wanted, and the settings name none.
    """
    import asyncio
    import time

    from editahead_inference.apply.merge.merge import merge
    from editahead_inference.apply.planner import plan_changes
    from editahead_lsp.apply.partial_results import PartialResultReporter
    from editahead_lsp.apply.service import ApplyPlan

    reporter = PartialResultReporter(lambda news: None, time.perf_counter)
    if asking:
        return asyncio.run(_plan_with_model(sketch, files, root, reporter))
    return ApplyPlan(
        sketch,
        plan_changes(sketch, files, merge, on_settled=reporter.on_file_done),
        first_hunk_at=reporter.first_hunk_at,
    )


async def _plan_with_model(
    sketch: Sketch, files: WorkspaceFiles, root: Path, reporter: PartialResultReporter
) -> ApplyPlan:
    """Plan the changes with the model of the settings. Cancellation ends the request to the model."""
    import asyncio

    from editahead_inference.apply.merge.merge import merge
    from editahead_inference.apply.model.model_fallback import ModelFallback
    from editahead_inference.apply.planner import plan_changes
    from editahead_inference.worker_thread import CancellableJob, WorkerThread
    from editahead_lsp import user_dirs
    from editahead_lsp.apply.blocking_model import BlockingModelClient
    from editahead_lsp.apply.service import ApplyPlan
    from editahead_lsp.model.config import ModelConfig
    from editahead_lsp.settings import load_settings
    from editahead_lsp.workspace import uris
    from editahead_prompts.text.syntax_trees import SyntaxTrees

    settings = load_settings(os.environ, None, [root], user_dirs.config_folder()).settings
    model = ModelConfig.from_settings(settings, os.environ, [uris.path_to_uri(root)]).create_predictor()
    if model is None:
        raise ValueError('the settings name no model (`backend` is "embedded"); see docs/backends.md')
    trees = SyntaxTrees()
    asks = ModelFallback(
        merge,
        BlockingModelClient(asyncio.get_running_loop(), model),
        lambda coming: reporter.on_partial_rewrite(coming, trees),
    )
    try:
        changes = await CancellableJob(WorkerThread()).run(
            lambda check: plan_changes(
                sketch, files, asks, syntax=trees, on_settled=reporter.on_file_done, check=check
            )
        )
    finally:
        await model.backend.close()
    return ApplyPlan(sketch, changes, tuple(asks.usages), reporter.first_hunk_at)


def _workspace_files(file: Path | None, root: Path) -> WorkspaceFiles:
    from editahead_lsp import user_dirs
    from editahead_lsp.apply.workspace_files import WorkspaceFiles
    from editahead_lsp.settings import load_settings
    from editahead_lsp.workspace import uris
    from editahead_lsp.workspace.file_exclusion import FileExclusion

    settings = load_settings(os.environ, None, [root], user_dirs.config_folder()).settings
    uri = uris.path_to_uri(Path(os.path.normpath(Path.cwd() / file))) if file is not None else None
    exclusion = FileExclusion([root], settings.exclude)
    return WorkspaceFiles([root], {}, exclusion, settings.max_file_bytes, uri, Path.cwd())


def _file_writes(changes: tuple[FileChange, ...], files: WorkspaceFiles) -> list[FileWrite]:
    from editahead_cli.atomic_write import FileWrite
    from editahead_lsp.apply.workspace_files import BOM
    from editahead_lsp.workspace import uris

    out = []
    for change in changes:
        uri = change.original.uri
        path = uris.uri_to_path(uri)
        assert path is not None
        mark = BOM if uri in files.with_bom else ""
        old, new = ((mark + text).encode("utf-8") for text in (change.original.text, change.new_text))
        target = uris.uri_to_path(change.moved_to) if change.moved_to is not None else None
        if target is not None:
            out += [FileWrite(target, None, new), FileWrite(path, old, None)]
        elif change.action == "create":
            out.append(FileWrite(path, None, new))
        else:
            out.append(FileWrite(path, old, None if change.action == "delete" else new))
    return out


class _Report:
    """The final output, as text or JSON.

    `root` is that of the workspace. `started` and `ended` are seconds of the clock that also times the first hunk.
    """

    def __init__(self, json: bool, root: Path) -> None:
        self._json, self.root = json, root
        self.kind: SketchKind | None = None
        self.planned: ApplyPlan | None = None
        self.problems: list[Problem] | None = None
        self.written = False
        self.started = self.ended = 0.0

    @property
    def changes(self) -> tuple[FileChange, ...]:
        return () if self.planned is None else self.planned.changes

    def report_refusal(self, refusal: Refusal) -> int:
        """Print why the sketch was refused and return the exit code."""
        if self._json:
            self._print_json(refusal)
        code = fail(f"refused ({refusal.reason}): {refusal.detail}")
        for line in refusal.part.splitlines():
            sys.stderr.write(f"    {line}\n")
        for near in refusal.near:
            sys.stderr.write(f"  lines {near.start + 1}-{near.end} are similar ({near.similarity:.2f})\n")
        if refusal.model:
            sys.stderr.write(f"editahead: {refusal.model}\n")
        return code

    def finish(self, *, show_diff: bool) -> int:
        """Print the result and return the exit code."""
        if self._json:
            self._print_json(None)
        elif not self.changes:
            sys.stderr.write("editahead: nothing to change\n")
        elif show_diff or self.problems:
            self._show_diff()
        else:
            for change in self.changes:
                print_text(
                    f"{_PAST_TENSE[change.action]} {self._name(change.moved_to or change.original.uri)}"
                )
        if not self._json and self.planned is not None and self.planned.usage:
            stats = self._stats(self.planned)
            first = (
                ""
                if stats.first_hunk_ms is None
                else f"; the first hunk after {stats.first_hunk_ms / 1000:.1f} s"
            )
            sys.stderr.write(
                f"editahead: the model was used: {stats.model_tokens} tokens, {stats.ms / 1000:.1f} s{first}\n"
            )
        for problem in self.problems or ():
            place = problem.range.start
            where = f"{self._name(problem.uri)}:{place.line + 1}:{place.character + 1}"
            sys.stderr.write(f"{where}: {problem.message} ({problem.source})\n")
        if self.problems:
            count = f"{len(self.problems)} new problem{'s' if len(self.problems) > 1 else ''}"
            return fail(f"{count}; nothing was written")
        return 0

    def _show_diff(self) -> None:
        from .annotated_diff import diff_lines, supports_color

        colour = supports_color()
        for change in self.changes:
            name = self._name(change.original.uri)
            after = self._name(change.moved_to) if change.moved_to is not None else name
            old = "/dev/null" if change.action == "create" else f"a/{name}"
            new = "/dev/null" if change.action == "delete" else f"b/{after}"
            for line in diff_lines(change, old, new, colour=colour):
                print_text(line)

    def _stats(self, planned: ApplyPlan) -> ApplyStats:
        from editahead_lsp.features.apply_sketch import apply_stats

        return apply_stats(planned, (self.ended - self.started) * 1000, self.started)

    def _name(self, uri: str) -> str:
        from editahead_lsp.workspace import uris

        path = uris.uri_to_path(uri)
        assert path is not None
        return os.path.relpath(os.path.realpath(path), os.path.realpath(self.root)).replace(os.sep, "/")

    def _print_json(self, refusal: Refusal | None) -> None:
        from editahead_cli import json_output
        from editahead_lsp.apply import to_lsp
        from editahead_lsp.features.apply_sketch import apply_method
        from editahead_lsp.protocol.apply_messages import ApplyStats
        from editahead_lsp.protocol.client_capabilities import FILE_OPERATIONS, ClientCapabilities

        files = [to_lsp.RebasedChange(change, change.original, change.hunks, None) for change in self.changes]
        able = ClientCapabilities(
            document_changes=True, annotates_edits=True, file_operations=FILE_OPERATIONS
        )
        refused = None
        if refusal is not None:
            data = to_lsp.to_refusal_data(refusal)
            refused = json_output.RefusalOutput(data.reason, refusal.detail, data.part, data.near, data.model)
        output = json_output.ApplyOutput(
            edit=None if refusal is not None else to_lsp.to_workspace_edit(files, able, "utf-16"),
            hunks=[hunk for file in files for hunk in to_lsp.to_applied_hunks(file, "utf-16")],
            sketch_kind=self.kind,
            method=apply_method(self.changes),
            stats=ApplyStats(0.0) if self.planned is None else self._stats(self.planned),
            problems=self.problems,
            written=[c.moved_to or c.original.uri for c in self.changes] if self.written else [],
            refusal=refused,
        )
        print_output(output)


_PAST_TENSE = {"edit": "changed", "create": "created", "delete": "deleted", "move": "moved to"}
