"""`editahead finish`: tell what a change still lacks, elsewhere in the codebase."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.console import fail, print_note, print_output

if TYPE_CHECKING:
    from editahead_workspace.changes.read_change import ChangeRequest
    from editahead_workspace.finish.change_finish import FinishResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path",
        nargs="?",
        type=Path,
        default=Path(),
        metavar="PATH",
        help="a folder of the repository; here by default",
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--staged", action="store_true", help="take what is staged, instead of the whole working tree"
    )
    source.add_argument(
        "--base",
        metavar="REF",
        help="take everything since the history left this commit or branch; or compare with this folder",
    )
    source.add_argument(
        "--patch-file",
        metavar="F",
        help="take the change from this patch, or from stdin with -; applied or not",
    )
    parser.add_argument("--check", action="store_true", help="exit with 1 when something is likely missing")
    parser.add_argument(
        "--all", action="store_true", help="list unlikely places, too; --write and --patch leave them out"
    )
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--write", action="store_true", help="make the likely edits, all or none")
    output.add_argument(
        "--patch", action="store_true", help="print the likely edits as a patch, for `git apply`"
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="with --write: write read-only files, too, and those that lose an owner or a hard link",
    )
    parser.add_argument(
        "--language-servers",
        action="store_true",
        help="ask the language servers that are installed; they may run code of the repository",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    from editahead_cli.delayed_progress import DelayedProgress
    from editahead_cli.errors import CommandError
    from editahead_cli.workspace_writes import recover
    from editahead_workspace.apply.annotated_diff import display_name
    from editahead_workspace.errors import ChangeError, IndexNotReadyError
    from editahead_workspace.finish.change_finish import finish_change

    from .finish_report import make_output, print_patch, print_report

    if args.json and args.patch:
        print_note("editahead: --json and --patch exclude each other")
        return 2
    if args.force and not args.write:
        print_note("editahead: --force goes with --write")
        return 2
    if args.write and sys.platform == "win32":
        return fail("--write does not run on Windows; apply the patch (--patch), or run the command in WSL")
    here = Path.cwd()
    try:
        request = _make_request(args)
        with DelayedProgress(is_quiet=args.json) as progress:
            result = finish_change(
                Path(os.path.normpath(here / args.path)),
                request,
                here,
                on_progress=progress.show,
            )
    except (ChangeError, IndexNotReadyError, CommandError) as error:
        return fail(str(error))
    for problem in result.server_problems:
        print_note(f"editahead: {problem}")
    written: list[str] = []
    left_alone: dict[str, str] = {}
    if args.write and result.report.likely:
        recover(result.root)
        edits = result.report.edits()
        left_alone = {} if args.force else _find_objections(edits)
        written = sorted(edits.keys() - left_alone)
        why = _write(result, written, force=args.force)
        if why is not None:
            if not args.json:
                print_report(result, with_all=args.all)
            return fail(f"nothing was written: {why}")
    if args.json:
        print_output(make_output(result, with_all=args.all))
    elif args.patch:
        print_patch(result)
    else:
        print_report(result, with_all=args.all, written=written)
    for uri, why in left_alone.items():
        print_note(
            f"editahead: {display_name(uri, [result.root])} {why}; it was left as it is, --force writes it, too"
        )
    return 1 if left_alone or (args.check and not result.report.is_complete) else 0


def _make_request(args: argparse.Namespace) -> ChangeRequest:
    """Return which change is meant.

    Raises:
        SketchInputError: The patch cannot be read.
    """
    from editahead_cli.sketch_input import InputKind, read_sketch
    from editahead_workspace.changes.read_change import MAX_PATCH_BYTES, ChangeRequest

    if args.patch_file is None:
        return ChangeRequest(args.staged, args.base, asks_servers=args.language_servers)
    kind = InputKind("patch", "--patch-file", "finish", "")
    return ChangeRequest(
        patch=read_sketch(args.patch_file, MAX_PATCH_BYTES, kind), asks_servers=args.language_servers
    )


def _find_objections(uris: Iterable[str]) -> dict[str, str]:
    """Return the files that should not be replaced, by URI, each with the reason."""
    from editahead_workspace.file_writes.attributes import find_objection
    from editahead_workspace.uris import uri_to_path

    paths = {uri: uri_to_path(uri) for uri in uris}
    found = {uri: find_objection(path) for uri, path in paths.items() if path is not None}
    return {uri: why for uri, why in found.items() if why is not None}


def _write(result: FinishResult, uris: Sequence[str], *, force: bool) -> str | None:
    """Make the likely edits of some files. Return why nothing was written, or None."""
    from editahead_cli.workspace_writes import write_files
    from editahead_workspace.file_writes.transaction import FileWrite
    from editahead_workspace.uris import uri_to_path

    if not result.change.is_on_disk:
        return "the patch is not applied yet; apply it, and try again"
    edits = result.report.edits()
    writes = []
    for snapshot in result.report.snapshots:
        path = uri_to_path(snapshot.uri)
        if snapshot.uri in uris and path is not None:
            new = edits[snapshot.uri].apply(snapshot.text)
            writes.append(FileWrite(path, snapshot.text.encode(), new.encode()))
    return write_files(writes, result.root, force=force) if writes else None
