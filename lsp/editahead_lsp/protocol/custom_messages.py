"""Editahead's own messages, and the standard messages that the server reads.

Input is read leniently: unknown fields are ignored, and a field with a default may be missing or null. Output is exact:
every field is sent, but for those that are marked as omitted when they are None. Names are camelCase on the wire. Positions
are 0-based, in the encoding agreed with the client.

`lsp_types` has the parts of code actions, completions and hints. Other standard messages that the server sends are
lsprotocol's.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import attrs

from editahead_inference.candidates import CandidateSource, SilenceReason
from editahead_retrieval.process.messages import IndexState

from .field_metadata import OPTIONAL

Trigger = Literal["typed", "cursor", "accepted", "manual"]
OutcomeEvent = Literal["shown", "accepted", "partiallyAccepted", "rejected", "ignored"]
EVENTS: frozenset[str] = frozenset(get_args(OutcomeEvent))

NEXT_EDIT = "editahead/nextEdit"
OUTCOME = "editahead/outcome"
INLINE_EDIT = "textDocument/copilotInlineEdit"
DID_SHOW_INLINE_EDIT = "textDocument/didShowInlineEdit"
DID_SHOW_COMPLETION = "textDocument/didShowCompletion"
DID_PARTIALLY_ACCEPT_COMPLETION = "textDocument/didPartiallyAcceptCompletion"
DID_CHANGE_STATUS = "didChangeStatus"
DID_FOCUS = "textDocument/didFocus"
SESSION_TIME = "editahead/sessionTime"

ACCEPT = "editahead.accept"
REJECT = "editahead.reject"
RESTORE = "editahead.restore"
GO_TO_NEXT_EDIT = "editahead.nextEdit"
APPLY = "editahead.apply"
WHY = "editahead.why"
STATUS = "editahead.status"
RESET_LEARNING = "editahead.resetLearning"
ACCEPT_KIND = "refactor.rewrite.editahead.accept"
GOTO_KIND = "refactor.rewrite.editahead.goto"
APPLY_KIND = "refactor.rewrite.editahead.apply"
COMMANDS = (ACCEPT, REJECT, RESTORE, GO_TO_NEXT_EDIT, APPLY, WHY, STATUS, RESET_LEARNING)


# Both ways


@attrs.frozen
class Position:
    line: int = 0
    character: int = 0


@attrs.frozen
class Range:
    start: Position
    end: Position


@attrs.frozen
class VersionedTextDocument:
    """A document and its version; None = no version is named."""

    uri: str
    version: int | None = None


@attrs.frozen
class Command:
    title: str = ""
    command: str = ""
    arguments: list[Any] = attrs.field(factory=list)


# From the client


@attrs.frozen
class ClientInfo:
    name: str = ""
    version: str = ""


@attrs.frozen
class WorkspaceFolder:
    uri: str
    name: str = ""


@attrs.frozen
class InitializeParams:
    process_id: int | None = None
    client_info: ClientInfo = ClientInfo()
    root_uri: str | None = None
    root_path: str | None = None
    workspace_folders: list[WorkspaceFolder] = attrs.field(factory=list)
    capabilities: dict[str, Any] = attrs.field(factory=dict)
    initialization_options: Any = None


@attrs.frozen
class TextDocumentItem:
    uri: str
    language_id: str = "plaintext"
    version: int = 0
    text: str = ""


@attrs.frozen
class DidOpenParams:
    text_document: TextDocumentItem


@attrs.frozen
class TextDocumentContentChange:
    """One change. Without a range, `text` is the whole new text."""

    text: str
    range: Range | None = None


@attrs.frozen
class DidChangeParams:
    text_document: VersionedTextDocument
    content_changes: list[TextDocumentContentChange] = attrs.field(factory=list)


@attrs.frozen
class DidSaveParams:
    text_document: VersionedTextDocument


@attrs.frozen
class ChangedFile:
    """A file that was created, changed or deleted."""

    uri: str


@attrs.frozen
class DidChangeWatchedFilesParams:
    changes: list[ChangedFile]


@attrs.frozen
class DidCloseParams:
    text_document: VersionedTextDocument


@attrs.frozen
class DidFocusParams:
    """The document that has the focus; None = none has it."""

    text_document: VersionedTextDocument | None = None


@attrs.frozen
class SessionTimeParams:
    """The seconds since the start of the session that the client replays."""

    seconds: float


@attrs.frozen
class WorkspaceFoldersChangeEvent:
    added: list[WorkspaceFolder] = attrs.field(factory=list)
    removed: list[WorkspaceFolder] = attrs.field(factory=list)


@attrs.frozen
class DidChangeWorkspaceFoldersParams:
    event: WorkspaceFoldersChangeEvent = WorkspaceFoldersChangeEvent()


@attrs.frozen
class DidChangeConfigurationParams:
    settings: Any = None


@attrs.frozen
class InlineCompletionContext:
    """The trigger, as LSP numbers it: 1 = invoked by the user, 2 = automatic."""

    trigger_kind: int = 2

    @property
    def is_invoked(self) -> bool:
        """Whether the user invoked the request."""
        return self.trigger_kind == 1


@attrs.frozen
class InlineCompletionParams:
    """The params of `textDocument/inlineCompletion`, without a version, and of `textDocument/copilotInlineEdit`."""

    text_document: VersionedTextDocument
    position: Position
    context: InlineCompletionContext = InlineCompletionContext()


@attrs.frozen
class ClientDiagnostic:
    """A diagnostic of another language server, or of a linter. `code` is a number or a string."""

    range: Range
    message: str = ""
    code: Any = None
    source: str = ""


@attrs.frozen
class NextEditContext:
    """The context of a request.

    Attributes:
        trigger: One of `Trigger`; other values are treated as automatic triggers.
        diagnostics: All diagnostics that the client shows in the document; None = unknown.
    """

    trigger: str = "typed"
    diagnostics: list[ClientDiagnostic] | None = None


@attrs.frozen
class NextEditParams:
    text_document: VersionedTextDocument
    position: Position
    context: NextEditContext = NextEditContext()


@attrs.frozen
class OutcomeParams:
    """What became of one prediction.

    Attributes:
        id: The prediction.
        event: One of `OutcomeEvent`; others are ignored.
        accepted_length: UTF-16 units from the start of the new text.
        shown_ms: Milliseconds for which the prediction was visible.
    """

    id: str
    event: str
    accepted_length: int | None = None
    shown_ms: int | None = None


@attrs.frozen
class ShownItem:
    command: Command = Command()


@attrs.frozen
class DidShowParams:
    """The params of didShowInlineEdit, didShowCompletion and didPartiallyAcceptCompletion.

    The first argument of the command is the id of the prediction.
    """

    item: ShownItem = ShownItem()
    accepted_length: int | None = None


@attrs.frozen
class ExecuteCommandParams:
    command: str
    arguments: list[Any] = attrs.field(factory=list)


@attrs.frozen
class GoToNextEditArgument:
    """The argument of `editahead.nextEdit`."""

    uri: str
    position: Position | None = None


# To the client


@attrs.frozen
class TextEdit:
    range: Range
    new_text: str


@attrs.frozen
class LinePreview:
    """A line before and after an edit, without its indentation and line end; "" where there is none."""

    old: str
    new: str


@attrs.frozen
class PredictedEdit:
    """One alternative of `editahead/nextEdit`. Without `edits`, `jump` is a location without an edit.

    A document without a version is a file that is not open. Its edits are not to be applied: open the file at `jump`, and
    request again. `preview` is the first line that changes there.
    """

    id: str
    text_document: VersionedTextDocument
    edits: list[TextEdit]
    jump: Position | None
    cursor_after: Position
    confidence: float
    source: CandidateSource
    label: str
    preview: LinePreview | None = attrs.field(default=None, metadata=OPTIONAL)


@attrs.frozen
class SilenceInfo:
    """The reason why there is no prediction."""

    reason: SilenceReason
    detail: str


@attrs.frozen
class NextEditResult:
    predictions: list[PredictedEdit] = attrs.field(factory=list)
    silence: SilenceInfo | None = None


@attrs.frozen
class InlineEdit:
    text: str
    range: Range
    text_document: VersionedTextDocument
    command: Command


@attrs.frozen
class InlineEditResult:
    edits: list[InlineEdit] = attrs.field(factory=list)


@attrs.frozen
class InlineCompletionItem:
    insert_text: str
    range: Range
    command: Command


@attrs.frozen
class InlineCompletionList:
    items: list[InlineCompletionItem] = attrs.field(factory=list)


@attrs.frozen
class GoToNextEditResult:
    did: Literal["jumped", "applied", "nothing"]
    reason: str | None = None


@attrs.frozen
class WhyState:
    version: int
    position: Position


@attrs.frozen
class WhyCandidate:
    """One candidate. The verdict is "shown", or the reason why the candidate is not shown."""

    source: CandidateSource
    label: str
    confidence: float
    verdict: str


@attrs.frozen
class WhyTimes:
    """The times of one prediction, in milliseconds."""

    queue: float = 0.0
    predict: float = 0.0
    gate: float = 0.0


@attrs.frozen
class RestoreResult:
    """The result of the command `editahead.restore`: whether a rejected edit can be shown again."""

    restored: bool


@attrs.frozen
class WhyResult:
    state: WhyState | None = None
    shown: list[str] = attrs.field(factory=list)
    silence: SilenceInfo | None = None
    candidates: list[WhyCandidate] = attrs.field(factory=list)
    ms: WhyTimes = WhyTimes()


@attrs.frozen
class BackendStatus:
    name: str
    state: str
    detail: str = ""


@attrs.frozen
class CacheMissCause:
    """A part of prompts that was the first to differ from the previous prompt of the document.

    Attributes:
        part: The part's name.
        times: Number of prompts.
        tokens: Tokens from the difference to the end of these prompts, which the model had to compute again.
    """

    part: str
    times: int
    tokens: int


@attrs.frozen
class WarmupStatus:
    requests: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0


@attrs.frozen
class CacheStatus:
    """The use of the caches.

    Attributes:
        hits: Predictions that were found in the server's cache.
        misses: Predictions that were computed.
        prompt_tokens: Tokens of the prompts of `requests`.
        cached_tokens: Those of them that the model had in its cache.
        changed: The causes of cache misses, the costliest first.
        requests: Requests to the model, without `warmups`.
        warmups: Prompts that were computed ahead of a request.
        computed_per_accept: Tokens of prompts and answers that the model computed, warmups included, divided by the accepted
            edits; null without any.
    """

    hits: int = 0
    misses: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    changed: list[CacheMissCause] = attrs.field(factory=list)
    requests: int = 0
    warmups: WarmupStatus = WarmupStatus()
    computed_per_accept: float | None = None


@attrs.frozen
class SpeculationStatus:
    """The tokens that the model was given as drafts of its answers, and those of them that the model accepted."""

    draft_tokens: int = 0
    accepted_draft_tokens: int = 0


@attrs.frozen
class LatencyStatus:
    """The percentiles of the milliseconds from a request's arrival to its answer."""

    p50: float = 0.0
    p95: float = 0.0


