"""Headers of the standard library that the last edit needs."""

from __future__ import annotations

from editahead_inference.predictors.propagation import Propagation
from state_builder import HERE, Person


def included(person: Person) -> list[str]:
    return [
        c.edit.apply(person.documents[c.uri].text)
        for c in Propagation().propose(person.state(), lambda: None)
        if "kind:missing-import-include" in c.features
    ]


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
