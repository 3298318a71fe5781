"""The tools as plain functions: JSON in, JSON out, and `ToolRefusedError` for what cannot be done. They know no protocol."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from editahead_cli import json_output
from editahead_cli.choice_prompt import choice_label
from editahead_cli.commands import search_report
from editahead_cli.commands.finish_report import make_output
from editahead_cli.errors import ToolRefusedError
from editahead_inference.apply.file_change import FileChange
from editahead_inference.apply.results import Refusal
from editahead_inference.errors import ApplyRefusedError
from editahead_lsp.protocol.converter import make_converter
from editahead_retrieval.search.code_search import MAX_QUESTION_CHARS
from editahead_workspace import user_dirs
from editahead_workspace.apply.annotated_diff import diff_lines, display_name
from editahead_workspace.apply.apply_models import create_apply_models
from editahead_workspace.apply.apply_sketch import (
    ReadSketch,
    SketchTask,
    load_merge,
    plan_sketch,
    read_sketch,
)
from editahead_workspace.apply.model_plan import plan_with_model
from editahead_workspace.apply.workspace_files import WorkspaceFiles
from editahead_workspace.changes.read_change import MAX_PATCH_BYTES, ChangeRequest, find_source
from editahead_workspace.codebase.search_command import search_folder
from editahead_workspace.errors import (
    ChangeError,
    IndexNotReadyError,
    NothingToChooseError,
    UnreadableSketchError,
    WriteError,
)
from editahead_workspace.finish.change_finish import finish_change, settings_of
from editahead_workspace.settings import Settings
from editahead_workspace.uris import path_to_uri

MAX_RESULTS = 100
"""Results of a search, at most."""
Check = Callable[[], None]
OnProgress = Callable[[str, int, int], None]


class WorkspaceTools:
    """The tools over one workspace folder. They write nothing outside of it, and only where that is asked for.

    Args:
        root: The workspace folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def finish_change(
        self,
        check: Check,
        on_progress: OnProgress,
        *,
        staged: bool = False,
        base: str | None = None,
        patch: str | None = None,
        include_unlikely: bool = False,
    ) -> dict[str, Any]:
        """Return what a change lacks, as `editahead finish --json` prints it, and what was compared.

        Args:
            check: Raises to cancel.
            on_progress: Called with what is done, how many parts are done, and of how many.
            staged: Whether to take what is staged.
            base: A revision since which to take everything.
            patch: A patch to take instead.
            include_unlikely: Whether to list unlikely places, too.

        Raises:
            ToolRefusedError: The change cannot be read.
        """
        if staged + (base is not None) + (patch is not None) > 1:
            raise ToolRefusedError("give at most one of staged, base and patch")
        if patch is not None and len(patch) > MAX_PATCH_BYTES:
            raise ToolRefusedError(f"the patch is longer than {MAX_PATCH_BYTES} characters")
        request = ChangeRequest(staged, base, patch)
        try:
            if base is not None and find_source(self.root, request, self.root, check).base_folder is not None:
                raise ToolRefusedError(f"{base} is no revision of the repository")
            result = finish_change(self.root, request, self.root, check=check, on_progress=on_progress)
        except (ChangeError, IndexNotReadyError) as error:
            raise ToolRefusedError(str(error)) from None
        output: dict[str, Any] = make_converter(json_output).unstructure(
            make_output(result, with_all=include_unlikely)
        )
        left_out = [{"path": file.path, "reason": file.reason} for file in result.change.left_out]
        return {**output, "source": result.change.source, "root": str(result.root), "leftOut": left_out}

    def search_code(
        self, check: Check, on_progress: OnProgress, *, query: str, limit: int = 20
    ) -> dict[str, Any]:
        """Return the places that answer a question, as `editahead search --json` prints them, and what they lack.

        Lines count from 1. The texts have spaces in place of secrets.

        Args:
            check: Raises to cancel.
            on_progress: Called with what is done, how many parts are done, and of how many.
            query: A question, names, or pieces of code in quotes.
            limit: The number of results, at most.

        Raises:
            ToolRefusedError: The query is empty or too long, or there is no index.
        """
        if not query.strip():
            raise ToolRefusedError("the query is empty")
        if len(query) > MAX_QUESTION_CHARS:
            raise ToolRefusedError(f"the query is longer than {MAX_QUESTION_CHARS} characters")
        limit = max(1, min(limit, MAX_RESULTS))
        try:
            answer = search_folder(self.root, query, limit, check=check, on_progress=on_progress)
        except IndexNotReadyError as error:
            raise ToolRefusedError(str(error)) from None
        results = make_converter(json_output).unstructure(search_report.make_output(answer))
        return {"results": results, "notice": answer.notice}

    def apply_sketch(
        self,
        check: Check,
        on_progress: OnProgress,
        *,
        sketch: str,
        file: str | None = None,
        choose: int | None = None,
        write: bool = False,
    ) -> dict[str, Any]:
        """Return the exact change that a sketch describes, as a diff; or why it is refused, with the choices.

        Args:
            check: Raises to cancel.
            on_progress: Called with what is done.
            sketch: The sketch.
            file: The file that it changes, from the root, if it names none.
            choose: The number of the choice to take, from 1.
            write: Whether to write the files: all of them or none.

        Raises:
            ToolRefusedError: It is no sketch or has one reading only, or the files could not be written.
        """
        if file is not None and "\0" in file:
            raise ToolRefusedError("the name of the file has a null character")
        settings = settings_of(self.root)
        files = WorkspaceFiles.on_disk(self.root, settings, self.root, file)
        on_progress("placing the sketch", 0, 0)
        try:
            read = read_sketch(SketchTask(sketch, files, choice=choose), check)
            changes = self._plan(read, settings, check, on_progress)
        except UnreadableSketchError as error:
            raise ToolRefusedError(f"this is no sketch: {error}") from None
        except NothingToChooseError as error:
            raise ToolRefusedError(str(error)) from None
        except ApplyRefusedError as error:
            choices = [
                {
                    "number": choice.number,
                    "title": choice_label(choice, self.root),
                    "diff": self._diff(choice.changes),
                }
                for choice in error.refusal.choices
            ]
            return {"refusal": _refusal(error.refusal), "choices": choices, "diff": "", "written": []}
        written = self._write(changes, files) if write else []
        return {"refusal": None, "choices": [], "diff": self._diff(changes), "written": written}

    def _plan(
        self, read: ReadSketch, settings: Settings, check: Check, on_progress: OnProgress
    ) -> tuple[FileChange, ...]:
        """Return the changes; where the merge is not certain, with the model of the settings, if there is one.

        Raises:
            ApplyRefusedError: The sketch cannot be applied.
            NothingToChooseError: A reading was chosen, and there is one only.
        """
        try:
            return plan_sketch(read, load_merge(), check=check).changes
        except ApplyRefusedError as error:
            if read.task.choice is not None:
                raise
            try:
                model, witness = create_apply_models(settings, os.environ, [path_to_uri(self.root)])
            except ValueError as problem:
                raise ApplyRefusedError(replace(error.refusal, model=str(problem))) from None
            if model is None:
                raise
        on_progress("asking the model", 0, 0)
        return asyncio.run(plan_with_model(read, model, witness=witness, check=check)).changes

    def _write(self, changes: Sequence[FileChange], files: WorkspaceFiles) -> list[str]:
        """Write the changes, and return the paths of the files.

        Raises:
            ToolRefusedError: Nothing was written.
        """
        if any(change.origin == "model" for change in changes):
            raise ToolRefusedError(
                "nothing was written, because a model wrote this text; a person must write it: "
                "`editahead apply --model --write --yes`"
            )
        if any(change.needs_yes for change in changes):
            raise ToolRefusedError(
                "nothing was written, because other programs run or obey a file of the sketch without a question; "
                "a person must write it: `editahead apply --write --yes`"
            )
        if sys.platform == "win32":
            raise ToolRefusedError(
                "nothing was written, because `write` does not work on Windows; apply the diff"
            )
        from editahead_workspace.apply.change_writes import change_writes
        from editahead_workspace.file_writes.recovery import recover
        from editahead_workspace.file_writes.transaction import write_all

        try:
            recover([self.root], user_dirs.journal_folder())
            write_all(change_writes(changes, files), [self.root], user_dirs.journal_folder())
        except WriteError as error:
            raise ToolRefusedError(f"nothing was written: {error}") from None
        return [self._name(change.moved_to or change.original.uri) for change in changes]

    def _diff(self, changes: Sequence[FileChange]) -> str:
        lines = (
            f"{line}{line.carriage_return}\n"
            for change in changes
            for line in diff_lines(change, change.original, change.hunks, [self.root])
        )
        return "".join(lines)

    def _name(self, uri: str) -> str:
        return display_name(uri, [self.root])


def _refusal(refusal: Refusal) -> dict[str, str]:
    said = {"reason": refusal.reason, "detail": refusal.detail, "part": refusal.part}
    return {**said, "model": refusal.model} if refusal.model else said
