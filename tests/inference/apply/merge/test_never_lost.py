"""What a sketch never does when it is sure: properties over files whose elements repeat one another's lines."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from merged_sketch import certain, merged

NAMES = st.lists(
    st.sampled_from(["alpha", "beta", "gamma", "delta", "omega"]), min_size=3, max_size=5, unique=True
)
LEFT_OUT = [
    "# snip",
    "# previous implementation",
    "# (same)",
    "pass  # unchanged",
    "...",
    "# ... existing code ...",
    "# unchanged",
    "...  # rest of the body",
    "# [existing code]",
    "return ...  # unchanged",
]


def method(name: str, *, indent: str = "    ", limit: int = 1) -> str:
    return f"{indent}def {name}(self):\n{indent}    self.check({limit})\n{indent}    return self.done\n"


@given(NAMES, st.data())
def test_members_that_a_class_without_marks_does_not_show_stay(names: list[str], data: st.DataObject) -> None:
    shown = [name for name in names if data.draw(st.booleans())] or names[:1]
    new = data.draw(st.sampled_from(shown))
    text = "class Store:\n" + "\n".join(map(method, names))
    sketch = "class Store:\n" + "\n".join(method(name, limit=2 if name == new else 1) for name in shown)
    result = merged(sketch, text)
    assert result.refusal is not None or all(f"def {name}(" in result.guess for name in names), sketch


@given(NAMES, st.sampled_from(LEFT_OUT), st.booleans(), st.data())
def test_a_body_left_out_in_words_wipes_none(
    names: list[str], words: str, has_stub: bool, data: st.DataObject
) -> None:
    changed = data.draw(st.sampled_from(names))
    stub = (
        f"def stub():\n    {words}\n\n\n" if has_stub else ""
    )  # A body of the file may look like that, too.
    text = f"{stub}class Store:\n" + "\n".join(map(method, names))
    parts = [
        f"    def {name}(self{', mode' if name == changed else ''}):\n        {words}\n" for name in names
    ]
    assert certain("class Store:\n" + "\n".join(parts), text) in (
        None,
        text.replace(f"def {changed}(self)", f"def {changed}(self, mode)"),
    )


@pytest.mark.slow
@given(NAMES, st.sampled_from(LEFT_OUT), st.data())
def test_an_outline_changes_only_the_body_that_it_shows(
    names: list[str], words: str, data: st.DataObject
) -> None:
    """Lines between the members that are not shown stay."""
    changed = data.draw(st.sampled_from(names))
    beside = st.sampled_from(
        ["", "    # At most once.\n", "    limit = 3\n\n", "    def more(self):\n        pass\n\n"]
    )
    kept = [data.draw(beside) for _ in names]
    text = "class Store:\n" + "\n".join(more + method(name) for more, name in zip(kept, names, strict=True))
    parts = [
        method(name, limit=2) if name == changed else f"    def {name}(self):\n        {words}\n"
        for name in names
    ]
    result = merged("class Store:\n" + "\n".join(parts), text)
    right = text.replace(method(changed), method(changed, limit=2))
    assert result.refusal is not None or result.guess == right


@given(NAMES, st.data())
def test_the_function_that_a_sketch_shows_bounds_the_change(names: list[str], data: st.DataObject) -> None:
    meant = data.draw(st.sampled_from([*names, "absent"]))
    text = "\n\n".join(method(name, indent="") for name in names)
    sketch = f"# ...\ndef {meant}(self):\n    # ...\n    self.check(1)\n    self.report()\n    return self.done\n# ...\n"
    result = merged(sketch, text)
    right = text.replace(method(meant, indent=""), method(meant, indent="").replace(
        "check(1)\n", "check(1)\n    self.report()\n"
    ))  # fmt: skip  # a table
    assert result.refusal is not None or (meant in names and result.guess == right), sketch


@pytest.mark.slow
@given(NAMES, st.data())
def test_an_element_between_two_shown_ones_is_replaced_alone(names: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(names) - 2))
    text = "class Store:\n" + "\n".join(map(method, names))
    shown = [method(names[at - 1]), method("fresh", limit=3), method(names[at + 1])]
    result = merged("    # ...\n" + "\n".join(shown) + "    # ...\n", text)
    others = [name for name in names if name != names[at]]
    assert result.refusal is not None or all(method(name) in result.guess for name in others), shown


def test_a_block_like_the_one_beside_it_under_a_similar_first_line_may_be_a_new_version() -> None:
    text = (
        "mod open_options;\npub use self::open_options::OpenOptions;\ncfg_tokio_uring! {\n"
        "    pub(crate) use self::open_options::UringOpenOptions;\n}\n\nmod remove;\n"
    )
    sketch = (
        "// ...\nmod open_options;\npub use self::open_options::OpenOptions;\ncfg_io_uring! {\n"
        "    pub(crate) use self::open_options::UringOpenOptions;\n}\n// ...\n"
    )
    result = merged(sketch, text, "rust")
    renamed = text.replace("cfg_tokio", "cfg_io")
    assert result.guess == renamed or result.refusal is not None
    if result.refusal is not None:
        assert renamed in [reading.edit.apply(text) for reading in result.readings]


CONTAINERS = [
    ("cpp", "namespace stores {\n", "}  // namespace stores\n", ""),
    ("cpp", "namespace stores {\n", "}  // namespace stores\n", "  "),
    ("cpp", "namespace {\n", "}  // namespace\n", ""),
    ("cpp", "namespace shop::stores {\n", "}\n", ""),
    ("cpp", 'extern "C" {\n', '}  // extern "C"\n', ""),
    ("cpp", 'extern "C" {\n', "}\n", "  "),
    ("cpp", "class Store {\n", "};\n", "  "),
    ("rust", "mod stores {\n", "}\n", "    "),
    ("rust", "impl Store {\n", "}\n", "    "),
    ("csharp", "namespace Stores {\n", "}\n", "    "),
    ("csharp", "class Store {\n", "}\n", "    "),
]


def member(name: str, body: str, language: str, indent: str) -> str:
    head = f"fn {name}(limit: i32) -> bool" if language == "rust" else f"bool {name}(int limit)"
    return f"{indent}{head} {{\n{indent}  {body}\n{indent}}}\n"


@given(
    NAMES,
    st.sampled_from(CONTAINERS),
    st.sampled_from(["// unchanged", "// ... existing code ...", "/* unchanged */"]),
    st.booleans(),
    st.data(),
)
def test_members_beside_one_that_changes_stay_in_a_block_of_any_indentation(
    names: list[str], container: tuple[str, str, str, str], words: str, commented: bool, data: st.DataObject
) -> None:
    language, opening, closing, indent = container
    full = {name: member(name, f"return find_{name}(limit);", language, indent) for name in names}
    comments = {name: f"{indent}// Finds {name}.\n" if commented else "" for name in names}
    text = opening + "\n".join(comments[name] + full[name] for name in names) + closing
    shown = [name for name in names if data.draw(st.booleans())] or names[:1]
    changed = data.draw(st.sampled_from(shown))
    bodies = {name: "return true;" if name == changed else words for name in shown}
    parts = [member(name, bodies[name], language, indent) for name in shown]
    result = merged(opening + "\n".join(parts) + closing, text, language)
    stay = [name for name in names if bodies.get(name) != "return true;"]
    assert result.refusal is not None or (
        all(full[name] in result.guess for name in stay)
        and all(comments[name] in result.guess for name in stay)
    ), (shown, changed)


@given(
    NAMES,
    st.sampled_from(CONTAINERS),
    st.sampled_from(["", "#include <a.h>\n\n", "// Stores.\n\n"]),
    st.data(),
)
def test_a_member_that_no_rewritten_file_shows_is_not_lost_for_sure(
    names: list[str], container: tuple[str, str, str, str], above: str, data: st.DataObject
) -> None:
    """All members that are shown change, so that little of the file is left: it may be a selection of them."""
    language, opening, closing, indent = container
    left_out = data.draw(st.sampled_from(names))
    text, sketch = (
        above + opening + "\n".join(member(name, body, language, indent) for name, body in bodies) + closing
        for bodies in (
            [(name, f"return find_{name}(limit);") for name in names],
            [(name, f"return seek_{name}(limit);") for name in names if name != left_out],
        )
    )
    result = merged(sketch, text, language)
    assert result.refusal is not None or f"find_{left_out}(" in result.guess, left_out


@given(st.lists(st.sampled_from(["first", "second"]), min_size=2, max_size=5), st.booleans(), st.data())
def test_a_case_keeps_no_old_return_below_a_new_one(
    values: list[str], headed: bool, data: st.DataObject
) -> None:
    def switch(values: list[str]) -> str:
        return "".join(f'\tcase {100 * n}:\n\t\treturn "{value}"\n' for n, value in enumerate(values))

    at = data.draw(st.integers(0, len(values) - 1))
    head, end = "func Alpha(k int) string {\n\tswitch k {\n", '\t}\n\treturn "x"\n}\n'
    changed = [*values[:at], "other", *values[at + 1 :]]
    above = "\t// ...\n" if at else ""
    shown = f'{above}\tcase {100 * at}:\n\t\treturn "other"\n\t// existing code\n'
    assert certain((head if headed else "") + shown, head + switch(values) + end, "go") in (
        None,
        head + switch(changed) + end,
    )


@given(NAMES, st.data())
def test_no_function_gets_the_lines_of_another_one(names: list[str], data: st.DataObject) -> None:
    first, second = data.draw(st.permutations(names))[:2]
    parts = {
        name: f"  {name}: [\n" + "".join(f'    "{name}{n}",\n' for n in range(3)) + "  ],\n" for name in names
    }
    text = "const all = {\n" + "".join(parts.values()) + "};\n"
    shown = f"  {first}: [\n" + parts[second].partition("\n")[2]
    result = merged(f"// ... existing code ...\n{shown}  // ... existing code ...\n", text, "javascript")
    kept = [name for name in names if name != first]
    assert result.refusal is not None or all(f'"{name}1",' in result.guess for name in kept), result.guess


@given(st.lists(st.sampled_from("abcdef"), min_size=2, max_size=4, unique=True), st.data())
def test_each_run_of_a_sure_sketch_is_as_it_is_shown(names: list[str], data: st.DataObject) -> None:
    blocks = [f"# {name}\n# .\n# .\n# {name}9\n{name} = load({n})\n\n" for n, name in enumerate(names)]
    text = "".join(blocks)
    lines = text.splitlines()
    at = data.draw(st.integers(0, len(lines) - 4))
    end = data.draw(st.integers(at + 2, min(len(lines), at + 7)))
    gone = data.draw(st.integers(at + 1, end - 1))
    run = [*lines[at:gone], *lines[gone + 1 : end]]
    assume(any(run))
    sketch = "\n".join(["# ... existing code ...", *run, "# ... existing code ...", ""])
    result = merged(sketch, text)
    if result.refusal is None and result.edit:
        shown = "\n".join(filter(None, run))
        assert shown in "\n".join(filter(None, result.guess.splitlines())), (sketch, result.guess)
