"""Sketches of real commits, applied."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editahead_cli.commands.eval_common import model_settings

from .experiment import Context, Experiment, required, setting

if TYPE_CHECKING:
    from editahead_evals.report.output import Output


@dataclass(frozen=True, kw_only=True)
class Apply(Experiment):
    """Measure how well sketches of real commits become exact edits."""

    edits: Path = required("records of real edits (.jsonl.zst)")
    sketches: int = setting(2500, "the number of sketches", minimum=1)
    seed: int = setting(0, "seed of their choice")
    with_model: bool = setting(False, "use the configured model where a sketch is not clear")
    failures: Path | None = setting(None, "write the failures to this file, with their code")

    def run(self, context: Context) -> Output[Any]:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        from editahead_evals.client.editor import Editor
        from editahead_evals.data.edit_records import MAX_FILE_CHARACTERS, read_records
        from editahead_evals.data.own_checkout import present_commit
        from editahead_evals.errors import RecordError
        from editahead_evals.report.output import Output, Provenance
        from editahead_lab.apply import report
        from editahead_lab.apply.runner import apply_all
        from editahead_lab.apply.sketch_generator import cases

        settings = model_settings() if self.with_model else None
        records = [record for record in read_records(self.edits) if len(record.before) < MAX_FILE_CHARACTERS]
        outcomes = []
        columns = (TextColumn("applying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=context.errors, transient=True) as progress:
            task = progress.add_task("", total=self.sketches)
            for outcome in apply_all(cases(records, self.sketches, self.seed), lambda: Editor(settings)):
                outcomes.append(outcome)
                progress.advance(task)
        if not outcomes:
            raise RecordError(f"{self.edits}: no sketch can be made of these records")
        where = Provenance(present_commit(), str(self.edits), self.seed)
        found = report.summarize(outcomes, where, with_model=self.with_model)
        if self.failures:
            self.failures.write_text("".join(report.failure_listing(outcomes)), "utf-8")
            context.note(f"written: {self.failures}")
        return Output(found, report.print_tables)
