"""The diagnostics of other language servers and of linters, as clients send them with requests.

A server cannot see what other servers publish. A diagnostic moves with the text, and is dropped when its text is changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editahead_lsp.protocol.custom_messages import ClientDiagnostic, Range
from editahead_prompts.state import Diagnostic
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace.positions import Encoding, offset_at

OWN_SOURCE = "editahead"
"""The source of the server's own hints."""
MAX_DIAGNOSTICS = 100
"""Diagnostics kept for one document, the first ones; a limit on memory and on the length of prompts."""


class ClientDiagnostics:
    """The diagnostics of the open documents, by document key and in the order of the text."""

    def __init__(self) -> None:
        self._by_key: dict[str, tuple[Diagnostic, ...]] = {}

    def for_document(self, key: str) -> tuple[Diagnostic, ...]:
        """Return the diagnostics of a document."""
        return self._by_key.get(key, ())

    def update(
        self,
        key: str,
        snapshot: Snapshot,
        reported: Sequence[ClientDiagnostic],
        encoding: Encoding,
        *,
        within: Range | None = None,
    ) -> bool:
        """Replace the diagnostics of a document. Return whether they differ from the ones before.

        Args:
            key: The document's key.
            snapshot: The text that the ranges are of.
            reported: All diagnostics of the document, or of `within`.
            encoding: The encoding of the ranges.
            within: Replace only diagnostics that touch this range.
        """
        fresh = {
            _to_diagnostic(snapshot, one, encoding)
            for one in reported
            if one.source != OWN_SOURCE and one.message
        }
        before = self.for_document(key)
        if within is not None:
            start, end = _offsets(snapshot, within, encoding)
            fresh |= {known for known in before if known.end < start or end < known.start}
        now = tuple(
            sorted(fresh, key=lambda one: (one.start, one.end, one.code, one.message))[:MAX_DIAGNOSTICS]
        )
        self._by_key[key] = now
        return now != before

    def on_change(self, key: str, edit: Edit) -> None:
        """Rebase the diagnostics of a document over a change, and drop those that the change touches."""
        self._by_key[key] = rebase_diagnostics(self.for_document(key), edit)

    def on_close(self, key: str) -> None:
        """Forget the diagnostics of a document."""
        self._by_key.pop(key, None)


def rebase_diagnostics(diagnostics: Sequence[Diagnostic], edit: Edit) -> tuple[Diagnostic, ...]:
    """Return the diagnostics that the edit does not touch, at their offsets after the edit."""
    return tuple(
        replace(one, start=edit.map_offset(one.start), end=edit.map_offset(one.end, "before"))
        for one in diagnostics
        if not any(r.start <= one.end and one.start <= r.end for r in edit.replacements)
    )


def _to_diagnostic(snapshot: Snapshot, reported: ClientDiagnostic, encoding: Encoding) -> Diagnostic:
    start, end = _offsets(snapshot, reported.range, encoding)
    code = "" if reported.code is None else str(reported.code)
    return Diagnostic(start, max(start, end), reported.message, code)


def _offsets(snapshot: Snapshot, selection: Range, encoding: Encoding) -> tuple[int, int]:
    start, end = (
        offset_at(snapshot, point.line, point.character, encoding)
        for point in (selection.start, selection.end)
    )
    return start, end
