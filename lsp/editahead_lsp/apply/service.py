"""The application of sketches off the event loop: from a sketch to changes of the present documents."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from editahead_inference.apply.file_change import FileChange
from editahead_inference.apply.planner import MergeFunction
from editahead_inference.apply.results import Refusal
from editahead_inference.errors import ApplyRefusedError, DeadlineError
from editahead_inference.worker_thread import CancellableJob, WorkerThread
from editahead_lsp.protocol.custom_messages import Range
from editahead_lsp.session.frozen_texts import FrozenTexts
from editahead_lsp.session.session import Session
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.edits import Edit, Replacement, rebase
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace.apply.apply_sketch import (
    ApplyPlan,
    Check,
    SketchTask,
    load_merge,
    load_model_fallback,
    plan_sketch,
    read_sketch,
)
from editahead_workspace.apply.blocking_model import MODEL_TIMEOUT_S, BlockingModelClient
from editahead_workspace.apply.partial_results import PartialResult, PartialResultReporter
from editahead_workspace.apply.workspace_files import WorkspaceFiles
from editahead_workspace.errors import UnreadableSketchError
from editahead_workspace.file_exclusion import FileExclusion
from editahead_workspace.positions import Encoding, offset_at

from .embedded_sketch import EmbeddedSketch
from .to_lsp import RebasedChange

if TYPE_CHECKING:
    from editahead_inference.predictors.model.predictor import ModelPredictor

DEADLINE_S = 20.0
"""Limits the seconds of a job. The time of the model is not counted."""

MAX_PLANS = 4
"""Limits the planned edits whose problems can still be asked for: editors show one at a time."""

MAX_TIMES = 100
"""Limits the model's rewrites whose times count in `editahead.status`."""

T = TypeVar("T")


@dataclass(frozen=True)
class ApplyJob:
    """A frozen request to apply a sketch.

    Attributes:
        texts: The open documents.
        span: The range of the file at `uri` that may be changed. None for all of the file.
        embedded: The place of the sketch when a document contains it.
        model: The fallback where the merge refuses. None for no fallback.
        instruction: The instruction that the sketch was generated from.
        choice: The id of the choice to apply. None for a certain edit only.
    """

    sketch: str
    uri: str | None
    texts: FrozenTexts
    files: WorkspaceFiles
    encoding: Encoding
    span: Range | None = None
    embedded: EmbeddedSketch | None = None
    model: ModelPredictor | None = None
    instruction: str = ""
    choice: str | None = None

    @property
    def span_of(self) -> Callable[[Snapshot], tuple[int, int]] | None:
        """Return the offsets of the range in a text. None for all of the file."""
        span = self.span
        if span is None:
            return None

        def find(text: Snapshot) -> tuple[int, int]:
            ends = (offset_at(text, at.line, at.character, self.encoding) for at in (span.start, span.end))
            start, end = sorted(ends)
            return start, end

        return find


@dataclass
class ModelApplyStats:
    """Counters of the use of models.

    Attributes:
        requested: The sketches for which a model got a request.
        succeeded: The sketches of these that were applied.
        times: The seconds to the first hunk and to the whole edit, for the last sketches that were applied.
    """

    requested: int = 0
    succeeded: int = 0
    times: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=MAX_TIMES))


