"""What language servers and linters say of the documents, as far as clients tell it: a server cannot see what others
publish, but a request may bring it along. It moves with the text, and goes where the text is changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editahead_lsp.protocol.custom_messages import ClientDiagnostic, Range
from editahead_prompts.state import Diagnostic
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

from .positions import Encoding, offset_at

OWN_SOURCE = "editahead"
"""The source of the server's own hints."""
MAX_DIAGNOSTICS = 100
"""So many of one document are kept, the first."""


class ClientDiagnostics:
    """By the keys of documents, in the order of the text."""

    def __init__(self) -> None:
        self._told: dict[str, tuple[Diagnostic, ...]] = {}

    def for_document(self, key: str) -> tuple[Diagnostic, ...]:
        return self._told.get(key, ())

    def update(
        self,
        key: str,
        snapshot: Snapshot,
        told: Sequence[ClientDiagnostic],
        encoding: Encoding,
        *,
        within: Range | None = None,
    ) -> bool:
        """All that there is in the document, or in the range `within` of it. Whether that is news."""
        fresh = {_read(snapshot, one, encoding) for one in told if one.source != OWN_SOURCE and one.message}
        before = self.for_document(key)
        if within is not None:
            start, end = _offsets(snapshot, within, encoding)
            fresh |= {known for known in before if known.end < start or end < known.start}
        now = tuple(
            sorted(fresh, key=lambda one: (one.start, one.end, one.code, one.message))[:MAX_DIAGNOSTICS]
        )
        self._told[key] = now
        return now != before

    def on_change(self, key: str, edit: Edit) -> None:
        """Those that the change touches are overtaken: only a new look at the text could say what holds there."""
        self._told[key] = rebase_diagnostics(self.for_document(key), edit)

    def on_close(self, key: str) -> None:
        self._told.pop(key, None)


def rebase_diagnostics(told: Sequence[Diagnostic], edit: Edit) -> tuple[Diagnostic, ...]:
    """Those that hold after the edit, moved along."""
    return tuple(
        replace(one, start=edit.map_offset(one.start), end=edit.map_offset(one.end, "before"))
        for one in told
        if not any(r.start <= one.end and one.start <= r.end for r in edit.replacements)
    )


def _read(snapshot: Snapshot, told: ClientDiagnostic, encoding: Encoding) -> Diagnostic:
    start, end = _offsets(snapshot, told.range, encoding)
    code = "" if told.code is None else str(told.code)
    return Diagnostic(start, max(start, end), told.message, code)


def _offsets(snapshot: Snapshot, place: Range, encoding: Encoding) -> tuple[int, int]:
    start, end = (
        offset_at(snapshot, point.line, point.character, encoding) for point in (place.start, place.end)
    )
    return start, end
