"""The messages about what a client knows beside the text: what other language servers say, and what was copied."""

from __future__ import annotations

import attrs

from .custom_messages import Range, VersionedTextDocument

EVIDENCE = "editahead/evidence"
ASK_EVIDENCE = "editahead/askEvidence"
DID_COPY = "editahead/didCopy"


@attrs.frozen
class EvidenceSymbol:
    """A symbol in the document that declares it.

    Attributes:
        range: The range of its name.
        old: The name.
        new: The name that a rename is asked for; nothing is renamed.
    """

    range: Range
    old: str
    new: str


@attrs.frozen
class EvidenceRename:
    """A place of a rename that was not made, with its text after it."""

    uri: str
    range: Range
    new_text: str


@attrs.frozen
class EvidenceReference:
    """A place that refers to the symbol."""

    uri: str
    range: Range


@attrs.frozen
class EvidenceParams:
    """What another language server says of a symbol of a document at a version.

    Attributes:
        text_document: The document. What is said of a version that is gone is dropped.
        symbol: The symbol. Without one, nothing follows.
        renames: The places of a rename from `symbol.old` to `symbol.new`.
        references: The places that refer to the symbol.
        source: The name of the language server.
        complete: Whether the server knows no other places in the files of its language.
    """

    text_document: VersionedTextDocument
    symbol: EvidenceSymbol | None = None
    renames: list[EvidenceRename] = attrs.field(factory=list)
    references: list[EvidenceReference] = attrs.field(factory=list)
    source: str = ""
    complete: bool = False


@attrs.frozen
class AskEvidenceParams:
    """A symbol that the person may rename next, or whose signature they may change."""

    text_document: VersionedTextDocument
    symbol: EvidenceSymbol


@attrs.frozen
class DidCopyParams:
    """A range that the user has copied.

    Attributes:
        text_document: The document. A copy of a version that is gone is dropped.
        range: The range; its whole lines count.
    """

    text_document: VersionedTextDocument
    range: Range
