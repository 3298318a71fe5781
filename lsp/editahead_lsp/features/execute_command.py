"""`workspace/executeCommand`: the commands, by name in `COMMAND_HANDLERS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from editahead_inference.candidates import GateDecision
from editahead_inference.predictors.model.token_totals import TokenTotals
from editahead_lsp import __version__
from editahead_lsp.presentation.to_lsp import to_position
from editahead_lsp.protocol import custom_messages as wire
from editahead_lsp.protocol import status_messages
from editahead_lsp.protocol.client_capabilities import get_nested

from .go_to_next_edit import go_to_next_edit

if TYPE_CHECKING:
    from editahead_lsp.apply.service import ModelApplyStats
    from editahead_lsp.prediction.scheduler import PredictionScheduler
    from editahead_lsp.server import Server
    from editahead_lsp.session.session import Session


def execute_command(server: Server, params: wire.ExecuteCommandParams) -> Any:
    """Handle `workspace/executeCommand`, as a request or as a notification."""
    handler = COMMAND_HANDLERS.get(params.command)
    if handler is None:
        raise JsonRpcInvalidParams("The command is unknown.")
    return handler(server, params.arguments)


def accept(server: Server, arguments: list[Any]) -> None:
    """Handle the command `editahead.accept`."""
    _record(server.session, arguments, "accepted")


def reject(server: Server, arguments: list[Any]) -> None:
    """Handle the command `editahead.reject`."""
    _record(server.session, arguments, "rejected")


def restore(server: Server, arguments: list[Any]) -> wire.RestoreResult:
    """Handle the command `editahead.restore`: bring back the edit that was rejected last."""
    return wire.RestoreResult(server.session.restore_rejected())


def _record(session: Session, arguments: list[Any], event: wire.OutcomeEvent) -> None:
    if not arguments or not isinstance(arguments[0], str):
        raise JsonRpcInvalidParams("The first argument must be the id of a prediction.")
    session.shown_predictions.record_outcome(arguments[0], event)


def reset_learning(server: Server, arguments: list[Any]) -> None:
    """Handle the command `editahead.resetLearning`."""
    server.session.reset_learning()


def work_done_progress_cancel(server: Server, params: Any) -> None:
    """Cancel the request that reports progress with this token."""
    token = get_nested(params, "token")
    task = server.progress_tasks.get(token) if isinstance(token, int | str) else None
    if task is not None:
        task.cancel()


def apply(server: Server, arguments: list[Any]) -> Any:
    """Handle the command `editahead.apply`. The import is late, as `initialize` does not wait for it."""
    from .apply_sketch import apply_sketch

    return apply_sketch(server, arguments)


def finish(server: Server, arguments: list[Any]) -> Any:
    """Handle the command `editahead.finish`. The import is late, as that of Apply."""
    from . import finish as late

    return late.finish(server, arguments)


def search(server: Server, arguments: list[Any]) -> Any:
    """Handle the command `editahead.search`. The import is late, as that of Apply."""
    from . import search as late

    return late.search(server, arguments)


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


def status(server: Server, arguments: list[Any]) -> status_messages.StatusResult:
    """Handle the command `editahead.status`."""
    counts, model = server.session.shown_predictions.counts, server.predictions.models.model
    totals = TokenTotals() if model is None else model.totals
    return status_messages.StatusResult(
        version=__version__,
        backend=backend_status(server),
        model=None if model is None else model.backend.model,
        documents=len(server.session.documents),
        cache=_cache_status(server.predictions, counts.accepted),
        speculation=status_messages.SpeculationStatus(totals.drafted, totals.accepted),
        latency=status_messages.LatencyStatus(
            server.coordinator.latency_ms(0.50), server.coordinator.latency_ms(0.95)
        ),
        outcomes=status_messages.OutcomeStatus(counts.shown, counts.accepted, counts.rejected),
        apply=_apply_status(server.apply_service.by_model),
        recording=None if server.recorder.path is None else str(server.recorder.path),
        index=[
            status_messages.IndexStatus(str(root), report.state, report.done, report.total, report.detail)
            for root, report in server.index.service.reports.items()
        ],
        places_left=server.finish_counter.places,
    )


def _cache_status(predictions: PredictionScheduler, accepted: int) -> status_messages.CacheStatus:
    model = predictions.models.model
    totals, warmups = (TokenTotals(), TokenTotals()) if model is None else (model.totals, model.warmups)
    parts = {} if model is None else model.cache_misses.report.parts
    return status_messages.CacheStatus(
        predictions.hits,
        predictions.misses,
        totals.prompt,
        totals.cached,
        [status_messages.CacheMissCause(part, blame.times, blame.tokens) for part, blame in parts.items()],
        totals.requests,
        status_messages.WarmupStatus(warmups.requests, warmups.prompt, warmups.cached),
        (totals.computed + warmups.computed) / accepted if accepted else None,
    )


def _apply_status(by_model: ModelApplyStats) -> status_messages.ApplyStatus:
    medians = [round(median(times) * 1000, 3) for times in zip(*by_model.times, strict=True)] or [None, None]
    return status_messages.ApplyStatus(by_model.requested, by_model.succeeded, *medians)


def backend_status(server: Server) -> status_messages.BackendStatus:
    """Return the state of the model; without a model, the state of the predictors that need none."""
    model = server.predictions.models.model
    if model is not None:
        health = model.backend.health
        return status_messages.BackendStatus(
            model.backend.name, health.condition, model.problem or health.detail
        )
    if server.model_error is not None:
        return status_messages.BackendStatus(server.session.settings.backend, "gone", server.model_error)
    return status_messages.BackendStatus(
        "embedded", server.predictions.state, "Predictors that need no model."
    )


COMMAND_HANDLERS: Mapping[str, Callable[[Server, list[Any]], Any]] = {
    wire.ACCEPT: accept,
    wire.REJECT: reject,
    wire.RESTORE: restore,
    wire.GO_TO_NEXT_EDIT: go_to_next_edit,
    wire.APPLY: apply,
    wire.FINISH: finish,
    wire.SEARCH: search,
    wire.WHY: why,
    wire.STATUS: status,
    wire.RESET_LEARNING: reset_learning,
}

HANDLERS = {
    types.WORKSPACE_EXECUTE_COMMAND: execute_command,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: work_done_progress_cancel,
}
