"""Recorded requests and answers of ten models: our prompts equal the requests, and our readers parse the answers.

The recordings (cursortab.nvim's evaluation, MIT, 2026-04) lie outside of the repository.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from editahead_prompts.formats.base import AnswerRejection, Format, ParsedEdit, PromptRequest, parse_answer
from editahead_prompts.formats.next_edit.fim import QWEN
from editahead_prompts.formats.next_edit.mercury import MERCURY
from editahead_prompts.formats.next_edit.sweep import SWEEP_CURSORTAB
from editahead_prompts.formats.next_edit.zeta1 import ZETA_1
from editahead_prompts.formats.next_edit.zeta2 import ZETA_2
from recorded_models import RecordedScenario, Recording, load

RECORDED = Path(__file__).parents[4] / "shared" / "data" / "recorded-models"
pytestmark = pytest.mark.skipif(
    not (RECORDED / "exchanges.jsonl").is_file(), reason=f"no recorded exchanges in {RECORDED}"
)

FORMATS: dict[str, Format] = {
    "zeta": ZETA_1,
    "zeta-2": ZETA_2,
    "sweep-next-edit-0.5B": SWEEP_CURSORTAB,
    "sweep-next-edit-1.5B": SWEEP_CURSORTAB,
    "sweep-next-edit-7B": SWEEP_CURSORTAB,
    "mercuryapi": MERCURY,
    **dict.fromkeys(("qwen3.5-0.8B", "qwen3.5-2B", "qwen3.5-4B", "qwen3.5-27B"), QWEN),
}


@cache
def recordings() -> list[Recording]:
    return load(RECORDED)


@cache
def scenarios() -> dict[str, RecordedScenario]:
    return {one.scene.name: one.scene for one in recordings()}


def sent(body: Mapping[str, Any]) -> str:
    return str(body["prompt"] if "prompt" in body else body["messages"][0]["content"])


def whole_block_diff(scenario: RecordedScenario, text: str, *, blank_lines: bool = True) -> str:
    """cursortab keeps an edit as two blocks of text without their place: its "diff" removes one, adds the other, and counts
    from line 1 (for Mercury it also loses blank lines). Ours is a real hunk, with numbers and context lines, as Zed's."""
    was, now = ([x for x in t.splitlines() if x or blank_lines] for t in (scenario.old, scenario.new))
    body = "".join(f"-{line}\n" for line in was) + "".join(f"+{line}\n" for line in now)
    theirs = f"@@ -1,{len(was)} +1,{len(now)} @@\n{body}"
    assert (theirs in text) == bool(scenario.new)
    return text.replace(theirs, real_hunk(scenario)) if scenario.new else text


def real_hunk(scenario: RecordedScenario) -> str:
    """Return the hunk of a scenario with a history, written by hand with three lines of context."""
    lines, now = scenario.text.split("\n"), scenario.new.splitlines()
    was = scenario.old.splitlines()
    changed = next(n for n, line in enumerate(now) if was[n : n + 1] != [line])
    at = next(n for n in range(len(lines)) if lines[n : n + len(now)] == now) + changed
    inserted = len(now) > len(was)
    above, below = lines[max(at - 3, 0) : at], lines[at + 1 : at + 4]
    old = [] if inserted else [was[changed]]
    first, around = at - len(above) + 1, len(above) + len(below)
    body = [f" {x}" for x in above] + [f"-{x}" for x in old] + [f"+{now[changed]}"] + [f" {x}" for x in below]
    header = f"@@ -{first},{around + len(old)} +{first},{around + 1} @@"
    return "".join(f"{line}\n" for line in (header, *body))


def wider_change(scenario: RecordedScenario, text: str) -> str:
    """The lines around a change: cursortab shows those that its scenario has, we show up to three on either side."""
    if not scenario.new:
        return text
    theirs = f"original:\n{scenario.old}updated:\n{scenario.new}"
    assert theirs in text
    hunk = real_hunk(scenario).splitlines()[1:]
    was, now = ([x[1:] + "\n" for x in hunk if x[0] in signs] for signs in (" -", " +"))
    return text.replace(theirs, f"original:\n{''.join(was)}updated:\n{''.join(now)}")


def lossy_diff(scenario: RecordedScenario, text: str) -> str:
    return whole_block_diff(scenario, text, blank_lines=False)


