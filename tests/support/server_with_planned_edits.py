"""The real server with predictions that a test plans, for tests of editors.

A plan has replacements, as in `server_harness`, and texts that are completed at the cursor. Run
`python server_with_planned_edits.py PLAN` to serve on stdio. PLAN is the JSON
`{"replace": {"old": "new"}, "complete": ["the whole text"], "readings": [...]}` in base 64: an editor may open its settings
as a document, and the document must not contain the words of the plan. With readings (`merge_with_readings.PlannedReading`),
no sketch is certain.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from editahead_inference.candidates import Candidate
from editahead_lsp.features import create_server
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit
from merge_with_readings import merge_with_readings
from server_harness import ScriptedPipeline

_ENOUGH = 5
"""Characters of a text that must be typed before the rest is offered."""


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


async def _serve(plan: Mapping[str, object]) -> int:
    replace, complete = plan.get("replace", {}), plan.get("complete", [])
    assert isinstance(replace, dict) and isinstance(complete, list)
    server = create_server(lambda: Planned(replace, complete))
    readings = plan.get("readings", [])
    if readings:
        assert isinstance(readings, list)
        server.apply_service.load = lambda: merge_with_readings(readings)
    return await server.serve(partial(os.read, 0), os.fdopen(os.dup(1), "wb"))


if __name__ == "__main__":
    sys.exit(asyncio.run(_serve(json.loads(b64decode(sys.argv[1])))))
