"""Sketches of the code of a notebook: only the source of the cells that they change differs, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import merged_sketch
from editahead_inference.apply.results import MergeResult

CELLS = (
    "import pandas as pd\n\nstays = pd.read_csv('stays.csv')",
    "def price(nights, rate):\n    total = nights * rate\n    return total\n",
    "stays['price'] = stays.nights.map(lambda n: price(n, 90))\nstays.head()",
)


def notebook(
    sources: Sequence[str], *, indent: int | None = 1, joined: bool = False, ascii: bool = False
) -> str:
    """Return a notebook with these cells of code, a cell of text and outputs."""
    cells: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "execution_count": number,
            "id": f"c{number}",
            "metadata": {"tags": ["\u00e9"]},
            "outputs": [{"output_type": "stream", "name": "stdout", "text": [f"{source[:5]}\n"]}],
            "source": source if joined else source.splitlines(keepends=True),
        }
        for number, source in enumerate(sources)
    ]
    cells.insert(1, {"cell_type": "markdown", "metadata": {}, "source": ["# Prices\n", "def price"]})
    whole = {
        "cells": cells,
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, indent=indent, ensure_ascii=ascii) + "\n"


def merged(text: str, sketch: str) -> MergeResult:
    return merged_sketch.merged(sketch, text, "json", "prices.ipynb")


SKETCH = """```python
def price(nights, rate):
    # ... existing code ...
    return round(total, 2)
```"""


@pytest.mark.parametrize("options", [{}, {"indent": 4}, {"indent": None}, {"joined": True}, {"ascii": True}])
def test_only_the_source_of_one_cell_changes(options: dict[str, Any]) -> None:
    changed = CELLS[1].replace("return total", "return round(total, 2)")
    result = merged(notebook(CELLS, **options), SKETCH)
    assert result.refusal is None
    assert result.guess == notebook((CELLS[0], CELLS[1], CELLS[2]), **options).replace(
        "return total", "return round(total, 2)"
    )
    assert json.loads(result.guess)["cells"][2]["source"] == (
        changed if options.get("joined") else changed.splitlines(keepends=True)
    )


@pytest.mark.parametrize(
    "text", ["", "{}", "[1, 2", '{"cells": 3}', '{"cells": [{"cell_type": "code"}]}', "x = 1\n"]
)
def test_what_is_no_notebook_is_read_as_text(text: str) -> None:
    result = merged(text, SKETCH)
    assert result.refusal is not None or not text


@given(st.lists(st.text('ab \n=1"\\\u00e9', max_size=12), min_size=1, max_size=4), st.booleans())
def test_a_cell_that_is_added_to_keeps_all_others(sources: list[str], joined: bool) -> None:
    text = notebook([*sources, CELLS[1]], joined=joined)
    result = merged(text, SKETCH)
    if result.refusal is None:
        before, after = json.loads(text), json.loads(result.guess)
        changed = before["cells"][-1] if len(sources) > 0 else before["cells"][0]
        position = before["cells"].index(changed)
        assert "round(total, 2)" in "".join(after["cells"][position]["source"])
        del before["cells"][position]["source"], after["cells"][position]["source"]
        assert before == after


@pytest.mark.parametrize(
    "sketch",
    [
        "--- a/prices.ipynb\n+++ b/prices.ipynb\n@@\n-    return total\n+    return round(total, 2)\n",
        "<<<<<<< SEARCH\n    return total\n=======\n    return round(total, 2)\n>>>>>>> REPLACE\n",
    ],
)
def test_a_diff_of_code_changes_the_source_of_its_cell(sketch: str) -> None:
    result = merged(notebook(CELLS), sketch)
    assert result.refusal is None
    assert result.guess == notebook(CELLS).replace("return total", "return round(total, 2)")


def test_a_diff_of_the_json_changes_the_json() -> None:
    text = notebook(CELLS)
    result = merged(text, '@@\n-    "    return total\\n"\n+    "    return round(total, 2)\\n"\n')
    assert result.refusal is None
    assert result.guess == text.replace("return total", "return round(total, 2)")
