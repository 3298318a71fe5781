"""`editahead eval`, called in this process."""

from __future__ import annotations

import argparse

from editahead_cli.commands import eval as command


def run_eval(*arguments: str) -> int:
    """Return the exit status of `editahead eval` with these arguments."""
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args(arguments))
