"""What the long trainings have in common."""

from __future__ import annotations

import os
from dataclasses import dataclass

from .experiment import Experiment, setting


@dataclass(frozen=True, kw_only=True)
class LongTraining(Experiment):
    """A training of minutes or hours with torch."""

    threads: int = setting(1, "threads of torch", minimum=1)
    nice: int = setting(10, "lower the priority by this number, so that other work goes first", minimum=0)

    def prepare(self) -> None:
        """Let other processes go first, where the system knows priorities, and limit the threads."""
        if hasattr(os, "nice"):
            os.nice(self.nice)
        import torch

        torch.set_num_threads(self.threads)
