"""Sample files of the editors' tests, and the plans of the planned server for them."""

from __future__ import annotations

NAMES = """\
def greet(guest, bell):
    bell.ring(guest)


def leave(guest):
    return guest.bill
"""
RENAME = {"replace": {"guest": "visitor"}}
HALF = "def half(n):\n    return n / 2"

STAY = """\
class Stay:
    def __init__(self, begins, until):
        self.begins = begins
        self.ends = until

    def nights(self):
        return (self.ends - self.begins).days

    def covers(self, day):
        return self.begins <= day < self.ends
"""
"""A file small enough to accept every prediction of: a field used in two methods."""

PRICE = """\
def total(price):
    start()
    price += 1
    step(1)
    log(price)
    step(2)
    check(price, 1)
    step(3)
    if price > 3:
        return None
    for n in range(price):
        show(n)
    if not price:
        return 0
    rate = tax(price)
    step(7)
    keep(rate, price)
    step(8)
    store[price] = rate
    step(9)
    return 2 + price
"""
"""A parameter with ten uses, between lines that do not use it. Uses in neighbouring lines would be one edit."""

VISIBLE = "require('editahead').is_visible()"
"""Lua expression: whether the plugin shows a prediction."""
HIDDEN = f"not {VISIBLE}"

PRICES = "def net_total(lines):\n    return sum(lines)\n\n\nclass Price:\n    pass\n"
ORDERS = "from prices import net_total\n\n\ndef show(order):\n    return net_total(order.lines)\n"
"""Two files: the second one imports from the first one."""
