"""`editahead eval`: measure next edits on real commits, on recordings and on scenarios.

`editahead-lab eval` has these measures, too, and more: it calls the functions of this module.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editahead_cli.argument_types import positive_int
from editahead_cli.console import print_json, print_note

from . import eval_keys
from .eval_common import (
    DEFAULT_FILES,
    MAX_COMMITS,
    Replay,
    ReplayOptions,
    model_environment,
    read_chosen_records,
    replay_twice,
)

if TYPE_CHECKING:
    from rich.console import Console

    from editahead_evals.data.edit_records import Record
    from editahead_evals.metrics.metrics import FileResult
    from editahead_evals.replay.commit_evaluation import MakeGenerator
    from editahead_evals.report.output import Output
    from editahead_evals.report.report import Report
    from editahead_evals.scenarios.scoring import ScenarioReport
    from editahead_prompts.state import EditorState


def add_arguments(parser: argparse.ArgumentParser) -> None:
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
    if args.scenarios and (args.report or args.files):
        return _fail("--scenarios cannot be combined with --report or --files", 2)
    return run_measure(partial(_measure, args), page=args.report, as_json=args.json)


def _measure(args: argparse.Namespace, errors: Console) -> Output[Any]:
    names = ("edits", "repo", "files", "seed", "jobs", "with_model")
    options = ReplayOptions(**{name: getattr(args, name) for name in names})
    if args.scenarios:
        return eval_scenarios(args.scenarios, with_model=args.with_model)
    if args.keys:
        return eval_keys.eval_recordings(args.keys, options, errors)
    return eval_commits(options, errors)


def run_measure(
    measure: Callable[[Console], Output[Any]],
    *,
    page: Path | None,
    as_json: bool,
    expected: tuple[type[Exception], ...] = (),
) -> int:
    """Measure, print the figures and return the exit code.

    Args:
        measure: Measures, with the console for the progress bar.
        page: Where the report is written as a web page.
        as_json: Whether the figures are printed as JSON.
        expected: Errors with a message for people, besides those of replays.
    """
    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.errors import EvalError
    from editahead_evals.report.output import to_json

    errors = SafeConsole(stderr=True)
    expected = (EvalError, *expected)
    if page is not None and not page.absolute().parent.is_dir():
        return _fail(f"{page}: the folder does not exist; create it first")
    try:
        output = measure(errors)
    except expected as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        return _fail("stopped")
    if page is not None and output.as_html is not None:
        page.write_text(output.as_html(output.report), "utf-8")
        errors.print(f"written: {page}", highlight=False, soft_wrap=True)
    if as_json:
        print_json(to_json(output.report))
    else:
        output.print_tables(output.report, SafeConsole())
    return 0


def _fail(message: str, code: int = 1) -> int:
    print_note(message)
    return code


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
    options: ReplayOptions,
    errors: Console,
    replay: Replay[Record, FileResult] = replay_twice,
    propose: MakeGenerator = candidate_texts,
) -> Output[Report]:
    """Replay commits and return the figures.

    Args:
        options: How the replay is done.
        errors: The console for the progress bar.
        replay: Replays them, once more where there is something to compare with.
        propose: Makes the generator of candidates whose recall is measured.
    """
    from editahead_evals.data.own_checkout import present_commit
    from editahead_evals.replay.commit_evaluation import EvalPlan
    from editahead_evals.report.html_page import as_html
    from editahead_evals.report.output import Output, Provenance
    from editahead_evals.report.report import compare_files, summarize
    from editahead_evals.report.terminal_tables import print_tables

    records = read_chosen_records(options, errors)
    ours = EvalPlan(model_environment(with_model=options.with_model), propose)
    results, others = replay("replaying", records, ours, EvalPlan, options, errors)
    compared = compare_files(results, others.results, others.name, options.seed) if others else None
    where = Provenance(present_commit(), str(options.edits or options.repo), options.seed)
    return Output(summarize(results, where, compared), print_tables, as_html)


def eval_scenarios(folder: Path, *, with_model: bool) -> Output[ScenarioReport]:
    """Play the scenarios of a folder and return their scores."""
    from editahead_evals.client.shared_server import SharedServer
    from editahead_evals.data.own_checkout import present_commit
    from editahead_evals.report.output import Output
    from editahead_evals.scenarios import scoring
    from editahead_evals.scenarios.scenario_file import SCENARIOS

    scenarios = SCENARIOS.load_folder(folder)
    with SharedServer(env=model_environment(with_model=with_model)) as server:
        results = [scoring.score(server.session, scenario) for scenario in scenarios]
    return Output(scoring.summarize(present_commit(), str(folder), results), scoring.print_tables)
