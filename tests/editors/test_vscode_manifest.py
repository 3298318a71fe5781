"""What the VS Code extension declares is what the server has."""

from __future__ import annotations

import json
from typing import Any

import pytest

import editahead_lsp
from editahead_workspace import settings
from neovim import ROOT

FOLDER = ROOT / "editors" / "vscode"
MANIFEST: dict[str, Any] = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
PROPERTIES: dict[str, Any] = MANIFEST["contributes"]["configuration"]["properties"]
MACHINE = {"editahead.server.command", "editahead.server.python"}
OWN = {
    *MACHINE,
    *(
        f"editahead.{name}"
        for name in (
            "trace.server",
            "display",
            "jumpFirst",
            "placesLeft",
            "evidence",
            "suggestionList",
            "announcements",
        )
    ),
}


def test_its_settings_are_those_of_the_server() -> None:
    assert PROPERTIES.keys() - OWN == {f"editahead.{name}" for name in settings.SETTING_NAMES}
    assert all(one["markdownDescription"] for one in PROPERTIES.values())


def test_nothing_is_set_before_a_person_sets_it() -> None:
    """A default of the extension would win over the settings files."""
    assert {one["default"] for name, one in PROPERTIES.items() if name not in OWN} == {None}


def test_a_workspace_cannot_say_where_code_goes_or_what_is_started_nor_weaken_what_a_person_set() -> None:
    machine = {name for name, one in PROPERTIES.items() if one["scope"] == "machine"}
    assert (
        machine == {f"editahead.{name}" for name in settings.USER_ONLY | settings.NARROWED.keys()} | MACHINE
    )


@pytest.mark.parametrize(
    "name", sorted(name for name in settings.SETTING_NAMES if "enum" in PROPERTIES[f"editahead.{name}"])
)
def test_the_words_of_a_setting_are_those_of_the_server(name: str) -> None:
    words = [f'"{word}"' for word in PROPERTIES[f"editahead.{name}"]["enum"] if word is not None]
    assert " or ".join(words) == settings.VALUE_TYPES[name].allowed


def test_it_has_the_version_of_the_server() -> None:
    assert MANIFEST["version"] == editahead_lsp.__version__


def test_its_lock_names_no_registry() -> None:
    lock = json.loads((FOLDER / "package-lock.json").read_text(encoding="utf-8"))
    packages: dict[str, dict[str, Any]] = lock["packages"]
    assert MANIFEST["devDependencies"] == packages[""]["devDependencies"]
    assert [name for name, package in packages.items() if "resolved" in package] == []
    assert all("integrity" in package for name, package in packages.items() if name)


def test_every_command_that_a_key_or_a_menu_names_is_there() -> None:
    contributes = MANIFEST["contributes"]
    commands = {one["command"] for one in contributes["commands"]}
    named = [*contributes["keybindings"], *(one for menu in contributes["menus"].values() for one in menu)]
    assert {one["command"] for one in named if one["command"].startswith("editahead.")} <= commands


@pytest.mark.parametrize("key", ["tab", "escape", "ctrl+right", "ctrl+alt+right"])
def test_no_key_is_taken_from_snippets_or_an_inline_chat(key: str) -> None:
    """The keys for what is drawn by us. Of an inline chat there is no other test: it takes an extension that chats."""
    keys: list[dict[str, str]] = MANIFEST["contributes"]["keybindings"]
    ours = [set(one["when"].split(" && ")) for one in keys if one["key"] == key]
    drawn = [when for when in ours if when & {"editahead.shown", "editahead.here", "editahead.done"}]
    assert drawn
    for when in drawn:
        assert {"!inSnippetMode", "!inlineChatVisible", "!inlineSuggestionVisible"} <= when
        assert {"editorTextFocus", "!editorHasSelection", "!editorHasMultipleSelections"} <= when
        # Tab is taken from a list only as long as another key is not drawn yet.
        assert "!suggestWidgetVisible" in when or {"editahead.shown", "!editahead.yields"} <= when
