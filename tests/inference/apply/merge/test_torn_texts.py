"""A change whose line ends would tear strings is refused, and one within long strings is not."""

from __future__ import annotations

import json

import pytest

from files_in_memory import apply_in_memory


def replacing(name: str, old: str, new: str) -> str:
    return json.dumps({"file_path": name, "old_string": old, "new_string": new})


@pytest.mark.parametrize(
    ("name", "text", "old", "new"),
    [
        ("a.py", 'x = ", ".join(y)\n', '", "', '"\n"'),
        ("a.py", "x = y.split(b', ')\n", "b', '", "b'\n'"),
        ("a.py", 'x = f"{a} {b}"\n', "{a} {b}", "{a}\n{b}"),
        ("a.js", 'x = y.join(", ");\n', '", "', '"\n"'),
        ("a.ts", "const x = y.join(', ');\n", "', '", "'\n'"),
        ("a.tsx", "const x = y.join(', ');\n", "', '", "'\n'"),
        ("a.c", 'char *x = "a";\n', '"a"', '"\n"'),
        ("a.cpp", 'auto x = "a";\n', '"a"', '"\n\n"'),
        ("a.go", 'package a\n\nvar x = "a"\n', '"a"', '"\n"'),
        ("A.java", 'class A {\n  String x = "a";\n}\n', '"a"', '"a\nb"'),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_string_that_would_not_end_on_its_line_is_refused(
    name: str, text: str, old: str, new: str, end: str
) -> None:
    tree = {name: text.replace("\n", end)}
    assert apply_in_memory(tree, replacing(name, old, new)) == "would-break-syntax"


@pytest.mark.parametrize(
    ("name", "text", "old", "new"),
    [
        ("a.py", 'x = """a"""\n', "a", "a\nb"),
        ("a.py", "x = rb'''a'''\n", "a", "\n"),
        ("a.py", 'x = "a"\n', '"a"', '"a\\\nb"'),
        ("a.py", 'x = "a"\n', 'x = "a"', 'x = (\n    "a"\n    "b"\n)'),
        ("a.py", 'x = f"{a}"\n', 'f"{a}"', 'f"""{\na\n}"""'),
        ("a.js", "x = `a`;\n", "a", "a\n'b\"\n"),
        ("a.tsx", 'const x = <a title="b" />;\n', "b", "b\n  c"),
        ("A.java", 'class A {\n  String x = "a";\n}\n', '"a"', '"""\n    a\n    """'),
        ("a.cpp", 'auto x = R"(a)";\n', "(a)", "(a\nb)"),
        ("a.go", "package a\n\nvar x = `a`\n", "`a`", "`a\nb`"),
        ("a.rs", 'const X: &str = "a";\n', '"a"', '"a\n  b"'),
        ("a.sh", 'x="a"\n', '"a"', '"a\nb"'),
    ],
)
def test_a_string_that_may_go_on_is_changed(name: str, text: str, old: str, new: str) -> None:
    assert apply_in_memory({name: text}, replacing(name, old, new)) == {name: text.replace(old, new)}


def test_a_file_with_a_torn_string_may_be_changed_elsewhere() -> None:
    text = 'x = "\n"\ny = 1\n'
    assert apply_in_memory({"a.py": text}, replacing("a.py", "y = 1", "y = 2\nz = 3")) == {
        "a.py": text.replace("y = 1", "y = 2\nz = 3")
    }
