"""`editahead.why`: why the last prediction for a document was shown, or was not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from editahead_inference.candidates import GateDecision
from editahead_lsp.presentation.to_lsp import to_position
from editahead_lsp.protocol import custom_messages as wire

if TYPE_CHECKING:
    from editahead_lsp.server import Server


def why(server: Server, arguments: list[Any]) -> wire.WhyResult:
    """Handle the command `editahead.why`: explain the last prediction for a document, or for the focused one."""
    uri = arguments[0] if arguments else None
    if not isinstance(uri, str | None):
        raise JsonRpcInvalidParams("The first argument must be the URI of a document.")
    session = server.session
    document = session.documents.get(uri) if uri is not None else session.focused_document
    last = server.coordinator.last_predictions.get(document.key) if document is not None else None
    if last is None:
        return wire.WhyResult()
    state, timings = last.prediction.state, last.prediction.timings
    return wire.WhyResult(
        state=wire.WhyState(
            state.document.version, to_position(state.document, state.cursor, session.encoding)
        ),
        shown=list(last.shown),
        silence=wire.SilenceInfo(last.silence.reason, last.silence.detail) if last.silence else None,
        candidates=[
            _why_candidate(decision) for decision in last.prediction.decisions or last.prediction.shown
        ],
        ms=wire.WhyTimes(last.queue_ms, timings.predict, timings.gate),
    )


def _why_candidate(decision: GateDecision) -> wire.WhyCandidate:
    candidate = decision.candidate
    threshold = decision.threshold if decision.reason == "below-threshold" else None
    return wire.WhyCandidate(
        candidate.source, candidate.label, decision.confidence, decision.reason or "shown", threshold
    )
