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
from editahead_evals.metrics.key_metrics import FACES, SessionResult, face_result

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
    observers = {face: FaceObserver() for face in FACES}
    ms: dict[str, list[float]] = {face: [] for face in FACES}
    key = 0
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
                before = editor.documents[uri].text
                editor.change(uri, event.replacements)
                document = editor.documents[uri]
                key += event.by_key
                made = trimmed(event.replacements, before)
                for observer in observers.values():
                    observer.on_change(
                        event.path, made, document.text, event.at, key if event.by_key else None
                    )
                if event.by_key:
                    at = document.point(event.cursor)
                    for face, observer in observers.items():
                        answer, took = _ask(editor, document, at, face)
                        confidence = None
                        if answer is not None and observer.is_new(answer):
                            shown = ShownDocument(answer.id, uri, answer.applied_to(document.text))
                            confidence = confidence_of(editor, uri, at, shown)
                        observer.on_answer(event.path, document.text, answer, key, event.at, confidence)
                        ms[face].append(took)
    faces = {face: face_result(observer, key, ms[face]) for face, observer in observers.items()}
    return SessionResult(session.id, session.language, faces)


def _ask(editor: Editor, document: Document, at: Point, face: str) -> tuple[FaceAnswer | None, float]:
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
