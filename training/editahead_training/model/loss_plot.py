"""A run's log as a picture: what is lost by task, in training and on held-out examples, and the learning rate.

Needs the extra `train`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from editahead_training.data.example import TASKS


def read(log: Path) -> list[dict[str, Any]]:
    """Return the lines of a `log.jsonl`; an incomplete last line is left out."""
    lines = []
    for text in log.read_text("utf-8").splitlines():
        try:
            lines.append(json.loads(text))
        except ValueError:
            continue
    return lines


def draw(lines: Sequence[dict[str, Any]], out: Path) -> None:
    """Write a PNG of the losses over millions of tokens."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 7), layout="constrained")
    losses, rates = figure.subplots(2, 1, sharex=True, height_ratios=(4, 1))
    for number, task in enumerate((*TASKS, "all")):
        colour = "black" if task == "all" else f"C{number}"
        for kind, style in (
            ("loss", {"linewidth": 0.7, "alpha": 0.5}),
            ("held", {"marker": "o", "markersize": 3}),
        ):
            points = [
                (line["tokens"] / 1e6, line[kind][task]) for line in lines if task in line.get(kind, ())
            ]
            label = task if kind == "held" else None
            losses.plot(*zip(*points, strict=True), color=colour, label=label, **style) if points else None
    losses.set_ylabel("loss, nats a token")
    losses.set_title("by task: held out (marked) and in training (faint)", fontsize=10)
    losses.grid(alpha=0.3)
    if losses.get_legend_handles_labels()[0]:
        losses.legend()
    points = [(line["tokens"] / 1e6, line["rate"]) for line in lines if "rate" in line]
    if points:
        rates.plot(*zip(*points, strict=True), color="black")
    rates.set_ylabel("learning rate")
    rates.set_xlabel("million tokens")
    figure.savefig(out, dpi=110)
