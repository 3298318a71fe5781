"""`editahead.status`: the state of the server, in numbers."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from editahead_inference.predictors.model.token_totals import TokenTotals
from editahead_lsp import __version__
from editahead_lsp.protocol import status_messages

if TYPE_CHECKING:
    from editahead_inference.predictors.model.predictor import ModelPredictor
    from editahead_lsp.apply.service import ModelApplyStats
    from editahead_lsp.prediction.scheduler import PredictionScheduler
    from editahead_lsp.server import Server


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
        apply=_apply_status(server.apply_service.by_model, server.apply_model.model),
        recording=None if server.recorder.path is None else str(server.recorder.path),
        index=[
            status_messages.IndexStatus(str(root), report.state, report.done, report.total, report.detail)
            for root, report in server.index.service.reports.items()
        ],
        places_left=server.finish_counter.places,
    )


def _cache_status(predictions: PredictionScheduler, accepted: int) -> status_messages.CacheStatus:
    model = predictions.models.model
    totals = TokenTotals() if model is None else model.totals
    parts = {} if model is None else model.cache_misses.report.parts
    return status_messages.CacheStatus(
        predictions.hits,
        predictions.misses,
        totals.prompt,
        totals.cached,
        [status_messages.CacheMissCause(part, blame.times, blame.tokens) for part, blame in parts.items()],
        totals.requests,
        totals.computed / accepted if accepted else None,
    )


def _apply_status(by_model: ModelApplyStats, model: ModelPredictor | None) -> status_messages.ApplyStatus:
    times = [round(median(each) * 1000, 3) for each in zip(*by_model.times, strict=True)]
    first_hunk_ms, ms = times or (None, None)
    name = None if model is None else model.backend.model
    return status_messages.ApplyStatus(by_model.requested, by_model.succeeded, first_hunk_ms, ms, name)


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
