"""Doc comments that a sketch cuts short, and dots within a line: the file's text stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merged_sketch import certain, merged


def python_file(prefix: str) -> str:
    return (
        f'def load(path):\n    {prefix}"""Load the text of a file.\n\n    The file is closed again.\n    """\n'
        "    text = read(path)\n    return text\n"
    )


DOCSTRINGS = [
    *(
        '"""..."""',
        'r"""..."""',
        "'''...'''",
        '"""…"""',
        '"""⋮"""',
        '"""\n    ...\n    """',
        "'...'",
        '"""(unchanged)"""',
    ),
    *('"""Load the text ..."""', 'r"""Load the text of a file ..."""', '"""Load the text of a file. ..."""'),
    *(
        '"""Load ... closed again."""',
        '"""Load the text of a file.\n\n    ...\n    """',
        '"""Load the text of\n    [...]\n    """',
    ),
]


@pytest.mark.parametrize("prefix", ["", "r"])
@pytest.mark.parametrize("shown", DOCSTRINGS)
def test_a_docstring_cut_short_stays(shown: str, prefix: str) -> None:
    before = python_file(prefix)
    assert certain(
        f"def load(path):\n    {shown}\n    text = find(path)\n    return text\n", before, "python"
    ) in (None, before.replace("read(", "find("))


def commented(indent: str, opening: str, head: str, closing: str) -> str:
    """Return a file with a doc comment above a function."""
    comment = [
        *("/**", " * Loads the text of a file.", " * It is closed again."),
        *(" * @param path The file.", " */", *head.split("|"), "  run(1);", "}"),
    ]
    return opening + "".join(f"{indent}{line}\n" for line in comment) + closing


COMMENTED = [
    ("javascript", commented("", "", "function load(path) {", ""), ""),
    ("typescript", commented("  ", "class A {\n", "load(path: string) {", "}\n"), "  "),
    ("java", commented("    ", "class A {\n", "@Nullable|String load(String path) {", "}\n"), "    "),
]
CUT = [
    *(
        "/** ... */",
        "/**\n{i} * ...\n{i} */",
        "/** … */",
        "/**\n{i} * ⋮\n{i} */",
        "/** Loads the text of a file ... */",
    ),
    *("/**\n{i} * Loads the text ...\n{i} */", "/**\n{i} * Loads the text of a file.\n{i} * ...\n{i} */"),
    "/**\n{i} * Loads the text of a file.\n{i} * ...\n{i} * @param path The file.\n{i} */",
]


@pytest.mark.parametrize(("language", "text", "indent"), COMMENTED, ids=lambda each: each[:10])
@pytest.mark.parametrize("shown", CUT)
def test_a_doc_comment_cut_short_stays(language: str, text: str, indent: str, shown: str) -> None:
    start, end = text.index("/**"), text.index("*/") + 2
    sketch = text[:start] + shown.replace("{i}", indent) + text[end:].replace("run(1)", "run(2)")
    assert certain(sketch, text, language) in (None, text.replace("run(1)", "run(2)"))


CODE = """\
function load(path, mode) {
  if (!path) {
    throw new Error('The path is missing here');
  }
  const text = read(path, { encoding: 'utf8', flag: mode });
  const all = [first(text), second(text), third(text)];
  log(`read ${path} at ${now()}`);
  run(1);
  return check(text, all, mode);
}
"""
GAPS = [
    ("'The path is missing here'", "'...'"),
    ("'The path is missing here'", '"..."'),
    ("'The path is missing here'", "..."),
    ("'The path is missing here'", "'…'"),
    ("'The path is missing here'", "'The path ...'"),
    ("Error('The path is missing here')", "PathError('...')"),
    ("{ encoding: 'utf8', flag: mode }", "{ ... }"),
    ("{ encoding: 'utf8', flag: mode }", "{...}"),
    ("{ encoding: 'utf8', flag: mode }", "{ encoding: 'utf8', ... }"),
    ("(path, { encoding: 'utf8', flag: mode })", "(...)"),
    ("[first(text), second(text), third(text)]", "[...]"),
    ("second(text), third(text)", "..."),
    ("second(text)", "..."),
    ("`read ${path} at ${now()}`", "`...`"),
    ("`read ${path} at ${now()}`", "..."),
    ("(text, all, mode)", "(...)"),
    ("all, mode", "..."),
]


@pytest.mark.parametrize(("old", "shown"), GAPS)
def test_dots_within_a_line_keep_the_text_of_the_file(old: str, shown: str) -> None:
    right = CODE.replace("run(1)", "run(2)")
    assert certain(right.replace(old, shown), CODE, "javascript") in (None, right)


RULES = [
    ("a { margin: 0; }\n.card { color: red; padding: 4px; }\n", "color: red; padding: 4px;"),
    ("a { margin: 0; }\n.card {\n  color: red;\n  padding: 4px;\n}\n", "\n  color: red;\n  padding: 4px;\n"),
]


@pytest.mark.parametrize(("text", "inside"), RULES)
@pytest.mark.parametrize(
    "shown", ["...", " ... ", " … ", " /* ... */ ", " /* nichts */ ", " color: red; ... ", " color: ...; "]
)
def test_dots_within_a_rule_keep_its_declarations(text: str, inside: str, shown: str) -> None:
    right = text.replace("margin: 0", "margin: 1px")
    assert certain(right.replace(inside, shown), text, "css") in (None, right)


WORDS = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta"]), min_size=2, max_size=4, unique=True)


@given(WORDS, st.data())
def test_a_gap_in_any_call_loses_nothing(names: list[str], data: st.DataObject) -> None:
    """Calls that are alike fit several lines: refused, or the right one by the order of the lines."""
    lines = [f"  set_{name}({', '.join(names)}, 'on {name}');" for name in names]
    text = "function go() {\n" + "\n".join(lines) + "\n  run(1);\n}\n"
    at = data.draw(st.integers(0, len(names) - 1))
    first, last = sorted(data.draw(st.lists(st.integers(0, len(names) - 1), min_size=2, max_size=2)))
    shown = [*names[:first], "...", *names[last + 1 :]]
    name = data.draw(st.sampled_from([f"set_{names[at]}", "set_other"]))
    cut = f"  {name}({', '.join(shown)}, '{data.draw(st.sampled_from(['...', f'on {names[at]}']))}');"
    result = merged(text.replace(lines[at], cut).replace("run(1)", "run(2)"), text, "javascript")
    assert result.refusal is not None or all(line in result.guess for line in lines), cut


MEANT = [
    ("javascript", "return go(path);", "return go(...path);"),
    ("javascript", "return go(path);", "return { a: 1, ...path };"),
    ("javascript", "return go(path);", "return cut(path, 20, '…');"),
    ("javascript", "return go(path);", "status('Loading...');"),
    ("javascript", "return go(path);", "return path + '...';"),
    ("javascript", "return go(path);", "return '{ ... }';"),
    ("go", "return go(path)", "return join(path...)"),
    ("python", "return go(path)", "return cut(path, '...')"),
    ("python", "return go(path)", "return all[..., path]"),
    ("python", "return go(path)", "pair: Tuple[int, ...] = path"),
    ("python", "return go(path)", "return Field(...)"),
]


@pytest.mark.parametrize(("language", "old", "new"), MEANT)
def test_dots_of_the_language_and_of_sentences_are_written(language: str, old: str, new: str) -> None:
    heads = {
        "javascript": ("function a(path) {", "}\n"),
        "go": ("func A(path string) {", "}\n"),
        "python": ("def a(path):", ""),
    }
    head, end = heads[language]
    text = f"{head}\n    first(1)\n    {old}\n{end}"
    assert certain(text.replace(old, new), text, language) == text.replace(old, new)
