"""`editahead-lab completions`: print a script that completes the command line in a shell, as `editahead` does."""

from __future__ import annotations

import argparse

from editahead_cli.commands import completions

add_arguments = completions.add_arguments


def run(args: argparse.Namespace) -> int:
    from editahead_lab.main import LAB

    return completions.run(args, LAB)
