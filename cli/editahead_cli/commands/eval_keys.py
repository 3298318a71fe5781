"""`editahead eval --keys`, `--typing` and `--ordered`: what is shown to a person who types, key by key or edit by edit."""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from editahead_cli.console import print_json

from .eval_apply import model_environment
from .eval_common import read_chosen_records, replay_all

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rich.console import Console

    from editahead_evals.data.key_sessions import KeySession
    from editahead_evals.replay.parallel import Item, ReplayPlan
    from editahead_evals.report.key_report import Source

_Result = TypeVar("_Result")


def usage_error(args: argparse.Namespace) -> str | None:
    """Return what is wrong with the options, if anything."""
    if args.typing and not (args.edits or args.repo):
        return "--typing needs --edits or --repo"
    if args.typing and (args.apply or args.save_states):
        return "--typing cannot be combined with --apply or --save-states"
    if (args.keys or args.typing or args.ordered) and (args.samples or args.apply):
        return "--keys, --typing and --ordered cannot be combined with --samples or --apply"
    return None


def run(args: argparse.Namespace, errors: Console) -> int:
    """Replay sessions key by key, print the figures and return the exit code.

    Raises:
        GitError: The repository cannot be read.
        RecordError: The records cannot be read.
        RecordingError: A recording cannot be read.
        RevisionError: The other revision cannot be measured.
        RunError: A server failed.
    """
    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.data.revisions import present_commit
    from editahead_evals.replay.key_replay import KeyPlan
    from editahead_evals.report import key_report, keyboard_page
    from editahead_evals.report.report import Provenance

    source: Source = "recordings" if args.keys else "commits"
    sessions = _sessions(args, errors)
    results, theirs = _replay_both("typing", sessions, KeyPlan, args, errors)
    compared = None
    if theirs is not None:
        compared = key_report.compare(results, theirs.results, theirs.name, args.seed)
    where = Provenance(present_commit(), str(args.keys or args.edits or args.repo), args.seed)
    report = key_report.summarize(results, source, where)
    if args.report:
        args.report.write_text(keyboard_page.keys_as_html(report, compared), "utf-8")
    if args.json:
        print_json(key_report.as_json(report, compared))
    else:
        key_report.render(report, SafeConsole(), compared)
    return 0


def run_ordered(args: argparse.Namespace, errors: Console) -> int:
    """Replay pull requests edit by edit, print the figures and return the exit code.

    Raises:
        RecordError: The file cannot be read.
        RevisionError: The other revision cannot be measured.
        RunError: A server failed.
    """
    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.data.ordered_edits import read_pull_requests
    from editahead_evals.data.revisions import present_commit
    from editahead_evals.replay.ordered_replay import OrderedPlan
    from editahead_evals.report import keyboard_page, ordered_report
    from editahead_evals.report.report import Provenance

    requests = read_pull_requests(args.ordered)
    random.Random(args.seed).shuffle(requests)
    requests = requests[: args.files]
    results, theirs = _replay_both("replaying", requests, OrderedPlan, args, errors)
    compared = None
    if theirs is not None:
        compared = ordered_report.compare(results, theirs.results, theirs.name, args.seed)
    report = ordered_report.summarize(results, Provenance(present_commit(), str(args.ordered), args.seed))
    if args.report:
        args.report.write_text(keyboard_page.ordered_as_html(report, compared), "utf-8")
    if args.json:
        print_json(ordered_report.as_json(report, compared))
    else:
        ordered_report.render(report, SafeConsole(), compared)
    return 0


@dataclass(frozen=True)
class _Other(Generic[_Result]):
    """The results to compare with: of another revision of Editahead, or of the rules alone."""

    name: str
    results: list[_Result]


def _replay_both(
    what: str,
    items: Sequence[Item],
    make_plan: Callable[[Mapping[str, str]], ReplayPlan[Item, _Result]],
    args: argparse.Namespace,
    errors: Console,
) -> tuple[list[_Result], _Other[_Result] | None]:
    """Replay the items, and replay them with the revision of `--against` or without the model of `--with-model`.

    Args:
        what: The words beside the progress bar.
        items: What to replay.
        make_plan: Returns the plan for a server with these environment variables.
        args: The command's options.
        errors: The console for the progress bar.
    """
    from editahead_evals.data.revisions import checked_out

    ours = make_plan(model_environment(args))
    if args.with_model:
        results = replay_all(f"{what} with the model", items, args.jobs, ours, errors)
        alone = replay_all(f"{what} for the rules alone", items, args.jobs, make_plan({}), errors)
        return results, _Other("the rules alone", alone)
    if args.against is None:
        return replay_all(what, items, args.jobs, ours, errors), None
    with checked_out(args.against) as other:
        results = replay_all(what, items, args.jobs, ours, errors)
        theirs = replay_all(
            f"{what} for {other.commit}", items, args.jobs, make_plan(other.environment), errors
        )
    return results, _Other(other.commit, theirs)


def _sessions(args: argparse.Namespace, errors: Console) -> Sequence[KeySession]:
    from editahead_evals.data.recordings import read_recordings
    from editahead_evals.data.typed_commits import typed_commit

    if args.keys:
        found = read_recordings(args.keys)
        return (
            found
            if args.files is None
            else random.Random(args.seed).sample(found, min(args.files, len(found)))
        )
    return [typed_commit(record) for record in read_chosen_records(args, errors)]
