"""Stays of guests in a house."""

from datetime import date

from house.prices import night_price, with_tax


class Stay:
    def __init__(self, guest: str, begins: date, ends: date) -> None:
        self.guest = guest
        self.begins = begins
        self.ends = ends

    def nights(self) -> int:
        return (self.ends - self.begins).days

    def covers(self, day: date) -> bool:
        return self.begins <= day < self.ends

    def price(self) -> int:
        if self.nights() == 0:
            raise ValueError("no night is booked")
        total = 0
        for _ in range(self.nights()):
            total += night_price(self.guest)
        return with_tax(total)
