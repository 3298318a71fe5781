"""What a measurement puts out: JSON, tables for a terminal, and a web page where it has one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Output:
    """The result of a measurement, in each form that it has.

    Attributes:
        as_json: Returns the figures for `--json`.
        render: Prints the figures as tables.
        as_html: Returns the report as a web page; None where there is none.
    """

    as_json: Callable[[], Mapping[str, Any]]
    render: Callable[[Console], None]
    as_html: Callable[[], str] | None = None


def text_output(figures: Mapping[str, Any], lines: Sequence[str]) -> Output:
    """Return an output that prints these lines, or the figures as JSON."""

    def render(console: Console) -> None:
        for line in lines:
            console.print(line, highlight=False, soft_wrap=True)

    return Output(lambda: figures, render)
