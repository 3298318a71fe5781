"""The boundaries of a segment whose first and last lines occur more than once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.results import MergeResult, Refusal
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.text.snapshot import Snapshot

MARK = "// ... existing code ..."


def merged(sketch: str, text: str, language: str = "go") -> MergeResult:
    found = parse_sketch(sketch, language=language)
    return merge(found, found.files[0], Snapshot.from_text(text, uri="file:///a", language=language))


def refused(sketch: str, text: str, language: str = "go") -> Refusal:
    refusal = merged(sketch, text, language).refusal
    assert refusal is not None
    return refusal


def sure(sketch: str, text: str, language: str = "go") -> str:
    result = merged(sketch, text, language)
    assert result.refusal is None, result.refusal
    return result.guess


def function(name: str, *body: str) -> str:
    return f"func {name}() {{\n" + "".join(f"\t{line}\n" for line in body) + "\treturn\n}\n\n"


ROOMS = "package rooms\n\n" + function("open", "lock()", "count(1)") + function("shut", "lock()", "count(2)")


def test_the_nearest_place_by_which_nothing_goes() -> None:
    new = function("clean", "lock()", "count(3)")
    sketch = f"{MARK}\n\treturn\n}}\n\n{new}func shut() {{\n\tlock()\n{MARK}\n"
    assert sure(sketch, ROOMS) == ROOMS.replace("func shut", f"{new}func shut")


def test_a_method_that_may_be_new_or_the_next_one_renamed() -> None:
    def method(name: str) -> str:
        return f"    /**\n     * Gets the {name}.\n     */\n    int {name}() {{\n        return {name};\n    }}\n\n"

    text = "class A {\n" + method("width") + method("height") + method("depth") + "}\n"
    shown = method("width").split("/**\n")[1]
    sketch = f"class A {{\n    {MARK}\n{shown}{method('area')}    /**\n    {MARK}\n}}\n"
    assert merged(sketch, text, "java").refusal is not None
    clear = (
        f"class A {{\n    {MARK}\n{shown}{method('area')}    /**\n     * Gets the height.\n    {MARK}\n}}\n"
    )
    assert sure(clear, text, "java") == text.replace(method("width"), method("width") + method("area"))


def test_a_new_version_of_the_next_line_takes_its_place() -> None:
    text = "package a\n\nfunc a() {\n\tx := 1\n\tshow(x)\n\tshow(y)\n\tdone()\n}\n"
    sketch = f"{MARK}\n\tshow(x)\n\tshow(y, 1)\n{MARK}\n"
    assert sure(sketch, text) == text.replace("show(y)", "show(y, 1)")


def test_a_line_that_only_resembles_the_next_one_may_be_added() -> None:
    text = "package a\n\nfunc a() {\n\tx := 1\n\tshow(x)\n\tshow(y)\n\tdone()\n}\n"
    result = merged(f"{MARK}\n\tshow(x)\n\tshow(z)\n{MARK}\n", text)
    assert result.refusal is not None
    assert {each.edit.apply(text) for each in result.readings} == {
        text.replace("show(y)", "show(z)"),
        text.replace("\tshow(y)", "\tshow(z)\n\tshow(y)"),
    }


def test_a_definition_is_not_there_twice() -> None:
    sketch = f"{MARK}\n\treturn\n}}\n\nfunc open() {{\n\tcount(4)\n\treturn\n}}\n\nfunc shut() {{\n{MARK}\n"
    result = merged(sketch, ROOMS)
    assert result.refusal is not None or result.guess.count("func open()") == 1


def test_a_sketch_with_marks_but_none_at_its_end_leaves_open_what_follows() -> None:
    sketch = f"{MARK}\nfunc open() {{\n\tlock()\n\tcount(5)\n"
    assert refused(sketch, ROOMS).reason == "ambiguous"


def test_lines_are_appended_behind_the_files_last() -> None:
    text = "import os\n\n\ndef a():\n    b = os.name\n    return b\n"
    new = "\n\ndef c():\n    b = os.sep\n    return b\n"
    sketch = f"# ... existing code ...\n    b = os.name\n    return b\n{new}"
    assert sure(sketch, text, "python") == text + new


def test_decorators_that_are_left_out_above_a_mark_stay() -> None:
    text = "import a\n\n\n@a.one\n@a.two\ndef f(x):\n    y = x\n    return y\n\n\ndef g():\n    pass\n"
    dots = "# ... existing code ..."
    sketch = f"{dots}\n@a.two\ndef f(x):\n    y = x + 1\n    return y\n\n\ndef g():\n{dots}\n"
    assert sure(sketch, text, "python") == text.replace("y = x", "y = x + 1")
    alone = "@a.two\ndef f(x):\n    y = x + 1\n    return y\n"
    assert merged(alone, text, "python").refusal is not None


def test_tabs_in_a_file_of_spaces_where_only_left_margins_are_met() -> None:
    text = "int one() {\n  int a = 1;\n  return a;\n}\n\nint two() {\n  int a = 2;\n  return a;\n}\n"
    sketch = f"{MARK}\nint two() {{\n\tint b = 7;\n}}\n"
    result = merged(sketch, text, "cpp")
    assert result.refusal is not None or "\t" not in result.guess


def test_a_hunk_that_only_indents_is_not_there_already() -> None:
    text = "function a() {\n  b();\n  c();\n}\n"
    diff = "@@ -1,4 +1,6 @@\n function a() {\n-  b();\n-  c();\n+  if (d) {\n+    b();\n+    c();\n+  }\n }\n"
    assert "    b();" in sure(diff, text, "javascript")
    moved = "@@ -2,2 +2,2 @@\n-  b();\n-  c();\n+    b();\n+    c();\n"
    assert sure(moved, text, "javascript") == text.replace("  b();\n  c();", "    b();\n    c();")


def test_dots_in_a_search_block_that_are_not_the_same_dots() -> None:
    text = "// Syntax:\n//     a {\n//         ...\n//     }\nfunc f() {}\n"
    block = "<<<<<<< SEARCH\n//     a {\n//         ...\n//     }\n=======\n//\ta {\n//\t    ...\n//\t}\n>>>>>>> REPLACE\n"
    assert sure(block, text) == "// Syntax:\n//\ta {\n//\t    ...\n//\t}\nfunc f() {}\n"


def test_a_decorator_above_a_declaration_is_no_path() -> None:
    text = "import pytest\n\n\n@pytest.fixture\ndef a():\n    return 1\n"
    assert sure("@pytest.fixture\ndef a():\n    return 2\n", text, "python") == text.replace("1", "2")


def test_blank_lines_at_the_end_of_a_whole_file_that_the_file_has_not() -> None:
    text = "a = 1\nb = 2\nc = 3\nd = 4\n"
    assert refused("a = 1\nb = 5\nc = 3\nd = 4\n\n", text, "plaintext").reason == "ambiguous"


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
    result = merged(sketch, text)
    expected = "package a\n\n" + "".join([*functions[:at], fresh, *functions[at:]])
    assert result.refusal is not None or result.guess == expected


def test_two_places_of_which_the_nearer_would_change_more() -> None:
    """Both places have the same lines at their ends, so fewer changes are no reason."""
    first, second = "    a = make(one)\n    check(a)\n", "    hide = True\n"
    text = "".join(f"def test():\n    start(props)\n{lines}    render(a)\n\n" for lines in (first, second))
    sketch = (
        "# ... existing code ...\n    start(props)\n    show = True\n    render(a)\n# ... existing code ...\n"
    )
    done = merged(sketch, text, "python")
    assert done.refusal is not None


def test_comments_and_annotations_delete_no_functions() -> None:
    text = (
        "impl A {\n    fn count(&self) -> usize {\n        self.values.iter().count()\n    }\n\n"
        "    fn last(&self) -> usize {\n        self.values.len()\n    }\n\n"
        "    // Will be used later\n    #[allow(dead_code)]\n    fn remove(&mut self) {}\n}\n"
    )
    sketch = (
        "// ... existing code ...\n        self.values.iter().count()\n    }\n\n"
        "    // Will be used later\n    #[allow(dead_code)]\n// ... existing code ...\n"
    )
    done = merged(sketch, text, "rust")
    assert done.refusal is not None, "these two lines may be new"


def test_a_comment_in_other_words_does_not_take_the_place_of_another_one() -> None:
    text = "".join(
        f"    /// Deprecated, replaced with `Arg::{name}` and `Arg::is_{name}_set`\n"
        f'    #[cfg_attr(\n        feature = "deprecated",\n        note = "{name}"\n    )]\n    {name.title()},\n'
        for name in ("required", "forbidden", "global")
    )
    sketch = (
        '// ... existing code ...\n        note = "required"\n    )]\n    Required,\n'
        "    /// Deprecated, replaced with `Arg::global` & `Arg::is_global_set`\n"
        '    #[cfg_attr(\n        feature = "deprecated",\n// ... existing code ...\n'
    )
    done = merged(sketch, "enum A {\n" + text + "}\n", "rust")
    assert done.refusal is not None or "Forbidden" not in done.guess


def test_a_name_that_is_defined_is_not_imported_as_well() -> None:
    text = "import os\n\n\ndef run(path):\n    return os.path.join(path, 'a')\n\n\ndef load(path):\n    return open(path)\n"
    sketch = "import os\nfrom files import load\n\n# ... existing code ...\n"
    refusal = merged(sketch, text, "python").refusal
    assert refusal is not None
    assert "`load` would be both imported and defined" in refusal.detail


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
    result = merged(sketch, text)
    assert result.refusal is not None or result.guess.count("if err != nil") == 1


def test_a_line_at_the_end_is_not_met_in_another_definition_of_which_the_beginning_would_go() -> None:
    text = (
        "class Left(TypedDict):\n    type: Literal['left']\n    code: int\n\n\n"
        "class Closed(TypedDict):\n    type: Literal['closed']\n    reason: NotRequired[str | None]\n\n\n"
        "class Started(TypedDict):\n    type: Literal['started']\n"
    )
    dots = "# ... existing code ..."
    sketch = (
        f"{dots}\nclass Left(TypedDict):\n    type: Literal['left']\n    code: int\n"
        f"    reason: NotRequired[str | None]\n{dots}\n"
    )
    refusal = merged(sketch, text, "python").refusal
    assert refusal is not None
    assert "`Closed` would be deleted" in refusal.detail


def test_a_comment_that_sounds_like_a_mark_is_not_left_as_it_was() -> None:
    text = (
        "def f(a):\n    if a.value != get:\n        # ... where this value is get\n        return a\n\n"
        "    b = a.other\n    return b\n"
    )
    dots = "# ... existing code ..."
    sketch = (
        f"{dots}\n    if a.value != get:\n        # ... where this value is get...\n        return a\n\n"
        f"    if a.name:\n        return None\n\n    b = a.other\n{dots}\n"
    )
    assert refused(sketch, text, "python").detail == "This marker may be a comment of the file."


def test_two_declarations_that_hold_all_that_is_shown_are_two_places() -> None:
    body = (
        "\tapply(compiler) {\n\t\tcompiler.tap(chunks => {\n\t\t\tassign(\n\t\t\t\tfull(chunk, graph),\n"
        "\t\t\t\tthis.options.length,\n\t\t\t\tused(compilation)\n\t\t\t);\n\t\t});\n\t}\n"
    )
    text = f"class One {{\n\tconstructor() {{\n\t}}\n{body}}}\n\nclass Two {{\n\tconstructor() {{\n\t}}\n{body}}}\n"
    sketch = (
        f"{MARK}\n\tapply(compiler) {{\n\t\t{MARK}\n\t\t\t\tfull(chunk, graph),\n\t\t\t\tthis.options.length || 3,\n"
        f"\t\t\t\tused(compilation)\n\t\t\t\t{MARK}\n\t}}\n{MARK}\n"
    )
    assert refused(sketch, text, "javascript").reason == "ambiguous"


def test_no_name_is_imported_twice() -> None:
    text = (
        'import { group, indent, line, softline } from "../../document/index.js";\nimport {\n  Flags,\n  create,\n'
        '  hasComment,\n} from "../utilities/index.js";\n\ngroup(indent, line, softline);\n'
    )
    sketch = (
        'import {\n  group,\n  hardline,\n  indent,\n  line,\n  softline,\n} from "../../document/index.js";\n'
        'import { print } from "../../main/print.js";\nimport {\n  Flags,\n  create,\n'
        f'  {MARK}\n}} from "../utilities/index.js";\n{MARK}\n'
    )
    assert refused(sketch, text, "javascript").detail == "`group` would be imported twice."


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


def test_lines_that_stand_before_the_nearer_end_and_before_the_farther_one_have_moved() -> None:
    """The nearer place deletes nothing, but would repeat the lines behind it."""
    start, check = "    if b is None:\n        b = make(list)\n\n", "    if not a:\n        return b()\n\n"
    decode = '    if isinstance(a, bytes):\n        warn("bytes are deprecated")\n        a = a.decode()\n\n'
    text = f'def f(a, b):\n{start}{check}{decode}{check}    a = f"{{a}};"\n    return b(a)\n'
    new = '    if c is not None:\n        warn("c is deprecated")\n\n'
    dots = "# ... existing code ..."
    result = merged(f"{dots}\n{start}{decode}{new}{check.rstrip()}\n    {dots}\n", text, "python")
    assert result.refusal is not None or result.guess.count("a.decode()") == 1
