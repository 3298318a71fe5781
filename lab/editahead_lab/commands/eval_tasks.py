"""`editahead-lab eval --tasks`: editing tasks, played with learning on and off."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from editahead_cli.commands.eval_common import model_environment
from editahead_cli.console import print_json

if TYPE_CHECKING:
    from rich.console import Console


def run(args: argparse.Namespace, errors: Console) -> int:
    """Play the tasks, print the verdicts and return the exit code.

    Raises:
        RunError: The server failed.
        ScenarioError: A task cannot be read.
    """
    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.client.shared_server import SharedServer
    from editahead_evals.data.own_checkout import present_commit
    from editahead_lab.tasks import report
    from editahead_lab.tasks.player import play_task
    from editahead_lab.tasks.task_file import TASKS

    tasks = TASKS.load_folder(args.tasks)
    with SharedServer(env=model_environment(args)) as server:
        learning, fixed = (
            [play_task(server.session, task, learning=learning) for task in tasks]
            for learning in (True, False)
        )
    played = report.TaskReport(present_commit(), str(args.tasks), learning, fixed)
    if args.json:
        print_json(report.as_json(played))
    else:
        report.render(played, SafeConsole(), trace=args.trace)
    return 0
