"""The scenarios again, with the names of their replacements in other scripts: what is expected does not change."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from editahead_evals.client.shared_server import SharedServer
from editahead_evals.scenarios.scenario_file import SCENARIOS
from editahead_evals.scenarios.scoring import score
from editahead_inference.predictors.propagation.token_patterns import KEYWORDS

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.txt"))
FAILING = set(re.findall(r"^- (\S+):", (HERE / "failing.md").read_text("utf-8"), re.MULTILINE))
PARTS = {
    "rename-half-typed",
    "rename-half-typed-definition",
    "rename-snake-to-constant-case",
    "rename-subword-get-set",
}
"""Scenarios whose steps and expectations have parts of names, which are not written anew here."""
KNOWN = KEYWORDS | {*dir(builtins), "print", "require", "console", "push", "String"}
CYRILLIC = str.maketrans("abcdefghijklmnoprstuvz", "абцдефгхийклмнопрстувз")
CYRILLIC |= {ord(chr(code).upper()): chr(to).upper() for code, to in CYRILLIC.items()}
_REPLACED = re.compile(r"^replace \d+ `([^`]*)` => `([^`]*)`", re.MULTILINE)
_NAME = re.compile(r"(?<!\\)[A-Za-z_]\w{3,}")

WRITTEN: dict[str, Callable[[str], str]] = {
    "cyrillic": lambda name: name.translate(CYRILLIC),
    "accent-within": lambda name: f"{name[:2]}\u0301{name[2:]}",
    "accent-at-the-end": lambda name: f"{name}\u0301",
}


def rewrite(text: str, write: Callable[[str], str]) -> str:
    """Return a scenario with the names that its steps replace written anew, wherever they are whole."""
    head, mark, rest = text.partition("-- buffer --")
    steps = rest.partition("-- steps --")[2].partition("-- expect")[0]
    names = {
        name for pair in _REPLACED.findall(steps) for side in pair for name in _NAME.findall(side)
    } - KNOWN
    if not names or "diagnose" in steps:
        return text
    whole = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(names, key=len, reverse=True))})(?!\w)")
    return head + mark + whole.sub(lambda found: write(found[0]), rest)


CASES = [
    pytest.param(path, kind, id=f"{path.stem}-{kind}")
    for number, path in enumerate(FILES)
    for kind in [list(WRITTEN)[number % len(WRITTEN)]]
    if path.stem not in PARTS | FAILING
    and rewrite(path.read_text("utf-8"), WRITTEN[kind]) != path.read_text("utf-8")
]


@pytest.fixture(scope="module")
def server() -> Iterator[SharedServer]:
    with SharedServer() as server:
        yield server


def test_many_scenarios_have_names() -> None:
    assert len(CASES) > 60


@pytest.mark.slow
@pytest.mark.parametrize(("path", "kind"), CASES)
def test_a_scenario_in_another_script(path: Path, kind: str, server: SharedServer) -> None:
    scenario = SCENARIOS.parse_one(rewrite(path.read_text("utf-8"), WRITTEN[kind]), path.stem)
    assert score(server.session, scenario).failure is None
