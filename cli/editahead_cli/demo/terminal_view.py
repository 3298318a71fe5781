"""The demo in a terminal: typed changes, predictions, and their outcomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice, zip_longest

from rich.text import Text

from editahead_cli.rich_console import SafeConsole
from editahead_prompts.text.control_characters import escape_line
from editahead_prompts.text.diff import diff

from .player import (
    Completed,
    Event,
    LineChange,
    LocationShown,
    NothingShown,
    Predicted,
    SceneStarted,
    Tally,
    Typed,
)

KEY_DELAY_S = 0.03
"""Seconds between two keys of the animation at speed 1."""
PREDICTION_DELAY_S = 0.6
"""Seconds between a prediction and Tab at speed 1."""
MAX_LINES = 12
"""Most lines that are shown of one side of a change."""

_MARGIN = 11

EDITORS = """\
In VS Code, from a checkout (it needs npm):
  make extension && code --install-extension dist/editahead.vsix
In Neovim 0.11 or newer, with our plugin, in init.lua:
  vim.opt.runtimepath:append("/path/to/checkout/editors/neovim")
Then rename a field in one place, and press Tab. Helix, Emacs, Vim and
other editors: docs/editors.md."""


class TerminalView:
    """A printer of events. `wait` sleeps for a number of seconds; None turns the animation off."""

    def __init__(self, console: SafeConsole, wait: Callable[[float], None] | None) -> None:
        self._console = console
        self._wait = wait

    def show(self, event: Event) -> None:
        match event:
            case SceneStarted():
                self._scene(event)
            case Typed():
                self._place("you type", "bold", event.change)
                self._diff(event.change, typing=True)
            case Completed():
                self._completed(event)
            case Predicted():
                self._predicted(event)
            case LocationShown():
                self._head("place", "yellow", f"{event.file}:{event.line}", event.ms, event.label)
            case NothingShown():
                left = (
                    f"{_count(event.left, 'change')} left to make"
                    if event.left
                    else "nothing is left to make"
                )
                self._head("silent", "dim", left, event.ms, event.detail)

    def summary(self, figures: dict[str, float | None]) -> None:
        """Print the summary, from the result of `summarize`."""
        self._console.print()
        self._console.rule(Text("Summary", "bold"), align="left", style="dim")
        typed, saved = figures["keystrokes_typed"], figures["keystrokes_saved"]
        share = f" ({figures['share_saved']:.0%} of them all)" if figures["share_saved"] else ""
        rows = [
            ("edits", f"{figures['accepted']} predicted and accepted, {figures['typed']} typed by hand"),
            ("declined", f"{_count(figures['declined'], 'prediction')} that did not lead to the goal"),
            ("silent", _count(figures["silent"], "time")),
            ("keys", f"{saved} saved{share}, {typed} typed"),
        ]
        if figures["completed"]:
            rows.insert(1, ("ghost text", f"accepted {_count(figures['completed'], 'time')}"))
        if figures["p50_ms"] is not None:
            rows.append(("latency", f"p50 {figures['p50_ms']:.1f} ms, p95 {figures['p95_ms']:.1f} ms"))
        for name, value in rows:
            self._line(name, "bold", Text(value))
        self._console.print()
        self._console.print(Text(EDITORS, "dim"), soft_wrap=True)

    def _scene(self, event: SceneStarted) -> None:
        self._console.print()
        title = Text.assemble((f"{event.number}/{event.of} ", "dim"), (escape_line(event.title), "bold cyan"))
        self._console.rule(title, align="left", style="dim")
        self._console.print(Text(escape_line(event.wish)))

    def _predicted(self, event: Predicted) -> None:
        if event.accepted:
            name, style = "Tab", "bold green"
        else:
            name, style = "declined", "bold yellow"
        for number, change in enumerate(event.changes):
            if number == 0:
                where = f"{change.file}:{change.line}"
                self._head(
                    "predicts", "cyan", where, event.ms, f"{event.label} ({event.confidence:.0%} sure)"
                )
            else:
                self._place("and", "cyan", change)
            self._diff(change)
        if self._wait:
            self._wait(PREDICTION_DELAY_S)
        note = f"{_count(event.saved, 'key')} saved" if event.accepted else "does not lead to the goal"
        self._line(name, style, Text(note, "dim"))

    def _completed(self, event: Completed) -> None:
        first, *more = event.text.strip().split("\n")
        text = escape_line(f"{first} ({len(more) + 1} lines)" if more else first)
        self._line("Tab", "bold green", Text.assemble(text, (f"  {_count(event.saved, 'key')} saved", "dim")))

    def _place(self, name: str, style: str, change: LineChange) -> None:
        self._line(name, style, Text(escape_line(f"{change.file}:{change.line}")))

    def _head(self, name: str, style: str, where: str, ms: float, note: str) -> None:
        self._line(name, style, Text.assemble(escape_line(where), (f"  {ms:.0f} ms  {note}", "dim")))

    def _line(self, name: str, style: str, text: Text) -> None:
        self._console.print(Text.assemble((name.ljust(_MARGIN), style), text))

    def _diff(self, change: LineChange, typing: bool = False) -> None:
        paired = len(change.old) == len(change.new)
        self._side("-", "red", change.old, change.new if paired else ())
        self._side("+", "green", change.new, change.old if paired else (), self._wait if typing else None)

    def _type(self, text: str, style: str, wait: Callable[[float], None] | None) -> None:
        for piece in text if wait else (text,):
            self._console.print(Text(piece, style), end="")
            if wait:
                wait(KEY_DELAY_S)

    def _side(
        self,
        sign: str,
        style: str,
        lines: Sequence[str],
        others: Sequence[str],
        wait: Callable[[float], None] | None = None,
    ) -> None:
        """Print one side of a change. Text that differs from the other side's line is highlighted, and typed."""
        for line, other in islice(zip_longest(lines, others), min(len(lines), MAX_LINES)):
            self._console.print(Text(f"{'':{_MARGIN}}{sign} ", style), end="")
            at = 0
            for start, end in _changed_spans(line, other or ""):
                self._console.print(Text(_expand_tabs(line[at:start]), style), end="")
                self._type(_expand_tabs(line[start:end]), f"bold {style}", wait)
                at = end
            self._console.print(Text(_expand_tabs(line[at:]), style))
        if len(lines) > MAX_LINES:
            more = _count(len(lines) - MAX_LINES, "more line")
            self._console.print(Text(f"{'':{_MARGIN}}  ... {more}", "dim"))


