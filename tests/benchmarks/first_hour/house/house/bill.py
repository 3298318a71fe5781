"""Bills of stays."""

from house.prices import breakfast_price, with_tax
from house.stay import Stay


def total(stay: Stay, *, breakfast: bool = False) -> int:
    cents = stay.price()
    if breakfast:
        cents += breakfast_price(stay.nights())
    return cents


def show(stay: Stay) -> str:
    return f"{stay.guest}: {total(stay)} cents for {stay.nights()} nights"


def show_fee(cents: int) -> str:
    return f"fee: {with_tax(cents)} cents"
