"""Two arms compared on one person's days: the settings as they are (a), and with those of `compare` over them (b).

Days are those of UTC, two by two. A hash says which day of a pair has which arm, so that neither the person nor the week
chooses, each arm gets as many days, and servers that run at the same time agree without talking to each other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import blake2b
from typing import Any, Literal, get_args

from editahead_workspace.settings import ResolvedSettings, Settings

Arm = Literal["a", "b"]
ARMS: tuple[Arm, ...] = get_args(Arm)
BLOCK_DAYS = 2
"""Days of a block. Each arm has one of them."""
_NAME_BYTES = 4


def utc_date(at: float) -> date:
    """Return the day of a Unix time."""
    return datetime.fromtimestamp(at, UTC).date()


def block_of(day: date) -> int:
    """Return the number of the block of a day."""
    return day.toordinal() // BLOCK_DAYS


def arm_of(name: str, day: date) -> Arm:
    """Return the arm of a day in a comparison."""
    is_turned = blake2b(f"{name}/{block_of(day)}".encode(), digest_size=1).digest()[0] & 1
    return ARMS[(day.toordinal() + is_turned) % BLOCK_DAYS]


@dataclass(frozen=True)
class Comparison:
    """A comparison of two arms.

    Attributes:
        name: A hash of what the arms have otherwise: other settings begin another comparison.
        values: The values of both arms, by setting.
    """

    name: str
    values: Mapping[str, tuple[Any, Any]]
    _arms: tuple[Settings, Settings]

    @classmethod
    def from_settings(cls, resolved: ResolvedSettings) -> Comparison | None:
        """Return the comparison of the settings; None where there is none, or where nothing differs."""
        first, second = resolved.settings, resolved.second_arm
        if second is None:
            return None
        pairs = {name: (getattr(first, name), getattr(second, name)) for name in sorted(first.compare)}
        values = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
        if not values:
            return None
        hashed = json.dumps(values).encode("utf-8", "surrogatepass")
        return cls(blake2b(hashed, digest_size=_NAME_BYTES).hexdigest(), values, (first, second))

    def settings_of(self, arm: Arm) -> Settings:
        """Return the settings of an arm."""
        return self._arms[ARMS.index(arm)]


class DayArm:
    """The arm of today.

    Attributes:
        label: The name of the comparison and the arm, as the log has them: `1f0c99ab/b`. Empty without a comparison.
    """

    def __init__(self) -> None:
        self.label = ""
        self._day: date | None = None

    def choose(self, resolved: ResolvedSettings, at: float) -> Settings:
        """Return the settings of the arm of the day of a Unix time."""
        comparison = Comparison.from_settings(resolved)
        if comparison is None:
            self.label, self._day = "", None
            return resolved.settings
        self._day = utc_date(at)
        arm = arm_of(comparison.name, self._day)
        self.label = f"{comparison.name}/{arm}"
        return comparison.settings_of(arm)

    def is_over(self, at: float) -> bool:
        """Return whether the day has ended whose arm was chosen."""
        return self._day is not None and utc_date(at) != self._day
