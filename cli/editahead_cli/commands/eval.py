"""`editahead eval`: measure next edits on real commits, on recordings and on scenarios.

`editahead-lab eval` has these measures, too, and more: it uses the functions of this module.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.argument_types import positive_int
from editahead_cli.console import print_json

from . import eval_keys
from .eval_common import (
    DEFAULT_FILES,
    MAX_COMMITS,
    Replay,
    model_environment,
    read_chosen_records,
    replay_twice,
)

if TYPE_CHECKING:
    from rich.console import Console

    from editahead_evals.data.edit_records import Record
    from editahead_evals.metrics.metrics import FileResult
    from editahead_evals.replay.commit_evaluation import MakeGenerator
    from editahead_prompts.state import EditorState


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_sources(parser)
    add_options(parser)


def add_sources(parser: argparse.ArgumentParser) -> argparse._MutuallyExclusiveGroup:
    """Add the options that name what is replayed, and return the group that they form: exactly one is given."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--edits", type=Path, metavar="FILE", help="records of real edits (.jsonl.zst)")
    source.add_argument(
        "--repo", type=Path, metavar="PATH", help=f"the last {MAX_COMMITS} commits of a git repository"
    )
    source.add_argument(
        "--keys",
        type=Path,
        metavar="DIR",
        help="recordings of editing (*.w.json), replayed key by key",
    )
    source.add_argument("--scenarios", type=Path, metavar="DIR", help="scenario files (*.txt)")
    return source


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that all measures have."""
    parser.add_argument(
        "--with-model",
        action="store_true",
        help="use the configured model; with replays: and compare with the rules alone",
    )
    parser.add_argument(
        "--files",
        type=positive_int,
        metavar="N",
        help=f"measure N files or sessions (default: all; with --repo {DEFAULT_FILES})",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="seed of the choice of files (default 0)"
    )
    parser.add_argument("--report", type=Path, metavar="FILE", help="write a report as a web page (.html)")
    parser.add_argument(
        "--jobs",
        type=positive_int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="servers in parallel (default: one per core)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    wrong = None
    if args.scenarios and (args.report or args.files):
        wrong = "--scenarios cannot be combined with --report or --files"
    return run_measure(args, _choose(args), wrong)


def _choose(args: argparse.Namespace) -> Callable[[argparse.Namespace, Console], int]:
    if args.scenarios:
        return eval_scenarios
    if args.keys:
        return eval_keys.run
    return eval_commits


def run_measure(
    args: argparse.Namespace,
    measure: Callable[[argparse.Namespace, Console], int],
    wrong: str | None,
    expected: tuple[type[Exception], ...] = (),
) -> int:
    """Measure, and return the exit code.

    Args:
        args: The command's options.
        measure: What to do with them.
        wrong: What is wrong with the options, if anything.
        expected: Errors with a message for people, besides those of replays.
    """
    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.errors import EvalError

    errors = SafeConsole(stderr=True)
    expected = (EvalError, *expected)

    def fail(message: str, code: int = 1) -> int:
        errors.print(message, markup=False, highlight=False, soft_wrap=True)
        return code

    if wrong is not None:
        return fail(wrong, 2)
    if args.report and not args.report.absolute().parent.is_dir():
        return fail(f"{args.report}: the folder does not exist; create it first")
    try:
        return measure(args, errors)
    except expected as error:
        return fail(str(error))
    except KeyboardInterrupt:
        return fail("stopped")


@contextmanager
def candidate_texts() -> Iterator[Callable[[EditorState], Iterator[str]]]:
    """Return a function that yields the text of the document after each candidate of the rules, before gate and checks."""
    from editahead_inference.pipeline import Pipeline

    pipeline = Pipeline()

    def propose(state: EditorState) -> Iterator[str]:
        for decision in pipeline.predict(state, eagerness=0).decisions:
            found = decision.candidate
            if found.edit and found.uri == state.document.uri:
                yield found.edit.apply(state.document.text)

    yield propose


def eval_commits(
    args: argparse.Namespace,
    errors: Console,
    replay: Replay[Record, FileResult] = replay_twice,
    propose: MakeGenerator = candidate_texts,
) -> int:
    """Replay commits, print the figures and return the exit code.

    Args:
        args: The command's options.
        errors: The console for the progress bar.
        replay: Replays them, once more where there is something to compare with.
        propose: Makes the generator of candidates whose recall is measured.
    """
    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.data.own_checkout import present_commit
    from editahead_evals.replay.commit_evaluation import EvalPlan
    from editahead_evals.report import comparison, html_page, terminal_tables
    from editahead_evals.report.report import Provenance, as_json, summarize

    records = read_chosen_records(args, errors)
    ours = EvalPlan(model_environment(args), propose)
    results, others = replay("replaying", records, ours, EvalPlan, args, errors)
    compared = comparison.compare_files(results, others.results, others.name, args.seed) if others else None
    report = summarize(results, Provenance(present_commit(), str(args.edits or args.repo), args.seed))
    if args.report:
        args.report.write_text(html_page.as_html(report, compared), "utf-8")
    if args.json:
        print_json(as_json(report, comparison.as_json(compared) if compared else None))
    else:
        terminal_tables.render(report, SafeConsole(), compared)
    if args.report:
        errors.print(f"written: {args.report}", markup=False, highlight=False, soft_wrap=True)
    return 0


def eval_scenarios(args: argparse.Namespace, errors: Console) -> int:
    """Play scenarios, print their scores and return the exit code."""
    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.client.shared_server import SharedServer
    from editahead_evals.data.own_checkout import present_commit
    from editahead_evals.scenarios import scoring
    from editahead_evals.scenarios.scenario_file import SCENARIOS

    scenarios = SCENARIOS.load_folder(args.scenarios)
    with SharedServer(env=model_environment(args)) as server:
        results = [scoring.score(server.session, scenario) for scenario in scenarios]
    report = scoring.ScenarioReport(present_commit(), str(args.scenarios), results)
    if args.json:
        print_json(scoring.as_json(report))
    else:
        scoring.render(report, SafeConsole())
    return 0
