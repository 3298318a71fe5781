"""What a person sees of rendered states: one table, and the prompts that differ most."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from .comparison import Comparison
from .costs import Costs
from .rendered_prompts import BLOCKS

NOTE = (
    "Sessions of typing made from commits, a request for every two characters; a cache that forgets nothing."
)
_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def print_report(
    columns: Sequence[tuple[str, Costs]], console: Console, compared: Comparison | None = None
) -> None:
    """Print the costs of each way to render, side by side."""
    table = Table("", *(name for name, _ in columns), box=None, pad_edge=False)
    for cells in zip(*(_cells(costs) for _, costs in columns), strict=True):
        table.add_row(cells[0][0], *(text for _, text in cells))
    console.print(table)
    console.print(Text(NOTE, "dim"))
    if compared is None:
        return
    console.print(f"{compared.equal} of {compared.requests} prompts are equal")
    for pair in compared.largest:
        console.print()
        console.print(
            f"request {pair.number}, {pair.session}: {pair.changed} lines differ",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
        for line in pair.diff:
            console.print(Text(line, _STYLES.get(line[:1], "")), soft_wrap=True)


def _cells(costs: Costs) -> list[tuple[str, str]]:
    cells = [
        ("prompts", f"{costs.prompts}"),
        ("tokens, mean", f"{costs.tokens:.0f}"),
        ("tokens, most", f"{costs.largest}"),
        ("without a prompt in the budget", f"{costs.refused}"),
        ("shared with the prompt before", f"{costs.shared:.0%}"),
    ]
    for block in BLOCKS:
        mean, high = costs.prefill[block]
        cells.append((f"to compute, blocks of {block}: mean, p95", f"{mean:.0f}, {high}"))
    blame = [
        f"{part} {tokens / max(times, 1):.0f} ({times} times)"
        for part, (times, tokens) in costs.blame.items()
    ]
    left = [f"{group} {tokens:.0f} (in {count})" for group, (count, tokens) in costs.left_out.items()]
    cells.append(("first to differ, tokens from there", "\n".join(blame[:4]) or "-"))
    cells.append(("left out, tokens", "\n".join(left) or "-"))
    return cells
