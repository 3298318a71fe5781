"""Two arms on a person's days: which day has which, and which settings each has."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_workspace.day_arms import BLOCK_DAYS, Comparison, DayArm, arm_of, block_of
from editahead_workspace.policy import Policy
from editahead_workspace.settings import ResolvedSettings, Settings, SettingsSource, resolve_settings

DAY_S = 24 * 3600.0
NOON = 1_700_000_000.0


def resolve(user: dict[str, Any], workspace: Any = None, policy: Policy | None = None) -> ResolvedSettings:
    sources = [SettingsSource("workspace", "theirs", workspace), SettingsSource("user", "mine", user)]
    return resolve_settings(sources, policy)


@given(st.text(max_size=8), st.dates(max_value=date(9998, 1, 1)))
def test_a_block_has_each_arm_once(name: str, day: date) -> None:
    block = [one for one in (day + timedelta(n) for n in (-1, 0, 1)) if block_of(one) == block_of(day)]
    assert len(block) == BLOCK_DAYS
    assert sorted(arm_of(name, one) for one in block) == ["a", "b"]


def test_no_weekday_has_one_arm() -> None:
    days = [date(2026, 3, 2) + timedelta(n) for n in range(7 * 20)]
    for weekday in range(7):
        assert {arm_of("1f0c99ab", one) for one in days if one.weekday() == weekday} == {"a", "b"}


def test_the_second_arm_has_the_settings_of_compare() -> None:
    resolved = resolve({"eagerness": 0.4, "compare": {"eagerness": 0.8, "model": "small"}})
    compared = {"eagerness": 0.8, "model": "small"}
    assert resolved.settings == Settings(eagerness=0.4, compare=compared)
    assert resolved.second_arm == Settings(eagerness=0.8, model="small", compare=compared)
    comparison = Comparison.from_settings(resolved)
    assert comparison is not None
    assert comparison.values == {"eagerness": (0.4, 0.8), "model": (None, "small")}
    assert comparison.settings_of("b") == resolved.second_arm


@pytest.mark.parametrize("user", [{}, {"compare": {}}, {"compare": {"eagerness": 0.5}}])
def test_nothing_to_compare(user: dict[str, Any]) -> None:
    resolved = resolve(user)
    assert Comparison.from_settings(resolved) is None
    arm = DayArm()
    assert arm.choose(resolved, NOON) == resolved.settings
    assert arm.label == "" and not arm.is_over(NOON + 9 * DAY_S)


def test_other_settings_are_another_comparison() -> None:
    names = set()
    for eagerness, second in ((0.4, 0.8), (0.5, 0.8), (0.5, 0.9)):
        comparison = Comparison.from_settings(
            resolve({"eagerness": eagerness, "compare": {"eagerness": second}})
        )
        names.add(comparison and comparison.name)
    assert len(names) == 3


def test_it_weakens_neither_a_workspace_nor_the_policy() -> None:
    second = resolve({"compare": {"learning": True, "related_code": "on"}}, {"learning": False}).second_arm
    assert second is not None and not second.learning and second.related_code == "auto"
    policy = Policy("policy.toml", models=("approved*",))
    resolved = resolve({"model": "approved-1", "compare": {"model": "other", "eagerness": 1}}, policy=policy)
    assert resolved.second_arm is not None
    assert (resolved.second_arm.model, resolved.second_arm.eagerness) == (None, 1)
    assert resolved.messages == ()


def test_a_workspace_cannot_start_one() -> None:
    resolved = resolve({}, {"compare": {"eagerness": 1}})
    assert resolved.second_arm is None and len(resolved.messages) == 1


def test_the_arm_ends_with_its_day() -> None:
    resolved, arm, labels = resolve({"compare": {"eagerness": 0.8}}), DayArm(), []
    for number in range(12):
        assert arm.choose(resolved, NOON + number * DAY_S).eagerness == (
            0.8 if arm.label.endswith("b") else 0.5
        )
        labels.append(arm.label)
        assert not arm.is_over(NOON + number * DAY_S + 60)
        assert arm.is_over(NOON + (number + 1) * DAY_S)
    assert sorted(labels)[5] != sorted(labels)[6] and len(set(labels)) == 2
