"""The boundaries of a segment whose first and last lines occur more than once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from merged_sketch import certain, merged

MARK = "// ... existing code ..."


def function(name: str, *body: str) -> str:
    return f"func {name}() {{\n" + "".join(f"\t{line}\n" for line in body) + "\treturn\n}\n\n"


ROOMS = "package rooms\n\n" + function("open", "lock()", "count(1)") + function("shut", "lock()", "count(2)")


def test_a_definition_is_not_there_twice() -> None:
    sketch = f"{MARK}\n\treturn\n}}\n\nfunc open() {{\n\tcount(4)\n\treturn\n}}\n\nfunc shut() {{\n{MARK}\n"
    result = merged(sketch, ROOMS, "go")
    assert result.refusal is not None or result.guess.count("func open()") == 1


BODIES = st.lists(st.sampled_from(["lock()", "count(1)", "count(2)", "free()"]), min_size=1, max_size=3)


@given(st.lists(BODIES, min_size=2, max_size=6), BODIES, st.data())
def test_a_new_function_among_such_that_resemble_it(
    old: list[list[str]], new: list[str], data: st.DataObject
) -> None:
    at = data.draw(st.integers(1, len(old) - 1))
    context = data.draw(st.integers(1, 4))
    functions = [function(f"f{number}", *body) for number, body in enumerate(old)]
    fresh = function("fresh", *new)
    text = "package a\n\n" + "".join(functions)
    before = "".join(functions[:at]).splitlines(keepends=True)[-context:]
    after = functions[at].splitlines(keepends=True)[:context]
    sketch = f"{MARK}\n{''.join(before)}{fresh}{''.join(after)}\t{MARK}\n"
    expected = "package a\n\n" + "".join([*functions[:at], fresh, *functions[at:]])
    assert certain(sketch, text, "go") in (None, expected)


def test_of_two_places_for_the_first_line_the_one_that_says_more() -> None:
    """The nearer place changes fewer lines, but the next lines of the sketch follow only the other place."""
    text = (
        "package a\n\nfunc watch() {\n\tfor {\n\t\terr := wait(ctx)\n"
        "\t\tif err != nil {\n\t\t\treturn\n\t\t}\n\t\terr = run(ctx, p, cfg)\n"
        '\t\tif err != nil {\n\t\t\tp.log("failed", err)\n\t\t}\n\t}\n}\n\n'
    )
    sketch = (
        f"{MARK}\n\t\tif err != nil {{\n\t\t\treturn\n\t\t}}\n\t\t// It may fail.\n\t\t// We say nothing.\n"
        f"\t\t_ = run(ctx, p, cfg)\n\t}}\n}}\n{MARK}\n"
    )
    result = merged(sketch, text, "go")
    assert result.refusal is not None or result.guess.count("if err != nil") == 1


def test_a_test_is_not_there_twice_under_other_decorators() -> None:
    decorator = "@pytest.mark.parametrize('kwargs', [{}, {'to_lower': True}], ids=repr)\n"
    text = (
        f"import pytest\n\n\ndef first():\n    return Fruit\n\n\n{decorator}def test_strict(Fruit, kwargs):\n"
        "    v = Validator(strict=True, **kwargs)\n    assert v.validate('foobar') == 'foobar'\n"
        "    with pytest.raises(Error, match='type'):\n        v.validate(b'foobar')\n\n\n"
        f"{decorator}def test_lax(Fruit, kwargs):\n    v = Validator(**kwargs)\n"
        "    assert v.validate('foobar') == 'foobar'\n"
    )
    dots = "# ... existing code ..."
    sketch = (
        f"{dots}\n    return Fruit\n\n\n@pytest.mark.parametrize('to_lower', [False, True], ids=repr)\n"
        "def test_strict(to_lower: bool):\n    v = Schema(strict=True, to_lower=to_lower)\n\n    class Sub(str):\n"
        f"        pass\n\n    assert v.run(Sub('ABC')) == 'abc'\n\n\n{decorator}{dots}\n"
    )
    result = merged(sketch, text, "python")
    assert result.refusal is not None or result.guess.count("def test_strict") == 1
