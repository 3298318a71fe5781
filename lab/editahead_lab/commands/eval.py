"""`editahead-lab eval`: the measures of `editahead eval`, and those of research."""

from __future__ import annotations

import argparse

from editahead_lab.experiments.codebases import Finish, Search, Workspace
from editahead_lab.experiments.experiment import Experiment
from editahead_lab.experiments.played import Scenarios, Tasks
from editahead_lab.experiments.prompts import Prompts, States
from editahead_lab.experiments.replays import Commits, Keys, Ordered, Typing
from editahead_lab.experiments.sketches import Apply

from .run_experiment import add_experiments, run_experiment

EXPERIMENTS: dict[str, type[Experiment]] = {
    "commits": Commits,
    "keys": Keys,
    "typing": Typing,
    "ordered": Ordered,
    "scenarios": Scenarios,
    "tasks": Tasks,
    "workspace": Workspace,
    "finish": Finish,
    "search": Search,
    "apply": Apply,
    "states": States,
    "prompts": Prompts,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_experiments(parser, EXPERIMENTS)


def run(args: argparse.Namespace) -> int:
    return run_experiment(EXPERIMENTS[args.experiment], args)
