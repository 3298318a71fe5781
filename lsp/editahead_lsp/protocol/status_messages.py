"""The result of the command `editahead.status`."""

from __future__ import annotations

import attrs

from editahead_retrieval.process.messages import IndexState


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
class CacheStatus:
    """The use of the caches.

    Attributes:
        hits: Predictions that were found in the server's cache.
        misses: Predictions that were computed.
        prompt_tokens: Tokens of the prompts of `requests`.
        cached_tokens: Those of them that the model had in its cache.
        changed: The causes of cache misses, the costliest first.
        requests: Requests to the model.
        computed_per_accept: Tokens of prompts and answers that the model computed, divided by the accepted edits; null
            without any.
    """

    hits: int = 0
    misses: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    changed: list[CacheMissCause] = attrs.field(factory=list)
    requests: int = 0
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
        model: The model that sketches ask, where it is another than that for predictions.
    """

    asked: int = 0
    taken: int = 0
    first_hunk_ms: float | None = None
    ms: float | None = None
    model: str | None = None


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
    places_left: int | None = None
    """How many places the present change still lacks, as far as that is known."""


@attrs.frozen
class ReportResult:
    """The result of the command `editahead.report`: the path of the scenario file, or the reason for none, as a sentence."""

    file: str | None = None
    reason: str | None = None
