"""The setting `apply_model`: another model for sketches, with no more rights than the one for next edits."""

from __future__ import annotations

from typing import Any

import pytest

from editahead_workspace.apply.apply_models import create_apply_models
from editahead_workspace.model_config import ModelConfig
from editahead_workspace.policy import Policy
from editahead_workspace.settings import ResolvedSettings, Settings, SettingsSource, resolve_settings

TAB = {"backend": "openai", "url": "https://models.example.org", "model": "tab", "api_key_env": "TAB_KEY"}
KEYS = {"TAB_KEY": "t", "APPLY_KEY": "a"}


def resolve(user: dict[str, Any], policy: Policy | None = None) -> ResolvedSettings:
    return resolve_settings([SettingsSource("user", "mine", user)], policy)


def configured(user: dict[str, Any]) -> ModelConfig:
    return ModelConfig.for_apply(resolve(user).settings, KEYS, ())


def test_it_is_the_model_of_next_edits_unless_it_is_named() -> None:
    assert configured(TAB) == ModelConfig.from_settings(Settings(**TAB), KEYS, ())


def test_another_model_of_the_same_server_has_its_key() -> None:
    found = configured({**TAB, "apply_model": {"model": "applies"}})
    assert (found.url, found.model, found.key) == (TAB["url"], "applies", "t")


@pytest.mark.parametrize("own", [{"url": "https://other.example.org"}, {"backend": "local"}])
def test_another_server_gets_no_key_of_the_first(own: dict[str, Any]) -> None:
    found = configured({**TAB, "apply_model": own})
    assert (found.backend, found.model, found.key) == (own.get("backend", "openai"), None, None)


def test_a_key_of_its_own() -> None:
    found = configured(
        {**TAB, "apply_model": {"url": "https://other.example.org", "api_key_env": "APPLY_KEY"}}
    )
    assert found.key == "a"


@pytest.mark.parametrize(
    "policy",
    [
        Policy("policy.toml", servers=("models.example.org",)),
        Policy("policy.toml", models=("tab",)),
        Policy("policy.toml", backends=("local",)),
    ],
)
def test_the_policy_holds_for_it(policy: Policy) -> None:
    table = {"url": "https://other.example.org", "model": "applies"}
    resolved = resolve({**TAB, "apply_model": table}, policy)
    assert resolved.settings.apply_model == {}
    assert any("`apply_model`" in message for message in resolved.messages)


def test_the_model_of_next_edits_is_the_witness() -> None:
    settings = resolve({**TAB, "apply_model": {"model": "applies"}}).settings
    model, witness = create_apply_models(settings, KEYS, ())
    assert model is not None and witness is not None
    assert (model.backend.model, witness.backend.model) == ("applies", "tab")
    assert create_apply_models(Settings(), KEYS, ()) == (None, None)
    with pytest.raises(ValueError, match="needs a `url`"):
        create_apply_models(resolve({"apply_model": {"backend": "openai"}}).settings, KEYS, ())
