"""What the commands of the laboratory share: each runs one experiment with the settings of a plan."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editahead_cli.commands.eval import run_measure
from editahead_cli.console import fail, print_note, print_text
from editahead_lab.errors import LabError, PlanError
from editahead_lab.experiments.experiment import Context, Experiment
from editahead_lab.experiments.plan import read_plan, settings_of

if TYPE_CHECKING:
    from rich.console import Console

    from editahead_evals.report.output import Output


def add_experiments(parser: argparse.ArgumentParser, experiments: Mapping[str, type[Experiment]]) -> None:
    """Add a sub-command for each experiment. Its settings are words, so that a plan and the command line are alike."""
    below = parser.add_subparsers(dest="experiment", metavar="EXPERIMENT", required=True)
    for name, kind in experiments.items():
        summary = summary_of(kind)
        experiment = below.add_parser(
            name,
            help=f"{summary[0].lower()}{summary[1:-1]}",
            description=summary,
            epilog=_settings_help(kind),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        experiment.add_argument(
            "settings", nargs="*", metavar="KEY=VALUE", help="settings, which go before those of the plan"
        )
        experiment.add_argument("--plan", type=Path, metavar="FILE", help="settings in TOML: key = value")
        experiment.add_argument("--json", action="store_true", help="print JSON")


def summary_of(kind: type[Experiment]) -> str:
    """Return the sentence that says what an experiment does."""
    return (kind.__doc__ or "").splitlines()[0]


def _settings_help(kind: type[Experiment]) -> str:
    lines = ["settings:"]
    for one in settings_of(kind):
        default = f" ({one.default if one.default == 'required' else f'default {one.default}'})"
        lines += [f"  {one.key}={one.value}", f"      {one.about}{default if one.default else ''}"]
    return "\n".join(lines)


def run_experiment(kind: type[Experiment], args: argparse.Namespace) -> int:
    """Run an experiment, print its figures and return the exit code: 2 for a wrong plan."""
    from editahead_lab.experiments.replays import Replay

    try:
        experiment = read_plan(kind, args.plan, args.settings)
    except PlanError as error:
        print_note(f"editahead-lab {args.command} {args.experiment}: {error}")
        return 2
    if any(find_spec(package) is None for package in kind.requires):
        return fail("training needs the extra `train`: pip install 'editahead-lab[train]'")
    return run_measure(
        partial(_run, experiment, args.json),
        page=experiment.report if isinstance(experiment, Replay) else None,
        as_json=args.json,
        expected=(LabError, *kind.expected),
    )


def _run(experiment: Experiment, as_json: bool, errors: Console) -> Output[Any]:
    return experiment.run(Context(errors, (lambda line: None) if as_json else _print_line))


def _print_line(line: str) -> None:
    print_text(line)
    sys.stdout.flush()
