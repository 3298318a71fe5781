"""Code, strings, comments and prose."""

from __future__ import annotations

import pytest

from editahead_inference.predictors.completion.region import Region, region_at


@pytest.mark.parametrize(
    ("language", "before", "region"),
    [
        ("python", "x = f(", "code"),
        ("python", "x = 'it", "string"),
        ("python", "x = 'it' + ", "code"),
        ("python", r"x = 'it\'s ", "string"),
        ("python", "x = 1  # as", "comment"),
        ("python", "x = '#' + ", "code"),
        ("python", "x = 4 // 2", "code"),
        ("typescript", "x = 4 // 2", "comment"),
        ("typescript", "/* as", "comment"),
        ("typescript", "   * as", "comment"),
        ("typescript", "*pointer", "code"),
        ("typescript", "x = `a", "string"),
        ("rust", "fn f<'a>(x: &'a ", "code"),
        ("lua", "x = 1 -- as", "comment"),
        ("markdown", "x = f(", "prose"),
        ("go", "", "code"),
    ],
)
def test_region(language: str, before: str, region: Region) -> None:
    assert region_at(language, before) == region
