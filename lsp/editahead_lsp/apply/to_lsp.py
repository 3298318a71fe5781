"""A planned change in LSP terms: a workspace edit with annotations, hunks, a refusal. The functions are pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from editahead_inference.apply.file_change import FileChange
from editahead_inference.apply.results import Choice, Refusal, SimilarLines
from editahead_inference.apply.review.review import Hunk
from editahead_inference.errors import ApplyRefusedError
from editahead_lsp.presentation.to_lsp import text_edits
from editahead_lsp.protocol import custom_messages as wire
from editahead_lsp.protocol import lsp_types
from editahead_lsp.protocol.apply_messages import (
    AppliedHunk,
    ApplyChoice,
    ApplyStats,
    ChoicePlace,
    Problem,
    RefusalData,
    SimilarRange,
)
from editahead_lsp.protocol.client_capabilities import ClientCapabilities
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace import uris
from editahead_workspace.apply.annotated_diff import HUNK_LABELS, diff_lines
from editahead_workspace.apply.apply_sketch import ApplyPlan
from editahead_workspace.apply.linters import NewProblem
from editahead_workspace.positions import Encoding


@dataclass(frozen=True)
class RebasedChange:
    """A file's change over the text that the client has now. `version` is None for a file that is not open."""

    change: FileChange
    snapshot: Snapshot
    hunks: tuple[Hunk, ...]
    version: int | None

    @property
    def edit(self) -> Edit:
        """Return all hunks as one edit."""
        return Edit.from_replacements(hunk.replacement for hunk in self.hunks)


def to_applied_hunks(placed: RebasedChange, encoding: Encoding) -> list[AppliedHunk]:
    """Return the hunks in the order of the text."""
    out = []
    for hunk in placed.hunks:
        edit = _text_edit(hunk, placed, encoding)
        flags = [flag.sentence for flag in hunk.flags] or None
        confidence = round(hunk.confidence, 4)
        out.append(
            AppliedHunk(
                placed.snapshot.uri, edit.range, edit.new_text, hunk.kind, hunk.origin, confidence, flags
            )
        )
    return out


def to_workspace_edit(
    files: Sequence[RebasedChange], client: ClientCapabilities, encoding: Encoding
) -> lsp_types.WorkspaceEdit:
    """Return the changes with the versions and annotations that the client supports.

    Raises:
        ApplyRefusedError: The client does not support a file operation.
    """
    if not client.document_changes:
        if any(file.change.action != "edit" for file in files):
            raise _cannot()
        return lsp_types.WorkspaceEdit(
            changes={
                file.snapshot.uri: [_text_edit(hunk, file, encoding) for hunk in file.hunks] for file in files
            }
        )
    annotations: dict[str, lsp_types.ChangeAnnotation] = {}
    changes: list[
        lsp_types.TextDocumentEdit | lsp_types.CreateFile | lsp_types.RenameFile | lsp_types.DeleteFile
    ] = []
    for file in files:
        changes += _document_changes(file, client, encoding, annotations)
    return lsp_types.WorkspaceEdit(changes, change_annotations=annotations or None)


def _document_changes(
    file: RebasedChange,
    client: ClientCapabilities,
    encoding: Encoding,
    annotations: dict[str, lsp_types.ChangeAnnotation],
) -> Iterator[
    lsp_types.TextDocumentEdit | lsp_types.CreateFile | lsp_types.RenameFile | lsp_types.DeleteFile
]:
    uri, action = file.snapshot.uri, file.change.action
    operation = {"create": "create", "move": "rename", "delete": "delete"}.get(action)
    if operation is not None and operation not in client.file_operations:
        raise _cannot()

    warning = None if file.change.flag is None else file.change.flag.sentence

    def annotated(annotation: lsp_types.ChangeAnnotation) -> str | None:
        if not client.annotates_edits:
            return None
        id = f"{len(annotations) + 1}"
        annotations[id] = annotation
        return id

    if action == "create":
        yield lsp_types.CreateFile(
            uri, annotated(lsp_types.ChangeAnnotation("Creates a file", True, warning))
        )
    if action != "delete" and file.hunks:
        edits: list[wire.TextEdit | lsp_types.AnnotatedTextEdit] = []
        for hunk in file.hunks:
            edit, id = _text_edit(hunk, file, encoding), annotated(_annotation(hunk, file))
            edits.append(edit if id is None else lsp_types.AnnotatedTextEdit(edit.range, edit.new_text, id))
        yield lsp_types.TextDocumentEdit(wire.VersionedTextDocument(uri, file.version), edits)
    if file.change.moved_to is not None:
        id = annotated(lsp_types.ChangeAnnotation("Moves a file", True, warning))
        yield lsp_types.RenameFile(uri, file.change.moved_to, id)
    if action == "delete":
        yield lsp_types.DeleteFile(uri, annotated(lsp_types.ChangeAnnotation("Deletes a file", True)))


