"""What the guest house knows about."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date


@dataclass(frozen=True)
class Room:
    name: str
    beds: int
    cents_per_night: int


@dataclass(frozen=True)
class Guest:
    name: str
    email: str


@dataclass
class Stay:
    """One guest in one room, from the day of arrival to the day of departure."""

    guest: Guest
    room: Room
    begins: date
    ends: date
    extras: list[Extra] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.ends <= self.begins:
            raise ValueError("a stay has at least one night")

    @property
    def nights(self) -> int:
        return (self.ends - self.begins).days

    def covers(self, day: date) -> bool:
        return self.begins <= day < self.ends

    def overlaps(self, other: Stay) -> bool:
        if self.room != other.room:
            return False
        return self.begins < other.ends and other.begins < self.ends


@dataclass(frozen=True)
class Extra:
    """Something on the bill beside the nights."""

    what: str
    cents: int
