"""The models of the catalogue that were really run, when, and with which score.

`make live-models` writes them into `model_runs.json`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

RUNS = Path(__file__).with_name("model_runs.json")
NEVER_RUN = "never run"


@dataclass(frozen=True, slots=True)
class ModelRun:
    """One run of a model against a real server.

    Attributes:
        date: The day, as YYYY-MM-DD.
        right: The questions whose answer was exactly right.
        asked: All questions.
        question: What was asked: a clause.
        server: The server, as it describes itself.
        weights: The server's name for the model.
    """

    date: str
    right: int
    asked: int
    question: str
    server: str
    weights: str

    @property
    def score(self) -> float:
        """The share of right answers."""
        return self.right / self.asked

    def describe(self) -> str:
        """Return a sentence for people."""
        return f"{self.date}: {self.right} of {self.asked} {self.question} ({self.weights} on {self.server})"


@cache
def read_runs(file: Path = RUNS) -> Mapping[str, ModelRun]:
    """Return the last run of each model that was run, by its name in the catalogue."""
    return {name: ModelRun(**run) for name, run in json.loads(file.read_text("utf-8")).items()}


def describe_run(name: str) -> str:
    """Return when a model of the catalogue was run, and its score; else that it was never run."""
    run = read_runs().get(name)
    return NEVER_RUN if run is None else f"{run.date}: {run.right} of {run.asked}"


def write_run(name: str, run: ModelRun, file: Path = RUNS) -> None:
    """Write the run of a model in the place of its last one."""
    runs = {known: asdict(other) for known, other in read_runs(file).items()} | {name: asdict(run)}
    file.write_text(json.dumps(dict(sorted(runs.items())), indent=2) + "\n", "utf-8")
    read_runs.cache_clear()
