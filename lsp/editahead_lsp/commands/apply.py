"""`editahead apply`: a sketch of a change becomes the exact edit of the files, in this process."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .output import fail, tell, tell_json

if TYPE_CHECKING:
    from editahead_inference.apply.plan import FileChange
    from editahead_inference.apply.results import Refusal
    from editahead_lsp.applying.files import WorkspaceFiles
    from editahead_lsp.applying.messages import Problem
    from editahead_lsp.applying.writing import Write
    from editahead_prompts.sketches.sketch import SketchKind


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="what the sketch is for, where it names no file"
    )
    parser.add_argument("--sketch", default="-", metavar="F", help="a file, or - for stdin (default)")
    parser.add_argument("--write", action="store_true", help="change the files; without it, show a diff")
    parser.add_argument("--backup", action="store_true", help="with --write: keep the old text as FILE.orig")
    parser.add_argument(
        "--check", action="store_true", help="look for new problems, with ruff, gofmt and tsc where installed"
    )
    parser.add_argument("--json", action="store_true", help="as `editahead.apply` answers")


def run(args: argparse.Namespace) -> int:
    import asyncio
    import time

    from editahead_inference.apply.merge import merge
    from editahead_inference.apply.plan import Refused, plan
    from editahead_inference.apply.results import Refusal
    from editahead_lsp.applying.problems import new_problems
    from editahead_lsp.applying.writing import NotWritten, write_all
    from editahead_prompts.sketches.parse import parse
    from editahead_prompts.sketches.sketch import NotASketch

    if args.backup and not args.write:
        sys.stderr.write("editahead: --backup goes with --write\n")
        return 2
    started = time.perf_counter()
    report = _Report(args.json, workspace(Path.cwd()))
    files = _files(args.file, report.root)
    try:
        text = sys.stdin.read() if args.sketch == "-" else Path(args.sketch).read_text("utf-8")
        text.encode("utf-8")  # what is no text comes through stdin as halves of surrogate pairs
    except (OSError, UnicodeError) as error:
        return fail(f"the sketch cannot be read: {error}")
    try:
        own = files.find(None)
        sketch = parse(
            text, language=own.language if own else None, path=args.file.name if args.file else None
        )
        report.kind = sketch.files[0].kind
        report.changes = plan(sketch, files, merge)
    except NotASketch as error:
        lines = text.splitlines()[error.at : error.end]
        return report.refused(Refusal("unparsed", str(error), "\n".join(lines)))
    except Refused as error:
        return report.refused(error.refusal)
    report.ms = (time.perf_counter() - started) * 1000
    if args.check:
        report.problems = asyncio.run(new_problems(report.changes, [report.root], "utf-16"))
    if args.write and not report.problems:
        try:
            write_all(_writes(report.changes, files), backup=args.backup)
        except NotWritten as error:
            return fail(f"nothing was written: {error}")
        report.written = True
    return report.done(show_diff=not args.write)


def workspace(folder: Path) -> Path:
    """The git repository around the folder, or else the folder itself."""
    return next((path for path in (folder, *folder.parents) if (path / ".git").exists()), folder)


def _files(file: Path | None, root: Path) -> WorkspaceFiles:
    from editahead_lsp import paths, uris
    from editahead_lsp.applying.files import WorkspaceFiles
    from editahead_lsp.exclusion import Exclusion
    from editahead_lsp.settings import gather

    settings = gather(os.environ, None, [root], paths.config_folder()).settings
    uri = uris.of_path(Path(os.path.normpath(Path.cwd() / file))) if file is not None else None
    exclusion = Exclusion([root], settings.exclude)
    return WorkspaceFiles([root], {}, exclusion, settings.max_file_bytes, uri, Path.cwd())


def _writes(changes: tuple[FileChange, ...], files: WorkspaceFiles) -> list[Write]:
    from editahead_lsp import uris
    from editahead_lsp.applying.files import BOM
    from editahead_lsp.applying.writing import Write

    out = []
    for change in changes:
        uri = change.original.uri
        path = uris.path_of(uri)
        assert path is not None
        mark = BOM if uri in files.with_bom else ""
        old, new = ((mark + text).encode("utf-8") for text in (change.original.text, change.after))
        target = uris.path_of(change.moved_to) if change.moved_to is not None else None
        if target is not None:
            out += [Write(target, None, new), Write(path, old, None)]
        elif change.action == "create":
            out.append(Write(path, None, new))
        else:
            out.append(Write(path, old, None if change.action == "delete" else new))
    return out


class _Report:
    """What is said in the end, on paper or as JSON. root: of the workspace. ms: milliseconds until it was planned."""

    def __init__(self, json: bool, root: Path) -> None:
        self._json, self.root = json, root
        self.kind: SketchKind | None = None
        self.changes: tuple[FileChange, ...] = ()
        self.problems: list[Problem] | None = None
        self.written = False
        self.ms = 0.0

    def refused(self, refusal: Refusal) -> int:
        if self._json:
            self._tell_json(refusal)
        code = fail(f"refused ({refusal.reason}): {refusal.detail}")
        for line in refusal.part.splitlines():
            sys.stderr.write(f"    {line}\n")
        for near in refusal.near:
            sys.stderr.write(f"  lines {near.start + 1}-{near.end} come close ({near.similarity:.2f})\n")
        return code

    def done(self, *, show_diff: bool) -> int:
        """The exit code."""
        if self._json:
            self._tell_json(None)
        elif not self.changes:
            sys.stderr.write("editahead: nothing to change\n")
        elif show_diff or self.problems:
            self._show_diff()
        else:
            for change in self.changes:
                tell(f"{_PAST[change.action]} {self._name(change.moved_to or change.original.uri)}")
        for problem in self.problems or ():
            place = problem.range.start
            where = f"{self._name(problem.uri)}:{place.line + 1}:{place.character + 1}"
            sys.stderr.write(f"{where}: {problem.message} ({problem.source})\n")
        if self.problems:
            count = f"{len(self.problems)} new problem{'s' if len(self.problems) > 1 else ''}"
            return fail(f"{count}; nothing was written")
        return 0

    def _show_diff(self) -> None:
        from .apply_diff import coloured, diff_lines

        colour = coloured()
        for change in self.changes:
            name = self._name(change.original.uri)
            after = self._name(change.moved_to) if change.moved_to is not None else name
            old = "/dev/null" if change.action == "create" else f"a/{name}"
            new = "/dev/null" if change.action == "delete" else f"b/{after}"
            for line in diff_lines(change, old, new, colour=colour):
                tell(line)

    def _name(self, uri: str) -> str:
        from editahead_lsp import uris

        path = uris.path_of(uri)
        assert path is not None
        return os.path.relpath(os.path.realpath(path), os.path.realpath(self.root)).replace(os.sep, "/")

    def _tell_json(self, refusal: Refusal | None) -> None:
        from editahead_lsp import outputs
        from editahead_lsp.applying import terms
        from editahead_lsp.applying.messages import ApplyStats
        from editahead_lsp.client import FILE_OPERATIONS, Client
        from editahead_lsp.converter import make_converter

        files = [terms.Placed(change, change.original, change.hunks, None) for change in self.changes]
        able = Client(document_changes=True, annotates_edits=True, file_operations=FILE_OPERATIONS)
        refused = None
        if refusal is not None:
            data = terms.error_data(refusal)
            refused = outputs.Refused(data.reason, refusal.detail, data.part, data.near)
        output = outputs.ApplyOutput(
            edit=None if refusal is not None else terms.workspace_edit(files, able, "utf-16"),
            hunks=[hunk for file in files for hunk in terms.hunks(file, "utf-16")],
            sketch_kind=self.kind,
            method="merge" if files else "none",
            stats=ApplyStats(round(self.ms, 3)),
            problems=self.problems,
            written=[c.moved_to or c.original.uri for c in self.changes] if self.written else [],
            refusal=refused,
        )
        tell_json(make_converter().unstructure(output))


_PAST = {"edit": "changed", "create": "created", "delete": "deleted", "move": "moved to"}