lossy_diff.__doc__ = whole_block_diff.__doc__

Difference = Callable[[RecordedScenario, str], str]
ALLOWED: dict[str, tuple[Difference, ...]] = {
    "zeta-1": (whole_block_diff,),
    "zeta-2": (whole_block_diff,),
    "sweep-cursortab": (wider_change,),
    "mercury": (lossy_diff,),
    "fim-qwen": (),
}
"""By format, what turns the recorded prompt into ours."""


def requests(model: str, *, growing: bool = False) -> list[tuple[Recording, PromptRequest]]:
    asked = [one for one in recordings() if one.model == model]
    return [(one, one.scene.request(FORMATS[model], growing=growing)) for one in asked]


@pytest.mark.parametrize("growing", [False, True])
@pytest.mark.parametrize("model", FORMATS)
def test_we_build_what_was_sent(model: str, growing: bool) -> None:
    allowed = ALLOWED[FORMATS[model].name]
    assert len(allowed) <= 3
    recorded = requests(model, growing=growing)
    assert len(recorded) == 8
    for one, ours in recorded:
        assert one.format is FORMATS[model]
        body, expected = one.sent, sent(one.sent)
        for difference in allowed:
            expected = difference(one.scene, expected)
        assert ours.prompt.text == expected, one.scene.name
        # Zeta 2 was also given its end marker with a line end; the marker alone stops before that one does.
        assert set(ours.stop) == {stop for stop in body.get("stop", ()) if stop != ">>>>>>> UPDATED\n"}
        assert ours.chat == ("messages" in body)
        assert ours.system is None


@pytest.mark.parametrize("model", FORMATS)
def test_every_answer_is_an_edit_or_a_named_refusal(model: str) -> None:
    format = FORMATS[model]
    for one, request in requests(model):
        finish = one.said.finish
        outcome = parse_answer(format, request, one.said.text, finish)
        match outcome:
            case ParsedEdit(edit, cursor):
                edit.check(request.document.length)
                after = edit.apply(request.document.text)
                assert after != request.document.text
                assert cursor is None or 0 <= cursor <= len(after)
                assert finish == "stop"
            case AnswerRejection(reason):
                assert reason in {"unchanged", "truncated", "repetition", "empty"}, (one.scene.name, outcome)


def outcome(model: str, scenario: str) -> str:
    """Return the text after the edit, or the reason of the rejection."""
    ((one, request),) = (x for x in requests(model) if x[0].scene.name == scenario)
    found = parse_answer(FORMATS[model], request, one.said.text, one.said.finish)
    return found.edit.apply(request.document.text) if isinstance(found, ParsedEdit) else found.reason


@pytest.mark.parametrize(
    ("model", "scenario", "old", "new"),
    [
        ("zeta", "02-js-greet-return", '"hello"', '"hello " + name'),
        ("zeta-2", "25-python-fix-import-typo", "imfrom", "from"),
        ("sweep-next-edit-7B", "18-typescript-complete-console-log", '"did quit:")', '"did quit:", result);'),
        ("mercuryapi", "03-python-decorator-complete", "@\n", "@cache\n"),
        ("qwen3.5-27B", "03-python-decorator-complete", "@\n", "@cache\n"),
    ],
)
def test_answers_known_to_be_right(model: str, scenario: str, old: str, new: str) -> None:
    assert outcome(model, scenario) == scenarios()[scenario].text.replace(old, new)


@pytest.mark.parametrize(
    ("model", "scenario", "reason"),
    [
        ("zeta", "26-suppress-go-handler", "unchanged"),
        ("zeta-2", "30-suppress-js-fetch", "unchanged"),
        ("sweep-next-edit-0.5B", "02-js-greet-return", "unchanged"),
        ("mercuryapi", "26-suppress-go-handler", "unchanged"),
        ("qwen3.5-27B", "18-typescript-complete-console-log", "empty"),
        ("qwen3.5-2B", "02-js-greet-return", "truncated"),
        ("qwen3.5-2B", "03-python-decorator-complete", "repetition"),
        ("qwen3.5-4B", "03-python-decorator-complete", "repetition"),
    ],
)
def test_refusals(model: str, scenario: str, reason: str) -> None:
    assert outcome(model, scenario) == reason