def hunk_title(hunk: Hunk, snapshot: Snapshot) -> str:
    """Return the title of a hunk, with line numbers from 1."""
    first, last = snapshot.line_at(hunk.replacement.start) + 1, snapshot.line_at(hunk.replacement.end) + 1
    where = f"line {first}" if first == last else f"lines {first}-{last}"
    return f"{HUNK_LABELS[hunk.kind]}, {where}"


def to_refusal_data(refusal: Refusal, choices: Sequence[ApplyChoice] = ()) -> RefusalData:
    """Return a refusal, with its choices, as the data of a JSON-RPC error."""
    near = [_similar(near) for near in refusal.near]
    return RefusalData(refusal.reason, refusal.part, near, refusal.model or None, list(choices) or None)


def to_apply_choice(choice: Choice, files: Sequence[RebasedChange], folders: Sequence[Path]) -> ApplyChoice:
    """Return a choice with its diff.

    Args:
        choice: The choice.
        files: Its changes over the texts of the client.
        folders: The workspace folders, of which names in the diff are relative to one.
    """
    diff = "".join(
        f"{line}\n" for file in files for line in diff_lines(file.change, file.snapshot, file.hunks, folders)
    )
    places = [ChoicePlace(place.uri, place.line) for place in choice.places]
    return ApplyChoice(choice.id, choice.title, places, diff, round(choice.likelihood, 4))


def choice_title(choice: Choice) -> str:
    """Return the title of a choice with the number of its first line, from 1."""
    return f"{choice.title} (line {choice.places[0].line + 1})"


def _similar(near: SimilarLines) -> SimilarRange:
    lines = wire.Range(wire.Position(near.start, 0), wire.Position(near.end, 0))
    return SimilarRange(lines, round(near.similarity, 4))


def _annotation(hunk: Hunk, file: RebasedChange) -> lsp_types.ChangeAnnotation:
    description = " ".join(flag.sentence for flag in hunk.flags)
    return lsp_types.ChangeAnnotation(
        hunk_title(hunk, file.snapshot), hunk.needs_reading, description or None
    )


def _text_edit(hunk: Hunk, file: RebasedChange, encoding: Encoding) -> wire.TextEdit:
    (edit,) = text_edits(file.snapshot, Edit((hunk.replacement,)), encoding)
    return edit


def check_review(files: Sequence[RebasedChange], client: ClientCapabilities) -> None:
    """Check that a person reads flagged files before they are written.

    Raises:
        ApplyRefusedError: A file is flagged, and the client asks for no confirmation.
    """
    flagged = next((file.change for file in files if file.change.needs_yes), None)
    if flagged is not None and not client.annotates_edits:
        name = PurePosixPath(uris.canonical_key(flagged.moved_to or flagged.original.uri)).name
        raise ApplyRefusedError(
            Refusal(
                "unplaced",
                f"The sketch would write {name}, which other programs run or obey without a question, and the editor "
                "cannot show it first. Request the edit with `dryRun`, or use `editahead apply`.",
            )
        )


def _cannot() -> ApplyRefusedError:
    return ApplyRefusedError(
        Refusal("unplaced", "The editor cannot be asked to create, move or delete files.")
    )


def to_problems(found: Iterable[NewProblem]) -> list[Problem]:
    """Return what linters found as messages: a problem is at a position, not at a range."""
    return [
        Problem(one.uri, wire.Range(at, at), one.message, one.source)
        for one in found
        for at in [wire.Position(one.line, one.character)]
    ]


def apply_method(changes: Sequence[FileChange]) -> Literal["merge", "model", "none"]:
    """Return how the changes were made; "model" if a model wrote any of them."""
    if any(change.origin == "model" for change in changes):
        return "model"
    return "merge" if changes else "none"


def apply_stats(plan: ApplyPlan, ms: float, started: float) -> ApplyStats:
    """Return the costs of a plan.

    Args:
        plan: The plan.
        ms: Milliseconds from the request to the edit.
        started: When the request arrived, in seconds of the server's clock.
    """
    usages, first = plan.usage, plan.first_hunk_at
    return ApplyStats(
        round(ms, 3),
        None if first is None else round((first - started) * 1000, 3),
        sum(usage.completion for usage in usages),
        sum(usage.drafted for usage in usages),
        sum(usage.accepted for usage in usages),
    )
