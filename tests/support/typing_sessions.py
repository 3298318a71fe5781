"""Sessions of typing in files, played against a language server whose model is on a real vLLM; what that cost.

A person opens a file, looks at it, goes to a place and types the changes of a commit there, piece by piece, until what is
shown is right, which is accepted; then does so in the next file, and comes back to each later, to go on. Their editor asks
after each of that, as the plugins of Editahead do, and waits for the answer. The rhythm is a person's where it matters: a
pause is long enough for a prompt to be computed ahead.
"""

from __future__ import annotations

import sys
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
"""Somebody who opens a file looks at it first."""
BETWEEN_S = 0.5
"""Between two pieces of four characters; the rest of the time it takes a person to type them teaches nothing."""
LOOK_S, LOOKS = 0.05, 600
"""How often it is looked whether a server is there, and at most."""
COLD = [sys.executable, str(Path(__file__).with_name("server_without_prefill.py"))]
"""The real server, but nothing is computed ahead."""


@dataclass(frozen=True)
class Session:
    """One file, from one text to another."""

    path: str
    language: str
    before: str
    after: str


When: TypeAlias = Literal["opened", "back", "later"]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request of the editor. when: the first in a file that was opened, the first after coming back to one, or any
    other. ms: from the change and the request behind it to the answer. first_ms: on average from the arrival of a prompt at
    vLLM to the first token, of what came to it meanwhile; None where the rules alone answered."""

    when: When
    ms: float
    first_ms: float | None


@dataclass
class Cost:
    """asked: requests of the editor. queries, warmups: requests of the model that came to an end, and those of them that
    only computed a prompt. prompt, computed: tokens of prompts, and of them those that vLLM had to compute; of all requests,
    those that were given up included. per_accept: as in `editahead.status`."""

    asked: list[Asked] = field(default_factory=list)
    queries: int = 0
    warmups: int = 0
    prompt: float = 0
    computed: float = 0
    accepted: int = 0
    per_accept: float | None = None

    def first_ms(self, *when: When) -> list[float]:
        return [one.first_ms for one in self.asked if one.when in when and one.first_ms is not None]


class Counted(NamedTuple):
    """What vLLM counts: tokens of prompts, and of them those that it computed; seconds to first tokens, and of how many."""

    prompt: float
    computed: float
    first_s: float
    firsts: float


def synthetic() -> list[Session]:
    """For where there are no real edits: a line that becomes another, and a method that is added, in two files."""
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
    ahead: bool = True,
    pieces: int = 25,
    pause: Callable[[float], None] = time.sleep,
) -> Cost:
    """url: of the vLLM, as `real_vllm` starts one. folder: a new one, for the server's files. ahead: whether prompts are
    computed before anybody asks. pieces: of each session, at most."""
    folder.mkdir()
    environment = isolated_environment(folder) | {"TYPING_KEY": KEY}
    settings = {"backend": "openai", "url": url, "api_key_env": "TYPING_KEY", "format": "editahead"}
    command = None if ahead else COLD
    _until_it_listens(url)
    before, cost = _counted(url), Cost()
    root = folder / "workspace"
    root.mkdir()
    client = LanguageClient(command, env=environment, cwd=root)
    with Editor(settings | {"debounce_ms": 0}, root=root, client=client) as editor:
        _until_ready(editor)
        player = _Player(editor, url, cost, pause)
        for first in (True, False):
            for number, session in enumerate(sessions):
                player.visit(session, f"{number}/{session.path}", pieces // 2, first=first)
        status = editor.execute("editahead.status").result
    after = _counted(url)
    cost.queries, cost.warmups = status["cache"]["requests"], status["cache"]["warmups"]["requests"]
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
    """What is left to type of a change, by the file that was left in the middle of it."""

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
        """Whether the first that is shown makes one of the changes that are left, and nothing else."""
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
        self.cost.asked.append(Asked(when, ms, first_ms))
        self.pause(BETWEEN_S)
        return predictions


def _until_it_listens(url: str) -> None:
    """vLLM says that it has started a moment before."""
    for _ in range(LOOKS):
        try:
            _counted(url)
        except OSError:
            time.sleep(LOOK_S)
        else:
            return
    raise AssertionError(f"nobody listens at {url}")


def _until_ready(editor: Editor) -> None:
    """Until the language server has met the model."""
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
