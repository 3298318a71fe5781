"""What ten models were really sent and answered: our prompts are those, our readers understand these.

The recordings (cursortab.nvim's evaluation, MIT, 2026-04) lie outside of the repository.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.fim import QWEN
from editahead_prompts.formats.format import Answer, Finish, Format, Paths, Refusal, Request, read_all
from editahead_prompts.formats.sweep import SWEEP_CURSORTAB
from editahead_prompts.formats.tags import MERCURY
from editahead_prompts.formats.zeta1 import ZETA_1
from editahead_prompts.formats.zeta2 import ZETA_2
from editahead_prompts.snapshot import Snapshot, split_lines
from editahead_prompts.state import PastEdit, State

RECORDED = Path(__file__).parents[4] / "shared" / "data" / "recorded-models"
pytestmark = pytest.mark.skipif(
    not (RECORDED / "exchanges.jsonl").is_file(), reason=f"no recorded exchanges in {RECORDED}"
)
ROOT = "file:///project/"
RECORDED_AT = {"suppress-js-fetch": (7, 14)}
"""This scenario has two cursors, and what was recorded is of the second one."""

FORMATS: dict[str, Format] = {
    "zeta": ZETA_1,
    "zeta-2": ZETA_2,
    "sweep-next-edit-0.5B": SWEEP_CURSORTAB,
    "sweep-next-edit-1.5B": SWEEP_CURSORTAB,
    "sweep-next-edit-7B": SWEEP_CURSORTAB,
    "mercuryapi": MERCURY,
    **dict.fromkeys(("qwen3.5-0.8B", "qwen3.5-2B", "qwen3.5-4B", "qwen3.5-27B"), QWEN),
}


@dataclass(frozen=True)
class Scenario:
    """header: its fields. text: the document now. was, now: the one earlier edit, with lines around it."""

    header: dict[str, str]
    text: str
    was: str = ""
    now: str = ""

    def state(self, format: Format, *, growing: bool) -> State:
        """As an editor would have it: the edit without the lines around it, at its place. growing: whether it is open."""
        uri = ROOT + self.header["file"]
        document = Snapshot.of(self.text, uri=uri, language=self.header["language"])
        prefix = "fim-" if format is QWEN and "fim-row" in self.header else ""
        row, column = int(self.header[prefix + "row"]), int(self.header[prefix + "col"])
        row, column = RECORDED_AT.get(self.header["id"], (row, column))
        cursor = document.starts[row - 1] + column
        if not self.now:
            return State(document, cursor)
        at = document.line_at(document.text.index(self.now))
        old, new = split_lines(self.was)[:-1], split_lines(self.now)[:-1]
        head = next(n for n in range(len(new)) if old[n : n + 1] != new[n : n + 1])
        tail = next(
            n
            for n in range(len(new))
            if n >= len(old) - head or old[-1 - n : len(old) - n] != new[-1 - n :][:1]
        )
        was, now = old[head : len(old) - tail], new[head : len(new) - tail]
        edit = PastEdit(uri, at + head, was, now, open=growing)
        return State(document, cursor, (edit,))


@cache
def scenarios() -> dict[str, Scenario]:
    out = {}
    for file in sorted((RECORDED / "scenarios").glob("*.txtar")):
        head, *sections = re.split(r"^-- (.+) --\n", file.read_text(), flags=re.MULTILINE)
        parts = dict(zip(sections[::2], sections[1::2], strict=True))
        header = dict(line.split(": ", 1) for line in head.splitlines()[1:] if ": " in line)
        edit = re.match(r"<\|file\|> .*\n<\|old\|>\n(.*)<\|new\|>\n(.*)", parts.get("history", ""), re.DOTALL)
        # They were sent as an editor's list of lines: the last one has no end.
        text = parts["buffer.txt"].removesuffix("\n")
        out[file.stem] = Scenario(header, text, *(edit.groups() if edit else ()))
    return out


@cache
def exchanges() -> list[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    """scenario, model, the body sent, the body that came."""
    lines = map(json.loads, (RECORDED / "exchanges.jsonl").read_text().splitlines())
    return [(x["scenario"], x["model"], e["request"], e["response"]) for x in lines for e in x["exchanges"]]


def sent(body: dict[str, Any]) -> str:
    return str(body["prompt"] if "prompt" in body else body["messages"][0]["content"])


def answered(body: dict[str, Any]) -> tuple[str, Finish]:
    choice = body["choices"][0]
    text = choice["text"] if "text" in choice else choice["message"]["content"]
    return text, "length" if choice["finish_reason"] == "length" else "stop"


def whole_block_diff(scenario: Scenario, text: str, *, blank_lines: bool = True) -> str:
    """cursortab keeps an edit as two blocks of text without their place: its "diff" removes one, adds the other, and counts
    from line 1 (for Mercury it also loses blank lines). Ours is a real hunk, with numbers and context lines, as Zed's."""
    was, now = ([x for x in t.splitlines() if x or blank_lines] for t in (scenario.was, scenario.now))
    body = "".join(f"-{line}\n" for line in was) + "".join(f"+{line}\n" for line in now)
    theirs = f"@@ -1,{len(was)} +1,{len(now)} @@\n{body}"
    assert (theirs in text) == bool(scenario.now)
    return text.replace(theirs, real_hunk(scenario)) if scenario.now else text


