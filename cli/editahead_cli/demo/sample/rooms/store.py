"""Where stays are kept while the program runs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from .models import Guest, Room, Stay


class RoomTaken(Exception):
    """Somebody else sleeps there on one of the days."""


class Store:
    def __init__(self, rooms: list[Room]) -> None:
        self.rooms = rooms
        self._stays: list[Stay] = []

    def __iter__(self) -> Iterator[Stay]:
        return iter(self._stays)

    def add(self, stay: Stay) -> None:
        for other in self._stays:
            if stay.overlaps(other):
                raise RoomTaken(f"{stay.room.name} is taken until {other.ends}")
        self._stays.append(stay)

    def free(self, day: date, beds: int = 1) -> list[Room]:
        taken = {stay.room for stay in self._stays if stay.covers(day)}
        return [room for room in self.rooms if room not in taken and room.beds >= beds]

    def of(self, guest: Guest) -> list[Stay]:
        return [stay for stay in self._stays if stay.guest == guest]

    def leaving(self, day: date) -> list[Stay]:
        return [stay for stay in self._stays if stay.ends == day]