@dataclass
class ApplyService:
    """A service that applies sketches on two threads, of which one waits for models. Threads start when first needed.

    Attributes:
        clock: Returns monotonic seconds.
        folders_now: Returns the workspace folders.
        load: Imports the merge.
        witness: Returns the model that puts choices in order; None for the one that a job asks.
    """

    session: Session
    clock: Callable[[], float]
    folders_now: Callable[[], tuple[Path, ...]]
    load: Callable[[], MergeFunction] = load_merge
    witness: Callable[[], ModelPredictor | None] = lambda: None
    by_model: ModelApplyStats = field(default_factory=ModelApplyStats)
    sketch_trees: SyntaxTrees = field(default_factory=SyntaxTrees)
    """The syntax trees of documents with an embedded sketch, for the thread that does not wait for models."""
    _plans: deque[tuple[str, tuple[FileChange, ...]]] = field(default_factory=lambda: deque(maxlen=MAX_PLANS))
    _planned: int = 0
    _workers: dict[bool, WorkerThread] = field(default_factory=dict)
    """The threads, by whether they wait for models."""
    _trees: dict[bool, SyntaxTrees] = field(
        default_factory=lambda: {with_model: SyntaxTrees(reproducible=True) for with_model in (False, True)}
    )

    @property
    def folders(self) -> tuple[Path, ...]:
        """The workspace folders."""
        return self.folders_now()

    def create_job(
        self,
        sketch: str,
        uri: str | None,
        span: Range | None = None,
        model: ModelPredictor | None = None,
        instruction: str = "",
        choice: str | None = None,
    ) -> ApplyJob:
        """Return the frozen request to apply a sketch."""
        job = self._job(sketch, uri, span, None, model)
        return replace(job, instruction=instruction, choice=choice)

    def create_embedded_job(
        self, extract: EmbeddedSketch, model: ModelPredictor | None = None, choice: str | None = None
    ) -> ApplyJob:
        """Return the frozen request to apply a sketch to the document that contains it."""
        return replace(self._job(extract.text, extract.document.uri, None, extract, model), choice=choice)

    def _job(
        self,
        sketch: str,
        uri: str | None,
        span: Range | None,
        extract: EmbeddedSketch | None,
        model: ModelPredictor | None,
    ) -> ApplyJob:
        session = self.session
        texts = FrozenTexts.of(session.documents)
        seen = dict(texts.snapshots)
        if extract is not None:
            document = session.documents.get(extract.document.uri)
            assert document is not None
            seen[document.key] = extract.remaining_document
        settings = session.settings
        exclusion = FileExclusion(self.folders, settings.exclude)  # of its own: it is asked on another thread
        files = WorkspaceFiles(self.folders, seen, exclusion, settings.max_file_bytes, uri)
        return ApplyJob(sketch, uri, texts, files, session.encoding, span, extract, model)

    def keep_plan(self, changes: tuple[FileChange, ...]) -> str | None:
        """Keep planned changes, and return their name; None if there are none, or edits are not checked."""
        if not changes or not self.session.settings.apply_check:
            return None
        self._planned += 1
        self._plans.append((f"{self._planned}", changes))
        return self._plans[-1][0]

    def find_plan(self, name: str) -> tuple[FileChange, ...]:
        """Return the changes that were kept with a name; none if they are forgotten."""
        return next((changes for known, changes in self._plans if known == name), ())

    async def plan(
        self, job: ApplyJob, on_partial_result: Callable[[PartialResult], object] = lambda result: None
    ) -> ApplyPlan:
        """Return the planned changes.

        Args:
            job: The request.
            on_partial_result: Called on the event loop with each partial result.

        Raises:
            ApplyRefusedError: The sketch cannot be applied.
        """
        loop = asyncio.get_running_loop()
        reporter = PartialResultReporter(
            partial(_call_on_loop, loop, on_partial_result), self.clock, tuple(job.texts.snapshots.values())
        )
        try:
            planned = await self._plan_with_fallback(job, reporter)
        except ApplyRefusedError as refused:
            if job.embedded is None:
                raise
            raise ApplyRefusedError(job.embedded.to_document_refusal(refused.refusal)) from None
        return replace(planned, first_hunk_at=reporter.first_hunk_at)

    async def _plan_with_fallback(self, job: ApplyJob, reporter: PartialResultReporter) -> ApplyPlan:
        """Plan by the merge; where the merge refuses and there is a model, by both."""
        try:
            return await self.run_in_thread(lambda check: self._plan(job, self.load(), reporter, check))
        except ApplyRefusedError as error:
            model, refused = job.model, error
            if model is None or job.choice is not None:
                raise
        loop = asyncio.get_running_loop()
        began, trees, used = self.clock(), self._trees[True], []

        def work(check: Check) -> ApplyPlan:
            rewriting, reasons = load_model_fallback()
            if refused.refusal.reason not in reasons:
                raise refused
            client = BlockingModelClient(loop, model, job.files.exclusion_reason, self.clock, self.witness())
            rewrites = rewriting(
                self.load(),
                client,
                lambda coming: reporter.on_partial_rewrite(coming, trees),
                job.instruction,
            )
            try:
                return self._plan(job, rewrites, reporter, check, client)
            finally:
                used.extend(rewrites.usages)

        try:
            planned = await self.run_in_thread(work, with_model=True)
        finally:
            self.by_model.requested += bool(used)
        self.by_model.succeeded += 1
        if reporter.first_hunk_at is not None:
            self.by_model.times.append((reporter.first_hunk_at - began, self.clock() - began))
        return replace(planned, usage=tuple(used))

    async def run_in_thread(self, work: Callable[[Check], T], *, with_model: bool = False) -> T:
        """Run a function on a thread, and return its result.

        Args:
            work: The function, called with the job's `check`.
            with_model: Whether the function waits for a model.

        Raises:
            ApplyRefusedError: The function took too long.
        """
        worker = self._workers.get(with_model) or self._workers.setdefault(with_model, WorkerThread())
        deadline_s = DEADLINE_S + MODEL_TIMEOUT_S * with_model
        job = CancellableJob(worker, self.clock, deadline_s)
        return await job.run(lambda check: work(partial(_check_deadline, check, deadline_s)))

    def stop(self) -> None:
        """Stop the threads. Wait for one second at most for work that does not call its `check`."""
        for worker in self._workers.values():
            worker.stop(timeout=1.0)

    def _plan(
        self,
        job: ApplyJob,
        merge: MergeFunction,
        reporter: PartialResultReporter,
        check: Check,
        model: BlockingModelClient | None = None,
    ) -> ApplyPlan:
        task = SketchTask(job.sketch, job.files, job.span_of, tuple(job.texts.snapshots.values()), job.choice)
        try:
            read = read_sketch(task, check)
        except UnreadableSketchError as error:
            raise ApplyRefusedError(error.refusal) from None
        return plan_sketch(
            read,
            merge,
            trees=self._trees[model is not None],
            on_file_done=reporter.on_file_done,
            score=None if model is None else partial(model.score, check=check),
            check=check,
        )

    def rebase(self, job: ApplyJob, changes: tuple[FileChange, ...]) -> list[RebasedChange]:
        """Return the changes over the texts that the client has now.

        Raises:
            ApplyRefusedError: The documents were changed where the sketch changes them.
        """
        files = [self._rebase(job, change) for change in changes]
        extract = job.embedded
        if extract is None or extract.keep or any(c.original.uri == extract.document.uri for c in changes):
            return files
        return [
            *files,
            self._rebase(job, FileChange("edit", extract.remaining_document, Edit(), 1.0, "markers")),
        ]

    def _rebase(self, job: ApplyJob, change: FileChange) -> RebasedChange:
        uri = change.original.uri
        if change.executable is not None:
            name = uri.rpartition("/")[2]
            said = f"The sketch changes who may run {name}, which an editor cannot do; use `editahead apply --write`."
            raise ApplyRefusedError(Refusal("unparsed", said))
        hunks = change.hunks
        if job.embedded is not None and uri == job.embedded.document.uri:
            put_back = job.embedded.to_document_hunks(hunks)
            if put_back is None:
                raise ApplyRefusedError(
                    Refusal("unplaced", "The sketch would change the code around its own comment.")
                )
            hunks = tuple(put_back)
        before, present = job.texts.before(uri), job.texts.follow(uri, self.session.documents)
        if present is None:
            raise _stale()
        snapshot, since = present.snapshot, present.since
        if snapshot is None:
            return RebasedChange(change, change.original, hunks, None)
        if before is None:
            if snapshot.text != change.original.text:
                raise _stale()
            return RebasedChange(change, snapshot, hunks, snapshot.version)
        if since is None:
            raise _stale()
        moved = []
        for hunk in hunks:
            edit = rebase(Edit((hunk.replacement,)), since)
            if edit is None or _touches_changed_line(hunk.replacement, since, before):
                raise _stale()
            moved.append(replace(hunk, replacement=edit.replacements[0]))
        return RebasedChange(change, snapshot, tuple(moved), snapshot.version)


