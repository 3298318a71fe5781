"""Benchmarks print figures and never fail for being slow; `pytest tests/benchmarks -m benchmark -s` runs them."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "benchmark" in config.option.markexpr:
        return
    left_out = [item for item in items if item.get_closest_marker("benchmark")]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)
