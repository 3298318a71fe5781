"""`editahead stats --compare`: two arms on the person's days, side by side."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.console import print_output, print_text

if TYPE_CHECKING:
    from rich.table import Table

    from editahead_cli.arms_output import ArmMeasure, ArmsOutput
    from editahead_workspace.outcome_log import Outcome, TypedCharacters

_SHARE, _COUNT = "{:.1%}", "{:.2f}"
_MEASURES = {
    "made": ("made for you, of all characters", _SHARE),
    "accepted": ("accepted, of those seen", _SHARE),
    "kept": ("kept for 5 minutes, by size", _SHARE),
    "unwanted": ("not wanted, for 1,000 typed characters", _COUNT),
}
_ARM_HEADINGS = ("a", "b", "by chance")
_CLEAR = 0.05


def print_comparison(
    file: Path, outcomes: list[Outcome], counted: list[TypedCharacters], *, as_json: bool
) -> int:
    """Print the comparison of the newest outcomes, and return the exit code."""
    from editahead_cli.arm_comparison import compare_arms
    from editahead_workspace import user_dirs
    from editahead_workspace.day_arms import Comparison
    from editahead_workspace.settings import load_settings

    present = Comparison.from_settings(load_settings(os.environ, None, [], user_dirs.config_folder()))
    found = compare_arms(file, outcomes, counted, present)
    if found is None:
        print_text("The log has no outcomes of a comparison yet.")
        print_text(
            "Set `compare` in your settings, such as compare = { eagerness = 0.8 }, and edit for some days."
        )
        return 1
    if as_json:
        print_output(found)
        return 0
    from editahead_cli.rich_console import SafeConsole

    console = SafeConsole()
    console.print(f"{found.first} to {found.last}, {_describe_arms(found)}:")
    console.print(_table(found))
    for note in _notes(found):
        console.print(note, style="dim")
    return 0


def _describe_arms(found: ArmsOutput) -> str:
    if found.settings is None:
        return "by settings that you have changed since, a and b"
    a, b = (", ".join(f"{name} = {pair[arm]!r}" for name, pair in found.settings.items()) for arm in range(2))
    return f"a: {a}; b: {b}"


def _table(found: ArmsOutput) -> Table:
    from rich.table import Table

    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("", no_wrap=True)
    for heading in _ARM_HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True, min_width=len(heading))
    table.add_row("days", *(f"{count}" for count in found.days.values()))
    table.add_row("shown", *(f"{one.shown}" for one in found.outcomes.values()))
    for name, (words, form) in _MEASURES.items():
        table.add_row(words, *_cells(found.measures[name], form))
    table.add_row(
        "milliseconds to the answer, p50", *(f"{one.latency.p50:.1f}" for one in found.outcomes.values())
    )
    return table


def _cells(measure: ArmMeasure, form: str) -> list[str]:
    values = ["-" if one is None else form.format(one) for one in (measure.a, measure.b)]
    return [*values, "-" if measure.chance is None else f"{measure.chance:.0%}"]


def _notes(found: ArmsOutput) -> Iterator[str]:
    yield (
        "by chance: the share of other draws of the days that part the arms at least so far. "
        f"Above {_CLEAR:.0%}, the difference may be none."
    )
    if found.blocks_missing:
        yield f"No difference can be told from chance yet: that takes at least {found.blocks_missing} more pairs of days."
