"""Modules of the same name in two folders, as workspaces of several folders have: a rename stays with its own."""

from __future__ import annotations

import pytest

from editahead_inference.predictors.propagation.other_modules import is_of_other_module
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot


def snapshot(path: str, text: str) -> Snapshot:
    language = "python" if path.endswith(".py") else "typescript"
    return Snapshot.from_text(text, uri=path if ":" in path else f"file:///home/{path}", language=language)


@pytest.mark.parametrize(
    ("document", "imported", "origin", "others", "is_other"),
    [
        ("b/shop/orders.py", "from .prices import total", "a/shop/prices.py", (), True),
        ("a/shop/orders.py", "from .prices import total", "a/shop/prices.py", (), False),
        ("a/shop/web/orders.py", "from ..prices import total", "a/shop/prices.py", (), False),
        ("a/shop/web/orders.py", "from ..prices import total", "a/shop/web/prices.py", (), True),
        ("a/shop/orders.py", "from .prices import total", "a/shop/prices/__init__.py", (), False),
        ("a/shop/orders.py", "from .api import total", "a/shop/prices.py", (), False),
        ("a/shop/orders.py", "from . import total", "a/shop/prices.py", (), False),
        ("b/shop/orders.py", "from shop.prices import total", "a/shop/prices.py", (), False),
        (
            "b/shop/orders.py",
            "from shop.prices import total",
            "a/shop/prices.py",
            ("b/shop/prices.py",),
            True,
        ),
        (
            "b/shop/orders.py",
            "from shop.prices import total",
            "b/shop/prices.py",
            ("a/shop/prices.py",),
            False,
        ),
        (
            "b/shop/orders.py",
            "from shop.prices import total",
            "a/shop/prices.py",
            ("c/shop/prices.py",),
            False,
        ),
        ("untitled:1.py", "from shop.prices import total", "a/shop/prices.py", ("b/shop/prices.py",), False),
        ("untitled:1.py", "from .prices import total", "a/shop/prices.py", (), False),
        ("mem://m/1.py", "from shop.prices import total", "a/shop/prices.py", ("b/shop/prices.py",), False),
        ("b/orders.ts", "import { total } from './prices'", "a/prices.ts", (), True),
        ("b/orders.ts", "import { total } from './prices.js'", "b/prices.ts", (), False),
        ("b/orders.ts", "import { total } from '../a/prices'", "a/prices.ts", (), False),
        ("b/orders.ts", "import { total } from './prices'", "b/prices/index.ts", (), False),
        ("b/orders.ts", "import { total } from './api'", "a/prices.ts", (), False),
        ("b/orders.ts", "import { total } from 'shop/prices'", "a/shop/prices.ts", (), False),
    ],
)
def test_an_import_is_of_the_file_it_leads_to(
    document: str, imported: str, origin: str, others: tuple[str, ...], is_other: bool
) -> None:
    here = snapshot(document, f"{imported}\n\ntotal(1)\n")
    there = snapshot(origin, "def total(x):\n    return x\n")
    rest = [snapshot(path, "def total(x):\n    return x\n") for path in others]
    assert is_of_other_module("total", here, there, SyntaxTrees(), rest) is is_other
