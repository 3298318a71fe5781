"""What one example of a change says too little of."""

from __future__ import annotations

import pytest

from follow_ups import follow_up_texts
from state_builder import Person


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ('a("no file here")\nb("a file there")\n', "no file", "no document"),  # a word of a sentence
        ("static int one(int a);\nint two(int b);\n", "static int", "static inline int"),
        ("limit(a, 3)\nlimit(b, 3)\n", "a, 3", "a, 4"),
        ("total = 64\n\n\ntotal = 64\n", "64", "256"),  # also where the whole line is the same
        ("mail: string\n\n\nmail: string\n", "mail:", "mail?:"),
        ('"""Two."""\n\none = first()\ntwo = first()\n', "one = first()", "one = first().copy()"),
    ],
)
def test_one_says_nothing(text: str, old: str, new: str) -> None:
    assert follow_up_texts(Person(text).replace(old, new)) == set()


def test_a_string_that_is_a_name_is_repeated() -> None:
    text = 'get(a["mail"])\nget(b["mail"])\n'
    assert 'get(a["email"])\nget(b["email"])\n' in follow_up_texts(
        Person(text).replace('a["mail', 'a["email')
    )


def test_a_local_goes_only_where_it_is_bound() -> None:
    text = "def f(paid):\n    if x.ok:\n        run(x)\n\n\ndef g(y):\n    if x.ok:\n        run(y)\n"
    assert not any(
        "ok and paid" in made.partition("def g")[2]
        for made in follow_up_texts(Person(text).replace("x.ok", "x.ok and paid"))
    )
    both = text.replace("def g(y)", "def g(y, paid)")
    assert any(
        "ok and paid" in made.partition("def g")[2]
        for made in follow_up_texts(Person(both).replace("x.ok", "x.ok and paid"))
    )


def test_another_member_of_one_receiver_is_not_put_for_those_of_others() -> None:
    text = "a(person.name, company.name)\nb(person.name, company.name)\n"
    found = follow_up_texts(Person(text).replace("company.name", "company.title"))
    assert not any("person.title" in made for made in found)


def test_an_addition_goes_on_at_an_equal_line_of_its_function() -> None:
    text = "def f(a):\n    run(a)\n    run(a)\n\n\ndef g(a):\n    run(a)\n"
    found = follow_up_texts(Person(text).replace("run(a)", "run(a, size=2 * a.size)"))
    assert any(made.count("size=2") == 2 for made in found)
    assert not any("size=2" in made.partition("def g")[2] for made in found)


def test_of_two_imports_only_the_same_member_is_exchanged() -> None:
    text = "import one\nimport two\n\na = one.read(1)\nb = one.read(2)\nc = one.write(3)\n"
    found = follow_up_texts(Person(text).replace("a = one", "a = two"))
    assert found
    assert not any("two.write" in made for made in found)


def test_a_string_key_is_no_attribute_in_python() -> None:
    text = 'a = data["mail"]\nb = data["mail"]\nc = person.mail\n'
    found = follow_up_texts(Person(text).replace('a = data["mail', 'a = data["email'))
    assert any('b = data["email"]' in made for made in found)
    assert not any("person.email" in made for made in found)


@pytest.mark.parametrize(
    ("line", "old", "new"),
    [
        ("limits = Limits(connect=30, read=30, retries=3)", "retries=3", "retries=5"),  # a value
        (
            "connection.execute(statement, parameters)",
            "parameters)",
            "parameters, timeout=10)",
        ),  # an argument
        ('raise ValueError("the path is not absolute")', "not absolute", "no absolute path"),  # wording
        ("this.answers.compute(question, answers);", "answers);", "answers, 2);"),
        ("if response.status_code == 200 and response.ok:", "== 200", ">= 200"),
    ],
)
def test_one_says_something_of_the_only_equal_long_line(line: str, old: str, new: str) -> None:
    text = f"{line}\n\nfirst()\n\n{line}\n\nlast()\n"
    changed = line.replace(old, new)
    assert f"{changed}\n\nfirst()\n\n{changed}\n\nlast()\n" in follow_up_texts(Person(text).replace(old, new))


def test_one_says_nothing_of_two_equal_long_lines() -> None:
    line = "limits = Limits(connect=30, read=30, retries=3)\n\n\n"
    assert follow_up_texts(Person(line * 3).replace("retries=3", "retries=5")) == set()


def test_one_says_nothing_of_an_equal_short_line() -> None:
    assert follow_up_texts(Person("retries = 3\n\n\nretries = 3\n").replace("3", "5")) == set()


def test_a_short_number_that_got_a_name_says_nothing_of_others() -> None:
    text = "RETRIES = 3\n\n\ndef f():\n    return range(3)\n\n\ndef g(color):\n    return [c for c in range(3)]\n"
    assert follow_up_texts(Person(text).replace("return range(3)", "return range(RETRIES)")) == set()
