"""The replay of a session key by key: after each key, a request at the person's cursor to each surface.

Nothing is waited for, and nothing is accepted. The server's time is the session's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from editahead_evals.client.editor import Document, Editor
from editahead_evals.client.shared_server import SharedServer
from editahead_evals.data.commit_replay import Point
from editahead_evals.data.key_sessions import Change, Close, Focus, KeySession, Open
from editahead_evals.metrics.key_judge import trimmed
from editahead_evals.metrics.key_metrics import SURFACES, SessionResult, SurfaceResult, surface_result
from editahead_evals.metrics.surface_observer import SurfaceAnswer, SurfaceObserver

from .baseline_replay import SETTINGS
from .first_answer import ShownDocument, confidence_of


@dataclass(frozen=True)
class KeyPlan:
    """The replay of sessions key by key.

    Attributes:
        server: environment variables for the server.
    """

    server: Mapping[str, str] = field(default_factory=dict)

    @contextmanager
    def replays(self) -> Iterator[Callable[[KeySession], SessionResult]]:
        """Start a server, and return the replay of one session."""
        with SharedServer(env=self.server) as server:

            def replay(session: KeySession) -> SessionResult:
                with server.session(SETTINGS) as editor:
                    return replay_keys(editor, session)

            yield replay


def replay_keys(editor: Editor, session: KeySession) -> SessionResult:
    """Replay a session in a fresh editor."""
    replay = _KeyReplay(editor)
    for event in session.events:
        uri = editor.uri(event.path)
        editor.report_time(event.at)
        match event:
            case Open():
                editor.open(uri, event.language, event.text)
            case Close():
                editor.close(uri)
            case Focus():
                editor.focus(uri)
            case Change():
                replay.change(uri, event)
    return SessionResult(session.id, session.language, replay.results())


class _KeyReplay:
    """The keys of one session so far, and what each surface showed."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._keys = 0
        self._observers = {surface: SurfaceObserver() for surface in SURFACES}
        self._ms: dict[str, list[float]] = {surface: [] for surface in SURFACES}

    def change(self, uri: str, event: Change) -> None:
        """Make a change; if a key made it, ask each surface."""
        self._keys += event.by_key
        made = trimmed(event.replacements, self._editor.documents[uri].text)
        self._editor.change(uri, event.replacements)
        document = self._editor.documents[uri]
        for surface, observer in self._observers.items():
            key = self._keys if event.by_key else None
            observer.on_change(event.path, made, document.text, event.at, key)
            if event.by_key:
                self._ask(document, event, surface, observer)

    def results(self) -> dict[str, SurfaceResult]:
        return {
            surface: surface_result(observer, self._keys, self._ms[surface])
            for surface, observer in self._observers.items()
        }

    def _ask(self, document: Document, event: Change, surface: str, observer: SurfaceObserver) -> None:
        at = document.point(event.cursor)
        answer, ms = _surface_answer(self._editor, document, at, surface)
        self._ms[surface].append(ms)
        confidence = None
        if answer is not None and observer.is_new(answer):
            shown = ShownDocument(answer.id, document.uri, answer.applied_to(document.text))
            confidence = confidence_of(self._editor, document.uri, at, shown)
        observer.on_answer(event.path, document.text, answer, self._keys, event.at, confidence)


def _surface_answer(
    editor: Editor, document: Document, at: Point, surface: str
) -> tuple[SurfaceAnswer | None, float]:
    """Return what a surface shows first, if anything, and the latency in milliseconds."""
    if surface == "inlineCompletion":
        response = editor.inline_completion(document.uri, at)
        shown = [(item, item["insertText"]) for item in response.result["items"]]
    else:
        response = editor.inline_edit(document.uri, at)
        shown = [(edit, edit["text"]) for edit in response.result["edits"]]
    if not shown:
        return None, response.ms
    item, new = shown[0]
    start, end = (document.offset(item["range"][side]) for side in ("start", "end"))
    answer = SurfaceAnswer(item["command"]["arguments"][0], start, document.text[start:end], new)
    return answer, response.ms
