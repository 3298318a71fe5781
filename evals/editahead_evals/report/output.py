"""What a measurement puts out: a report that is its own JSON, tables for a terminal, and a web page where it has one."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from editahead_evals.metrics.bootstrap import Bootstrap, Interval
from editahead_evals.metrics.confidence_curve import ConfidenceCurve

if TYPE_CHECKING:
    from rich.console import Console

Report = TypeVar("Report")

LATE_MS = 2000
"""Milliseconds after which the server gives up a prediction, and a busy machine makes it silent."""


class JsonObject:
    """A dataclass whose names are in camelCase in JSON. Those of other dataclasses stay as they are."""

    __slots__ = ()


def json_fields(kind: type[Any]) -> Iterator[tuple[str, str]]:
    """Yield the name of each field of a dataclass, and its name in JSON.

    The metadata `json` of a field is another name, or False where the field is not part of the JSON.
    """
    for one in fields(kind):
        name = one.metadata.get("json", camel_case(one.name) if issubclass(kind, JsonObject) else one.name)
        if name:
            yield one.name, name


def to_json(value: Any) -> Any:
    """Return a value made of dataclasses as JSON."""
    if is_dataclass(value):
        return {name: to_json(getattr(value, field)) for field, name in json_fields(type(value))}
    if isinstance(value, Mapping):
        return {str(key): to_json(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(each) for each in value]
    return value


def camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


@dataclass(frozen=True)
class Output(Generic[Report]):
    """The result of a measurement, in each form that it has.

    Attributes:
        report: The figures, which `to_json` makes the output of `--json`.
        print_tables: Prints them as tables.
        as_html: Returns them as a web page; None where there is none.
    """

    report: Report
    print_tables: Callable[[Report, Console], None]
    as_html: Callable[[Report], str] | None = None


def text_output(figures: Mapping[str, Any], lines: Sequence[str]) -> Output[Mapping[str, Any]]:
    """Return an output that prints these lines, or the figures as JSON."""

    def print_lines(figures: Mapping[str, Any], console: Console) -> None:
        for line in lines:
            console.print(line, highlight=False, soft_wrap=True)

    return Output(figures, print_lines)


@dataclass(frozen=True, slots=True)
class Provenance:
    """What every figure must name. commit: of the code that was measured; "unknown" outside of a checkout."""

    commit: str
    data: str
    seed: int

    def head(self, measure: str, note: str) -> dict[str, Any]:
        """Return the fields of `Measured`."""
        machine = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
        where = {"commit": self.commit, "machine": machine, "data": self.data, "seed": self.seed}
        return {"measure": measure, "note": note, **where}


@dataclass(frozen=True, kw_only=True)
class Measured(JsonObject):
    """What was measured, of what and where.

    Attributes:
        note: What the figures cannot say.
    """

    measure: str
    note: str
    commit: str
    machine: str
    data: str
    seed: int

    def where(self, items: str) -> str:
        """Return what was measured in one line; `items` says how many there were."""
        return f"commit {self.commit}; {self.machine}; {self.data}; seed {self.seed}; {items}"

    def print_where(self, console: Console, items: str, drawn: str) -> None:
        """Print the note, and what was measured; `drawn` are the items that the bootstrap draws."""
        console.print()
        console.print(self.note)
        console.print(f"{self.where(items)}; value and 95% interval, by bootstrap over {drawn}")


@dataclass(frozen=True, slots=True)
class Calibration(Interval, JsonObject):
    """A calibration error; `by_chance` is what it would be if every confidence were true."""

    by_chance: float | None = None

    @classmethod
    def of(cls, curve: ConfidenceCurve, bootstrap: Bootstrap, seed: int) -> Calibration:
        error = bootstrap.interval(curve.calibration_error)
        return cls(error.value, error.low, error.high, curve.chance_error(seed))


def print_latency(
    console: Console, what: str, latency: Mapping[str, float | None], ms: Iterable[float]
) -> None:
    """Print percentiles, and a warning where the machine was too busy for them.

    Args:
        console: Where to print.
        what: What took that long.
        latency: The percentiles in milliseconds, by name.
        ms: All times in milliseconds.
    """
    console.print(f"{what}: {latency_text(latency)}")
    if warning := busy_warning(ms):
        console.print(warning, style="bold red")


def latency_text(latency: Mapping[str, float | None]) -> str:
    return ", ".join(f"{name} {'-' if ms is None else f'{ms:.1f} ms'}" for name, ms in latency.items())


def busy_warning(ms: Iterable[float]) -> str | None:
    """Return a warning if the machine was too busy for some of the answers, given by their latencies."""
    late = sum(each >= LATE_MS for each in ms)
    if not late:
        return None
    return f"{late} answers took {LATE_MS / 1000:.0f} s or longer: these figures are not what the code can do"
