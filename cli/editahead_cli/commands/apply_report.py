"""What `editahead apply` prints: a diff, the written files, or a refusal; as text or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.console import fail, print_exactly, print_note, print_output, print_styled, print_text
from editahead_prompts.text.control_characters import escape_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from editahead_inference.apply.file_change import FileChange
    from editahead_inference.apply.results import Refusal
    from editahead_lsp.apply.to_lsp import RebasedChange
    from editahead_lsp.protocol.apply_messages import ApplyStats, Problem
    from editahead_prompts.sketches.sketch import SketchKind
    from editahead_workspace.apply.apply_sketch import ApplyPlan

_MAX_PART_LINES, _MAX_LINE = 20, 200
"""Lines of a refused part, and characters of a line, that are shown on a terminal."""


class ApplyReport:
    """The final output, as text or JSON.

    `root` is that of the workspace. `exact`: the diff is for a program. `started` and `ended` are seconds of the clock that
    also times the first hunk.
    """

    def __init__(self, json: bool, root: Path, *, exact: bool = False) -> None:
        self._json, self._exact, self.root = json, exact, root
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
        from editahead_cli.choice_prompt import choice_label

        if self._json:
            self._print_json(refusal)
        code = fail(f"refused: {refusal.detail}")
        lines = refusal.part.splitlines()
        for line in lines[:_MAX_PART_LINES]:
            print_note(f"    {line[:_MAX_LINE]}")
        if len(lines) > _MAX_PART_LINES:
            print_note(f"    ... ({len(lines)} lines)")
        for near in refusal.near:
            print_note(f"  lines {near.start + 1}-{near.end} are similar ({near.similarity:.2f})")
        for choice in refusal.choices:
            print_note(f"  --choose {choice.number}: {escape_line(choice_label(choice, self.root))}")
        if refusal.model:
            print_note(f"editahead: {refusal.model}")
        return code

    def finish(self, *, show_diff: bool) -> int:
        """Print the result and return the exit code."""
        if self._json:
            self._print_json(None)
        elif not self.changes:
            print_note("editahead: nothing to change")
        elif show_diff or self.problems:
            self._show_diff()
        else:
            for change in self.changes:
                name = self._name(change.moved_to or change.original.uri)
                print_text(f"{_PAST_TENSE[change.action]} {name}{_MODE_NOTES[change.executable]}")
        if not self._json and self.planned is not None and self.planned.usage:
            stats = self._stats(self.planned)
            first = (
                ""
                if stats.first_hunk_ms is None
                else f"; the first hunk after {stats.first_hunk_ms / 1000:.1f} s"
            )
            print_note(
                f"editahead: the model was used: {stats.model_tokens} tokens, {stats.ms / 1000:.1f} s{first}"
            )
        self.print_problems(self.problems or ())
        if self.problems:
            return fail(f"{count_problems(self.problems)}; nothing was written")
        return 0

    def print_problems(self, problems: Sequence[Problem]) -> None:
        """Print the file, the line and the message of each problem."""
        for problem in problems:
            place = problem.range.start
            where = f"{self._name(problem.uri)}:{place.line + 1}:{place.character + 1}"
            print_note(escape_line(f"{where}: {problem.message} ({problem.source})"))

    def _show_diff(self) -> None:
        from editahead_cli.terminal_diff import styled, supports_color
        from editahead_workspace.apply.annotated_diff import diff_lines

        lines = [
            line
            for change in self.changes
            for line in diff_lines(change, change.original, change.hunks, [self.root])
        ]
        if self._exact:
            print_exactly(f"{line}{line.carriage_return}" for line in lines)
            return
        colour = supports_color()
        for line in lines:
            print_styled(styled(line, colour=colour))
        if any(line.text != escape_line(line.text) for line in lines):
            print_note(
                "editahead: the diff shows some characters as escapes, such as \\x1b; --patch prints them"
            )

    def _stats(self, planned: ApplyPlan) -> ApplyStats:
        from editahead_lsp.apply.to_lsp import apply_stats

        return apply_stats(planned, (self.ended - self.started) * 1000, self.started)

    def _name(self, uri: str) -> str:
        from editahead_workspace.apply.annotated_diff import display_name

        return display_name(uri, [self.root])

    def _print_json(self, refusal: Refusal | None) -> None:
        from editahead_cli import json_output
        from editahead_lsp.apply import to_lsp
        from editahead_lsp.protocol.apply_messages import ApplyStats
        from editahead_lsp.protocol.client_capabilities import FILE_OPERATIONS, ClientCapabilities

        files = _as_they_are(self.changes)
        able = ClientCapabilities(
            document_changes=True, annotates_edits=True, file_operations=FILE_OPERATIONS
        )
        refused = None
        if refusal is not None:
            choices = [
                to_lsp.to_apply_choice(choice, _as_they_are(choice.changes), [self.root])
                for choice in sorted(refusal.choices, key=lambda choice: choice.number)
            ]
            data = to_lsp.to_refusal_data(refusal, choices)
            refused = json_output.RefusalOutput(
                data.reason, refusal.detail, data.part, data.near, data.model, data.choices
            )
        output = json_output.ApplyOutput(
            edit=None if refusal is not None else to_lsp.to_workspace_edit(files, able, "utf-16"),
            hunks=[hunk for file in files for hunk in to_lsp.to_applied_hunks(file, "utf-16")],
            sketch_kind=self.kind,
            method=to_lsp.apply_method(self.changes),
            stats=ApplyStats(0.0) if self.planned is None else self._stats(self.planned),
            problems=self.problems,
            written=[c.moved_to or c.original.uri for c in self.changes] if self.written else [],
            refusal=refused,
        )
        print_output(output)


def count_problems(problems: Sequence[Problem]) -> str:
    """Return the number of problems in words."""
    return f"{len(problems)} new problem{'s' if len(problems) > 1 else ''}"


def _as_they_are(changes: tuple[FileChange, ...]) -> list[RebasedChange]:
    """Return changes over the texts that they were planned for."""
    from editahead_lsp.apply.to_lsp import RebasedChange

    return [RebasedChange(change, change.original, change.hunks, None) for change in changes]


_MODE_NOTES = {None: "", True: " (now executable)", False: " (no longer executable)"}
_PAST_TENSE = {"edit": "changed", "create": "created", "delete": "deleted", "move": "moved to"}
