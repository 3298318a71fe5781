"""What a person sees of rendered states: one table, and the prompts that differ most."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from editahead_evals.report.output import JsonObject

from .comparison import OtherPrompts
from .costs import Costs

NOTE = (
    "Sessions of typing made from commits, a request for every two characters; a cache that forgets nothing."
)
_STYLES = {"+": "green", "-": "red", "@": "cyan"}


@dataclass(frozen=True)
class PromptReport(JsonObject):
    """The output of `eval prompts`. budget: None for the format's own."""

    measure: str
    note: str
    commit: str
    data: str
    format: str
    budget: int | None
    costs: Costs
    other: OtherPrompts | None


def print_tables(report: PromptReport, console: Console) -> None:
    """Print the costs of each way to render, side by side."""
    other = report.other
    columns = {report.format: report.costs} | ({other.name: other.costs} if other else {})
    table = Table("", *columns, box=None, pad_edge=False)
    for cells in zip(*map(_cells, columns.values()), strict=True):
        table.add_row(cells[0][0], *(text for _, text in cells))
    console.print(table)
    console.print(Text(NOTE, "dim"))
    if other is None:
        return
    console.print(f"{other.equal} of {other.requests} prompts are equal")
    for pair in other.largest:
        console.print()
        console.print(
            f"request {pair.request}, {pair.session}: {pair.changed_lines} lines differ",
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
    for block, prefill in costs.prefill.items():
        cells.append((f"to compute, blocks of {block}: mean, p95", f"{prefill.mean:.0f}, {prefill.p95}"))
    differs = [
        f"{part} {one.tokens / max(one.times, 1):.0f} ({one.times} times)"
        for part, one in costs.differs.items()
    ]
    left = [f"{group} {one.tokens:.0f} (in {one.prompts})" for group, one in costs.left_out.items()]
    cells.append(("first to differ, tokens from there", "\n".join(differs[:4]) or "-"))
    cells.append(("left out, tokens", "\n".join(left) or "-"))
    return cells
