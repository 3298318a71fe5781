"""States of typing sessions, and the prompts for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editahead_prompts.errors import TokenizerUnavailableError

from .experiment import Context, Experiment, required, setting
from .replays import one_source

if TYPE_CHECKING:
    from editahead_evals.report.output import Output
    from editahead_lab.prompt_costs.comparison import OtherPrompts
    from editahead_lab.prompt_costs.rendered_prompts import Rendered

MAX_HUNKS, MAX_REQUESTS = 6, 300
"""Most hunks and requests of a session."""


@dataclass(frozen=True, kw_only=True)
class States(Experiment):
    """Write the states of typing sessions, with their code, for the experiment `prompts`."""

    edits: Path | None = setting(None, "records of real edits (.jsonl.zst)")
    repo: Path | None = setting(None, "a git repository, whose last commits are typed")
    out: Path = required("write the states to this file (.jsonl.zst)")
    sessions: int = setting(12, "the number of sessions", minimum=1)
    seed: int = setting(0, "seed of their choice")

    def problem(self) -> str | None:
        return one_source(self.edits, self.repo)

    def run(self, context: Context) -> Output[Any]:
        from editahead_evals.data.edit_records import read_records
        from editahead_evals.data.git_records import recent_records
        from editahead_evals.errors import RecordError
        from editahead_evals.report.output import text_output
        from editahead_lab.prompt_costs.state_files import write_states
        from editahead_lab.prompt_costs.typing_sessions import (
            MIN_LARGE_CHARACTERS,
            MIN_LARGE_HUNKS,
            sample_large,
            sessions,
            typing_states,
        )

        with context.errors.status("typing"):
            records = read_records(self.edits) if self.edits else recent_records(self.repo or Path())
            drawn = sample_large(sessions(records), self.sessions, self.seed)
            if not drawn:
                raise RecordError(
                    f"{self.edits or self.repo}: no file of {MIN_LARGE_CHARACTERS} characters or more in which a commit "
                    f"changed {MIN_LARGE_HUNKS} places"
                )
            count = write_states(self.out, typing_states(drawn, MAX_HUNKS, MAX_REQUESTS))
        written = (
            f"written: {self.out}, {count} states of {len(drawn)} sessions; the file contains their code"
        )
        return text_output({"written": str(self.out), "states": count, "sessions": len(drawn)}, [written])


@dataclass(frozen=True, kw_only=True)
class Prompts(Experiment):
    """Measure the costs of the prompts for stored states, and compare them with those of another format or revision."""

    expected = (TokenizerUnavailableError, OSError)

    states: Path = required("the states that the experiment `states` wrote")
    format: str = setting("editahead", "the prompt format")
    with_format: str | None = setting(None, "another prompt format to compare with")
    against: str | None = setting(None, "another revision of Editahead to compare with")
    budget: int | None = setting(None, "most tokens of a prompt, in place of the format's own")
    diffs: int = setting(3, "the number of the most different prompts to show")

    def problem(self) -> str | None:
        from editahead_prompts.formats.registry import FORMATS

        for name in (self.format, self.with_format):
            if name and name not in FORMATS:
                return f"there is no prompt format {name!r}; choose one of {', '.join(FORMATS)}"
        if self.with_format and self.against:
            return "with_format and against are two comparisons: choose one"
        return None

    def run(self, context: Context) -> Output[Any]:
        from editahead_evals.data.own_checkout import present_commit
        from editahead_evals.report.output import Output
        from editahead_lab.prompt_costs.costs import Costs
        from editahead_lab.prompt_costs.report import NOTE, PromptReport, print_tables

        mine = self._rendered(self.format)
        report = PromptReport(
            "prompts of stored states",
            NOTE,
            present_commit(),
            str(self.states),
            self.format,
            self.budget,
            Costs.from_rendered(mine),
            self._compared(mine),
        )
        return Output(report, print_tables)

    def _compared(self, mine: list[Rendered]) -> OtherPrompts | None:
        from editahead_lab.prompt_costs.comparison import compare
        from editahead_lab.prompt_costs.revision_worker import rendered_by
        from editahead_lab.revisions import checked_out

        if self.with_format:
            theirs, other = self._rendered(self.with_format), self.with_format
        elif self.against:
            with checked_out(self.against) as revision:
                other = f"{self.format} at {revision.commit}"
                theirs = list(rendered_by(revision, self.states, self.format, self.budget))
        else:
            return None
        return compare(mine, theirs, (self.format, other), self.diffs)

    def _rendered(self, name: str) -> list[Rendered]:
        from editahead_lab.prompt_costs.rendered_prompts import render_all
        from editahead_lab.prompt_costs.state_files import read_states
        from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
        from editahead_prompts.formats.registry import FORMATS

        return list(render_all(FORMATS[name], read_states(self.states), bundled_tokenizer(), self.budget))
