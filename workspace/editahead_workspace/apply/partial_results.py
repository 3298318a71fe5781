"""The partial results of a running job: each hunk is reported once, as soon as it is final."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from editahead_inference.apply.file_change import FileChange
from editahead_inference.apply.planner import review_changes
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.snapshot import Snapshot

if TYPE_CHECKING:
    from editahead_inference.apply.model.model_fallback import PartialRewrite


@dataclass(frozen=True, slots=True)
class PartialResult:
    """A partial result for one file.

    Attributes:
        change: The change of the file, with the hunks that are final now and were not reported before.
        withdrawn: Whether the hunks of this file that were reported before are void.
    """

    change: FileChange
    withdrawn: bool = False


@dataclass
class PartialResultReporter:
    """A reporter of the partial results of one job.

    Attributes:
        report: Called with each partial result, on the thread of the job.
        clock: Returns monotonic seconds.
        others: The other documents that may refer to changed code.
        first_hunk_at: The time of the first hunk that is not void, in seconds.
    """

    report: Callable[[PartialResult], None]
    clock: Callable[[], float]
    others: Sequence[Snapshot] = ()
    first_hunk_at: float | None = None
    _sent: dict[str, set[Replacement]] = field(default_factory=dict)

    def on_file_done(self, change: FileChange) -> None:
        """Report the final change of a file."""
        sent = self._sent.get(change.original.uri, set())
        if sent - {hunk.replacement for hunk in change.hunks}:
            self._withdraw(change)
        self._report(change)

    def on_partial_rewrite(self, coming: PartialRewrite, trees: SyntaxTrees) -> None:
        """Report the hunks of a model's rewrite that are final so far, or withdraw those that were reported."""
        edit = coming.edit
        if edit is not None:
            self._report(review_changes([coming.change(edit)], self.others, trees)[0])
        elif coming.original.uri in self._sent:
            self._withdraw(coming.change(Edit()))

    def _withdraw(self, change: FileChange) -> None:
        del self._sent[change.original.uri]
        if not any(self._sent.values()):
            self.first_hunk_at = None
        self.report(PartialResult(replace(change, hunks=()), withdrawn=True))

    def _report(self, change: FileChange) -> None:
        sent = self._sent.setdefault(change.original.uri, set())
        new = tuple(hunk for hunk in change.hunks if hunk.replacement not in sent)
        sent.update(hunk.replacement for hunk in new)
        if new and self.first_hunk_at is None:
            self.first_hunk_at = self.clock()
        if new or change.action != "edit":
            self.report(PartialResult(replace(change, hunks=new)))
