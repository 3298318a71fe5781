"""What goes over the wire: the messages that are Editahead's own, and the standard ones that it reads.

Lenient on input: unknown fields are ignored, and what can be done without may be missing or null. Exact on output:
every field is there. Names are camelCase on the wire. Positions are in the encoding agreed with the client, 0-based.

What code actions, completions and hints consist of is in `standard`; the other standard messages that the server
sends are lsprotocol's.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import attrs

from editahead_inference.candidates import CandidateSource, SilenceReason

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

ACCEPT = "editahead.accept"
REJECT = "editahead.reject"
GO_TO_NEXT_EDIT = "editahead.nextEdit"
APPLY = "editahead.apply"
WHY = "editahead.why"
STATUS = "editahead.status"
RESET_LEARNING = "editahead.resetLearning"
ACCEPT_KIND = "refactor.rewrite.editahead.accept"
GOTO_KIND = "refactor.rewrite.editahead.goto"
APPLY_KIND = "refactor.rewrite.editahead.apply"
COMMANDS = (ACCEPT, REJECT, GO_TO_NEXT_EDIT, APPLY, WHY, STATUS, RESET_LEARNING)


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
    """A document, and the version of it that is meant."""

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
    """Without a range, `text` is the whole new text."""

    text: str
    range: Range | None = None


@attrs.frozen
class DidChangeParams:
    text_document: VersionedTextDocument
    content_changes: list[TextDocumentContentChange] = attrs.field(factory=list)


@attrs.frozen
class DidCloseParams:
    text_document: VersionedTextDocument


@attrs.frozen
class DidFocusParams:
    """No document: none has the focus now."""

    text_document: VersionedTextDocument | None = None


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
    """LSP: 1 invoked by the person, 2 automatic."""

    trigger_kind: int = 2


@attrs.frozen
class InlineCompletionParams:
    """`textDocument/inlineCompletion` and `textDocument/copilotInlineEdit`. Plain LSP names no version."""

    text_document: VersionedTextDocument
    position: Position
    context: InlineCompletionContext = InlineCompletionContext()


@attrs.frozen
class ClientDiagnostic:
    """A diagnostic that a client tells of: a language server's, or a linter's. code: a number or a string."""

    range: Range
    message: str = ""
    code: Any = None
    source: str = ""


@attrs.frozen
class NextEditContext:
    """diagnostics: all that the client shows in the document now; None says nothing of them."""

    trigger: str = "typed"
    diagnostics: list[ClientDiagnostic] | None = None


@attrs.frozen
class NextEditParams:
    text_document: VersionedTextDocument
    position: Position
    context: NextEditContext = NextEditContext()


@attrs.frozen
class OutcomeParams:
    """accepted_length: UTF-16 units from the start of the new text. shown_ms: how long it was visible."""

    id: str
    event: str
    accepted_length: int | None = None
    shown_ms: int | None = None


@attrs.frozen
class ShownItem:
    command: Command = Command()


@attrs.frozen
class DidShowParams:
    """didShowInlineEdit, didShowCompletion, didPartiallyAcceptCompletion: the id is the command's first argument."""

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
class PredictedEdit:
    """One alternative of `editahead/nextEdit`. `edits` empty and `jump` set: a location without an edit."""

    id: str
    text_document: VersionedTextDocument
    edits: list[TextEdit]
    jump: Position | None
    cursor_after: Position
    confidence: float
    source: CandidateSource
    label: str


@attrs.frozen
class SilenceInfo:
    """Why there is no prediction."""

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
    """verdict: "shown", or the reason why not."""

    source: CandidateSource
    label: str
    confidence: float
    verdict: str


@attrs.frozen
class WhyTimes:
    """Milliseconds."""

    queue: float = 0.0
    predict: float = 0.0
    gate: float = 0.0


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
    """A part of prompts that was the first to differ from the document's prompt before. times: so often. tokens: from there
    on, in all: those that a server had to compute anew."""

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
    """changed: the costliest first. requests: what the model was asked, with the tokens of their prompts. warmups: prompts
    that were computed before anybody asked, which the others do not count. computed_per_accept: tokens of prompts and
    answers that the model had to compute, of both kinds, for each edit that was accepted; null when none was."""

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
    """Tokens that the model was given as drafts of its answers, and those of them that it would have said itself."""

    draft_tokens: int = 0
    accepted_draft_tokens: int = 0


@attrs.frozen
class LatencyStatus:
    """Milliseconds from a request's arrival to its answer."""

    p50: float = 0.0
    p95: float = 0.0


@attrs.frozen
class ApplyStatus:
    """Sketches that a model was asked about, and those whose rewrite passed the checks; of these, medians of the last, in
    milliseconds from the question to the first hunk that was settled, and to the edit."""

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
