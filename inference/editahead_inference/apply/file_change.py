"""The change of one file, as Apply plans it."""

from __future__ import annotations

from dataclasses import dataclass

from editahead_prompts.sketches.sketch import Action, SketchKind
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

from .review.file_names import FileFlag, changes_scripts
from .review.hunk_kinds import HunkOrigin
from .review.review import Hunk


@dataclass(frozen=True)
class FileChange:
    """The change of one file.

    Attributes:
        original: The file before; empty for a file to be created.
        edit: Over `original`; deletes all of it if the file is deleted.
        confidence: From 0 to 1.
        kind: The form of the sketch for this file.
        moved_to: The new URI of the file.
        origin: "model" if a part of the change is a rewrite by a model.
        flag: What a person should know about the file itself; every hunk has it, too.
        executable: Whether the file gets or loses the permission to be run; None if that stays.
    """

    action: Action
    original: Snapshot
    edit: Edit
    confidence: float
    kind: SketchKind
    moved_to: str | None = None
    hunks: tuple[Hunk, ...] = ()
    origin: HunkOrigin = "matched"
    flag: FileFlag | None = None
    executable: bool | None = None

    @property
    def needs_yes(self) -> bool:
        """Whether a person should read the file before it is written: other programs run or obey it."""
        if self.flag is None or self.action == "delete":
            return False
        if self.action in ("create", "move") or self.flag.scope == "always":
            return True
        return self.flag.scope == "scripts" and changes_scripts(self.original.text, self.new_text)

    @property
    def is_noop(self) -> bool:
        return self.action == "edit" and not self.edit and self.executable is None

    @property
    def new_text(self) -> str:
        return self.edit.apply(self.original.text)
