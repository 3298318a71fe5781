"""An element added behind a mark never replaces another one, in any language, style and place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from merged_sketch import certain


@dataclass(frozen=True)
class Container:
    """Something that holds elements.

    Attributes:
        element: The lines of the element of a name, as often repeated in files.
        between: The blank lines between two elements.
    """

    language: str
    comment: str
    first: str
    last: str
    element: Callable[[str], str]
    between: str = ""


CONTAINERS = [
    Container(
        "python",
        "    # {}",
        "class Store:\n",
        "",
        lambda n: f"    def {n}(self):\n        self.check()\n        return 1\n",
        "\n",
    ),
    Container(
        "typescript",
        "  // {}",
        "class Store {\n",
        "}\n",
        lambda n: f"  {n}() {{\n    this.check();\n  }}\n",
        "\n",
    ),
    Container(
        "typescript",
        "  // {}",
        "const all = [\n",
        "];\n",
        lambda n: f'  {{\n    name: "{n}",\n    on: true,\n  }},\n',
    ),
    Container(
        "javascript", "  /* {} */", "const all = {\n", "};\n", lambda n: f"  {n}: {{\n    on: true,\n  }},\n"
    ),
    Container(
        "go",
        "\t\t// {}",
        "\tswitch kind {\n",
        "\t}\n",
        lambda n: f'\t\tcase "{n}":\n\t\t\tcheck()\n\t\t\tbreak\n',
    ),
    Container(
        "rust",
        "        // {}",
        "    match kind {\n",
        "    }\n",
        lambda n: f"        Kind::{n} => {{\n            check();\n        }}\n",
    ),
    Container(
        "yaml", "  # {}", "steps:\n", "", lambda n: f"  - name: {n}\n    if: always()\n    run: check\n"
    ),
    Container(
        "html",
        "  <!-- {} -->",
        "<ul>\n",
        "</ul>\n",
        lambda n: f'  <li>\n    <a href="/{n}">go</a>\n  </li>\n',
    ),
]
MARKS = [
    "... existing code ...",
    "...",
    "... rest of the code ...",
    "unchanged",
    "... (existing elements) ...",
]
NAMES = st.lists(
    st.sampled_from(["alpha", "beta", "gamma", "delta", "omega"]), min_size=3, max_size=5, unique=True
)


@given(st.sampled_from(CONTAINERS), st.sampled_from(MARKS), NAMES, st.data())
def test_an_added_element_replaces_none(
    container: Container, words: str, names: list[str], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(names) - 1))
    mark = container.comment.format(words) + "\n"

    def written(some: list[str]) -> str:
        body = container.between.join(map(container.element, some))
        return f"{container.first}{body}{container.last}"

    new = container.element(names[at])
    after = container.element(names[at + 1]) if at + 1 < len(names) else ""
    shown = [new, after] if after else [new]
    parts = [*([mark] if at else []), *shown, *([mark] if at + 2 < len(names) else [])]
    sketch = container.first + container.between.join(parts) + container.last
    assert certain(sketch, written(names[:at] + names[at + 1 :]), container.language) in (
        None,
        written(names),
    )
