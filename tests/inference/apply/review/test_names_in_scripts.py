"""Names of any script in a reviewed text."""

from __future__ import annotations

import pytest

from editahead_inference.apply.review.hunk_syntax import ParsedText
from editahead_prompts.syntax.syntax_trees import find_parser, parse
from editahead_prompts.text.snapshot import Snapshot


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("größe", "öße"),
        ("größe", "gr"),
        ("संख्या", "संख"),
        ("总数量", "数量"),
        ("количество", "чество"),
        ("จำนวน", "จำ"),
    ],
)
@pytest.mark.parametrize("others", [0, 20])
def test_a_name_is_found_as_a_whole(name: str, part: str, others: int) -> None:
    text = Snapshot.from_text(
        f"def f({name}):\n    return {name}(1)\n", uri="file:///a.py", language="python"
    )
    data, parser = text.text.encode(), find_parser("python")
    tree = None if parser is None else parse(parser, data)
    assert tree is not None
    parsed = ParsedText(text, data, tree.root_node)
    for number in range(others):  # many names are looked for in another way than a few
        assert not list(parsed.find_names(f"other{number}"))
    assert len(list(parsed.find_names(name))) == 2
    assert len(list(parsed.find_calls(name))) == 1
    assert list(parsed.find_names(part)) == []
