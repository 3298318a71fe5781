"""Entries of tables, arrays and columns: a new version of one is not added beside it, nor in another table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merged_sketch import certain

TABLES = {
    "go": ("var {} = []Fruit{{\n", '\t{{"{}", {}}},\n', "}\n", "\t// ...\n"),
    "typescript": ("const {} = [\n", '  {{ id: "{}", kind: {} }},\n', "];\n", "  // rest unchanged\n"),
    "python": ("{} = {{\n", '    "{}": {},\n', "}\n", "    # ...\n"),
    "rust": ("const {}: [Fruit; 9] = [\n", '    ("{}", {}),\n', "];\n", "    // ...\n"),
    "sql": ("CREATE TABLE {} (\n", "  {} {},\n", "  PRIMARY KEY (apple)\n);\n", "  -- ...\n"),
    "html": ('<ul id="{}">\n', '  <li>\n    <a href="/{}">{}</a>\n  </li>\n', "</ul>\n", "  <!-- ... -->\n"),
}
NAMES = ("apple", "banana", "cherry", "damson", "elder")
VALUES = ("first_value", "second_value")

entries = st.lists(st.sampled_from(NAMES), min_size=2, max_size=5, unique=True).flatmap(
    lambda names: st.tuples(*(st.tuples(st.just(name), st.sampled_from(VALUES)) for name in names))
)


@pytest.mark.slow
@given(st.sampled_from(sorted(TABLES)), entries, entries, st.booleans(), st.data())
def test_a_changed_entry_beside_a_mark_replaces_its_old_version_or_nothing(
    language: str,
    first: tuple[tuple[str, str], ...],
    second: tuple[tuple[str, str], ...],
    is_first: bool,
    data: st.DataObject,
) -> None:
    head, entry, end, mark = TABLES[language]
    name, mine = ("Alpha", first) if is_first else ("Beta", second)
    at = data.draw(st.integers(0, len(mine) - 1))
    changed = entry.format(mine[at][0], "other_value")

    def table(title: str, rows: tuple[tuple[str, str], ...]) -> str:
        return head.format(title) + "".join(entry.format(*row) for row in rows) + end

    text = table("Alpha", first) + "\n" + table("Beta", second)
    old = table(name, mine)
    right = text.replace(old, old.replace(entry.format(*mine[at]), changed))
    above, below = (mark if at else ""), (mark if at < len(mine) - 1 else "")
    assert certain(head.format(name) + above + changed + below + end, text, language) in (None, right)
