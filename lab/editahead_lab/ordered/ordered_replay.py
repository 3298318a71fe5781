"""The replay of a pull request's edits in their order: all its files open, each step typed, then one request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
    seconds = 0.0
    for made, step in enumerate(request.steps, 1):
        uri = editor.uri(step.path)
        for typed in replay(step.old, step.new):
            for key in typed.keystrokes:
                seconds += KEY_S * max(len(key.text), 1)
                editor.report_time(seconds)
                editor.type(uri, key)
        moment = typed.moment
        answer, ms = first_answer(editor, uri, moment.point)
        result.ms.append(ms)
        _count(editor, result, step, request.may_follow(made), moment, final, answer)
    return result


def _count(
    editor: Editor,
    result: PullRequestResult,
    step: OrderedStep,
    following: Sequence[OrderedStep],
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
    if judged.correct:
        lines = _lines(editor.documents[shown.uri].text)
        steps = [other for other in following if editor.uri(other.path) == shown.uri]
        next_hunks = (_hunks(other, lines, remaining[shown.uri]) for other in steps)
        counts.next += any(hunks_made(lines, hunks, _lines(shown.after)) for hunks in next_hunks)


def _hunks(step: OrderedStep, lines: tuple[str, ...], remaining: tuple[Hunk, ...]) -> tuple[Hunk, ...]:
    """Return the hunks of a step in the present lines, into which another step may come before it."""
    hunks = diff(_lines(step.old), _lines(step.new))
    if _lines(step.old) == lines:
        return hunks
    wanted = {(hunk.old, hunk.new) for hunk in hunks}
    return tuple(hunk for hunk in remaining if (hunk.old, hunk.new) in wanted)


def _moment(
    editor: Editor, uri: str, point: Point, done: tuple[Hunk, ...], remaining: tuple[Hunk, ...]
) -> ReplayMoment:
    return ReplayMoment(_lines(editor.documents[uri].text), 0, point, done, remaining)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n"))