def _changed_spans(line: str, other: str) -> list[tuple[int, int]]:
    """Return the spans of the line that differ from the other: all but the indentation where there is no other."""
    if not other:
        return [(len(line) - len(line.lstrip()), len(line))]
    return [(r.start, r.end) for r in diff(line, other).replacements]


def _expand_tabs(text: str) -> str:
    return text.replace("\t", "    ")


def summarize(tally: Tally) -> dict[str, float | None]:
    """Return the summary as numbers. `share_saved` is from 0 to 1; percentiles are of all answers, in milliseconds."""
    from editahead_evals.metrics.bootstrap import percentile

    tabs = tally.accepted + tally.completed
    every = tally.keystrokes_saved + tabs + tally.keystrokes_typed
    return {
        "typed": tally.typed,
        "accepted": tally.accepted,
        "completed": tally.completed,
        "declined": tally.declined,
        "silent": tally.silent,
        "keystrokes_typed": tally.keystrokes_typed,
        "keystrokes_saved": tally.keystrokes_saved,
        "share_saved": tally.keystrokes_saved / every if every else None,
        "p50_ms": percentile(tally.answers_ms, 50),
        "p95_ms": percentile(tally.answers_ms, 95),
    }


def _count(many: float | None, what: str) -> str:
    return f"{many} {what}" if many == 1 else f"{many} {what}s"
