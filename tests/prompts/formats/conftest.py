"""One state that every format shows in its module's documentation."""

from __future__ import annotations

import pytest

from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.snapshot import Snapshot

URI = "file:///project/shop/cart.py"
TEXT = """\
import money

def total(items, tax):
    price = sum(items)
    return money.euro(price)
"""


@pytest.fixture(scope="session")
def example() -> EditorState:
    document = Snapshot.from_text(TEXT, uri=URI, language="python")
    edit = PastEdit(URI, 2, ("def total(items):\n",), ("def total(items, tax):\n",), open=True)
    return EditorState(document, TEXT.index("tax):") + 5, (edit,))
