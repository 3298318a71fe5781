"""The page of `editahead stats --html`."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC
from html.parser import HTMLParser
from pathlib import Path

import pytest

from command_line import CommandLine
from editahead_cli.main import main
from editahead_cli.outcome_statistics import summarize_outcomes
from editahead_cli.stats_page import as_html
from editahead_evals.report.html_parts import STYLE
from editahead_lsp.session.typing_counter import TypedCharacters
from editahead_workspace.outcome_log import FILE_NAME, Outcome, OutcomeLog

ATTACK = "<script>alert('x')</script>&\"\x1b[2J"
ONE = Outcome(
    run="r", number=0, at=1_700_000_000.0, language="python", source="propagation", kind="rename",
    confidence=0.7, shipped=0.6, recent=0.0, size=30, distance=3, latency_ms=4.0, shown_ms=2000.0, seen=True,
    event="accepted", kept_30=1.0, kept_300=1.0,
)  # fmt: skip  # a table
OUTCOMES = [
    ONE,
    replace(ONE, number=1, size=10, kept_300=0.0, at=ONE.at + 7 * 24 * 3600),
    replace(ONE, number=2, event="rejected", kept_30=None, kept_300=None, language=ATTACK),
]
COUNTED = [
    TypedCharacters("2023-11-13", "python", 60, 20),  # a Monday, and the Sunday and the Monday after
    TypedCharacters("2023-11-19", "python", 20, 0),
    TypedCharacters("2023-11-20", ATTACK, 90, 10),
]


class Reader(HTMLParser):
    """The structure of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_figures_of_characters() -> None:
    found = summarize_outcomes(Path("x.db"), OUTCOMES, UTC, COUNTED).characters
    assert (found.total.typed, found.total.made, found.total.kept_share) == (170, 30, 0.75)
    assert {name: (one.typed, one.made, one.kept_share) for name, one in found.languages.items()} == {
        "python": (80, 20, 0.75),
        ATTACK: (90, 10, None),
    }
    assert {week: (one.typed, one.made, one.kept_share) for week, one in found.weeks.items()} == {
        "2023-11-13": (80, 20, 1.0),
        "2023-11-20": (90, 10, 0.0),
    }


def test_the_page_asks_nothing_of_others_and_escapes_names() -> None:
    page = as_html(summarize_outcomes(Path(ATTACK), OUTCOMES, UTC, COUNTED))
    read = Reader(page)
    names = {tag for tag, _ in read.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "form"}
    assert "url(" not in page and "@import" not in page
    assert not any(
        name.startswith("on") or name in ("src", "href") for _, given in read.tags for name in given
    )
    assert read.text.count("<script>alert('x')</script>") == 3
    assert "\x1b" not in page
    assert "15%" in read.text and "Of 200 characters, Editahead made 30" in read.text


def test_headings_and_language() -> None:
    read = Reader(as_html(summarize_outcomes(Path("x.db"), OUTCOMES, UTC, COUNTED)))
    levels = [int(tag[1]) for tag, _ in read.tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1 and levels.count(1) == 1 and set(levels[1:]) == {2}
    assert dict(read.tags)["html"] == {"lang": "en"}
    assert {"main", "title"} <= {tag for tag, _ in read.tags}
    assert all(given.get("aria-hidden") == "true" for tag, given in read.tags if tag == "svg")


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_the_contrast_that_wcag_asks_for(scheme: str) -> None:
    light, _, dark = STYLE.partition("prefers-color-scheme: dark")
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]+)", light if scheme == "light" else dark))
    for text in ("ink", "faint", "blue", "red", "green"):
        bright, dim = sorted((luminance(colours[text]), luminance(colours["ground"])), reverse=True)
        assert (bright + 0.05) / (dim + 0.05) >= 4.5, text


@pytest.mark.slow
def test_the_command_writes_the_page(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    editahead: CommandLine,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    target = tmp_path / "page.html"
    assert main(["stats", "--html", str(target)]) == 0
    assert "Nothing was counted yet" in target.read_text("utf-8")
    log = OutcomeLog(tmp_path / "editahead" / FILE_NAME, lambda: 0.0)
    log.count(COUNTED)
    log.count(COUNTED)
    log.write(ONE)
    log.stop()
    assert main(["stats", "--html", str(target)]) == 0
    assert "Of 400 characters, Editahead made 60" in target.read_text("utf-8")
    assert str(target) in capsys.readouterr().out
    assert "was not written" in editahead.error("stats", "--html", tmp_path / "no" / "page.html")
