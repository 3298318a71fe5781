"""What is told of a sketch while it is still worked on: hunks, each once, as soon as they are settled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from editahead_inference.apply.planner import FileChange, review_changes
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.snapshot import Snapshot
from editahead_prompts.text.syntax_trees import SyntaxTrees

if TYPE_CHECKING:
    from editahead_inference.apply.model.model_fallback import PartialRewrite


@dataclass(frozen=True, slots=True)
class PartialResult:
    """change: of one file, with the hunks that are settled now and were not told of before. withdrawn: those that were told
    of this file before are void."""

    change: FileChange
    withdrawn: bool = False


@dataclass
class PartialResultReporter:
    """tell: called with all news, on the thread that works. clock: monotonic seconds. first: when the first hunk was
    settled, of those that are not void."""

    tell: Callable[[PartialResult], None]
    clock: Callable[[], float]
    others: Sequence[Snapshot] = ()
    first: float | None = None
    _told: dict[str, set[Replacement]] = field(default_factory=dict)

    def on_file_done(self, change: FileChange) -> None:
        """A file's whole change is certain."""
        told = self._told.get(change.original.uri, set())
        if told - {hunk.replacement for hunk in change.hunks}:
            self._withdraw(change)
        self._tell(change)

    def on_partial_rewrite(self, coming: PartialRewrite, trees: SyntaxTrees) -> None:
        """Some of a file's change is settled, if a model's rewrite is taken at all."""
        edit = coming.edit
        if edit is not None:
            self._tell(review_changes([coming.change(edit)], self.others, trees)[0])
        elif coming.original.uri in self._told:
            self._withdraw(coming.change(Edit()))

    def _withdraw(self, change: FileChange) -> None:
        del self._told[change.original.uri]
        if not any(self._told.values()):
            self.first = None
        self.tell(PartialResult(replace(change, hunks=()), withdrawn=True))

    def _tell(self, change: FileChange) -> None:
        told = self._told.setdefault(change.original.uri, set())
        new = tuple(hunk for hunk in change.hunks if hunk.replacement not in told)
        told.update(hunk.replacement for hunk in new)
        if new and self.first is None:
            self.first = self.clock()
        if new or change.action != "edit":
            self.tell(PartialResult(replace(change, hunks=new)))
