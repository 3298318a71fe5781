"""Changes of the user's settings file, which leave everything else in it alone."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_serving.errors import SettingsWriteError
from editahead_serving.settings_file import set_values, update_settings_file

FILE = """\
# mine
backend = "openai"  # the old one
"url" = "https://example.com"
eagerness = 0.3

[languages]
backend = true
"""
values = st.dictionaries(
    st.sampled_from(["backend", "model", "url"]), st.none() | st.text(st.characters(min_codepoint=32))
)
lines = st.lists(
    st.sampled_from(
        [
            "# x",
            'backend = "a"',
            'model="b"',
            "",
            "eagerness = 0.5",
            "exclude = [",
            '"a",',
            "]",
            "[languages]",
            "go = true",
        ]
    )
)


def test_what_is_changed() -> None:
    assert set_values(FILE, {"backend": "engine", "model": "a/b", "url": None}) == (
        'backend = "engine"\nmodel = "a/b"\n# mine\neagerness = 0.3\n\n[languages]\nbackend = true\n'
    )


def test_a_file_without_a_last_newline() -> None:
    assert set_values("eagerness = 1", {"model": "m"}) == 'model = "m"\neagerness = 1\n'


@pytest.mark.slow
@given(lines, values)
def test_all_else_stays(lines: list[str], values: dict[str, str | None]) -> None:
    text = "\n".join(lines)
    try:
        changed = set_values(text, values)
    except SettingsWriteError:
        return
    before, after = tomllib.loads(text), tomllib.loads(changed)
    for name in before.keys() | after.keys() | values.keys():
        assert after.get(name) == values.get(name, before.get(name))


@pytest.mark.parametrize("text", ["backend = ", 'backend = """\nurl = 1\n"""\n'])
def test_what_is_not_touched(text: str, tmp_path: Path) -> None:
    file = tmp_path / "editahead.toml"
    file.write_text(text)
    with pytest.raises(SettingsWriteError):
        update_settings_file(file, {"backend": "engine", "url": None})
    assert file.read_text() == text


def test_a_file_is_made_and_a_link_is_followed(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles" / "editahead.toml", tmp_path / "config" / "editahead.toml"
    link.parent.mkdir()
    link.symlink_to(real)
    update_settings_file(link, {"backend": "engine"})
    update_settings_file(link, {"backend": "local", "model": "m"})
    assert link.is_symlink() and real.read_text() == 'backend = "local"\nmodel = "m"\n'
    assert [path.name for path in real.parent.iterdir()] == ["editahead.toml"]
