"""What the editors' tests open, and what the planned server is told to predict there."""

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
"""Small enough to be walked to the end: a field that is used in two methods."""

VISIBLE = "require('editahead').is_visible()"
"""Lua: whether the plugin shows something."""
HIDDEN = f"not {VISIBLE}"
