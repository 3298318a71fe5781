"""The real server with predictions that a test plans, for tests of editors.

A plan has replacements, as in `server_harness`, and texts that are completed at the cursor. Run
`python server_with_planned_edits.py PLAN` to serve on stdio. PLAN is the JSON
`{"replace": {"old": "new"}, "complete": ["the whole text"], "readings": [...], "model": "..."}` in base 64: an editor may
open its settings as a document, and the document must not contain the words of the plan. With readings
(`merge_with_readings.PlannedReading`), no sketch is certain. "model" is what a model writes for a sketch; at the line `WAIT`
it waits until the file `go_on_file()` is there.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from editahead_inference.backends.base import CompletionRequest
from editahead_inference.candidates import Candidate
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_lsp.features import create_server
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit
from merge_with_readings import merge_with_readings
from scripted_backend import ScriptedBackend, ScriptedReply
from server_harness import ScriptedPipeline

_ENOUGH = 5
"""Characters of a text that must be typed before the rest is offered."""


WAIT = "(waits)\n"
_PATIENCE_S = 300.0
"""Seconds that a model waits. A test that fails leaves no process behind."""

REAL = [sys.executable, "-m", "editahead_cli", "lsp"]
"""The command line of the server with the real predictors."""


def planned(plan: Mapping[str, object]) -> list[str]:
    """Return the command line of the server with a plan."""
    return [sys.executable, __file__, b64encode(json.dumps(plan).encode()).decode()]


class Planned(ScriptedPipeline):
    def __init__(self, replace: Mapping[str, str], complete: Sequence[str]) -> None:
        super().__init__(replace)
        self.complete = complete

    def _candidates(self, state: EditorState) -> Iterator[Candidate]:
        text, cursor = state.document.text, state.cursor
        typed = text[text.rfind("\n", 0, cursor) + 1 : cursor]
        for whole in self.complete:
            rest = whole[len(typed) :]
            if len(typed) >= _ENOUGH and whole.startswith(typed) and not text.startswith(rest, cursor):
                edit = Edit.replace(cursor, cursor, rest)
                uri = state.document.uri
                yield Candidate(uri, edit, cursor, cursor + len(rest), "completion", "complete", "complete")
        yield from super()._candidates(state)


def go_on_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the file for which a model waits."""
    return Path(environment["XDG_STATE_HOME"], "editahead-model-goes-on")


def _planned_model(answer: str) -> ModelPredictor:
    """Return a model that answers each sketch so, line by line."""
    before, *after = answer.split(WAIT)
    waits_at = before.count("\n") + 1 if after else None

    def script(query: CompletionRequest, sample: int) -> ScriptedReply:
        lines = "".join((before, *after)).splitlines(keepends=True)
        whole = ("<updated-code>", *lines, "</updated-code>")
        return ScriptedReply(whole if "<update>" in query.prompt else ("None",))

    async def pause() -> None:
        over = time.monotonic() + _PATIENCE_S
        while backend.given == waits_at and not go_on_file().exists() and time.monotonic() < over:  # noqa: ASYNC110  # by another process
            await asyncio.sleep(0.02)

    backend = ScriptedBackend(script, pause=pause)
    return ModelPredictor(backend, "fastapply")


async def _serve(plan: Mapping[str, object]) -> int:
    replace, complete = plan.get("replace", {}), plan.get("complete", [])
    assert isinstance(replace, dict) and isinstance(complete, list)
    model = plan.get("model")
    written = _planned_model(str(model)) if model else None
    server = create_server(lambda: Planned(replace, complete), create_model=lambda wanted: written)
    readings = plan.get("readings", [])
    if readings:
        assert isinstance(readings, list)
        server.apply_service.load = lambda: merge_with_readings(readings)
    return await server.serve(partial(os.read, 0), os.fdopen(os.dup(1), "wb"))


if __name__ == "__main__":
    sys.exit(asyncio.run(_serve(json.loads(b64decode(sys.argv[1])))))
