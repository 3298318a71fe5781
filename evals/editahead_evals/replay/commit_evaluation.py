"""All replays of one commit's file: as typing with a request after each hunk, within hunks, eagerly, accepting."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

from editahead_evals.client.shared_server import SharedServer
from editahead_evals.data.edit_records import Record
from editahead_evals.metrics.metrics import FileResult

from .accepting_replay import replay_accepting
from .baseline_replay import SETTINGS, replay_record
from .candidate_recall import CandidateGenerator, candidate_recall
from .eager_replay import EAGER, replay_eager
from .typing_replay import replay_typing

MakeGenerator = Callable[[], AbstractContextManager[CandidateGenerator | None]]


@dataclass(frozen=True)
class EvalPlan:
    """What to measure besides the replay of each file.

    Attributes:
        server: environment variables for the server.
        propose: makes the generator of candidates whose recall is measured; a function that a new process can
            import.
    """

    server: Mapping[str, str] = field(default_factory=dict)
    propose: MakeGenerator = contextlib.nullcontext

    @contextmanager
    def replays(self) -> Iterator[Callable[[Record], FileResult]]:
        """Start a server, and return the replay of one record."""
        with self.propose() as propose, SharedServer(env=self.server) as server:

            def replay(record: Record) -> FileResult:
                result = _result(server, record)
                if propose is not None:
                    result.candidates, result.reachable = candidate_recall(record, propose)
                return result

            yield replay


def _result(server: SharedServer, record: Record) -> FileResult:
    """Return the results of the record's replays, each in a session of its own."""
    with server.session(SETTINGS) as editor:
        result = replay_record(editor, record)
    with server.session(SETTINGS) as editor:
        replay_typing(editor, record, result)
    with server.session(EAGER) as editor:
        result.answers = replay_eager(editor, record)
    if any(moment.judgement and moment.judgement.correct for moment in result.moments):
        with server.session(SETTINGS) as editor:
            made = replay_accepting(editor, record)
        result.accepts, result.next_hits = made.accepts, made.hits
    return result
