"""The policy of a machine: what no settings can weaken."""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_workspace import settings as settings_module
from editahead_workspace.file_exclusion import FileExclusion
from editahead_workspace.policy import (
    POLICY_LIMITS,
    Policy,
    anywhere,
    policy_file,
    read_machine_policy,
    read_policy,
)
from editahead_workspace.setting_values import VALUE_TYPES
from editahead_workspace.settings import Settings, SettingsSource, load_settings, resolve_settings
from editahead_workspace.uris import path_to_uri

ANOTHER_ACCOUNT = -1
HOSTS = ("models.example.com", "evil.example.com", "127.0.0.1", "localhost")
MODELS = ("zeta-2", "org/Zeta-2", "editahead-coder", "/opt/models/a", "/opt/models/../../home/b")
URLS = st.sampled_from(HOSTS).map("https://{}/v1".format)
VALUES: Mapping[str, st.SearchStrategy[Any]] = {
    "backend": st.sampled_from(["embedded", "local", "openai", "engine"]),
    "url": URLS,
    "model": st.sampled_from(MODELS),
    "search_encoder": st.sampled_from(["auto", "off", "/opt/models/encoder.npz", "/home/encoder.npz"]) | URLS,
    "search_model": st.sampled_from(MODELS),
    "team_index": st.sampled_from(HOSTS).map("postgresql://{}".format),
    "exclude": st.lists(st.sampled_from(["*.py", "!secret/", "!*", "docs/"]), max_size=3),
    "max_file_bytes": st.integers(0, 9),
    "index": st.sampled_from(["off", "auto", "on"]),
    "related_code": st.sampled_from(["off", "auto", "on"]),
    "languages": st.dictionaries(st.sampled_from(["go", "python"]), st.booleans()),
    "learning": st.booleans(),
    "telemetry": st.sampled_from(["off", "local"]),
    "record": st.sampled_from(["off", "on"]),
    "search_log": st.sampled_from(["off", "on"]),
    "log_level": st.sampled_from(["error", "warning", "info", "debug"]),
}
OPTIONS = st.fixed_dictionaries({}, optional=dict(VALUES))
LEVELS = ("environment", "client", "network", "workspace", "user")
SOURCES = st.lists(st.tuples(st.sampled_from(LEVELS), OPTIONS), max_size=4).map(
    lambda found: [SettingsSource(level, level, options) for level, options in found]  # type: ignore[arg-type]  # one of them
)
POLICIES = st.fixed_dictionaries(
    {},
    optional={
        "backends": st.lists(VALUES["backend"], max_size=2),
        "models": st.lists(st.sampled_from(["*/zeta-2", "editahead-coder", "/opt/models/*"]), max_size=2),
        "servers": st.lists(st.sampled_from(["models.example.com", "127.*"]), max_size=2),
        "exclude": st.just(["secret/"]),
        **{name: values for name, values in VALUES.items() if name in POLICY_LIMITS and name != "exclude"},
    },
).map(lambda options: Policy.from_options("policy.toml", options))


@given(SOURCES, POLICIES)
def test_whatever_the_settings_say_they_are_within_the_policy(
    sources: list[SettingsSource], policy: Policy
) -> None:
    resolved = resolve_settings(sources, policy)
    found = resolved.settings
    for name, limit in policy.limits.items():
        value = getattr(found, name)
        if name == "exclude":
            assert set(anywhere(limit)) <= set(value)
        else:
            assert POLICY_LIMITS[name](value, limit) == value
    assert not policy.denied_settings({name: getattr(found, name) for name in VALUES})
    assert policy.allows_backend(found.backend)
    if found.backend == "openai" and found.url is not None:
        assert policy.allows_server(found.url)
    if found.backend != "embedded" and policy.models is not None:
        assert policy.allows_model(found.model or "editahead-coder")


