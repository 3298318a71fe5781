"""The replay of a pull request's edits in their order: all its files open, each step typed, then one request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from editahead_evals.client.editor import Editor
from editahead_evals.client.shared_server import SharedServer
from editahead_evals.data.commit_replay import Hunk, Point, ReplayMoment, diff, replay
from editahead_evals.metrics.confidence_curve import Answer
from editahead_evals.metrics.judge import hunks_made, judge
from editahead_evals.replay.baseline_replay import SETTINGS
from editahead_evals.replay.first_answer import ShownDocument, confidence_of, first_answer
from editahead_lab.commits.typed_commits import KEY_S
from editahead_lab.ordered.ordered_edits import OrderedStep, PullRequest
from editahead_lab.ordered.ordered_metrics import OrderedCounts, PullRequestResult

CROSS_FILE = SETTINGS | {"crossFile": True}
"""The settings of an editor that can show an edit of another file."""


@dataclass(frozen=True)
class OrderedPlan:
    """The replay of pull requests.

    Attributes:
        server: environment variables for the server.
    """

    server: Mapping[str, str] = field(default_factory=dict)

    @contextmanager
    def replays(self) -> Iterator[Callable[[PullRequest], PullRequestResult]]:
        """Start a server, and return the replay of one pull request."""
        with SharedServer(env=self.server) as server:

            def replay_one(request: PullRequest) -> PullRequestResult:
                with server.session(CROSS_FILE) as editor:
                    return replay_ordered(editor, request)

            yield replay_one


def replay_ordered(editor: Editor, request: PullRequest) -> PullRequestResult:
    """Replay a pull request in a fresh editor."""
    result = PullRequestResult(request.id, len(request.files), OrderedCounts())
    final = {editor.uri(file.path): _lines(file.texts[-1]) for file in request.files}
    for file in request.files:
        editor.open(editor.uri(file.path), file.language, file.texts[0])
    steps = request.steps
    seconds = 0.0
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        uri = editor.uri(step.path)
        for typed in replay(step.old, step.new):
            for key in typed.keystrokes:
                seconds += KEY_S * max(len(key.text), 1)
                editor.report_time(seconds)
                editor.type(uri, key)
        moment = typed.moment
        answer, ms = first_answer(editor, uri, moment.point)
        result.ms.append(ms)
        _count(editor, result, step, following, moment, final, answer)
    return result


def _count(
    editor: Editor,
    result: PullRequestResult,
    step: OrderedStep,
    following: OrderedStep | None,
    moment: ReplayMoment,
    final: Mapping[str, tuple[str, ...]],
    shown: ShownDocument | None,
) -> None:
    here = editor.uri(step.path)
    remaining = {uri: diff(_lines(editor.documents[uri].text), lines) for uri, lines in final.items()}
    opportunity = any(remaining.values())
    counts = result.counts
    counts.requests += 1
    counts.opportunities += opportunity
    counts.ends += not opportunity
    if shown is None:
        result.answers.append(Answer(opportunity))
        return
    done = moment.done if shown.uri == here else ()
    judged = judge(_moment(editor, shown.uri, moment.point, done, remaining[shown.uri]), shown.after)
    confidence = confidence_of(editor, here, moment.point, shown)
    result.answers.append(Answer(opportunity, judged.correct, judged.correct, confidence))
    end = "\n".join(final[shown.uri])
    result.imports.add(editor.documents[shown.uri].text, shown.after, end, correct=judged.correct)
    counts.wrong += not judged.correct
    counts.reversals += judged.reversal
    if not opportunity:
        counts.false_ends += 1
        return
    counts.shown += 1
    counts.correct += judged.correct
    counts.elsewhere += shown.uri != here
    if following is not None and judged.correct and shown.uri == editor.uri(following.path):
        lines = _lines(editor.documents[shown.uri].text)
        counts.next += bool(hunks_made(lines, diff(lines, _lines(following.new)), _lines(shown.after)))


def _moment(
    editor: Editor, uri: str, point: Point, done: tuple[Hunk, ...], remaining: tuple[Hunk, ...]
) -> ReplayMoment:
    return ReplayMoment(_lines(editor.documents[uri].text), 0, point, done, remaining)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n"))
