"""Names that git has quoted are decoded, or the sketch is refused. None is taken for another name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.errors import InvalidNameError, SketchError
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.sketches.quoted_names import unquote_name
from history_typist import PROPERTY

HUNK = "@@ -1 +1 @@\n-x\n+y\n"
FORMS = {
    "unified diff": '--- "a/{0}"\n+++ "b/{0}"\n' + HUNK,
    "git's header": 'diff --git "a/{0}" "b/{0}"\nindex 12..34 100644\n--- "a/{0}"\n+++ "b/{0}"\n' + HUNK,
    "fenced": 'Text.\n\n```diff\n--- "a/{0}"\n+++ "b/{0}"\n'
    + HUNK
    + "```\n\n```python\n# ok.py\nx = 1\n```\n",
    "patch": '*** Begin Patch\n*** Update File: "{0}"\n@@\n-x\n+y\n*** End Patch\n',
}
MOVES = {
    "git": 'diff --git "a/{0}" b/new.py\nrename from "{0}"\nrename to new.py\n',
    "patch": '*** Begin Patch\n*** Update File: "{0}"\n*** Move to: new.py\n@@\n-x\n+y\n*** End Patch\n',
}


def quote(name: bytes) -> str:
    """Return a name as git quotes it: everything but printable ASCII in octal."""
    return "".join(
        f"\\{byte:03o}" if not 32 <= byte < 127 else f"\\{byte:c}" if byte in b'"\\' else f"{byte:c}"
        for byte in name
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["naïve.py", "src/日本 語.py", "a b.py"])
def test_a_name_is_decoded(form: str, name: str) -> None:
    assert parse_sketch(FORMS[form].format(quote(name.encode()))).files[0].path == name


@pytest.mark.parametrize("form", MOVES)
def test_a_moved_name_is_decoded(form: str) -> None:
    (file,) = parse_sketch(MOVES[form].format(quote("naïve.py".encode()))).files
    assert (file.path, file.moved_to, file.action) == ("naïve.py", "new.py", "move")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "name", [b"a\x1b[2J.py", b"\xff.py", b"a\nb.py", "a\u202eb.py".encode(), b"a\\b.py", b'a"b.py']
)
def test_a_name_that_is_no_text_refuses_the_sketch(form: str, name: bytes) -> None:
    with pytest.raises(InvalidNameError):
        parse_sketch(FORMS[form].format(quote(name)), path="ok.py")


@pytest.mark.parametrize("char", "\x1b\x07\u202e\x9b")
@pytest.mark.parametrize("form", FORMS)
def test_a_name_with_control_characters_refuses_the_sketch(form: str, char: str) -> None:
    with pytest.raises(InvalidNameError):
        parse_sketch(FORMS[form].replace('"', "").format(f"a{char}.py"), path="ok.py")


def test_a_label_above_a_fence() -> None:
    (file,) = parse_sketch('File: "na\\303\\257ve.py"\n\n```python\nx = 1\n```\n').files
    assert file.path == "naïve.py"


def test_backslashes_of_windows_separate_folders() -> None:
    (file,) = parse_sketch('--- "a\\src\\x.py"\n+++ "b\\src\\x.py"\n' + HUNK).files
    assert file.path is not None and file.path.endswith("src/x.py")


@PROPERTY
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20))
def test_each_name_comes_back_or_is_refused(name: str) -> None:
    found = unquote_name(f'"{quote(name.encode())}"')
    assert found in (name, None)
    assert (found == name) == (name.isprintable() and not set(name) & set('"\\'))


@PROPERTY
@given(st.text(st.sampled_from('\\"ab037/n.\x1bé'), max_size=12))
def test_no_other_error(name: str) -> None:
    for form in (*FORMS.values(), *MOVES.values()):
        try:
            parse_sketch(form.replace("{0}", name))
        except SketchError:
            continue