@given(SOURCES, POLICIES)
def test_a_policy_within_which_the_settings_are_changes_nothing(
    sources: list[SettingsSource], policy: Policy
) -> None:
    within = resolve_settings(sources, policy)
    options = {name: getattr(within.settings, name) for name in VALUES}
    again = resolve_settings([SettingsSource("client", "again", options)], replace(policy, limits={}))
    assert again.settings == within.settings and again.messages == ()


@given(SOURCES)
def test_a_policy_that_does_not_count_switches_off_all_that_it_could_have_limited(
    sources: list[SettingsSource],
) -> None:
    found = resolve_settings(sources, Policy.closed("policy.toml", "damaged"))
    assert (found.settings.backend, found.settings.max_file_bytes, found.settings.index) == (
        "embedded",
        0,
        "off",
    )
    assert (found.settings.record, found.settings.search_log, found.settings.telemetry) == ("off",) * 3
    assert any("does not count" in message for message in found.messages)
    assert found.settings.url is None and found.settings.team_index is None
    assert FileExclusion((Path("/project"),), found.settings.exclude).exclusion_reason("file:///project/a.py")


@pytest.mark.parametrize("opened", ["home", "home/app", "home/app/secret", "home/app/secret/deep"])
@pytest.mark.parametrize("glob", ["secret/", "app/secret", "SECRET/deep/*.py", "*.py"])
def test_an_exclusion_holds_whichever_folder_is_opened(tmp_path: Path, opened: str, glob: str) -> None:
    file = tmp_path / "home/app/secret/deep/a.py"
    file.parent.mkdir(parents=True)
    file.write_text("")
    policy = Policy.from_options("policy.toml", {"exclude": [glob]})
    taken_back = SettingsSource("user", "user", {"exclude": ["!*", f"!{glob}", f"!//**/{glob}"]})
    exclude = resolve_settings([taken_back], policy).settings.exclude
    folder = tmp_path / opened
    assert FileExclusion((folder,), exclude).exclusion_reason(path_to_uri(file))
    assert FileExclusion((), exclude).exclusion_reason(path_to_uri(file))
    assert not FileExclusion((folder,), exclude).exclusion_reason(path_to_uri(tmp_path / "home/b.txt"))


def test_an_exclusion_of_whole_paths_holds_for_entries_and_links(tmp_path: Path) -> None:
    from editahead_retrieval.files.exclusion_rules import ExclusionRules

    (tmp_path / "app/secret").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "app")
    exclude = IgnorePatterns(anywhere(("app/secret/",)))
    for folder in ("app", "link"):
        rules = ExclusionRules([tmp_path / folder], exclude)
        assert rules.excludes_entry(tmp_path / folder, "secret", is_folder=True)
        assert not rules.excludes_entry(tmp_path / folder, "open", is_folder=True)
        assert rules.reason(tmp_path / folder / "secret/a.py")
        inside = ExclusionRules([tmp_path / folder / "secret"], exclude)
        assert inside.excludes_entry(tmp_path / folder / "secret", "a.py", is_folder=False)


def test_a_model_is_what_its_path_leads_to(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    (tmp_path / "theirs").mkdir()
    (tmp_path / "ours/link").symlink_to(tmp_path / "theirs")
    policy = Policy("policy.toml", models=(f"{tmp_path}/ours/*", "Org/*"))
    assert policy.allows_model(f"{tmp_path}/ours/a") and policy.allows_model("org/model")
    for model in (
        f"{tmp_path}/ours/../theirs",
        f"{tmp_path}/ours/link",
        "~nobody/ours/a",
        "./org/a",
        "other",
        None,
    ):
        assert not policy.allows_model(model)


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://models.example.com:8443/v1", True),
        ("https://MODELS.example.com", True),
        ("https://models.example.com.evil.org", False),
        ("https://evil.org/models.example.com", False),
        ("postgresql://ada@models.example.com/team", True),
        ("postgresql://ada@models.example.com/team?host=evil.org", False),
    ],
)
def test_servers_are_compared_by_their_host(url: str, allowed: bool) -> None:
    assert Policy("policy.toml", servers=("models.example.com",)).allows_server(url) is allowed


