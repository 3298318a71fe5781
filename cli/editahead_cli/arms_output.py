"""What `editahead stats --compare --json` prints."""

from __future__ import annotations

from typing import Any

import attrs

from .json_output import OutcomeFigures


@attrs.frozen
class ArmMeasure:
    """A measure of two arms. `chance` is the share of draws of the arms with a difference at least so large.

    None: no day of the arm has what the measure counts.
    """

    a: float | None
    b: float | None
    chance: float | None


@attrs.frozen
class ArmsOutput:
    """The arms of a comparison: settings as they are (`a`), and with those of `compare` over them (`b`).

    `settings` has the values of both, None where the comparison is not that of the present settings. `first` and `last` are
    days in UTC. `measures` has "made", the share of the characters that accepted edits inserted; "accepted", of the edits
    that were seen; "kept", the share of accepted edits, by size, that was left after 300 seconds; and "unwanted", the edits
    that were seen and rejected or ignored, for 1,000 typed characters. `blocks_missing` is how many more pairs of days it
    takes before any difference can be told from chance.
    """

    file: str
    settings: dict[str, list[Any]] | None
    first: str
    last: str
    days: dict[str, int]
    outcomes: dict[str, OutcomeFigures]
    measures: dict[str, ArmMeasure]
    blocks_missing: int
