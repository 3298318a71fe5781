"""Renders states in a process of its own: with the code of another revision, which `PYTHONPATH` says.

    python -m editahead_evals.prompt_costs.revision_worker STATES FORMAT [BUDGET]

writes a `Rendered` as JSON on each line of stdout. A failure is one line on stderr, with exit code 1.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from editahead_lab.errors import StatesError, WorkerError
from editahead_lab.revisions import Revision
from editahead_programs.child_process import ChildProcess
from editahead_programs.child_python import OWN_FOLDER, make_module_command
from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.errors import TokenizerUnavailableError
from editahead_prompts.formats.registry import select_format

from .rendered_prompts import Rendered, render_all
from .state_files import read_states


def rendered_by(revision: Revision, states: Path, format: str, budget: int | None) -> Iterator[Rendered]:
    """Yield the states as prompts of another revision's code.

    Raises:
        WorkerError: the revision cannot render them.
    """
    command = make_module_command(__name__, str(states.resolve()), format)
    if budget is not None:
        command.append(str(budget))
    environment = os.environ | revision.environment
    process: ChildProcess[str] = ChildProcess(
        command,
        cwd=OWN_FOLDER,
        env=environment,
        is_text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        assert process.stdout and process.stderr
        for line in process.stdout:
            yield Rendered.of_json(json.loads(line))
        said = process.stderr.read().strip().splitlines()
    if process.returncode:
        raise WorkerError(f"{revision.commit} cannot render them: {said[-1] if said else 'it ended early'}")


def main(path: str, format: str, budget: str | None = None) -> int:
    try:
        room = None if budget is None else int(budget)
        for rendered in render_all(
            select_format("", format), read_states(Path(path)), bundled_tokenizer(), room
        ):
            sys.stdout.write(json.dumps(rendered.as_json()) + "\n")
    except (StatesError, TokenizerUnavailableError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