@attrs.frozen
class ApplyStatus:
    """The use of a model for sketches.

    Attributes:
        asked: Sketches for which the model was requested.
        taken: Sketches whose rewrite passed the checks.
        first_hunk_ms: Median of the milliseconds from the request to the first final hunk, of the last rewrites.
        ms: Median of the milliseconds from the request to the edit, of the last rewrites.
    """

    asked: int = 0
    taken: int = 0
    first_hunk_ms: float | None = None
    ms: float | None = None


@attrs.frozen
class OutcomeStatus:
    shown: int = 0
    accepted: int = 0
    rejected: int = 0


@attrs.frozen
class IndexStatus:
    """The index of a workspace folder.

    Attributes:
        root: The workspace folder.
        state: What its process does; `ready` means that the index is up to date.
        done: The number of files that are done of those that had changed.
        total: The number of files that had changed.
        detail: The reason of a failure; "" for none.
    """

    root: str
    state: IndexState
    done: int
    total: int
    detail: str


@attrs.frozen
class StatusResult:
    version: str
    backend: BackendStatus
    model: str | None
    documents: int
    cache: CacheStatus
    speculation: SpeculationStatus
    latency: LatencyStatus
    outcomes: OutcomeStatus
    apply: ApplyStatus = ApplyStatus()
    recording: str | None = None
    """The file that this session is recorded in."""
    index: list[IndexStatus] = attrs.field(factory=list)
    """The indexes of the workspace folders that have one."""