def real_hunk(scenario: Scenario) -> str:
    """Written by hand for the three scenarios that have a history, from nothing but their text: three lines around."""
    lines, now = scenario.text.split("\n"), scenario.now.splitlines()
    was = scenario.was.splitlines()
    changed = next(n for n, line in enumerate(now) if was[n : n + 1] != [line])
    at = next(n for n in range(len(lines)) if lines[n : n + len(now)] == now) + changed
    inserted = len(now) > len(was)
    above, below = lines[max(at - 3, 0) : at], lines[at + 1 : at + 4]
    old = [] if inserted else [was[changed]]
    first, around = at - len(above) + 1, len(above) + len(below)
    body = [f" {x}" for x in above] + [f"-{x}" for x in old] + [f"+{now[changed]}"] + [f" {x}" for x in below]
    header = f"@@ -{first},{around + len(old)} +{first},{around + 1} @@"
    return "".join(f"{line}\n" for line in (header, *body))


def wider_change(scenario: Scenario, text: str) -> str:
    """The lines around a change: cursortab shows those that its scenario has, we show up to three on either side."""
    if not scenario.now:
        return text
    theirs = f"original:\n{scenario.was}updated:\n{scenario.now}"
    assert theirs in text
    hunk = real_hunk(scenario).splitlines()[1:]
    was, now = ([x[1:] + "\n" for x in hunk if x[0] in signs] for signs in (" -", " +"))
    return text.replace(theirs, f"original:\n{''.join(was)}updated:\n{''.join(now)}")


def lossy_diff(scenario: Scenario, text: str) -> str:
    return whole_block_diff(scenario, text, blank_lines=False)


lossy_diff.__doc__ = whole_block_diff.__doc__

Difference = Callable[[Scenario, str], str]
ALLOWED: dict[str, tuple[Difference, ...]] = {
    "zeta-1": (whole_block_diff,),
    "zeta-2": (whole_block_diff,),
    "sweep-cursortab": (wider_change,),
    "mercury": (lossy_diff,),
    "fim-qwen": (),
}
"""By format, what turns the recorded prompt into ours."""


def requests(
    model: str, *, growing: bool = False
) -> list[tuple[str, Request, dict[str, Any], dict[str, Any]]]:
    format = FORMATS[model]
    return [
        (
            scenario,
            format.build(
                scenarios()[scenario].state(format, growing=growing), ESTIMATE, paths=Paths((ROOT,))
            ),
            request,
            response,
        )
        for scenario, name, request, response in exchanges()
        if name == model
    ]


@pytest.mark.parametrize("growing", [False, True])
@pytest.mark.parametrize("model", FORMATS)
def test_we_build_what_was_sent(model: str, growing: bool) -> None:
    allowed = ALLOWED[FORMATS[model].name]
    assert len(allowed) <= 3
    recorded = requests(model, growing=growing)
    assert len(recorded) == 8
    for scenario, ours, body, _ in recorded:
        expected = sent(body)
        for difference in allowed:
            expected = difference(scenarios()[scenario], expected)
        assert ours.prompt.text == expected, scenario
        # Zeta 2 was also given its end marker with a line end; the marker alone stops before that one does.
        assert set(ours.stop) == {stop for stop in body.get("stop", ()) if stop != ">>>>>>> UPDATED\n"}
        assert ours.chat == ("messages" in body)
        assert ours.system is None


@pytest.mark.parametrize("model", FORMATS)
def test_every_answer_is_an_edit_or_a_named_refusal(model: str) -> None:
    format = FORMATS[model]
    for scenario, request, _, body in requests(model):
        text, finish = answered(body)
        outcome = read_all(format, request, text, finish)
        match outcome:
            case Answer(edit, cursor):
                edit.check(request.document.length)
                after = edit.apply(request.document.text)
                assert after != request.document.text
                assert cursor is None or 0 <= cursor <= len(after)
                assert finish == "stop"
            case Refusal(reason):
                assert reason in {"unchanged", "truncated", "repetition", "empty"}, (scenario, outcome)


def outcome(model: str, scenario: str) -> str:
    """The text after the edit, or the reason of the refusal."""
    ((_, request, _, body),) = (x for x in requests(model) if x[0] == scenario)
    text, finish = answered(body)
    found = read_all(FORMATS[model], request, text, finish)
    return found.edit.apply(request.document.text) if isinstance(found, Answer) else found.reason


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
