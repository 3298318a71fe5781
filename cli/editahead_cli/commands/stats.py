"""`editahead stats`: show what became of the predictions in the user's editor."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.console import fail, print_output, print_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from editahead_cli.json_output import OutcomeFigures, StatsOutput

_MAX_DAYS = 14
"""Most days with outcomes in the plot. The last ones are shown."""
_BAR_WIDTH = 40
_HEADINGS = ("shown", "seen", "accepted", "share", "rejected", "30 s", "5 min", "p50", "p95")
_MAX_WEIGHTS = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--compare",
        action="store_true",
        help="compare the days with the settings of `compare` and those without",
    )
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print JSON")
    output.add_argument(
        "--html",
        type=Path,
        metavar="FILE",
        help="write a page: what Editahead made of what you type, by language and week",
    )


def run(args: argparse.Namespace) -> int:
    import sqlite3

    from editahead_cli.outcome_statistics import summarize_outcomes
    from editahead_workspace import user_dirs
    from editahead_workspace.errors import OutcomeLogError
    from editahead_workspace.outcome_log import FILE_NAME, read_outcomes, read_typing

    if args.compare and args.html is not None:
        return fail("--compare has no page. Leave out --html.")
    file = user_dirs.state_folder() / FILE_NAME
    try:
        outcomes, counted = read_outcomes(file), read_typing(file)
    except (OSError, sqlite3.Error, OutcomeLogError) as error:
        return fail(f"{file} cannot be read: {error}")
    if args.compare:
        from editahead_cli.commands.stats_compare import print_comparison

        return print_comparison(file, outcomes, counted, as_json=args.json)
    found = summarize_outcomes(file, outcomes, counted=counted)
    if args.json:
        print_output(found)
    elif args.html is not None:
        return _write_page(args.html, found)
    elif not outcomes:
        print_text("The log has no outcomes yet. Accept or reject some predictions in your editor first.")
        print_text(f'(The log is {file}. The setting telemetry = "off" keeps it empty.)')
    else:
        _print_report(found)
    return 0


def _write_page(path: Path, found: StatsOutput) -> int:
    from editahead_cli.stats_page import as_html

    try:
        path.write_text(as_html(found), "utf-8", errors="replace")
    except OSError as error:
        return fail(f"{path} was not written: {error.strerror or error}.")
    print_text(f"written: {path}")
    return 0


def _print_report(found: StatsOutput) -> None:
    from editahead_cli.rich_console import SafeConsole

    console = SafeConsole()
    for sentence, part in (
        (
            "What became of the predictions in your editors, in all, by language and by what it was:",
            _table(found),
        ),
        ("Each of the last days, and how much of what you saw you accepted:", _plot(found)),
    ):
        console.print(sentence)
        console.print(part)
        console.print()
    console.print(
        "shown: sent to the editor; seen: first in the list for a second, or acted on; accepted: of those seen, including "
        "those typed as predicted, and their share; 30 s, 5 min: the share of accepted edits that you kept for that time, "
        "where the document stayed open; p50, p95: milliseconds to the answer.",
        style="dim",
    )
    learning = found.learning
    if learning.weights:
        strongest = sorted(learning.weights.items(), key=lambda pair: -abs(pair[1]))[:_MAX_WEIGHTS]
        weights = ", ".join(f"{name} {weight:+.2f}" for name, weight in strongest)
        console.print(
            f"Learned from {learning.outcomes} of them (trust {learning.trust:.2f}): {weights} log-odds.",
            style="dim",
        )
    console.print(found.file, style="dim", soft_wrap=True)


def _table(found: StatsOutput) -> RenderableType:
    from rich.table import Table

    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("", no_wrap=True)
    for heading in _HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_row("all", *_row(found.total), style="bold")
    for heading, groups in (("language", found.languages), ("what it was", found.predictors)):
        table.add_section()
        table.add_row(heading, style="dim")
        for name, figures in sorted(groups.items(), key=lambda pair: -pair[1].shown):
            table.add_row(f"  {name}", *_row(figures))
    return table


def _row(figures: OutcomeFigures) -> list[str]:
    counts = [f"{count}" for count in (figures.shown, figures.seen, figures.accepted)]
    shares = [_percent(figures.accepted, figures.seen), f"{figures.rejected}"]
    kept = [_percent(lasting.kept, lasting.known) for lasting in (figures.kept30, figures.kept300)]
    latency = [f"{figures.latency.p50:.0f}", f"{figures.latency.p95:.0f}"]
    return [*counts, *shares, *kept, *latency]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}%" if whole else "-"


def _plot(found: StatsOutput) -> RenderableType:
    """Return a bar for each day: its length counts what was seen, its filled part what was accepted."""
    from rich.table import Table
    from rich.text import Text

    days = list(found.days.items())[-_MAX_DAYS:]
    longest = max([figures.seen for _, figures in days] + [1])
    table = Table(box=None, pad_edge=False, show_header=False)
    for day, figures in days:
        accepted, seen = (round(_BAR_WIDTH * count / longest) for count in (figures.accepted, figures.seen))
        bar = Text("█" * accepted, "green") + Text("░" * max(seen - accepted, 0), "dim")
        table.add_row(day, bar, f"{figures.accepted} accepted of {figures.seen} seen")
    return table
