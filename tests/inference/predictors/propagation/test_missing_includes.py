"""Headers of the standard library that the last edit needs."""

from __future__ import annotations

from typing import Any

import pytest

from editahead_prompts.text.snapshot import Snapshot
from follow_ups import follow_ups
from state_builder import HERE, Person


def included(person: Person, **more: Any) -> list[str]:
    found = follow_ups(person, "missing-import-include", **more)
    return [each.edit.apply(person.documents[each.uri].text) for each in found]


def test_a_header_goes_where_the_order_puts_it() -> None:
    person = Person("#include <map>\n#include <string>\n\nint a;\n", language="cpp")
    person.replace("int a;\n", "int a;\nstd::optional<int> b;\n")
    assert included(person) == [
        "#include <map>\n#include <optional>\n#include <string>\n\nint a;\nstd::optional<int> b;\n"
    ]


def test_nothing_for_a_name_that_is_known_or_quoted() -> None:
    text = "#include <string>\n\nstd::vector<int> a;\n\nint b;\n"
    known = Person(text, language="cpp").replace("int b;\n", "std::vector<int> b;\n")
    assert included(known) == []  # some header brings it
    quoted = Person("#include <stdio.h>\n\nint a;\n", language="c").replace("int a;", 'char *a = "strlen";')
    assert included(quoted) == []


def test_nothing_that_the_own_header_includes() -> None:
    person = Person("#include <string>\n\nint a;\n", uri="file:///a.h", language="cpp")
    person.open('#include "a.h"\n\nint b;\n', uri=HERE, language="cpp")
    person.replace("int b;", "std::string b;")
    assert included(person) == []


@pytest.mark.parametrize(
    ("header", "declares", "includes", "wanted"),
    [
        ("src/tax.h", "double net_total(double gross);\n", '#include "names.h"\n', '"tax.h"'),
        ("include/shop/tax.h", "#define net_total(x) (x)\n", '#include "other/a.h"\n', '"shop/tax.h"'),
        ("shop/tax.hpp", "struct net_total {\n};\n", '#include "shop/names.h"\n', '"shop/tax.hpp"'),
        # nothing tells the root; declared in a comment, a longer name or another call; included already
        ("lib/tax.h", "double net_total(double gross);\n", "#include <stdio.h>\n", None),
        ("src/tax.h", "// see net_total(double gross)\n", '#include "names.h"\n', None),
        ("src/tax.h", "double my_net_total(double gross);\n", '#include "names.h"\n', None),
        ("src/tax.h", "double net_total(double gross);\n", '#include "tax.h"\n', None),
        ("src/tax.c", "double net_total(double gross) {\n}\n", '#include "names.h"\n', None),
    ],
)
def test_a_header_of_the_workspace_is_included(
    header: str, declares: str, includes: str, wanted: str | None
) -> None:
    person = Person(f"{includes}\nint a;\n", uri="file:///w/src/main.cpp", language="cpp")
    person.replace("int a;\n", "int a;\ndouble b = net_total(1);\n")
    source = Snapshot.from_text(declares, uri=f"file:///w/{header}", language="cpp")
    found = included(person, import_sources=(source,))
    assert [sorted({*text.splitlines()} - {*person.text.splitlines()}) for text in found] == (
        [] if wanted is None else [[f"#include {wanted}"]]
    )
