"""The command line of the laboratory."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from editahead_cli.main import run_program
from editahead_cli.parser import Program
from editahead_programs.child_python import protect_children

LAB = Program(
    name="editahead-lab",
    description="Measure what Editahead does, and train what it ships.",
    package=f"{__package__}.commands",
    commands={
        "eval": "measure the quality of predictions, of applied sketches and of prompts",
        "train": "train the gate, the vocabulary and the small model on real edits",
        "completions": "print what completes this command line in your shell",
    },
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code, as that of `editahead`."""
    if argv is None:  # this process is that of the command
        protect_children()
    return run_program(LAB, list(sys.argv[1:] if argv is None else argv))
