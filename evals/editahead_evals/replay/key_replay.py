"""The replay of a session key by key: after each key, a request at the person's cursor to each face.

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
from editahead_evals.metrics.face_observer import FaceAnswer, FaceObserver
from editahead_evals.metrics.key_judge import trimmed
from editahead_evals.metrics.key_metrics import FACES, FaceResult, SessionResult, face_result

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
    """The keys of one session so far, and what each face showed."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._keys = 0
        self._observers = {face: FaceObserver() for face in FACES}
        self._ms: dict[str, list[float]] = {face: [] for face in FACES}

    def change(self, uri: str, event: Change) -> None:
        """Make a change; if a key made it, ask each face."""
        self._keys += event.by_key
        made = trimmed(event.replacements, self._editor.documents[uri].text)
        self._editor.change(uri, event.replacements)
        document = self._editor.documents[uri]
        for face, observer in self._observers.items():
            key = self._keys if event.by_key else None
            observer.on_change(event.path, made, document.text, event.at, key)
            if event.by_key:
                self._ask(document, event, face, observer)

    def results(self) -> dict[str, FaceResult]:
        return {
            face: face_result(observer, self._keys, self._ms[face])
            for face, observer in self._observers.items()
        }

    def _ask(self, document: Document, event: Change, face: str, observer: FaceObserver) -> None:
        at = document.point(event.cursor)
        answer, ms = _face_answer(self._editor, document, at, face)
        self._ms[face].append(ms)
        confidence = None
        if answer is not None and observer.is_new(answer):
            shown = ShownDocument(answer.id, document.uri, answer.applied_to(document.text))
            confidence = confidence_of(self._editor, document.uri, at, shown)
        observer.on_answer(event.path, document.text, answer, self._keys, event.at, confidence)


def _face_answer(editor: Editor, document: Document, at: Point, face: str) -> tuple[FaceAnswer | None, float]:
    """Return what a face shows first, if anything, and the latency in milliseconds."""
    if face == "inlineCompletion":
        response = editor.inline_completion(document.uri, at)
        shown = [(item, item["insertText"]) for item in response.result["items"]]
    else:
        response = editor.inline_edit(document.uri, at)
        shown = [(edit, edit["text"]) for edit in response.result["edits"]]
    if not shown:
        return None, response.ms
    item, new = shown[0]
    start, end = (document.offset(item["range"][side]) for side in ("start", "end"))
    answer = FaceAnswer(item["command"]["arguments"][0], start, document.text[start:end], new)
    return answer, response.ms