def partial_change(job: ApplyJob, change: FileChange) -> RebasedChange:
    """Return a partial result over the text of the request."""
    hunks = tuple(change.hunks)
    if job.embedded is not None and change.original.uri == job.embedded.document.uri:
        removal = job.embedded.removal_edit.replacements[
            0
        ]  # comes with the edit, not with each partial result
        moved = job.embedded.to_document_hunks(hunks) or ()
        hunks = tuple(hunk for hunk in moved if hunk.replacement != removal)
    snapshot = job.texts.before(change.original.uri)
    return RebasedChange(change, change.original if snapshot is None else snapshot, hunks, None)


def _call_on_loop(loop: asyncio.AbstractEventLoop, function: Callable[..., object], *arguments: Any) -> None:
    with suppress(RuntimeError):  # the loop is closed
        loop.call_soon_threadsafe(function, *arguments)


def _check_deadline(check: Check, deadline_s: float) -> None:
    """Check a job, and turn a passed deadline into a refusal, to which the caller adds the file.

    Raises:
        ApplyRefusedError: The deadline has passed.
    """
    try:
        check()
    except DeadlineError:
        raise ApplyRefusedError(Refusal("too-large", f"Apply took longer than {deadline_s:.0f} s.")) from None


def _touches_changed_line(replacement: Replacement, since: Edit, text: Snapshot) -> bool:
    """Return whether a line of a replacement was changed since. A replacement is valid only for unchanged lines."""
    first, last = text.line_at(replacement.start), text.line_at(replacement.end)
    return any(text.line_at(r.start) <= last and first <= text.line_at(r.end) for r in since.replacements)


def _stale() -> ApplyRefusedError:
    return ApplyRefusedError(
        Refusal("stale", "The document was changed meanwhile, where the sketch changes it.")
    )
