"""`editahead demo`: show the real server at work, on the shipped project or on commits."""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from editahead_cli.console import fail, print_note, print_output
from editahead_cli.demo.player import Event, Player, Tally, best_first
from editahead_cli.demo.scenes import Scene, commit_scenes, sample_scenes
from editahead_cli.demo.terminal_view import TerminalView, summarize
from editahead_cli.errors import NothingToReplayError

MAX_COMMITS = 12
"""Most commits of a repository to replay."""
MAX_TYPED = 3_000
"""Most characters that are typed of them: half a minute."""
LITTLE = 0.05
"""The share of saved keys below which a repository has little that can be predicted."""

SETTINGS = {"debounce_ms": 0}
"""The demo requests predictions right after typing, so a delay is useless. All other settings are the defaults."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--repo",
        type=Path,
        metavar="PATH",
        help="type the recent commits of this git repository instead, as a person would; the best comes first",
    )
    parser.add_argument(
        "--speed",
        type=_speed,
        default=1.0,
        metavar="X",
        help="speed of the typing (default 1; 0 = no animation, as when the output is not a terminal)",
    )
    parser.add_argument("--json", action="store_true", help="print the events and the summary as JSON")


def run(args: argparse.Namespace) -> int:
    from editahead_cli.json_output import DemoOutput
    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.client.editor import Editor
    from editahead_evals.errors import ClientError

    console = SafeConsole(highlight=False)
    animated = console.is_terminal and args.speed > 0 and not args.json
    view = TerminalView(console, (lambda seconds: time.sleep(seconds / args.speed)) if animated else None)
    events: list[dict[str, Any]] = []
    tally = Tally()

    def report(event: Event) -> None:
        tally.add(event)
        if args.json:
            events.append({"event": event.kind} | asdict(event))
        else:
            view.show(event)

    try:
        if args.repo is None:
            with Editor(SETTINGS) as editor:
                Player(editor, report).play(sample_scenes())
        else:
            scenes = _recent_scenes(args.repo)
            played: list[Event] = []
            print_note(
                f"Typing {len(scenes)} recent commits, which takes up to a minute. The best comes first."
            )
            with Editor(SETTINGS) as editor:
                Player(editor, played.append, completes=True).play(scenes)
            for event in best_first(played):
                report(event)
            if (summarize(tally)["share_saved"] or 0) < LITTLE:
                print_note(
                    "These commits have little that can be predicted: what is new in each of them. "
                    "`editahead demo` shows what is."
                )
    except (ClientError, NothingToReplayError) as error:
        return fail(str(error))
    except KeyboardInterrupt:
        return fail("stopped")
    if args.json:
        print_output(DemoOutput(events, summarize(tally)))
    else:
        view.summary(summarize(tally))
    return 0


def _speed(value: str) -> float:
    speed = float(value)
    if not 0 <= speed < float("inf"):
        raise ValueError
    return speed


def _recent_scenes(path: Path) -> list[Scene]:
    from editahead_evals.data.git_records import recent_records
    from editahead_evals.errors import GitError

    try:
        scenes = commit_scenes(recent_records(path), MAX_COMMITS, MAX_TYPED)
    except GitError as error:
        raise NothingToReplayError(str(error)) from error
    if not scenes:
        raise NothingToReplayError(
            f"{path}: no recent commit makes small changes to files of a known language; choose another repository"
        )
    return scenes
