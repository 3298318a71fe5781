"""The state of one client: documents, history, shown predictions and their outcomes.

The code is synchronous, and only handlers on the event loop call it. Tasks and threads get frozen values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from editahead_inference.candidates import Silence
from editahead_lsp.notebooks.notebook_store import NotebookStore
from editahead_lsp.protocol.custom_messages import (
    ClientDiagnostic,
    Position,
    Range,
    TextDocumentContentChange,
)
from editahead_lsp.session.client_diagnostics import ClientDiagnostics
from editahead_lsp.session.documents import Document, DocumentStore
from editahead_prompts.state import EditorState, MovedFile, with_edit_at_cursor_last
from editahead_prompts.symbol_evidence import SymbolEvidence
from editahead_prompts.syntax.comments import is_in_comment
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace.file_exclusion import FileExclusion
from editahead_workspace.positions import Encoding, offset_at
from editahead_workspace.settings import Settings

from .adaptive_debounce import AdaptiveDebounce
from .copied_lines import CopiedLines
from .evidence_store import EvidenceStore
from .outcome_tracker import OutcomeTracker
from .rejected_edits import RejectedEdits
from .replayable_history import ReplayableHistory
from .session_recorder import SessionRecorder
from .shown_prediction import Decision
from .shown_predictions import ShownPredictions

MAX_MOVED_FILES = 8
"""Moved files whose importers may follow. A branch switch moves more, and brings its importers along."""


@dataclass
class Session:
    """The mutable state of one client.

    Attributes:
        clock: Returns monotonic seconds.
        outcomes: The outcomes of the predictions.
        recorder: Records the session for the user, if they want that.
        encoding: The position encoding that was negotiated with the client.
        focused: The key of the document in focus.
        can_open_files: Whether the client can open a file for a prediction.
        index_version: A number that changes with the index of the workspace; 0 without one.
        moved_files: The last files and folders that got another path, the oldest first.
    """

    clock: Callable[[], float]
    outcomes: OutcomeTracker
    recorder: SessionRecorder | None = None
    settings: Settings = field(default_factory=Settings)
    exclusion: FileExclusion = field(default_factory=FileExclusion)
    encoding: Encoding = "utf-16"
    documents: DocumentStore = field(default_factory=DocumentStore)
    notebooks: NotebookStore = field(default_factory=NotebookStore)
    history: ReplayableHistory = field(default_factory=ReplayableHistory)
    focused: str | None = None
    can_open_files: bool = False
    index_version: int = 0
    moved_files: tuple[MovedFile, ...] = ()
    generation: int = 0
    """A counter that grows with each event that can change a prediction."""
    rejected_edits: RejectedEdits = field(default_factory=RejectedEdits)
    diagnostics: ClientDiagnostics = field(default_factory=ClientDiagnostics)
    evidence: EvidenceStore = field(default_factory=EvidenceStore)
    copied: CopiedLines = field(default_factory=CopiedLines)

    def __post_init__(self) -> None:
        self.timing = AdaptiveDebounce(self.clock)
        self._cursors: dict[str, int] = {}
        self._off: dict[str, tuple[Snapshot, Silence | None]] = {}
        self.shown_predictions = ShownPredictions(
            self.clock, self.documents, self.history, self.rejected_edits, self.outcomes, self._on_decision
        )

    def configure(self, settings: Settings, exclusion: FileExclusion, arm: str = "") -> None:
        """Apply new settings. arm: the arm of today, see `DayArm.label`."""
        self.settings, self.exclusion = settings, exclusion
        self.outcomes.configure(learning=settings.learning, logging=settings.telemetry == "local", arm=arm)
        self._off.clear()
        self.generation += 1

    # Documents

    def open(
        self, uri: str, language: str, version: int, text: str, *, awaits_text_before: bool = False
    ) -> Document:
        """Open a document. An open document with the same URI is closed first.

        Args:
            uri: The URI.
            language: The LSP language id.
            version: The client's version number.
            text: The text.
            awaits_text_before: Whether `learn_text_before` will follow.
        """
        self.close(uri)
        self.exclusion.clear_cache()  # an ignore file may have changed; opening is rare enough to look again
        document = Document(uri, language, version, text, self.encoding)
        self.documents.open(document)
        is_enabled = self.disabled_reason(document) is None
        if is_enabled or self.exclusion.is_late(uri):
            if awaits_text_before:
                self.history.wait_for(document.uri)
            self.history.on_open(document.snapshot)
        if is_enabled and self.recorder is not None:
            self.recorder.on_open(document.key, document.snapshot)
        self.rejected_edits.on_open(document.key, document.snapshot)
        self.evidence.on_open(document.snapshot, self.encoding)
        self.focused = document.key
        self.generation += 1
        return document

    def change(
        self, uri: str, version: int | None, changes: Sequence[TextDocumentContentChange]
    ) -> Document | None:
        """Apply one didChange, and return the document; None when it is not open."""
        document = self.documents.get(uri)
        if document is None:
            return None
        cursor = self.cursor(document)
        self._process_due_outcomes()
        applied = document.change(document.snapshot.version + 1 if version is None else version, changes)
        self.documents.mark_used(document)
        self.focused = document.key
        self.generation += 1
        self.timing.on_change()
        # The most likely position of the cursor; a request will report the exact one.
        self._cursors[document.key] = (
            applied.edit.changed_span[1] + applied.edit.growth
            if applied.edit
            else min(cursor, applied.after.length)
        )
        if applied.edit and self.disabled_reason(document) is None:
            self.history.record_change(
                applied.before, applied.after, applied.edit, at=self.clock(), cursor=cursor
            )
            self.outcomes.count_typing(applied)
            if self.recorder is not None:
                self.recorder.on_change(document.key, applied.before, applied.after, applied.edit)
        self.rejected_edits.on_change(document.key, applied)
        self.diagnostics.on_change(document.key, applied.edit)
        self.evidence.on_change(document.uri, applied.edit)
        self.outcomes.on_change(document.key, applied)
        self.shown_predictions.on_change(document.key, applied)
        if applied.edit:
            self.shown_predictions.on_typed()
        return document

    def on_moved(self, old: str, new: str) -> None:
        """Note that a file or folder got another path. One that is moved back was not moved.

        Args:
            old: The URI before.
            new: The URI now.
        """
        others = [moved for moved in self.moved_files if moved != MovedFile(new, old)]
        if (
            len(others) == len(self.moved_files)
            and old != new
            and self._may_report(old)
            and self._may_report(new)
        ):
            others = [moved for moved in others if moved.new != new] + [MovedFile(old, new)]
        self.moved_files = tuple(others[-MAX_MOVED_FILES:])
        self.generation += 1

    def on_all_moved(self, moved: Iterable[tuple[str, str]]) -> None:
        """Note that files got other paths, each with the URI before and the URI now."""
        for old, new in moved:
            self.on_moved(old, new)

    def _may_report(self, uri: str) -> bool:
        return self.exclusion.exclusion_reason(uri) is None

    def learn_text_before(self, opened: Snapshot, earlier: Snapshot | None) -> None:
        """Take the difference between a text and the one that the document was opened with as the first edit.

        Args:
            opened: The document as it was opened.
            earlier: The text before; None if it is not known in time, or if nothing was edited.
        """
        document = self.documents.get(opened.uri)
        if document is None or self.disabled_reason(document) is not None:
            earlier = None
        if self.history.settle(opened.uri, earlier, at=self.clock()):
            self.generation += 1

    def close(self, uri: str) -> None:
        """Close a document and end its shown predictions."""
        self._process_due_outcomes()
        document = self.documents.close(uri)
        if document is None:
            return
        self.generation += 1
        self.history.on_close(document.uri)
        self._off.pop(document.key, None)
        self._cursors.pop(document.key, None)
        self.rejected_edits.on_close(document.key, document.snapshot)
        self.diagnostics.on_close(document.key)
        self.evidence.on_close(document.snapshot, self.encoding)
        if self.focused == document.key:
            self.focused = None
        self.shown_predictions.on_close(document.key)
        self.outcomes.on_close(document.key)
        if self.recorder is not None:
            self.recorder.on_close(document.key)

    def close_all(self) -> None:
        """End all open predictions and write their outcomes: the client is gone, or shut the server down."""
        self._process_due_outcomes()
        self.shown_predictions.close_all()
        self.outcomes.stop()
        if self.recorder is not None:
            self.recorder.stop()
        # The memory of a client that is gone returns now. Its objects refer to each other, and wait for the collector.
        for document in list(self.documents):
            self.documents.close(document.uri)
            self.history.on_close(document.uri)
        self.rejected_edits.clear()
        self._off.clear()

    def focus(self, uri: str | None) -> None:
        """Set the document in focus; None when the user looks at none."""
        document = self.documents.get(uri) if uri is not None else None
        self.focused = None if document is None else document.key
        if document is not None:
            self.documents.mark_used(document)

    @property
    def focused_document(self) -> Document | None:
        return None if self.focused is None else self.documents.get_by_key(self.focused)

    def cursor(self, document: Document) -> int:
        """Return the last known offset of the cursor."""
        return self._cursors.get(document.key, 0)

    def set_cursor(self, document: Document, place: Position) -> int:
        """Set the cursor to a position from the client, and return its offset."""
        self.focused = document.key
        self.documents.mark_used(document)
        cursor = offset_at(document.snapshot, place.line, place.character, self.encoding)
        self._cursors[document.key] = cursor
        if self.recorder is not None:
            self.recorder.on_cursor(document.key, document.snapshot, cursor)
        return cursor

    def update_diagnostics(
        self, uri: str, version: int | None, reported: Sequence[ClientDiagnostic], within: Range | None = None
    ) -> None:
        """Update the diagnostics that the client shows. Diagnostics of another version are ignored.

        Args:
            uri: The URI of the document.
            version: The version that they are for. None when the client does not report it.
            reported: The diagnostics.
            within: The range that they cover. None for all of the document.
        """
        document = self.documents.get(uri)
        if (
            document is not None
            and version in (None, document.snapshot.version)
            and self.disabled_reason(document) is None
        ):
            has_changed = self.diagnostics.update(
                document.key, document.snapshot, reported, self.encoding, within=within
            )
            self.generation += has_changed

    def add_evidence(self, evidence: SymbolEvidence) -> None:
        """Keep what another language server says of a symbol."""
        self.evidence.add(evidence)
        self.generation += 1

    def disabled_reason(self, document: Document) -> Silence | None:
        """Return why nothing is predicted in a document; None when it is enabled. A disabled document is only mirrored."""
        known = self._off.get(document.key)
        if known is None or known[0] is not document.snapshot:
            known = document.snapshot, self.find_disabled_reason(document.snapshot)
            if not self.exclusion.is_late(document.uri):
                self._off[document.key] = known
        return known[1]

    def find_disabled_reason(self, snapshot: Snapshot) -> Silence | None:
        """Return why nothing is predicted in a text, open or not; None when predictions are wanted."""
        if self.settings.languages.get(snapshot.language) is False:
            return Silence("language-off", f"The setting `languages` has {snapshot.language} off.")
        why = self.exclusion.exclusion_reason(snapshot.uri)
        if why is not None:
            return Silence("excluded", why)
        limit = self.settings.max_file_bytes
        if _is_larger(snapshot, limit):
            return Silence("too-large", f"The file is larger than {limit} bytes (`max_file_bytes`).")
        return None

    def silence_at(self, document: Document, cursor: int) -> Silence | None:
        """Return why nothing is predicted at a cursor; None where predictions are wanted."""
        if self.settings.comments or not is_in_comment(document.snapshot, cursor):
            return self.disabled_reason(document)
        return Silence("excluded", "The cursor is in a comment, and the setting `comments` is false.")

    def build_state(self, document: Document, cursor: int) -> EditorState:
        """Return the frozen input of a prediction at a cursor."""
        others = self._others(document)
        rejected = {d.uri: self.rejected_edits.for_document(d.key) for d in (document, *others)}
        return EditorState(
            document=document.snapshot,
            cursor=cursor,
            history=with_edit_at_cursor_last(
                self.history.edits, document.uri, document.snapshot.line_at(cursor)
            ),
            other_documents=tuple(d.snapshot for d in others),
            rejected={uri: edits for uri, edits in rejected.items() if edits},
            undone=self.history.undone,
            outcomes=dict(self.shown_predictions.rule_outcomes) if self.settings.learning else {},
            taste=self.outcomes.preferences(),
            diagnostics=self.diagnostics.for_document(document.key),
            index_version=self.index_version,
            moved_files=self.moved_files,
            related_code=self.copied.of(self._is_enabled),
            evidence=self.evidence.touched,
        )

    def _is_enabled(self, uri: str) -> bool:
        document = self.documents.get(uri)
        return document is not None and self.disabled_reason(document) is None

    def document_of(self, snapshot: Snapshot) -> Document:
        """Return the open document of a snapshot, or a mirror of the file that is not open."""
        known = self.documents.get(snapshot.uri)
        if known is not None:
            return known
        return Document(snapshot.uri, snapshot.language, snapshot.version, snapshot.text, self.encoding)

    def _others(self, document: Document) -> list[Document]:
        """Return the other enabled documents, the most recently used first."""
        return [
            d for d in reversed(list(self.documents)) if d is not document and self.disabled_reason(d) is None
        ]

    def restore_rejected(self) -> bool:
        """Lift the last rejection that still applies, and return whether there was one."""
        restored = self.shown_predictions.restore_rejected()
        self.generation += restored
        return restored

    def reset_learning(self) -> None:
        """Forget preferences, outcomes of rules, rejected edits and the debounce's history."""
        self.shown_predictions.rule_outcomes.clear()
        self.outcomes.reset()
        self.rejected_edits.clear()
        self.timing.reset()
        self.generation += 1

    def _on_decision(self, decision: Decision) -> None:
        self.timing.on_outcome(decision)
        self.generation += 1

    def _process_due_outcomes(self) -> None:
        """Process the outcomes that are due. Must run before a change."""
        if self.outcomes.process_due(self._text):
            self.generation += 1

    def _text(self, key: str) -> str:
        document = self.documents.get_by_key(key)
        return "" if document is None else document.snapshot.text


def _is_larger(snapshot: Snapshot, limit: int) -> bool:
    """Return whether the text is longer than `limit` bytes in UTF-8. Encode the text only when its length is not enough."""
    text = snapshot.text
    if len(text) > limit or text.isascii() or len(text) * 4 <= limit:
        return len(text) > limit
    return len(text.encode("utf-8", "surrogatepass")) > limit
