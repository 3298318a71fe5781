"""`editahead eval`: measure next edits on real commits or scenarios, applied sketches, and the costs of prompts."""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.argument_types import positive_int
from editahead_cli.console import print_json

from . import eval_apply, eval_finish, eval_keys, eval_prompts, eval_search, eval_workspace
from .eval_apply import DEFAULT_SKETCHES
from .eval_common import (
    DEFAULT_FILES,
    MAX_COMMITS,
    load_configured_model,
    read_chosen_records,
    replay_all,
)

if TYPE_CHECKING:
    from rich.console import Console

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
    source.add_argument(
        "--ordered",
        type=Path,
        metavar="FILE",
        help="pull requests as edits in their order (.jsonl.zst); --files is the number of pull requests",
    )
    source.add_argument(
        "--commits",
        type=Path,
        metavar="FILE",
        help="commits of several files, with --workspace, --finish or --search (.jsonl.zst); --files is the number of "
        "commits, with --search of each repository",
    )
    source.add_argument("--scenarios", type=Path, metavar="DIR", help="scenario files (*.txt)")
    source.add_argument("--tasks", type=Path, metavar="DIR", help="editing tasks (*.txt)")
    source.add_argument(
        "--recorded",
        type=Path,
        metavar="DIR",
        help="recorded answers of models to scenarios, in the format of cursortab.nvim",
    )
    source.add_argument(
        "--render", type=Path, metavar="FILE", help="states from --save-states, to render as prompts"
    )
    parser.add_argument(
        "--save-states",
        type=Path,
        metavar="FILE",
        help="write the states of typing to FILE (.jsonl.zst), with their code, instead of measuring",
    )
    eval_prompts.add_arguments(parser)
    parser.add_argument(
        "--apply",
        action="store_true",
        help="measure sketches of --edits instead of next edits; --files is their number",
    )
    parser.add_argument(
        "--typing",
        action="store_true",
        help="type the new code of --edits or --repo key by key, with a request after each key",
    )
    parser.add_argument(
        "--workspace",
        action="store_true",
        help="measure the edits shown in files that are not open, over the workspaces of --commits",
    )
    parser.add_argument(
        "--finish",
        action="store_true",
        help="measure what `editahead finish` finds of --commits of which some hunks were left out",
    )
    parser.add_argument(
        "--search",
        action="store_true",
        help="measure what `editahead search` finds of what the subjects and the hunks of --commits ask for",
    )
    parser.add_argument(
        "--packages",
        type=Path,
        metavar="DIR",
        help="with --search: a folder of unpacked source distributions, whose documentation asks for its functions",
    )
    parser.add_argument(
        "--encoder",
        default="",
        metavar="FILE",
        help="with --search: also search by meaning, with the vectors of this encoder",
    )
    parser.add_argument(
        "--with-model",
        action="store_true",
        help="use the configured model; with replays: and compare with the rules alone; with --apply: where the merge is "
        "not sure",
    )
    parser.add_argument(
        "--files",
        type=positive_int,
        metavar="N",
        help=f"measure N files or sessions (default: all; with --repo {DEFAULT_FILES}, with --apply {DEFAULT_SKETCHES})",
    )
    parser.add_argument(
        "--failures",
        type=Path,
        metavar="FILE",
        help="with --apply: write the failures to FILE, with their code",
    )
    parser.add_argument(
        "--trace",
        action="store_true",
        help="with --tasks: print each edit that was made where a task is not done",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="seed of the choice of files (default 0)"
    )
    parser.add_argument(
        "--against", metavar="REV", help="measure this revision of Editahead, too, and compare file by file"
    )
    parser.add_argument(
        "--samples",
        type=positive_int,
        metavar="N",
        help="request N answers of the configured model at each moment, for the ceiling (some candidate is right)",
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
    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.errors import (
        ClientError,
        GitError,
        RecordError,
        RecordingError,
        RevisionError,
        RunError,
        ScenarioError,
        StatesError,
        TooFewPromptsError,
        WorkerError,
    )
    from editahead_prompts.errors import TokenizerUnavailableError

    errors = SafeConsole(stderr=True)

    def fail(message: str, code: int = 1) -> int:
        errors.print(message, markup=False, highlight=False, soft_wrap=True)
        return code

    written = args.scenarios or args.tasks or args.recorded
    if written and (args.against or args.report or args.files):
        option = "--scenarios" if args.scenarios else "--tasks" if args.tasks else "--recorded"
        return fail(f"{option} cannot be combined with --against, --report or --files", 2)
    if args.samples and (written or args.apply):
        return fail("--samples needs real commits: --edits or --repo, without --apply", 2)
    if args.apply and (not args.edits or args.against or args.report):
        return fail("--apply needs --edits, and cannot be combined with --against or --report", 2)
    if args.failures and not args.apply:
        return fail("--failures needs --apply", 2)
    if args.with_model and (args.recorded or args.against):
        return fail("--with-model cannot be combined with --recorded or --against", 2)
    if args.trace and (not args.tasks or args.json):
        return fail("--trace needs --tasks, and cannot be combined with --json", 2)
    if (wrong := eval_keys.usage_error(args)) is not None:
        return fail(wrong, 2)
    if (wrong := eval_workspace.usage_error(args)) is not None:
        return fail(wrong, 2)
    if (wrong := eval_finish.usage_error(args)) is not None:
        return fail(wrong, 2)
    if (wrong := eval_search.usage_error(args)) is not None:
        return fail(wrong, 2)
    if (wrong := eval_prompts.usage_error(args)) is not None:
        return fail(wrong, 2)
    if args.report and not args.report.absolute().parent.is_dir():
        return fail(f"{args.report}: the folder does not exist; create it first")
    try:
        if args.apply:
            return eval_apply.run(args, errors)
        if args.tasks:
            return _eval_tasks(args)
        if args.keys or args.typing:
            return eval_keys.run(args, errors)
        if args.ordered:
            return eval_keys.run_ordered(args, errors)
        if args.workspace:
            return eval_workspace.run(args, errors)
        if args.finish:
            return eval_finish.run(args, errors)
        if args.search:
            return eval_search.run(args, errors)
        if args.recorded:
            return _eval_recorded(args)
        if args.render:
            return eval_prompts.render_prompts(args)
        if args.save_states:
            return eval_prompts.save_states(args, errors)
        return _eval_scenarios(args) if args.scenarios else _eval_commits(args, errors)
    except (ClientError, GitError, RecordError, RevisionError, RunError, ScenarioError) as error:
        return fail(str(error))
    except (RecordingError, TooFewPromptsError, TokenizerUnavailableError, StatesError, WorkerError) as error:
        return fail(str(error))
    except KeyboardInterrupt:
        return fail("stopped")


@contextmanager
def candidate_texts(samples: int = 0) -> Iterator[Callable[[EditorState], Iterator[str]]]:
    """Return a function that yields the text of the document after each candidate, before gate and checks.

    Args:
        samples: The number of answers of the configured model to include, change by change and as a whole.

    Raises:
        RunError: Samples are wanted, and the settings name no model.
    """
    from editahead_inference.pipeline import Pipeline

    pipeline, loop = Pipeline(), asyncio.Runner()
    model = load_configured_model("--samples")[1] if samples else None
    if model is not None:
        model.samples = samples

    def propose(state: EditorState) -> Iterator[str]:
        found = [verdict.candidate for verdict in pipeline.predict(state, eagerness=0).verdicts]
        if model is not None:
            response = loop.run(model.predict(state))
            found += pipeline.model_candidates(response)
            yield from (rewrite.edit.apply(state.document.text) for rewrite in response.rewrites)
        for candidate in found:
            if candidate.edit and candidate.uri == state.document.uri:
                yield candidate.edit.apply(state.document.text)

    with loop:
        try:
            yield propose
        finally:
            if model is not None:
                loop.run(model.backend.close())


def _eval_commits(args: argparse.Namespace, errors: Console) -> int:
    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.data.revisions import checked_out, present_commit
    from editahead_evals.replay.commit_evaluation import EvalPlan
    from editahead_evals.report import comparison, html_page, terminal_tables
    from editahead_evals.report.report import Provenance, as_json, summarize

    if args.samples:
        load_configured_model("--samples")  # fail now rather than after the replay
    records = read_chosen_records(args, errors)
    plan = EvalPlan(eval_apply.model_environment(args), partial(candidate_texts, args.samples or 0))
    compared = None
    if args.with_model:
        results = replay_all("replaying", records, args.jobs, plan, errors)
        alone = replay_all("replaying the rules alone", records, args.jobs, EvalPlan(), errors)
        compared = comparison.compare_files(results, alone, "the rules alone", args.seed)
    elif args.against is None:
        results = replay_all("replaying", records, args.jobs, plan, errors)
    else:
        with checked_out(args.against) as other:
            results = replay_all("replaying", records, args.jobs, plan, errors)
            theirs = replay_all(
                f"replaying {other.commit}", records, args.jobs, EvalPlan(server=other.environment), errors
            )
        compared = comparison.compare_files(results, theirs, other.commit, args.seed)
    provenance = Provenance(present_commit(), str(args.edits or args.repo), args.seed)
    report = summarize(results, provenance)
    if args.report:
        args.report.write_text(html_page.as_html(report, compared), "utf-8")
    if args.json:
        print_json(as_json(report, comparison.as_json(compared) if compared else None))
    else:
        terminal_tables.render(report, SafeConsole(), compared)
    if args.report:
        errors.print(f"written: {args.report}", markup=False, highlight=False, soft_wrap=True)
    return 0


def _eval_scenarios(args: argparse.Namespace) -> int:
    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.client.shared_server import SharedServer
    from editahead_evals.data.revisions import present_commit
    from editahead_evals.scenarios import scoring

    scenarios = scoring.load_all(args.scenarios)
    with SharedServer(env=eval_apply.model_environment(args)) as server:
        results = [scoring.score(server.session, scenario) for scenario in scenarios]
    report = scoring.ScenarioReport(present_commit(), str(args.scenarios), results)
    if args.json:
        print_json(scoring.as_json(report))
    else:
        scoring.render(report, SafeConsole())
    return 0


def _eval_tasks(args: argparse.Namespace) -> int:
    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.client.shared_server import SharedServer
    from editahead_evals.data.revisions import present_commit
    from editahead_evals.tasks import report
    from editahead_evals.tasks.player import play_task

    tasks = report.load_all(args.tasks)
    with SharedServer(env=eval_apply.model_environment(args)) as server:
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


def _eval_recorded(args: argparse.Namespace) -> int:
    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.data.revisions import present_commit
    from editahead_evals.recorded import recorded_answers

    recordings = recorded_answers.load(args.recorded)
    played = [recorded_answers.score_through_server(recording) for recording in recordings]
    as_they_are = recorded_answers.scores([recorded_answers.score_raw(recording) for recording in recordings])
    through = recorded_answers.scores(played)
    if args.json:
        print_json(recorded_answers.as_json(as_they_are, through, present_commit()))
    else:
        recorded_answers.render(as_they_are, through, present_commit(), SafeConsole())
    return 0
