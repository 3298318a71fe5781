"""Plays scenarios against the real server."""

from __future__ import annotations

from editahead_evals.client.editor import Editor
from editahead_evals.data.commit_replay import Hunk
from editahead_evals.errors import ScenarioError
from editahead_prompts.text.snapshot import line_body, split_lines

from .scenario_file import Jump, Scenario, Shown, Silent
from .script_player import Prediction, ScriptPlayer, difference, written

MAX_ACCEPTS = 20

SETTINGS = {"debounce_ms": 0}


def play_scenario(editor: Editor, scenario: Scenario) -> None:
    """Play a scenario, and check its expectation.

    Raises:
        ScenarioFailure: the server's answer differs from the expectation.
        ScenarioError: the steps do not fit the text.
    """
    with ScenarioPlayer(editor, scenario) as player:
        player.make_steps()
        player.check()


class ScenarioPlayer(ScriptPlayer):
    """The run of one scenario: a context in which its documents are open."""

    def __init__(self, editor: Editor, scenario: Scenario) -> None:
        super().__init__(editor, scenario)
        self._scenario = scenario

    def check(self) -> None:
        """Request a prediction, and compare it with the expectation."""
        self._check_next()
        if self._scenario.after is not None:
            self._check_after_accepts(self._scenario.after)

    def wanted(self) -> str | None:
        """Return the expected text of the user's current document; None where no text is expected."""
        if self._scenario.after is not None:
            return self._scenario.after
        expected = self._scenario.expected
        return self._with(expected.hunks) if isinstance(expected, Shown) else None

    def is_quiet_at(self, offset: int | None = None) -> bool:
        """Return whether nothing is shown at the cursor, or at this offset."""
        if offset is not None:
            self._cursor, self._trigger = self.document.point(offset), "cursor"
        return self._first() is None

    def _check_next(self) -> None:
        answer = self._ask()
        first: Prediction | None = next(iter(answer["predictions"]), None)
        shown = "silent " + answer["silence"]["reason"] if first is None else self.describe(first)
        match self._scenario.expected:
            case Silent(reason):
                if first is not None or reason not in (None, answer["silence"]["reason"]):
                    raise self._failure(f"silent {reason or ''}".rstrip(), shown)
            case Jump(line):
                if first is None or self.line_of(first) != line:
                    raise self._failure(f"a prediction at line {line + 1}", shown)
            case Shown(hunks):
                wanted = self._with(hunks)
                if first is None or not first["edits"] or first["textDocument"]["uri"] != self._uri:
                    raise self._failure("\n".join(map(written, hunks)), shown)
                if self.document.edited(first["edits"]) != wanted:
                    raise self._failure("\n".join(map(written, hunks)), shown)

    def _check_after_accepts(self, wanted: str) -> None:
        uri = self._uri
        for _ in range(MAX_ACCEPTS):
            if not self.press_tab():
                break
        if self._editor.documents[uri].text != wanted:
            missed = difference(wanted, self._editor.documents[uri].text)
            raise self._failure("after accepts, the text as written", f"(- expected, + got)\n{missed}")

    def _with(self, hunks: tuple[Hunk, ...]) -> str:
        """Return the present text after the expected hunks."""
        lines = list(split_lines(self.document.text))
        for hunk in reversed(hunks):
            present = [line_body(line) for line in lines[hunk.start : hunk.end]]
            if tuple(present) != hunk.old:
                raise ScenarioError(
                    f"{self._scenario.name}: line {hunk.start + 1} is not as expected: {present}"
                )
            new = [line + self._scenario.eol for line in hunk.new]
            if new and hunk.end == len(lines):
                new[-1] = line_body(new[-1])
            lines[hunk.start : hunk.end] = new
        return "".join(lines)
