"""Replays that are repeated to compare with: by another revision of Editahead, or without the model."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from editahead_cli.commands.eval_common import Others, replay_all, replay_twice

if TYPE_CHECKING:
    from rich.console import Console

    from editahead_evals.replay.parallel import Item, ReplayPlan, Result


def replay_compared(
    what: str,
    items: Sequence[Item],
    ours: ReplayPlan[Item, Result],
    make_plan: Callable[[Mapping[str, str]], ReplayPlan[Item, Result]],
    args: argparse.Namespace,
    errors: Console,
) -> tuple[list[Result], Others[Result] | None]:
    """Replay the items, and replay them with the revision of `--against` or without the model of `--with-model`.

    Args:
        what: The words beside the progress bar.
        items: What to replay.
        ours: The plan.
        make_plan: Returns the plan for a server with these environment variables, to compare with.
        args: The command's options.
        errors: The console for the progress bar.
    """
    if args.against is None:
        return replay_twice(what, items, ours, make_plan, args, errors)
    from editahead_lab.revisions import checked_out

    with checked_out(args.against) as other:
        results = replay_all(what, items, args.jobs, ours, errors)
        theirs = replay_all(
            f"{what} for {other.commit}", items, args.jobs, make_plan(other.environment), errors
        )
    return results, Others(other.commit, theirs)
