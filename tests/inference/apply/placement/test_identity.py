"""What names the item that a line opens."""

from __future__ import annotations

import pytest

from editahead_inference.apply.placement.line_names import identity


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("fun <T> List<T>.second(): T = this[1]", "named List<T>.second"),
        ("inline fun <reified T : Any> Gson.read(json: String): T {", "named Gson.read"),
        ("internal fun Any.wait() {", "named Any.wait"),
        ("impl<T> Oven<T> {", "impl Oven<T>"),
        ("impl <T> Oven<T> {", "impl Oven<T>"),
        ("func (o *Oven) Heat() {", "named Oven Heat"),
        ("def heat(oven):", "named heat"),
        ("rgtest!(first, |dir: Dir| {", "call rgtest!(first"),
        ("FROM node AS build", "stage build"),
        ("if (heat) {", None),
        ("return heat", None),
        ("// def heat(oven):", None),
    ],
)
def test_the_identity_of_a_line(line: str, name: str | None) -> None:
    assert identity(line) == name
