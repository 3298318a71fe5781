"""Prices in cents."""

TAX_PERCENT = 7


def night_price(guest: str) -> int:
    if guest == "":
        raise ValueError("no guest is named")
    return 9000 if guest.startswith("member:") else 12000


def with_tax(cents: int) -> int:
    return cents + cents * TAX_PERCENT // 100


def breakfast_price(nights: int) -> int:
    return with_tax(1200 * nights)
