"""The exceptions of the training. Every message is for the person who runs the command.

* TrainingError
  - CheckpointError
  - DatasetError
  - DeltaError
  - ShardError
"""

from __future__ import annotations


class TrainingError(Exception):
    """The base of the errors of this package; by itself, a run that cannot start or go on."""


class CheckpointError(TrainingError):
    """A file that is not a checkpoint, or a damaged one."""


class DatasetError(TrainingError):
    """A file without examples, or with examples of another vocabulary."""


class DeltaError(TrainingError):
    """Checkpoints and deltas that do not belong together, or are damaged."""


class ShardError(TrainingError):
    """A file that is not a shard, or a damaged one."""
