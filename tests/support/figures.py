"""Helpers of the benchmarks: percentiles, tables, documents of a given size, and sizes that can be shortened."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

SHORT = "EDITAHEAD_BENCHMARK_SHORT" in os.environ
"""Whether the benchmarks run few rounds, and skip what takes long."""

ROUNDS = 10 if SHORT else 200


def timed(work: Callable[[], object]) -> float:
    """Return the duration of a call in milliseconds."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def p50_p99(values: Sequence[float]) -> tuple[str, str]:
    return f"{percentile(values, 0.5):.2f}", f"{percentile(values, 0.99):.2f}"


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Table(title=title, title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left")
    for row in rows:
        table.add_row(*row)
    console = Console(width=120)
    console.print()
    console.print(table)


_METHOD = '''\
    def method_{n}(self, user: User, count: int = {n}) -> int:
        """Says how many of the user's items are left, at most {n}."""
        if user is None or count < 0:
            raise ValueError("no user, or nothing to count")
        items = load_items(user, {n})
        for item in items:
            if item.owner == user.name_{k} and item.size > count:
                log.info("kept %s of %s", item, {n})
                count += item.size * {k}
        return count - self.offset_{k}

'''
_CLASS = '''\
class Service{n}:
    """Number {n} of many services, each with a few methods."""

    def __init__(self, offset: int) -> None:
        self.offset_{n} = offset

'''


def python_text(lines: int) -> str:
    """Return a program with a number of lines: classes whose methods look alike, as in real projects."""
    parts: list[str] = ["import logging\n", "\n", "log = logging.getLogger(__name__)\n", "\n", "\n"]
    count, number = 5, 0
    while count < lines:
        if number % 10 == 0:
            part = _CLASS.format(n=number)
            parts.append(part)
            count += part.count("\n")
        part = _METHOD.format(n=number, k=number // 10)
        parts.append(part)
        count += part.count("\n")
        number += 1
    return "".join("".join(parts).splitlines(keepends=True)[:lines])
