"""What is played from files: scenarios and editing tasks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editahead_cli.commands.eval import eval_scenarios
from editahead_cli.commands.eval_common import model_environment

from .experiment import Context, Experiment, required, setting
from .replays import WITH_MODEL

if TYPE_CHECKING:
    from editahead_evals.report.output import Output


@dataclass(frozen=True, kw_only=True)
class Scenarios(Experiment):
    """Score the predictions on scenarios."""

    folder: Path = required("the scenario files (*.txt)")
    with_model: bool = setting(False, WITH_MODEL)

    def run(self, context: Context) -> Output[Any]:
        return eval_scenarios(self.folder, with_model=self.with_model)


@dataclass(frozen=True, kw_only=True)
class Tasks(Experiment):
    """Play editing tasks, with learning on and off."""

    folder: Path = required("the editing tasks (*.txt)")
    with_model: bool = setting(False, WITH_MODEL)
    trace: bool = setting(False, "print each edit that was made where a task is not done")

    def run(self, context: Context) -> Output[Any]:
        from editahead_evals.client.shared_server import SharedServer
        from editahead_evals.data.own_checkout import present_commit
        from editahead_evals.report.output import Output
        from editahead_lab.tasks import report
        from editahead_lab.tasks.player import play_task
        from editahead_lab.tasks.task_file import TASKS

        tasks = TASKS.load_folder(self.folder)
        with SharedServer(env=model_environment(with_model=self.with_model)) as server:
            learning, fixed = (
                [play_task(server.session, task, learning=learning) for task in tasks]
                for learning in (True, False)
            )
        played = report.summarize(present_commit(), str(self.folder), learning, fixed)
        return Output(played, partial(report.print_tables, trace=self.trace))
