"""`editahead-lab eval`: the measures of `editahead eval`, and those of research."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.argument_types import positive_int
from editahead_cli.commands import eval as product
from editahead_cli.commands import eval_keys
from editahead_cli.commands.eval_common import load_configured_model
from editahead_cli.console import print_json

from . import eval_apply, eval_finish, eval_ordered, eval_prompts, eval_search, eval_tasks, eval_workspace
from .replay_compared import replay_compared

if TYPE_CHECKING:
    from rich.console import Console

    from editahead_prompts.state import EditorState

Measure = Callable[[argparse.Namespace, "Console"], int]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    _add_sources(product.add_sources(parser))
    product.add_options(parser)
    eval_prompts.add_arguments(parser)
    eval_apply.add_arguments(parser)
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
    eval_search.add_arguments(parser)
    parser.add_argument(
        "--trace",
        action="store_true",
        help="with --tasks: print each edit that was made where a task is not done",
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


def run(args: argparse.Namespace) -> int:
    from editahead_lab.errors import LabError
    from editahead_prompts.errors import TokenizerUnavailableError

    expected = (LabError, TokenizerUnavailableError)
    return product.run_measure(args, _choose(args), _usage_error(args), expected)


def _add_sources(source: argparse._MutuallyExclusiveGroup) -> None:
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


def _usage_error(args: argparse.Namespace) -> str | None:
    """Return what is wrong with the options, if anything."""
    written = next((name for name in ("scenarios", "tasks", "recorded") if getattr(args, name)), None)
    rules = (
        (
            written and (args.against or args.report or args.files),
            f"--{written} cannot be combined with --against, --report or --files",
        ),
        (
            args.samples and (written or args.apply),
            "--samples needs real commits: --edits or --repo, without --apply",
        ),
        (
            args.with_model and (args.recorded or args.against),
            "--with-model cannot be combined with --recorded or --against",
        ),
        (
            args.trace and (not args.tasks or args.json),
            "--trace needs --tasks, and cannot be combined with --json",
        ),
    )
    others = (eval_apply, eval_ordered, eval_workspace, eval_finish, eval_search, eval_prompts)
    found = [message for is_broken, message in rules if is_broken]
    found += [message for module in others if (message := module.usage_error(args)) is not None]
    return found[0] if found else None


def _choose(args: argparse.Namespace) -> Measure:
    measures: dict[str, Measure] = {
        "apply": eval_apply.run,
        "tasks": eval_tasks.run,
        "keys": partial(eval_keys.run, replay=replay_compared),
        "typing": eval_ordered.run_typing,
        "ordered": eval_ordered.run,
        "workspace": eval_workspace.run,
        "finish": eval_finish.run,
        "search": eval_search.run,
        "recorded": _eval_recorded,
        "render": eval_prompts.render_prompts,
        "save_states": eval_prompts.save_states,
        "scenarios": product.eval_scenarios,
    }
    return next((measure for name, measure in measures.items() if getattr(args, name)), _eval_commits)


def _eval_commits(args: argparse.Namespace, errors: Console) -> int:
    if not args.samples:
        return product.eval_commits(args, errors, replay_compared)
    load_configured_model("--samples")  # fail now rather than after the replay
    return product.eval_commits(args, errors, replay_compared, partial(sampled_texts, args.samples))


@contextmanager
def sampled_texts(samples: int) -> Iterator[Callable[[EditorState], Iterator[str]]]:
    """Return a function that yields the text of the document after each candidate of the rules and of the model.

    Args:
        samples: The number of answers of the configured model to include, change by change and as a whole.

    Raises:
        RunError: The settings name no model.
    """
    from editahead_inference.pipeline import Pipeline

    model = load_configured_model("--samples")[1]
    model.samples = samples
    pipeline = Pipeline()
    with product.candidate_texts() as propose_by_rules, asyncio.Runner() as loop:

        def propose(state: EditorState) -> Iterator[str]:
            response = loop.run(model.predict(state))
            yield from (rewrite.edit.apply(state.document.text) for rewrite in response.rewrites)
            yield from propose_by_rules(state)
            for candidate in pipeline.model_candidates(response):
                if candidate.edit and candidate.uri == state.document.uri:
                    yield candidate.edit.apply(state.document.text)

        try:
            yield propose
        finally:
            loop.run(model.backend.close())


def _eval_recorded(args: argparse.Namespace, errors: Console) -> int:
    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.data.own_checkout import present_commit
    from editahead_lab.recorded import recorded_answers

    recordings = recorded_answers.load(args.recorded)
    played = [recorded_answers.score_through_server(recording) for recording in recordings]
    as_they_are = recorded_answers.scores([recorded_answers.score_raw(recording) for recording in recordings])
    through = recorded_answers.scores(played)
    if args.json:
        print_json(recorded_answers.as_json(as_they_are, through, present_commit()))
    else:
        recorded_answers.render(as_they_are, through, present_commit(), SafeConsole())
    return 0
