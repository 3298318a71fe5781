"""The exceptions of the laboratory. Every message is for the person who runs the command.

* LabError
  - PlanError
  - StatesError
  - TooFewPromptsError
  - WorkerError
  - TrainingError
    · BaseModelError
    · CheckpointError
    · DatasetError
    · DeltaError
    · ShardError
"""

from __future__ import annotations


class LabError(Exception):
    """The base of the errors of this package."""


class PlanError(LabError):
    """A plan that cannot be read, or with a wrong setting."""


class StatesError(LabError):
    """A file of editor states that cannot be read or written."""


class TooFewPromptsError(LabError):
    """Too few prompts to compute costs from."""


class WorkerError(LabError):
    """A failure of another revision to render prompts."""


class TrainingError(LabError):
    """The base of the errors of trainings; by itself, a run that cannot start or go on."""


class BaseModelError(TrainingError):
    """A base that cannot be gotten, or is not what it should be."""


class CheckpointError(TrainingError):
    """A file that is not a checkpoint, or a damaged one."""


class DatasetError(TrainingError):
    """A file without examples, or with examples of another vocabulary."""


class DeltaError(TrainingError):
    """Checkpoints and deltas that do not belong together, or are damaged."""


class ShardError(TrainingError):
    """A file that is not a shard, or a damaged one."""
