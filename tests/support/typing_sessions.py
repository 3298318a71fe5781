"""Sessions of typing in files, played against a language server whose model is on a real vLLM; what that cost.

A session opens a file, and types the changes of a commit piece by piece, asking after each. The rhythm is a person's
where it matters: a pause is long enough for a prompt to be computed ahead.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from editahead_evals.client import LanguageClient, isolated_environment
from editahead_evals.editor import Editor
from editahead_evals.judge import hunks_made
from editahead_evals.replay import diff, replay
from real_vllm import KEY

OPEN_S = 1.0
"""Somebody who opens a file looks at it first."""
BETWEEN_S = 0.5
"""Between two pieces of four characters; the rest of the time it takes a person to type them teaches nothing."""
LOOK_S, LOOKS = 0.05, 600
"""How often it is looked whether a server is there, and at most."""
COLD = [sys.executable, str(Path(__file__).with_name("cold_server.py"))]
"""The real server, but nothing is computed ahead."""


@dataclass(frozen=True)
class Session:
    """One file, from one text to another."""

    path: str
    language: str
    before: str
    after: str


@dataclass
class Cost:
    """first, later: milliseconds from a change and the request behind it to the answer; of the first in a file, and of all
    others. asked, ahead: requests of the model that came to an end. prompt, computed: tokens of prompts, and of them those
    that vLLM had to compute; of all requests, those that were given up included. per_accept: as in `editahead.status`."""

    first: list[float] = field(default_factory=list)
    later: list[float] = field(default_factory=list)
    asked: int = 0
    ahead: int = 0
    prompt: float = 0
    computed: float = 0
    accepted: int = 0
    per_accept: float | None = None

    @property
    def keystrokes(self) -> int:
        return len(self.first) + len(self.later)


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
        for number, session in enumerate(sessions):
            _play(editor, session, f"{number}/{session.path}", cost, pieces, pause)
        status = editor.execute("editahead.status").result
    after = _counted(url)
    cost.asked, cost.ahead = status["cache"]["requests"], status["cache"]["warmups"]["requests"]
    cost.prompt, cost.computed = (b - a for a, b in zip(before, after, strict=True))
    cost.accepted, cost.per_accept = status["outcomes"]["accepted"], status["cache"]["computedPerAccept"]
    return cost


def _play(
    editor: Editor, session: Session, path: str, cost: Cost, pieces: int, pause: Callable[[float], None]
) -> None:
    uri = editor.uri(path)
    editor.open(uri, session.language, session.before)
    editor.focus(uri)
    pause(OPEN_S)
    left = pieces
    while left > 0 and (step := next(replay(editor.documents[uri].text, session.after), None)) is not None:
        shown = []
        for key in step.keystrokes:
            began = time.perf_counter()
            editor.type(uri, key)
            at = editor.documents[uri].point(key.start + len(key.text))
            shown = editor.next_edit(uri, at).result["predictions"]
            took = (time.perf_counter() - began) * 1000
            (cost.first if left == pieces else cost.later).append(took)
            left -= 1
            pause(BETWEEN_S)
        while shown and _is_right(editor, uri, shown[0], session.after):
            editor.apply(uri, shown[0]["edits"])
            editor.execute("editahead.accept", shown[0]["id"])
            after = shown[0]["cursorAfter"]
            shown = editor.next_edit(uri, (after["line"], after["character"]), "accepted").result[
                "predictions"
            ]
            pause(BETWEEN_S)


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


def _is_right(editor: Editor, uri: str, prediction: Any, wanted: str) -> bool:
    """Whether it makes one of the changes that are left, and nothing else."""
    if prediction["textDocument"]["uri"] != uri or not prediction["edits"]:
        return False
    lines = tuple(editor.documents[uri].text.split("\n"))
    after = tuple(editor.documents[uri].edited(prediction["edits"]).split("\n"))
    return bool(hunks_made(lines, diff(lines, tuple(wanted.split("\n"))), after))


def _counted(url: str) -> tuple[float, float]:
    """Tokens of prompts so far, and of them those that vLLM computed."""
    with urlopen(f"{url}/metrics") as page:
        lines = page.read().decode().splitlines()

    def total(name: str) -> float:
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(f"vllm:{name}_total{{"))

    prompt = total("prompt_tokens")
    return prompt, prompt - total("prompt_tokens_cached")
