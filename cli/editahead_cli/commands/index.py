"""`editahead index`: tell what the index of a workspace folder holds, build it, or remove it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.console import fail, print_note, print_output, print_text

if TYPE_CHECKING:
    from editahead_cli.json_output import IndexOutput
    from editahead_retrieval.process.messages import IndexReport, IndexTask


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        default="status",
        choices=["status", "build", "clear"],
        help="what to do with the index; by default, tell what it holds",
    )
    parser.add_argument(
        "path",
        nargs="?",
        type=Path,
        default=Path(),
        metavar="PATH",
        help="the workspace folder; here by default",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    root = Path(os.path.normpath(Path.cwd() / args.path))
    if not root.is_dir():
        return fail(f"{args.path} is no folder.")
    task = make_task(root)
    if args.action == "build":
        problem = _build(task, quiet=args.json)
    else:
        problem = _clear(task) if args.action == "clear" else None
    if problem is not None:
        return fail(problem)
    status = read_status(task)
    if args.json:
        print_output(status)
    else:
        print_text(describe(status))
    return 0


def make_task(root: Path) -> IndexTask:
    """Return the task of the index of a folder, by the settings that hold there."""
    from editahead_workspace import user_dirs
    from editahead_workspace.codebase import index_service
    from editahead_workspace.settings import load_settings

    settings = load_settings(os.environ, None, [root], user_dirs.config_folder()).settings
    return index_service.make_task(settings, root, user_dirs.index_folder(), user_dirs.state_folder())


def read_status(task: IndexTask) -> IndexOutput:
    """Return what the index of a task holds."""
    from editahead_cli.json_output import IndexOutput
    from editahead_retrieval.errors import IndexUnusableError
    from editahead_retrieval.index import location
    from editahead_retrieval.index.reader import IndexReader

    size = location.size_on_disk(task.folder_path)
    database = task.folder_path / location.DATABASE
    if not database.exists():
        return IndexOutput(task.root, 0, 0, 0, size, 0, "missing", None)
    reader = IndexReader(database)
    try:
        counts, built = reader.counts(), reader.meta().get("builtAt")
    except IndexUnusableError:
        return IndexOutput(task.root, 0, 0, 0, size, 0, "damaged", None)
    finally:
        reader.close()
    at = None if built is None else datetime.fromtimestamp(int(built), UTC).isoformat()
    sizes = (counts.files, counts.chunks, counts.symbols, size)
    return IndexOutput(task.root, *sizes, 0, "building" if built is None else "ready", at)


def describe(status: IndexOutput) -> str:
    """Return a sentence about an index."""
    if status.state == "missing":
        return f"{status.root} has no index. `editahead index build` builds one."
    if status.state == "damaged":
        return f"The index of {status.root} cannot be read. `editahead index build` builds another one."
    built = "not complete yet" if status.built_at is None else f"up to date at {status.built_at}"
    return (
        f"The index of {status.root}: {status.files} files, {status.chunks} chunks, {status.symbols} symbols, "
        f"{status.bytes / 1e6:.1f} MB, {built}."
    )


def _build(task: IndexTask, *, quiet: bool) -> str | None:
    """Build an index, or read all its files again. Return the reason of a failure.

    Args:
        task: The workspace and its index.
        quiet: Whether to show no progress.
    """
    from editahead_retrieval.process.worker import IndexWorker, run

    last: list[IndexReport] = []
    with ExitStack() as stack:
        show = (lambda report: None) if quiet else _progress_bar(stack)

        def receive(report: IndexReport) -> None:
            last[:] = [report]
            show(report)

        run(IndexWorker(task, receive, trust=False), lambda pause: [], until_ready=True, with_vectors=True)
    if last[0].state == "ready":
        if last[0].detail:
            print_note(f"The index is whole, but {last[0].detail.rstrip('.')}.")
        return None
    if last[0].state == "waiting":
        return "A running server keeps this index up to date; `editahead index status` tells how far it is."
    return f"The index was not built: {last[0].detail}."


def _progress_bar(stack: ExitStack) -> Callable[[IndexReport], None]:
    """Return a function that shows reports in a bar on the terminal, which is removed at the end of the stack."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from editahead_cli.rich_console import SafeConsole

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    progress = stack.enter_context(Progress(*columns, console=SafeConsole(stderr=True), transient=True))
    bar = progress.add_task("looking", total=None)

    def show(report: IndexReport) -> None:
        total = report.total or None
        progress.update(bar, description=report.state, completed=report.done, total=total)

    return show


def _clear(task: IndexTask) -> str | None:
    """Remove an index. Return the reason of a failure."""
    from editahead_retrieval.index import location
    from editahead_retrieval.process.writer_lock import WriterLock

    if not task.folder_path.is_dir():
        return None
    lock = WriterLock(task.folder_path / location.LOCK)
    try:
        if not lock.acquire():
            return (
                'A running server uses this index. Close its editor, or set `index` to "off", and try again.'
            )
        try:
            location.remove_contents(task.folder_path)
        finally:
            lock.release()
        location.remove_lock(task.folder_path)
    except OSError as error:
        return f"The index was not removed: {error.strerror}."
    return None
