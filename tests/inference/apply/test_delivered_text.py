"""A patch within the text that is delivered for a file is a part of that text, and no instruction."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from files_in_memory import apply_in_memory

_DIFF = "--- a/main.py\n+++ b/main.py\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n y = 3\n"
_GIT = f"diff --git a/main.py b/main.py\nindex 1111111..2222222 100644\n{_DIFF}"
_BLOCK = "main.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"
_PATCH = "*** Begin Patch\n*** Update File: main.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"
_DELETION = "*** Begin Patch\n*** Delete File: main.py\n*** End Patch\n"
_CALL = '{"file_path": "main.py", "old_string": "x = 1", "new_string": "x = 2"}\n'
_TAGS = (
    "<edit>\n<path>main.py</path>\n<old_text>\nx = 1\n</old_text>\n<new_text>\nx = 2\n</new_text>\n</edit>\n"
)
_EXAMPLES = [_DIFF, _GIT, _BLOCK, _PATCH, _DELETION, _CALL, _TAGS]
_MAIN = {"main.py": "x = 1\ny = 3\n"}

_CODE = {
    "t/test_tool.py": 'import tool\n\n\ndef test_a():\n    patch = """\\\n{}"""\n    assert tool.run(patch) == {}\n',
    "t/tool.test.ts": "import {{ run }} from './tool';\n\nconst patch = `\n{}`;\nexpect(run(patch)).toBe({});\n",
    "t/tool_test.go": "package tool\n\nconst patch = `\n{}`\n\nfunc TestA(t *testing.T) {{\n\tcheck(t, patch, {})\n}}\n",
    "t/tool.rs": 'const PATCH: &str = r#"\n{}"#;\n\nfn run() -> u32 {{\n    {}\n}}\n',
    "t/tool.rb": "PATCH = <<~TEXT\n{}TEXT\n\ndef run\n  {}\nend\n",
}
_TEXTS = {
    "run.sh": "#!/bin/sh\ncat > fix.patch <<'EOF'\n{}EOF\ngit apply fix.patch && exit {}\n",
    "docs/use.rst": "Use\n===\n\nSo it goes::\n\n{}\nThat was number {}.\n",
    "README.md": "# Tool\n\nSo it goes:\n\n{}\nThat was number {}.\n",
    "ci.yml": "name: ci\nsteps:\n- run: |\n{}\n- run: make {}\n",
    "notes.txt": "Some words\n{}more words {}\n",
}


@pytest.mark.parametrize("sample", _EXAMPLES)
@pytest.mark.parametrize("name", [*_CODE, *_TEXTS])
@pytest.mark.parametrize("form", ["fence", "word", "bare for its file"])
def test_a_file_that_holds_an_example_is_the_only_one_that_changes(name: str, sample: str, form: str) -> None:
    text = {**_CODE, **_TEXTS}[name]
    before = {**_MAIN, name: text.format(sample, 0)}
    new = text.format(sample, 1)
    word = name.rpartition(".")[2] if form == "word" else ""
    is_bare = form == "bare for its file"
    sketch = new if is_bare else f"{name}\n````{word}\n{new}````\n"
    found = apply_in_memory(before, sketch, name if is_bare else None)
    assert isinstance(found, str) or found["main.py"] == _MAIN["main.py"]
    if name in _CODE:
        assert found == {**before, name: new}


@pytest.mark.parametrize("sample", _EXAMPLES)
@pytest.mark.parametrize(
    "form",
    [
        "fix.patch\n````\n{}````\n",
        "fix.patch\n````diff\n{}````\n",
        "````diff fix.patch\n{}````\n",
        "`fix.diff`:\n\n````\n{}````\n",
        "README.md\n````markdown\n# T\n\n```diff\n{}```\n\nEnd.\n````\n",
        "README.md\n````markdown\n# T\n\n```\n{}```\n\nEnd.\n````\n",
        "README.md\n~~~~markdown\n# T\n\n```diff\n{}```\n~~~~\n",
        "README.md\n```markdown\n# T\n\n```\n{}```\n\nEnd.\n```\n",
        "README.md\n```\n# T\n\n```\n{}```\n\nEnd.\n```\n",
        "README.md\n```markdown\n# T\n\n```sh\nmake\n```\n\n```\n{}```\n\nEnd.\n```\n",
        "README.md\n```markdown\n# T\n\n```diff\n{}```\n\nEnd.\n```\n",
        "Write it like this in `README.md`:\n\n````markdown\n{}````\n",
        "t/test_md.py\n```python\nTEXT = '''\n```\n{}```\n'''\n```\n",
        "calls.json\n````json\n{}````\n",
    ],
)
def test_an_example_in_a_block_of_another_file_is_no_instruction(form: str, sample: str) -> None:
    before = {
        **_MAIN,
        "README.md": "# T\n\nOld.\n",
        "fix.patch": "old\n",
        "fix.diff": "old\n",
        "t/test_md.py": "A = 1\n",
    }
    found = apply_in_memory(before, form.format(sample))
    assert isinstance(found, str) or found["main.py"] == _MAIN["main.py"]


@pytest.mark.parametrize("sample", [_DIFF, _GIT, _BLOCK, _PATCH])
@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "Here is the change:\n\n{}",
        "Here is the change of `run()`, as you asked (see 2.):\n\n{}\nThat is all.\n\n- a point\n- another one\n",
        "So it goes:\n\n```diff\n{}```\n",
        "So it goes:\n\n```\n{}```\n\nRun it with `make test`.\n\n```sh\nmake test\n```\n",
        "1. This:\n\n   ```diff\n   {}   ```\n",
    ],
)
@pytest.mark.parametrize("own", [None, "main.py", "tool.py"])
def test_instructions_among_words_are_followed(form: str, sample: str, own: str | None) -> None:
    before = {**_MAIN, "tool.py": "import main\n"}
    indented = sample.replace("\n", "\n   ").removesuffix("   ") if form.startswith("1.") else sample
    assert apply_in_memory(before, form.format(indented), own) == {**before, "main.py": "x = 2\ny = 3\n"}


_LINES = st.sampled_from(
    [
        *"".join(_EXAMPLES).splitlines(),
        *(
            "```",
            "```diff",
            "```python",
            "~~~",
            "main.py",
            "`main.py`:",
            "Words.",
            "    x",
            "",
            "def f():",
            '"""',
        ),
    ]
)


@pytest.mark.slow
@given(
    lines=st.lists(st.one_of(_LINES, st.sampled_from([e.rstrip() for e in _EXAMPLES])), max_size=8),
    data=st.data(),
)
@example(lines=[_PATCH.rstrip()], data=None)
def test_a_block_changes_no_file_but_its_own(lines: list[str], data: st.DataObject | None) -> None:
    text = "\n".join(lines) + "\n"
    name = (
        "out.py"
        if data is None
        else data.draw(st.sampled_from(["out.py", "out.md", "out.txt", "out.patch", "o/x.json"]))
    )
    word = "" if data is None else data.draw(st.sampled_from(["", "python", "markdown", "text"]))
    above = "" if data is None else data.draw(st.sampled_from(["", "Here it is.\n\n"]))
    assume(lines)
    before = {**_MAIN, name: "old = 1\n"}
    for tree in (before, _MAIN):
        found = apply_in_memory(tree, f"{above}{name}\n``````{word}\n{text}``````\n")
        assert isinstance(found, str) or found["main.py"] == _MAIN["main.py"]
        assert isinstance(found, str) or set(found) <= {"main.py", name}
