"""From a sketch to a change over the documents as they are now, off the event loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from editahead_inference.apply.planner import FileChange, MergeFunction, plan_changes
from editahead_inference.apply.results import Refusal
from editahead_inference.errors import ApplyRefusedError, DeadlineError
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_inference.worker_thread import CancellableJob, WorkerThread
from editahead_lsp.protocol.custom_messages import Range
from editahead_lsp.session.session import Session
from editahead_lsp.workspace import uris
from editahead_lsp.workspace.documents import Document
from editahead_lsp.workspace.file_exclusion import FileExclusion
from editahead_lsp.workspace.positions import Encoding, offset_at
from editahead_prompts.errors import SketchError
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.sketches.sketch import Sketch
from editahead_prompts.text.edits import Edit, Replacement, rebase
from editahead_prompts.text.snapshot import Snapshot
from editahead_prompts.text.syntax_trees import SyntaxTrees

from .blocking_model import MODEL_TIMEOUT_S, BlockingModelClient, Check
from .embedded_sketch import EmbeddedSketch
from .partial_results import PartialResult, PartialResultReporter
from .to_lsp import RebasedChange
from .workspace_files import WorkspaceFiles

if TYPE_CHECKING:
    from editahead_inference.apply.model.model_fallback import ModelFallback
    from editahead_inference.apply.results import RefusalReason
    from editahead_inference.backends.base import Usage

DEADLINE_S = 20.0
"""Work that takes longer is given up; what a model takes is not counted."""

REMEMBERED = 100
"""So many sketches that a model was asked about count in `editahead.status`."""

T = TypeVar("T")


def load_merge() -> MergeFunction:
    """Imported late: the server answers `initialize` first."""
    from editahead_inference.apply.merge.merge import merge

    return merge


def load_model_fallback() -> tuple[type[ModelFallback], frozenset[RefusalReason]]:
    """Imported late, too. With the refusals that a model is asked about."""
    from editahead_inference.apply.model.model_fallback import MODEL_REASONS, ModelFallback

    return ModelFallback, MODEL_REASONS


@dataclass(frozen=True)
class ApplyJob:
    """All that a sketch is applied with, frozen when it was asked for. documents: the open ones, by key. span: what it
    may change of the file at `uri`. extract: where the sketch itself stands in the document.
    model: is asked where the merge is not sure; None = nobody is. instruction: what the sketch was asked for with."""

    sketch: str
    uri: str | None
    documents: Mapping[str, Document]
    snapshots: Mapping[str, Snapshot]
    files: WorkspaceFiles
    encoding: Encoding
    span: Range | None = None
    extract: EmbeddedSketch | None = None
    model: ModelPredictor | None = None
    instruction: str = ""


@dataclass(frozen=True)
class ApplyPlan:
    """changes: over the snapshots of the job; over the rest of the document for a sketch that stands in it. used: by each
    request to a model. first: when the first hunk was settled, on the clock; None where there is none."""

    sketch: Sketch
    changes: tuple[FileChange, ...]
    used: tuple[Usage, ...] = ()
    first: float | None = None


@dataclass
class ModelApplyStats:
    """What came of asking models. asked: sketches. taken: of them. times: seconds of the last that were taken, to the first
    hunk and to the edit."""

    asked: int = 0
    taken: int = 0
    times: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=REMEMBERED))


@dataclass
class ApplyService:
    """The threads that do it, each made when it is first needed: one of them waits for models. clock: monotonic seconds."""

    session: Session
    clock: Callable[[], float]
    load: Callable[[], MergeFunction] = load_merge
    folders: tuple[Path, ...] = ()
    """Of the workspace."""
    by_model: ModelApplyStats = field(default_factory=ModelApplyStats)
    sketch_trees: SyntaxTrees = field(default_factory=SyntaxTrees)
    """The trees of documents that hold a sketch; for the thread that does not wait for models."""
    _workers: dict[bool, WorkerThread] = field(default_factory=dict)
    """By whether they wait for models."""
    _trees: dict[bool, SyntaxTrees] = field(
        default_factory=lambda: {False: SyntaxTrees(), True: SyntaxTrees()}
    )

    def create_job(
        self,
        sketch: str,
        uri: str | None,
        span: Range | None = None,
        model: ModelPredictor | None = None,
        instruction: str = "",
    ) -> ApplyJob:
        return replace(self._job(sketch, uri, span, None, model), instruction=instruction)

    def create_embedded_job(self, extract: EmbeddedSketch, model: ModelPredictor | None = None) -> ApplyJob:
        """Apply a sketch to the document in which it stands."""
        return self._job(extract.text, extract.document.uri, None, extract, model)

    def _job(
        self,
        sketch: str,
        uri: str | None,
        span: Range | None,
        extract: EmbeddedSketch | None,
        model: ModelPredictor | None,
    ) -> ApplyJob:
        session = self.session
        documents = {document.key: document for document in session.documents}
        snapshots = {key: document.snapshot for key, document in documents.items()}
        seen = dict(snapshots)
        if extract is not None:
            document = session.documents.get(extract.document.uri)
            assert document is not None
            seen[document.key] = extract.remaining_document
        settings = session.settings
        exclusion = FileExclusion(self.folders, settings.exclude)  # of its own: it is asked on another thread
        files = WorkspaceFiles(self.folders, seen, exclusion, settings.max_file_bytes, uri)
        return ApplyJob(sketch, uri, documents, snapshots, files, session.encoding, span, extract, model)

    async def plan(
        self, job: ApplyJob, tell: Callable[[PartialResult], None] = lambda news: None
    ) -> ApplyPlan:
        """Raises Refused. tell: called on the event loop, with what is settled already; see `telling`."""
        loop = asyncio.get_running_loop()
        telling = PartialResultReporter(partial(_on, loop, tell), self.clock, tuple(job.snapshots.values()))
        try:
            planned = await self._planned(job, telling)
        except ApplyRefusedError as refused:
            if job.extract is None:
                raise
            near = tuple(map(job.extract.to_document_lines, refused.refusal.near))
            raise ApplyRefusedError(replace(refused.refusal, near=near)) from None
        return replace(planned, first=telling.first)

    async def _planned(self, job: ApplyJob, telling: PartialResultReporter) -> ApplyPlan:
        """By the merge; where that is not sure and there is a model, by both."""
        try:
            return await self.run_in_thread(lambda check: self._plan(job, self.load(), telling, check, False))
        except ApplyRefusedError as error:
            model, refused = job.model, error
            if model is None:
                raise
        loop = asyncio.get_running_loop()
        began, trees, used = self.clock(), self._trees[True], []

        def work(check: Check) -> ApplyPlan:
            rewriting, reasons = load_model_fallback()
            if refused.refusal.reason not in reasons:
                raise refused
            asking = BlockingModelClient(loop, model, self.clock)
            rewrites = rewriting(
                self.load(), asking, lambda coming: telling.on_partial_rewrite(coming, trees), job.instruction
            )
            try:
                return self._plan(job, rewrites, telling, check, True)
            finally:
                used.extend(rewrites.usages)

        try:
            planned = await self.run_in_thread(work, asking=True)
        finally:
            self.by_model.asked += bool(used)
        self.by_model.taken += 1
        if telling.first is not None:
            self.by_model.times.append((telling.first - began, self.clock() - began))
        return replace(planned, used=tuple(used))

    async def run_in_thread(self, work: Callable[[Check], T], *, asking: bool = False) -> T:
        """Return what `work` returns, from a thread. It is given the job's `check`. asking: whether it waits for a model.

        Raises:
            Refused: It took too long.
        """
        worker = self._workers.get(asking) or self._workers.setdefault(asking, WorkerThread())
        deadline_s = DEADLINE_S + MODEL_TIMEOUT_S * asking
        job = CancellableJob(worker, self.clock, deadline_s)
        return await job.run(lambda check: work(partial(_check_deadline, check, deadline_s)))

    def stop(self) -> None:
        """Give everything up. Waits at most a second for work that looks away from its `check`."""
        for worker in self._workers.values():
            worker.stop(timeout=1.0)

    def _plan(
        self, job: ApplyJob, merge: MergeFunction, telling: PartialResultReporter, check: Check, asking: bool
    ) -> ApplyPlan:
        if len(job.sketch) > self.session.settings.max_file_bytes:
            raise ApplyRefusedError(
                Refusal("too-large", "The sketch is larger than a file may be (`max_file_bytes`).")
            )
        own = job.files.resolve(None)
        try:
            sketch = parse_sketch(
                job.sketch,
                language=own.language if own is not None else None,
                path=own.uri.rpartition("/")[2] if own is not None else None,
            )
        except SketchError as error:
            lines = job.sketch.splitlines()[error.at : error.end]
            raise ApplyRefusedError(Refusal("unparsed", str(error), "\n".join(lines))) from None
        check()
        spans = {}
        if own is not None and job.span is not None:
            ends = job.span.start, job.span.end
            start, end = sorted(offset_at(own, at.line, at.character, job.encoding) for at in ends)
            spans[own.uri] = start, end
        changed = plan_changes(
            sketch,
            job.files,
            merge,
            spans=spans,
            others=tuple(job.snapshots.values()),
            syntax=self._trees[asking],
            settled=telling.on_file_done,
            check=check,
        )
        return ApplyPlan(sketch, changed)

    def rebase(self, job: ApplyJob, changes: tuple[FileChange, ...]) -> list[RebasedChange]:
        """The changes over the texts that the client has now. Raises Refused when they moved on too far."""
        files = [self._placed(job, change) for change in changes]
        extract = job.extract
        if extract is None or extract.keep or any(c.original.uri == extract.document.uri for c in changes):
            return files
        return [
            *files,
            self._placed(job, FileChange("edit", extract.remaining_document, Edit(), 1.0, "markers")),
        ]

    def _placed(self, job: ApplyJob, change: FileChange) -> RebasedChange:
        uri = change.original.uri
        key = uris.canonical_key(uri)
        asked, now = job.documents.get(key), self.session.documents.get_by_key(key)
        hunks = change.hunks
        if job.extract is not None and uri == job.extract.document.uri:
            put_back = job.extract.to_document_hunks(hunks)
            if put_back is None:
                raise ApplyRefusedError(Refusal("unplaced", "It would change what the comment stands in."))
            hunks = tuple(put_back)
        if asked is None:
            if now is None:
                return RebasedChange(change, change.original, hunks, None)
            if now.snapshot.text != change.original.text:
                raise _stale()
            return RebasedChange(change, now.snapshot, hunks, now.snapshot.version)
        since = now.edit_since(job.snapshots[key]) if now is asked else None
        if now is None or since is None:
            raise _stale()
        moved = []
        for hunk in hunks:
            edit = rebase(Edit((hunk.replacement,)), since)
            if edit is None or _touched(hunk.replacement, since, job.snapshots[key]):
                raise _stale()
            moved.append(replace(hunk, replacement=edit.replacements[0]))
        return RebasedChange(change, now.snapshot, tuple(moved), now.snapshot.version)


def partial_change(job: ApplyJob, change: FileChange) -> RebasedChange:
    """A change that is certain, over the text that it was asked for."""
    key = uris.canonical_key(change.original.uri)
    hunks = tuple(change.hunks)
    if job.extract is not None and change.original.uri == job.extract.document.uri:
        hunks = tuple(job.extract.to_document_hunks(hunks) or ())
    snapshot = job.snapshots.get(key)
    return RebasedChange(change, change.original if snapshot is None else snapshot, hunks, None)


def _on(loop: asyncio.AbstractEventLoop, function: Callable[..., None], *arguments: Any) -> None:
    with suppress(RuntimeError):  # the loop has ended, and nobody waits
        loop.call_soon_threadsafe(function, *arguments)


def _check_deadline(check: Check, deadline_s: float) -> None:
    """Raise the refusal here, so that it names the file that is worked on."""
    try:
        check()
    except DeadlineError:
        raise ApplyRefusedError(Refusal("too-large", f"It took longer than {deadline_s:.0f} s.")) from None


def _touched(replacement: Replacement, since: Edit, text: Snapshot) -> bool:
    """Whether something was changed on one of its lines. What was made for one line says nothing about another."""
    first, last = text.line_at(replacement.start), text.line_at(replacement.end)
    return any(text.line_at(r.start) <= last and first <= text.line_at(r.end) for r in since.replacements)


def _stale() -> ApplyRefusedError:
    return ApplyRefusedError(
        Refusal("stale", "The document was changed meanwhile, where the sketch changes it.")
    )
