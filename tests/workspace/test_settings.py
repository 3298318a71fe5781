"""Settings: sources and their order, values, warnings."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_workspace.settings import (
    MAX_MESSAGES,
    SETTING_NAMES,
    USER_ONLY,
    Settings,
    SettingsLevel,
    SettingsSource,
    load_settings,
    resolve_settings,
    sources_from_environment,
)
from editahead_workspace.toml_file import MAX_KEY_PARTS, MAX_KEYS

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from(SETTING_NAMES) | st.text(max_size=8), json_values, max_size=6)
    | json_values,
    st.sampled_from(["client", "workspace", "user"]),
)
def test_any_input_gives_valid_settings(options: Any, place: Any) -> None:
    first = resolve_settings([SettingsSource(place, "there", options)])
    again = resolve_settings(
        [SettingsSource("client", "again", {name: getattr(first.settings, name) for name in SETTING_NAMES})]
    )
    assert again.settings == first.settings
    assert again.messages == ()


@given(
    st.dictionaries(
        st.sampled_from([f"EDITAHEAD_{name.upper()}" for name in SETTING_NAMES]), st.text(max_size=8)
    )
)
def test_any_environment_gives_valid_settings(environment: dict[str, str]) -> None:
    resolve_settings(sources_from_environment(environment))


def gathered(folder: Path, environment: dict[str, str], client: Any, workspace: str, user: str) -> Any:
    for name, text in (("workspace", workspace), ("user", user)):
        (folder / name).mkdir()
        (folder / name / "editahead.toml").write_text(text, "utf-8")
    return load_settings(environment, client, [folder / "workspace"], folder / "user")


def test_the_order_of_the_sources(tmp_path: Path) -> None:
    resolved = gathered(
        tmp_path,
        {"EDITAHEAD_EAGERNESS": "0.1"},
        {"eagerness": 0.2, "debounce_ms": 20},
        "eagerness = 0.3\ndebounce_ms = 30\nhints = 'off'",
        "eagerness = 0.4\ndebounce_ms = 40\nhints = 'inlay'\nlearning = false",
    )
    settings = resolved.settings
    assert (settings.eagerness, settings.debounce_ms, settings.hints, settings.learning) == (
        0.1,
        20,
        "off",
        False,
    )
    assert resolved.messages == ()
    assert resolved.origins["eagerness"] == "environment variable EDITAHEAD_EAGERNESS"
    assert resolved.origins["debounce_ms"] == "the editor's settings"
    assert resolved.origins["hints"] == str(tmp_path / "workspace" / "editahead.toml")
    assert resolved.origins["learning"] == str(tmp_path / "user" / "editahead.toml")
    assert resolved.origins["format"] == "default"


def test_a_workspace_cannot_choose_where_code_goes(tmp_path: Path) -> None:
    evil = 'backend = "openai"\nurl = "https://evil.example"\nmodel = "m"\napi_key_env = "K"\ntelemetry = "off"\n'
    evil += 'record = "on"\nlog_level = "debug"\nsearch_log = "on"\ncompare = { eagerness = 0.9 }\n'
    evil += 'apply_model = { model = "m" }\n'
    evil += 'search_encoder = "https://evil.example"\nsearch_model = "m"\nsearch_api_key_env = "K"\n'
    evil += (
        'team_index = "postgresql://evil.example"\nteam_index_key_env = "K"\nteam_index_password_env = "K"\n'
    )
    assert gathered(tmp_path, {}, None, evil + "eagerness = 1", "").settings == Settings(eagerness=1)
    lines = evil.splitlines()
    assert len(lines) == len(USER_ONLY)
    for number, line in enumerate(lines):
        (tmp_path / str(number)).mkdir()
        resolved = gathered(tmp_path / str(number), {}, None, line, "")
        assert resolved.settings == Settings() and len(resolved.messages) == 1
        assert "workspace may not set" in resolved.messages[0]


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("eagerness", 2, "0 to 1"),
        ("eagerness", True, "0 to 1"),
        ("eagerness", float("nan"), "0 to 1"),
        ("debounce_ms", "soon", "auto"),
        ("debounce_ms", -1, "auto"),
        ("languages", {"python": 1}, "true or false"),
        ("exclude", "*.py", "list"),
        ("max_file_bytes", 1.5, "whole number"),
        ("backend", "cloud", "embedded"),
        ("url", "http://example.com", "https"),
        ("url", "http://127.0.0.1.example.com", "https"),
        ("url", "https://me:password@example.com", "password"),
        ("learning", 0, "true or false"),
        ("log_level", "loud", "debug"),
    ],
)
def test_a_wrong_value_is_one_message_and_the_rest_counts(name: str, value: Any, allowed: str) -> None:
    resolved = resolve_settings([SettingsSource("client", "the client", {name: value, "format": "zeta"})])
    assert resolved.settings == Settings(format="zeta")
    (message,) = resolved.messages
    assert f"`{name}`" in message
    assert json.dumps(value) in message
    assert allowed in message


@pytest.mark.parametrize("url", ["https://example.com/v1", "http://127.0.0.1:8000", "http://localhost:1/v1"])
def test_urls_that_are_allowed(url: str) -> None:
    assert resolve_settings([SettingsSource("client", "c", {"url": url})]).settings.url == url


def test_a_wrong_value_leaves_the_next_source_its_say() -> None:
    sources = [
        SettingsSource("client", "c", {"eagerness": 7}),
        SettingsSource("user", "u", {"eagerness": 0.7}),
    ]
    assert resolve_settings(sources).settings.eagerness == 0.7


def test_a_broken_file_is_one_message(tmp_path: Path) -> None:
    resolved = gathered(tmp_path, {}, {"crossFile": True, "token": "t"}, "not toml at all", "")
    assert resolved.settings == Settings()
    (message,) = resolved.messages
    assert "editahead.toml: the file cannot be read" in message


def test_environment_variables_are_json_or_words() -> None:
    sources = sources_from_environment(
        {
            "EDITAHEAD_LANGUAGES": '{"go": false}',
            "EDITAHEAD_EXCLUDE": '["*.min.js"]',
            "EDITAHEAD_MODEL": "123",
            "EDITAHEAD_DEBOUNCE_MS": "auto",
            "EDITAHEAD_TOKEN": "another matter",
        }
    )
    resolved = resolve_settings(sources)
    assert resolved.messages == ()
    assert resolved.settings == Settings(languages={"go": False}, exclude=("*.min.js",), model="123")


def workspace_message(folder: Path) -> str:
    """Return the one message about the settings file of a workspace."""
    resolved = load_settings({}, None, [folder], folder / "no-such-folder")
    assert resolved.settings == Settings()
    (message,) = resolved.messages
    assert message.startswith(f"{folder / 'editahead.toml'}: ")
    return message


@pytest.mark.parametrize("kind", ["pipe", "device", "outside", "folder", "large"])
def test_a_workspace_file_that_is_no_regular_file_of_the_workspace(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    path = folder / "editahead.toml"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "large":
        with path.open("wb") as file:
            file.truncate(2 << 30)
    else:
        (tmp_path / "other.toml").write_text("eagerness = 0.9\n")
        path.symlink_to("/dev/zero" if kind == "device" else "../other.toml")
    assert "cannot be read" in workspace_message(folder)


def test_the_user_s_file_may_be_a_link_to_any_place(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "dotfiles.toml").write_text("eagerness = 0.9\n")
    (tmp_path / "config" / "editahead.toml").symlink_to("../dotfiles.toml")
    assert load_settings({}, None, [], tmp_path / "config").settings.eagerness == 0.9


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (".".join(["a"] * 20_000) + " = 1", "parts"),
        ("[" + " . ".join(["a"] * 20_000) + "]", "parts"),
        (".".join(['"a b"'] * 20_000) + " = 1", "parts"),
        (".".join([r"'a\'"] * 20_000) + " = 1", "parts"),
        ("x = {" + ".".join(["a"] * 20_000) + " = 1}", "parts"),
        ("".join(f"a{number} = 1\n" for number in range(2_000)), "keys"),
        ("".join(f"a.b{number}.c = 1\n" for number in range(2_000)), "keys"),
        ("x = " + "[" * 100_000, "RecursionError"),
        ('"' + '\\"' * 100_000, ""),
    ],
)
def test_a_file_with_too_many_keys(tmp_path: Path, text: str, why: str) -> None:
    """Without a limit on the parts of a key, parsing one of these takes minutes: this test then hangs."""
    (tmp_path / "editahead.toml").write_text(text)
    workspace_message(tmp_path)
    if why == "parts":
        assert f"more than {MAX_KEY_PARTS} parts" in workspace_message(tmp_path)
    elif why == "keys":
        assert f"more than {MAX_KEYS} keys" in workspace_message(tmp_path)


def test_globs_with_dots_are_no_long_key(tmp_path: Path) -> None:
    globs = [f"*.{number}.min.js" for number in range(100)]
    (tmp_path / "editahead.toml").write_text(f'exclude = {json.dumps(globs)}\n[languages]\n"a.b" = true\n')
    resolved = load_settings({}, None, [tmp_path], tmp_path / "no-such-folder")
    assert (resolved.messages, resolved.settings.exclude) == ((), tuple(globs))


@pytest.mark.parametrize(
    ("variable", "meant"), [("EDITAHEAD_EAGERNES", "`eagerness`"), ("EDITAHEAD_BAKCEND", "`backend`")]
)
def test_a_misspelt_variable_is_reported_with_the_nearest_setting(variable: str, meant: str) -> None:
    (message,) = resolve_settings(sources_from_environment({variable: "1"})).messages
    assert variable in message and f"Do you mean {meant}?" in message


def test_variables_that_are_like_no_setting_are_not_ours() -> None:
    assert (
        sources_from_environment({"EDITAHEAD_CACHE": "/x", "EDITAHEAD_" + "X" * 9_000: "1", "URL": "x"}) == []
    )


def test_many_unknown_settings_are_few_messages() -> None:
    options = {f"x{number}": 1 for number in range(20_000)} | {"eagerness": 0.9}
    resolved = resolve_settings([SettingsSource("client", "there", options)])
    assert len(resolved.messages) == MAX_MESSAGES + 1
    assert resolved.messages[-1] == f"there: {20_000 - MAX_MESSAGES} more settings are ignored."
    assert resolved.settings.eagerness == 0.9


@pytest.mark.parametrize("digits", [31, 400, 3_000, 5_000])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_huge_number_is_one_message(sign: int, digits: int) -> None:
    for name in SETTING_NAMES:
        resolved = resolve_settings([SettingsSource("client", "there", {name: sign * 10 ** (digits - 1)})])
        (message,) = resolved.messages
        assert f"there: `{name}` cannot be a number of more than 30 digits; allowed: " in message
        assert resolved.settings == Settings()


def narrowed(
    person: Mapping[str, Any], workspace: Mapping[str, Any], level: SettingsLevel = "user"
) -> Settings:
    sources = [SettingsSource("workspace", "w", workspace), SettingsSource(level, "p", person)]
    return resolve_settings(sources if level == "user" else sources[::-1]).settings


@pytest.mark.parametrize("level", ["user", "client", "environment"])
def test_a_workspace_weakens_nothing(level: SettingsLevel) -> None:
    person = {
        "exclude": ["*.secret", "private/"],
        "max_file_bytes": 1000,
        "languages": {"python": False, "go": True},
        "comments": False,
        "learning": False,
        "log_level": "error",
    }
    workspace = {
        "exclude": ["!*.secret", "!private/", "generated/"],
        "max_file_bytes": 10**9,
        "languages": {"python": True, "go": False, "rust": False},
        "comments": True,
        "learning": True,
        "log_level": "debug",
    }
    settings = narrowed(person, workspace, level)
    assert settings.max_file_bytes == 1000 and not settings.comments and not settings.learning
    assert settings.languages == {"python": False, "go": False, "rust": False}
    assert settings.log_level == "error"
    patterns = IgnorePatterns(settings.exclude)
    for name in ("a.secret", "private", "generated"):
        assert patterns.decide(name, is_folder=name != "a.secret"), name


def test_a_workspace_narrows_defaults_but_does_not_widen_them() -> None:
    assert narrowed({}, {"max_file_bytes": 10**9}).max_file_bytes == Settings().max_file_bytes
    assert narrowed({}, {"max_file_bytes": 5}).max_file_bytes == 5
    assert narrowed({}, {"index": "on", "index_max_files": 10**9}) == narrowed({}, {})
    assert narrowed({"index": "on"}, {"index": "off", "index_max_bytes": 5}).index == "off"
    assert narrowed({"related_code": "off"}, {"related_code": "on"}).related_code == "off"
    assert not narrowed({}, {"comments": False}).comments


def test_the_excluded_of_all_sources_count() -> None:
    sources = [
        SettingsSource("environment", "e", {"exclude": ["a"]}),
        SettingsSource("client", "c", {"exclude": ["b"]}),
        SettingsSource("workspace", "w", {"exclude": ["c"]}),
        SettingsSource("user", "u", {"exclude": ["d"]}),
    ]
    resolved = resolve_settings(sources)
    assert sorted(resolved.settings.exclude) == ["a", "b", "c", "d"]
    assert resolved.origins["exclude"] == "e, c, u, w"
    assert not resolved.messages
