"""Places that look like what an edit changed, and are not: of a base class, of the helper itself, passed by the person."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from follow_ups import followed
from state_builder import Person

PYTHON = """\
class Store(Base):
    def load(self, name):
        self.name = name
        return super().load(name)

    def again(self):
        return self.load(self.name)
"""
SCRIPT = """\
class Store extends Base {
  load(name) {
    this.name = name;
    return super.load(name);
  }
  again() {
    return this.load(this.name);
  }
}
"""
JAVA = """\
class Store extends Base {
    int load(String name) {
        return super.load(name);
    }
    int again(String name) {
        return this.load(name);
    }
}
"""


@pytest.mark.parametrize(
    ("language", "text", "old", "new"),
    [
        ("python", PYTHON, "def load(self, name)", "def load(self)"),
        ("python", PYTHON.replace("super()", "super(Store, self)"), "def load(self, name)", "def load(self)"),
        ("javascript", SCRIPT, "  load(name) {", "  load() {"),
        ("typescript", SCRIPT, "  load(name) {", "  load() {"),
        ("java", JAVA, "int load(String name)", "int load()"),
    ],
)
def test_a_call_of_the_base_class_keeps_its_arguments(language: str, text: str, old: str, new: str) -> None:
    made = followed(Person(text, language=language).replace(old, new), "call-drop")
    assert "load(name)" in made and "super" in made
    assert "this.load()" in made or "self.load()" in made


@pytest.mark.parametrize(
    ("language", "text", "old"),
    [
        ("python", PYTHON, "def load(self"),
        ("javascript", SCRIPT, "  load(name) {"),
        ("typescript", SCRIPT, "  load(name) {"),
        ("java", JAVA, "int load(String"),
    ],
)
def test_a_call_of_the_base_class_keeps_its_name(language: str, text: str, old: str) -> None:
    person = Person(text, language=language).replace(old, old.replace("load", "fetch"))
    made = followed(person, "rename-defined")
    assert ".load(" in made and (
        ".fetch(this.name)" in made or ".fetch(self.name)" in made or "this.fetch(" in made
    )
    assert "super().fetch" not in made and "super.fetch" not in made


def test_a_base_class_of_the_same_document_follows() -> None:
    text = "class Base:\n    def load(self):\n        return 1\n\n\n" + PYTHON.replace(", name", "").replace(
        "(name)", "()"
    )
    person = Person(text)
    person.replace("    def load(self):\n        return 1", "    def fetch(self):\n        return 1")
    assert "super().fetch()" in followed(person, "rename-defined")


def test_a_helper_is_not_used_in_a_function_of_its_own_name() -> None:
    twin = """

def three(ds, method):
    def area(w, h):
        return w * h + scale

    return area(1, 2) + 3 * 4 + scale
"""
    person = Person("def use(w, h):\n    return w * h + scale\n" + twin)
    person.insert("def area(w, h):\n    return w * h + scale\n\n\n", before="def use")
    person.replace("def use(w, h):\n    return w * h + scale", "def use(w, h):\n    return area(w, h)")
    made = followed(person, "extracted")
    assert "    def area(w, h):\n        return w * h + scale\n" in made


def test_an_arrow_function_does_not_call_itself() -> None:
    twin = "function g() {\n  const area = (w, h) => w * h + scale;\n  return area(1, 2);\n}\n"
    text = "const use = (w, h) => w * h + scale;\n" + twin
    person = Person(text, language="javascript")
    person.insert("const area = (w, h) => w * h + scale;\n", before="const use")
    person.replace("const use = (w, h) => w * h + scale", "const use = (w, h) => area(w, h)")
    assert "  const area = (w, h) => w * h + scale;" in followed(person, "extracted")


ORIGINAL = """\
def test_uvloop():
    loop = load("uvloop")
    run(loop, uvloop=True)
    check(loop)
    assert loop.uvloop
"""


def copied(*changed: int) -> str:
    """The original, and a copy of which some lines have the new name."""
    person = Person(ORIGINAL)
    lines = ORIGINAL.splitlines(keepends=True)
    new = "".join(line.replace("uvloop", "winloop") if n in changed else line for n, line in enumerate(lines))
    person.make_at_end("\n\n" + new)
    return followed(person, "copy")[len(ORIGINAL) + 2 :]


def test_what_a_person_passed_in_a_copy_stays() -> None:
    assert copied(0, 1, 4).count("uvloop") == 1


def test_what_follows_in_a_copy_follows() -> None:
    assert "uvloop" not in copied(0, 1)


@given(st.sets(st.sampled_from([0, 1, 2, 4]), min_size=2))
def test_only_lines_below_the_last_change_of_a_copy_follow(changed: set[int]) -> None:
    made = copied(*changed).splitlines()
    for number, line in enumerate(ORIGINAL.splitlines()):
        follows = number in changed or number > max(changed)
        assert made[number] == (line.replace("uvloop", "winloop") if follows else line)
