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

from .field_metadata import OPTIONAL

Trigger = Literal["typed", "cursor", "paused", "accepted", "manual"]
OutcomeEvent = Literal["shown", "accepted", "partiallyAccepted", "rejected", "ignored"]
EVENTS: frozenset[str] = frozenset(get_args(OutcomeEvent))

NEXT_EDIT = "editahead/nextEdit"
OUTCOME = "editahead/outcome"
INLINE_EDIT = "textDocument/copilotInlineEdit"
DID_SHOW_INLINE_EDIT = "textDocument/didShowInlineEdit"
DID_SHOW_COMPLETION = "textDocument/didShowCompletion"
DID_PARTIALLY_ACCEPT_COMPLETION = "textDocument/didPartiallyAcceptCompletion"
DID_FOCUS = "textDocument/didFocus"
SESSION_TIME = "editahead/sessionTime"
PLACES_LEFT = "editahead/placesLeft"
NEXT_EDIT_REFRESH = "editahead/nextEdit/refresh"
DID_OPEN_SEARCH_RESULT = "editahead/didOpenSearchResult"

ACCEPT = "editahead.accept"
ACCEPT_ALL = "editahead.acceptAll"
REJECT = "editahead.reject"
RESTORE = "editahead.restore"
GO_TO_NEXT_EDIT = "editahead.nextEdit"
APPLY = "editahead.apply"
APPLY_PROBLEMS = "editahead.applyProblems"
FINISH = "editahead.finish"
COMMIT_MESSAGE = "editahead.commitMessage"
SEARCH = "editahead.search"
WHY = "editahead.why"
REPORT = "editahead.report"
STATUS = "editahead.status"
RESET_LEARNING = "editahead.resetLearning"
ACCEPT_KIND = "refactor.rewrite.editahead.accept"
GOTO_KIND = "refactor.rewrite.editahead.goto"
APPLY_KIND = "refactor.rewrite.editahead.apply"
COMMANDS = (
    *(
        ACCEPT,
        ACCEPT_ALL,
        REJECT,
        RESTORE,
        GO_TO_NEXT_EDIT,
        APPLY,
        APPLY_PROBLEMS,
        FINISH,
        COMMIT_MESSAGE,
        SEARCH,
        WHY,
        REPORT,
        STATUS,
    ),
    RESET_LEARNING,
)


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
    """A file that was created (type 1), changed (2) or deleted (3)."""

    uri: str
    type: int = 2


@attrs.frozen
class DidChangeWatchedFilesParams:
    changes: list[ChangedFile]


@attrs.frozen
class RenamedFile:
    """A file or folder that got another path."""

    old_uri: str
    new_uri: str


@attrs.frozen
class DidRenameFilesParams:
    files: list[RenamedFile]


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
class SelectedCompletionInfo:
    """The selected item of the client's completion menu: the range that the item replaces, and its text."""

    range: Range
    text: str


@attrs.frozen
class InlineCompletionContext:
    """The context of a request.

    Attributes:
        trigger_kind: The trigger, as LSP numbers it: 1 = invoked by the user, 2 = automatic.
        selected_completion_info: The selected item of an open completion menu. The client shows only what goes on from it.
    """

    trigger_kind: int = 2
    selected_completion_info: SelectedCompletionInfo | None = None

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
        opens_files: The client opens the file that a prediction names. A client with `window/showDocument` need not say so.
        refreshes: The client asks again after `editahead/nextEdit/refresh`.
        evidence: The client asks other language servers after `editahead/askEvidence`.
    """

    trigger: str = "typed"
    diagnostics: list[ClientDiagnostic] | None = None
    opens_files: bool = False
    refreshes: bool = False
    evidence: bool = False


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
class DidOpenSearchResultParams:
    """A person went to a place that `editahead.search` has answered.

    Attributes:
        query: The question.
        uri: The file of the place.
        line: A 0-based line of the place.
    """

    query: str
    uri: str
    line: int


@attrs.frozen
class ExecuteCommandParams:
    command: str
    arguments: list[Any] = attrs.field(factory=list)


@attrs.frozen
class GoToNextEditArgument:
    """The argument of `editahead.nextEdit`.

    Attributes:
        uri: The document; by default, the one in focus.
        position: The cursor; by default, the last known one.
        reach: The lines from the cursor within which an edit of the document is made at once.
    """

    uri: str | None = None
    position: Position | None = None
    reach: int = 0


# To the client


@attrs.frozen
class TextEdit:
    range: Range
    new_text: str


@attrs.frozen
class LinePreview:
    """The first line that an edit changes, before and after, without its indentation and line end; "" where there is none.

    `more` is the number of further lines that change, if there are any.
    """

    old: str
    new: str
    more: int | None = attrs.field(default=None, metadata=OPTIONAL)


@attrs.frozen
class PredictedEdit:
    """One alternative of `editahead/nextEdit`. Without `edits`, `jump` is a location without an edit.

    A document without a version is a file that is not open. Its edits are not to be applied: open the file at `jump`, and
    request again. An edit that `jump` leads to has a `preview`, to be shown at the cursor.
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
class NextEditRefreshParams:
    """The document for which a request would now have a better answer than the last one had, and its version."""

    text_document: VersionedTextDocument


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
    """One candidate. The verdict is "shown", or the reason why the candidate is not shown.

    `threshold` is given with "below-threshold": the confidence that is not exceeded.
    """

    source: CandidateSource
    label: str
    confidence: float
    verdict: str
    threshold: float | None = attrs.field(default=None, metadata=OPTIONAL)


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