def test_a_value_that_the_policy_does_not_allow_gives_one_message() -> None:
    policy = Policy.from_options("/etc/policy.toml", {"record": "off", "backends": [], "telemetry": "off"})
    user = SettingsSource("user", "mine.toml", {"record": "on", "backend": "engine", "eagerness": 1})
    resolved = resolve_settings([user], policy)
    assert resolved.settings == Settings(eagerness=1, telemetry="off")
    assert sorted(resolved.messages) == [
        'mine.toml: the policy /etc/policy.toml does not allow `backend` = "engine"; "embedded" is used.',
        'mine.toml: the policy /etc/policy.toml does not allow `record` = "on"; "off" is used.',
    ]
    assert {name for name, origin in resolved.origins.items() if origin == "/etc/policy.toml"} == {
        "record",
        "backend",
        "telemetry",
    }


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("models = 'all'", "`models` has to be a list"),
        ("models = ['']", "`models` has to be a list"),
        ("record = 'never'", "`record` cannot be"),
        ("eagerness = 1", 'no limit "eagerness"'),
        ("exclude = ['!a']", "take files back"),
        ("exclude = 'a'", "`exclude` cannot be"),
        ("not toml", "Expected"),
        ("a.b = 1", "no limit"),
    ],
)
def test_a_policy_that_is_not_understood_is_closed(tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(text)
    policy = read_policy(file, None)
    assert policy is not None and policy.problem is not None and reason in policy.problem
    assert policy.backends == () and policy.limits["record"] == "off"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_a_policy_that_others_can_change_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "etc"
    folder.mkdir(mode=0o755)
    file = folder / "policy.toml"
    assert read_policy(file, ANOTHER_ACCOUNT) is None
    file.write_text("record = 'off'")
    file.chmod(0o644)
    good = read_policy(file, ANOTHER_ACCOUNT)
    assert good is not None and good.problem is None
    for place, mode in ((file, 0o646), (folder, 0o757)):
        before = place.stat().st_mode
        place.chmod(mode)
        policy = read_policy(file, ANOTHER_ACCOUNT)
        assert policy is not None and f"{place} can be changed by other accounts" in str(policy.problem)
        place.chmod(before)
    if os.getuid() != 0:  # root administers
        policy = read_policy(file, os.getuid())
        assert policy is not None and "belongs to your own account" in str(policy.problem)
    file.unlink()
    file.mkdir()
    assert getattr(read_policy(file, ANOTHER_ACCOUNT), "problem", None)


def test_the_settings_of_a_machine_with_a_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = Policy.from_options("policy.toml", {"record": "off"})
    monkeypatch.setattr(settings_module, "read_machine_policy", lambda: policy)
    found = load_settings({"EDITAHEAD_RECORD": "on"}, {"record": "on"}, [], tmp_path)
    assert found.settings.record == "off" and found.policy is policy
    assert policy_file().is_absolute()


@pytest.mark.parametrize("folder", [None, 3, "", "ProgramData"])
def test_a_registry_without_the_place_closes_everything(
    folder: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def query(key: object, name: str) -> tuple[object, int]:
        if folder is None:
            raise FileNotFoundError(2, "The system cannot find the file specified")
        return folder, 1

    registry = types.ModuleType("winreg")
    vars(registry).update(HKEY_LOCAL_MACHINE=0, OpenKey=lambda *_: nullcontext(), QueryValueEx=query)
    monkeypatch.setitem(sys.modules, "winreg", registry)
    monkeypatch.setattr(sys, "platform", "win32")
    policy = read_machine_policy()
    assert policy is not None and policy.limits["record"] == "off"
    assert policy.problem is not None and "Common AppData" in policy.problem


def test_each_limit_is_a_setting() -> None:
    assert POLICY_LIMITS.keys() <= VALUE_TYPES.keys()
