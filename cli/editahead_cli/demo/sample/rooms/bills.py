"""What a stay costs, as text for the printer."""

from __future__ import annotations

from .models import Stay

BREAKFAST_CENTS = 900
TOWEL_CENTS = 200
LATE_CENTS = 900

WIDTH = 40


def row(text: str, cents: int) -> str:
    """Return one line of a bill: what it is for on the left, how much on the right."""
    amount = f"{cents / 100:.2f}"
    return text.ljust(WIDTH - len(amount)) + amount


def heading(stay: Stay) -> list[str]:
    return [
        f"Bill for {stay.guest.name}",
        f"{stay.room.name}, {stay.nights} nights",
        "-" * WIDTH,
    ]


def bill(stay: Stay) -> str:
    lines = heading(stay)
    price = stay.nights * stay.room.cents_per_night
    lines.append(row("Room", price))
    for extra in stay.extras:
        lines.append(row(extra.what, extra.cents))
    total = price + sum(extra.cents for extra in stay.extras)
    lines.append("-" * WIDTH)
    lines.append(row("Total", total))
    return "\n".join(lines)


def reminder(stay: Stay, open_cents: int) -> str:
    lines = heading(stay)
    lines.append("These are still to be paid:")
    lines.append(row("Open", open_cents))
    return "\n".join(lines)
