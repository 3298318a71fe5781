"""Plans in TOML and settings on the command line."""

from __future__ import annotations

import runpy
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

import pytest

from editahead_evals.report.output import Output, text_output
from editahead_lab.commands import eval as evaluations
from editahead_lab.commands import train as trainings
from editahead_lab.errors import PlanError
from editahead_lab.experiments.experiment import Context, Experiment, required, setting
from editahead_lab.experiments.plan import read_plan, settings_of
from editahead_lab.main import main

ROOT = Path(__file__).parents[3]
EXPERIMENTS = evaluations.EXPERIMENTS | trainings.EXPERIMENTS


@dataclass(frozen=True, kw_only=True)
class Sample(Experiment):
    """Measure nothing."""

    data: Path = required("what it reads")
    files: int | None = setting(None, "how many", minimum=1)
    rate: float = setting(0.5, "how fast")
    fast: bool = setting(False, "whether")
    kind: Literal["a", "b"] = setting("a", "which")
    names: tuple[str, ...] = setting((), "whose")

    def problem(self) -> str | None:
        return "b is slow" if self.fast and self.kind == "b" else None

    def run(self, context: Context) -> Output:
        return text_output({}, [])


def test_a_plan_and_words_which_go_before_it(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('data = "x"\nrate = 1\nfast = true\nnames = ["n", "m"]\n', "utf-8")
    found = read_plan(Sample, plan, ["files=3", "rate=0.25"])
    assert found == Sample(data=Path("x"), files=3, rate=0.25, fast=True, names=("n", "m"))
    assert read_plan(Sample, None, ["data=x", "names=n,m", "fast=true", "kind=a"]).names == ("n", "m")


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("", [], "missing: data=..."),
        ("", ["data=x", "file=3"], "there is no setting 'file'; did you mean 'files'?"),
        ("fils = 3", ["data=x"], "plan.toml: there is no setting 'fils'; did you mean 'files'?"),
        ("files = 0", ["data=x"], "plan.toml: files must be 1 or more, not 0"),
        ("files = 1.5", ["data=x"], "plan.toml: files must be a whole number, not 1.5"),
        ("files = true", ["data=x"], "plan.toml: files must be a whole number, not True"),
        ("data = 5", [], "plan.toml: data must be a path, not 5"),
        ("names = 5", ["data=x"], "plan.toml: names must be a list, not 5"),
        ("", ["data=x", "fast=maybe"], "fast must be true or false, not 'maybe'"),
        ("", ["data=x", "kind=c"], "kind must be 'a' or 'b', not 'c'"),
        ("", ["data"], "'data' is no setting: write key=value"),
        ("", ["data=x", "fast=true", "kind=b"], "b is slow"),
        ("= 3", ["data=x"], "plan.toml: "),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, words: list[str], message: str) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(text, "utf-8")
    with pytest.raises(PlanError) as raised:
        read_plan(Sample, plan, words)
    assert message in str(raised.value)


def test_a_plan_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"none\.toml"):
        read_plan(Sample, tmp_path / "none.toml", [])


def test_a_wrong_plan_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "apply", "edit=x"]) == 2
    assert "editahead-lab eval apply: there is no setting 'edit'; did you mean" in capsys.readouterr().err


def test_the_help_lists_the_settings(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["train", "coder-adapter", "--help"])
    assert "device=auto|cpu|cuda" in capsys.readouterr().out


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_each_setting_is_explained_and_has_a_default_of_its_type(name: str) -> None:
    kind = EXPERIMENTS[name]
    settings = settings_of(kind)
    assert {one.key for one in settings} == {one.name for one in fields(kind)}
    assert all(one.about for one in settings)
    words = [f"{one.key}={one.default}" for one in settings if one.default and " " not in one.default]
    given = [word if not word.endswith("=required") else word.replace("required", "x") for word in words]
    try:
        read_plan(kind, None, given)
    except PlanError as error:
        assert "name " in str(error), (
            "what goes together is named"
        )  # no setting is unknown or of a wrong type


def test_the_reference_is_that_of_the_experiments() -> None:
    made = "\n".join(runpy.run_path(str(ROOT / "tools" / "docs" / "make_plans.py"))["lines"]())
    assert (ROOT / "docs" / "measurements" / "plans.md").read_text("utf-8") == made, "run `make docs`"
