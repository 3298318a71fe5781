"""No cycles of modules, imports for type checkers included."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import grimp
import pytest

from source_parts import PARTS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent


def in_cycles(imports: Mapping[str, set[str]]) -> set[str]:
    """Return the modules that import themselves by way of others."""
    return {module for module in imports if module in _reached(imports, module)}


def _reached(imports: Mapping[str, set[str]], start: str) -> set[str]:
    reached: set[str] = set()
    left = list(imports[start])
    while left:
        module = left.pop()
        if module not in reached:
            reached.add(module)
            left += imports[module]
    return reached


def test_no_modules_are_in_cycles() -> None:
    graph = grimp.build_graph(*[f"editahead_{part}" for part in PARTS], cache_dir=None)
    found = in_cycles({module: graph.find_modules_directly_imported_by(module) for module in graph.modules})
    assert not found


def test_a_cycle_is_found() -> None:
    imports = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"e"}, "e": set(), "f": {"a"}}
    assert in_cycles(imports) == {"a", "b", "c"}


def test_no_package_imports_what_is_in_it() -> None:
    """The import of a module begins with that of its package: two threads that import both may see half of a module."""
    graph = grimp.build_graph(*[f"editahead_{part}" for part in PARTS], cache_dir=None)
    importing = {
        package
        for package in graph.modules
        for module in graph.find_modules_directly_imported_by(package)
        if module.startswith(f"{package}.")
    }
    assert importing == {"editahead_lsp.features"}  # which only the server's start imports
