"""Typing sessions played against a language server whose model runs on a real vLLM, and their costs.

A user opens a file, goes to a place and types a commit's changes there, piece by piece, until the shown prediction is
right, and accepts it. Then the user does so in the next file, and returns to each file later. The editor requests a
prediction after each step, as Editahead's plugins do, and waits for the answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.request import urlopen

from editahead_evals.client.editor import Editor
from editahead_evals.client.lsp_client import LanguageClient, Response, isolated_environment
from editahead_evals.data.commit_replay import Keystroke, diff, replay
from editahead_evals.metrics.judge import hunks_made
from real_vllm import KEY

OPEN_S = 1.0
"""Seconds between opening a file and the first keystroke."""
BETWEEN_S = 0.5
"""Seconds between two pieces of four characters. A user takes longer, but longer pauses measure nothing more."""
LOOK_S, LOOKS = 0.05, 600
"""Seconds between two checks for a server, and the largest number of checks."""


@dataclass(frozen=True)
class Session:
    """A session in one file, from one text to another."""

    path: str
    language: str
    before: str
    after: str


When: TypeAlias = Literal["opened", "back", "later"]


@dataclass(frozen=True, slots=True)
class AnsweredRequest:
    """One request of the editor.

    Attributes:
        when: The first request in an opened file, the first after a return to a file, or any other.
        ms: The time from the change and the request behind it to the answer.
        first_ms: The mean time of vLLM from a prompt's arrival to the first token; None where the rules alone answered.
    """

    when: When
    ms: float
    first_ms: float | None


@dataclass
class Cost:
    """The costs of a session.

    Attributes:
        asked: Requests of the editor.
        queries: Completed requests of the model.
        prompt: Tokens of the prompts of all requests, cancelled ones included.
        computed: Tokens of these prompts that vLLM computed.
        per_accept: As in `editahead.status`.
    """

    asked: list[AnsweredRequest] = field(default_factory=list)
    queries: int = 0
    prompt: float = 0
    computed: float = 0
    accepted: int = 0
    per_accept: float | None = None

    def first_ms(self, *when: When) -> list[float]:
        return [one.first_ms for one in self.asked if one.when in when and one.first_ms is not None]


class Counted(NamedTuple):
    """The counters of vLLM: tokens of prompts, all and computed; seconds to first tokens, and the number of these."""

    prompt: float
    computed: float
    first_s: float
    firsts: float


def synthetic() -> list[Session]:
    """Return sessions for machines without real edits: a changed line and an added method, in two files."""
    made = []
    for name, many in (("stay", 14), ("bill", 10)):
        methods = [
            f"    def step_{n}(self, guest):\n        return self.{name}.total + guest.nights * {n}\n\n"
            for n in range(many)
        ]
        added = f"    def of(self, {name}):\n        return max(self.steps, key={name}.total)\n\n"
        changed = methods[2].replace("guest.nights", "self.rate(guest)")
        before = ["class House:\n", *methods]
        after = ["class House:\n", *methods[:2], changed, *methods[3:6], added, *methods[6:]]
        made.append(Session(f"{name}.py", "python", "".join(before), "".join(after)))
    return made


def play(
    sessions: Sequence[Session],
    url: str,
    folder: Path,
    *,
    pieces: int = 25,
    pause: Callable[[float], None] = time.sleep,
) -> Cost:
    """Play sessions, and return their costs.

    Args:
        url: The URL of the vLLM that `real_vllm` started.
        folder: A new folder for the server's files.
        pieces: The largest number of pieces of each session.
    """
    folder.mkdir()
    environment = isolated_environment(folder) | {"TYPING_KEY": KEY}
    settings = {"backend": "openai", "url": url, "api_key_env": "TYPING_KEY", "format": "editahead"}
    _until_it_listens(url)
    before, cost = _counted(url), Cost()
    root = folder / "workspace"
    root.mkdir()
    client = LanguageClient(env=environment, cwd=root)
    with Editor(settings | {"debounce_ms": 0}, root=root, client=client) as editor:
        _until_ready(editor)
        player = _Player(editor, url, cost, pause)
        for first in (True, False):
            for number, session in enumerate(sessions):
                player.visit(session, f"{number}/{session.path}", pieces // 2, first=first)
        status = editor.execute("editahead.status").result
    after = _counted(url)
    cost.queries = status["cache"]["requests"]
    cost.prompt, cost.computed = after.prompt - before.prompt, after.computed - before.computed
    cost.accepted, cost.per_accept = status["outcomes"]["accepted"], status["cache"]["computedPerAccept"]
    return cost


@dataclass
class _Player:
    editor: Editor
    url: str
    cost: Cost
    pause: Callable[[float], None]
    _begun: dict[str, tuple[Keystroke, ...]] = field(default_factory=dict)
    """The rest of a change to type, by the file that the user left during the change."""

    def visit(self, session: Session, path: str, pieces: int, *, first: bool) -> None:
        editor, uri = self.editor, self.editor.uri(path)
        if first:
            editor.open(uri, session.language, session.before)
        editor.focus(uri)
        self.pause(OPEN_S)
        when: When = "opened" if first else "back"
        while pieces > 0:
            keys = self._begun.pop(uri, ())
            if not keys:
                step = next(replay(editor.documents[uri].text, session.after), None)
                if step is None:
                    break
                keys = step.keystrokes
                self._ask(when, partial(editor.next_edit, uri, keys[0].first, "cursor"))
                when = "later"
            shown: Sequence[Any] = []
            while keys and pieces > 0 and not self._right(uri, shown, session):
                shown = self._ask(when, partial(self._type, uri, keys[0]))
                when, keys, pieces = "later", keys[1:], pieces - 1
            if keys and pieces == 0:
                self._begun[uri] = keys
                break
            while self._right(uri, shown, session):
                shown = self._accept(uri, shown[0])

    def _type(self, uri: str, key: Keystroke) -> Response:
        self.editor.type(uri, key)
        return self.editor.next_edit(uri, self.editor.documents[uri].point(key.start + len(key.text)))

    def _right(self, uri: str, shown: Sequence[Any], session: Session) -> bool:
        """Return whether the best prediction makes one of the remaining changes, and nothing else."""
        if not shown or shown[0]["textDocument"]["uri"] != uri or not shown[0]["edits"]:
            return False
        document = self.editor.documents[uri]
        lines = tuple(document.text.split("\n"))
        after = tuple(document.edited(shown[0]["edits"]).split("\n"))
        return bool(hunks_made(lines, diff(lines, tuple(session.after.split("\n"))), after))

    def _accept(self, uri: str, prediction: Any) -> Sequence[Any]:
        self.editor.apply(uri, prediction["edits"])
        self.editor.execute("editahead.accept", prediction["id"])
        place = prediction["cursorAfter"]
        at = place["line"], place["character"]
        return self._ask("later", partial(self.editor.next_edit, uri, at, "accepted"))

    def _ask(self, when: When, ask: Callable[[], Response]) -> Sequence[Any]:
        before, began = _counted(self.url), time.perf_counter()
        predictions: Sequence[Any] = ask().result["predictions"]
        ms = (time.perf_counter() - began) * 1000
        after = _counted(self.url)
        came = after.firsts - before.firsts
        first_ms = (after.first_s - before.first_s) * 1000 / came if came else None
        self.cost.asked.append(AnsweredRequest(when, ms, first_ms))
        self.pause(BETWEEN_S)
        return predictions


def _until_it_listens(url: str) -> None:
    """Wait until vLLM listens: vLLM prints that it has started a moment earlier."""
    for _ in range(LOOKS):
        try:
            _counted(url)
        except OSError:
            time.sleep(LOOK_S)
        else:
            return
    raise AssertionError(f"no server listens at {url}")


def _until_ready(editor: Editor) -> None:
    """Wait until the language server has found the model."""
    for _ in range(LOOKS):
        backend = editor.execute("editahead.status").result["backend"]
        if backend["state"] == "ready":
            return
        time.sleep(LOOK_S)
    raise AssertionError(backend)


def _counted(url: str) -> Counted:
    with urlopen(f"{url}/metrics") as page:
        lines = page.read().decode().splitlines()

    def total(name: str) -> float:
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(f"vllm:{name}{{"))

    prompt, first = total("prompt_tokens_total"), "time_to_first_token_seconds"
    computed = prompt - total("prompt_tokens_cached_total")
    return Counted(prompt, computed, total(f"{first}_sum"), total(f"{first}_count"))
