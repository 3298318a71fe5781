"""What an experiment is, and the settings that several have."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from rich.console import Console

    from editahead_evals.report.output import Output


@dataclass(frozen=True)
class Context:
    """What an experiment writes to while it runs.

    Attributes:
        errors: The console of stderr, for bars of progress.
        progress: Prints a line of the log of a long training; nothing with `--json`.
    """

    errors: Console
    progress: Callable[[str], None]

    def note(self, message: str) -> None:
        """Print a sentence about a file beside the figures."""
        self.errors.print(message, highlight=False, soft_wrap=True)


@dataclass(frozen=True, kw_only=True)
class Experiment(ABC):
    """The base of the experiments. The fields are the settings; the docstring's first line says what it does.

    Attributes:
        requires: The packages that it imports and that only the extra `train` installs.
        expected: Errors with a message for people, besides those of the laboratory and the evaluation.
    """

    requires: ClassVar[tuple[str, ...]] = ()
    expected: ClassVar[tuple[type[Exception], ...]] = (OSError,)

    def problem(self) -> str | None:
        """Return what is wrong with the settings together, if anything."""
        return None

    @abstractmethod
    def run(self, context: Context) -> Output[Any]:
        """Run it and return the figures."""


def setting(default: Any, about: str, *, minimum: int | None = None) -> Any:
    """Return a field that is a setting with a default.

    Args:
        default: The default.
        about: What the setting does, for the help and the reference.
        minimum: The smallest number that it may be.
    """
    return field(default=default, metadata={"about": about, "minimum": minimum})


def required(about: str) -> Any:
    """Return a field that is a setting without a default."""
    return field(default=MISSING, metadata={"about": about})


def jobs_setting() -> Any:
    """Return the field for the number of processes."""
    metadata = {"about": "processes in parallel", "minimum": 1, "default": "one per core"}
    return field(default_factory=lambda: os.cpu_count() or 1, metadata=metadata)
