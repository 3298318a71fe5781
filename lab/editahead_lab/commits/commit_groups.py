"""What the reports of whole commits have in common: groups with figures as JSON, and the lines below their tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.console import Console

from editahead_evals.metrics.bootstrap import Interval
from editahead_evals.report.report import Provenance, busy_warning

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def groups_as_json(rows: Iterable[tuple[str, DataclassInstance, dict[str, Interval]]]) -> dict[str, Any]:
    """Return counts and figures by the name of their group."""
    return {
        name: {
            "counts": asdict(counts),
            "figures": {key: asdict(value) for key, value in values.items()},
        }
        for name, counts, values in rows
    }


def print_latency(console: Console, what: str, latency: dict[str, float | None], ms: Sequence[float]) -> None:
    """Print percentiles, and a warning where the machine was too busy for them.

    Args:
        console: Where to print.
        what: What took that long.
        latency: The percentiles in milliseconds, by name.
        ms: All times in milliseconds.
    """
    times = ", ".join(f"{p} {'-' if value is None else f'{value:.1f} ms'}" for p, value in latency.items())
    console.print(f"{what}: {times}")
    if warning := busy_warning(ms):
        console.print(warning, style="bold red")


def print_provenance(console: Console, note: str, where: Provenance, commits: int) -> None:
    """Print what was measured, and on what."""
    console.print()
    console.print(note)
    console.print(
        f"commit {where.commit}; {where.machine}; {where.data}; seed {where.seed}; {commits} commits; "
        "value and 95% interval, by bootstrap over commits"
    )
