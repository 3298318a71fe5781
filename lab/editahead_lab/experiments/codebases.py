"""The replays of commits over their codebases: edits in closed files, `editahead finish`, search."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.commands.eval_common import replay_all
from editahead_retrieval.errors import EncoderError

from .experiment import Context, Experiment, jobs_setting, required, setting

if TYPE_CHECKING:
    from editahead_evals.report.output import Output


@dataclass(frozen=True, kw_only=True)
class CommitsExperiment(Experiment):
    """An experiment on commits of several files."""

    commits: Path = required("commits of several files (.jsonl.zst)")
    files: int | None = setting(None, "the number of commits; all without it", minimum=1)
    seed: int = setting(0, "seed of their choice")
    jobs: int = jobs_setting()


@dataclass(frozen=True, kw_only=True)
class Workspace(CommitsExperiment):
    """Measure the edits shown in files that are not open."""

    def run(self, context: Context) -> Output:
        from editahead_evals.data.own_checkout import present_commit
        from editahead_evals.errors import RecordError
        from editahead_evals.report.output import Output
        from editahead_evals.report.report import Provenance
        from editahead_lab.workspace import workspace_report
        from editahead_lab.workspace.workspace_replay import WorkspacePlan, choose

        commits = choose(self.commits, self.files, self.seed)
        if not commits:
            raise RecordError(f"{self.commits}: no commit changes code")
        results = replay_all("replaying", commits, self.jobs, WorkspacePlan(self.commits), context.errors)
        where = Provenance(present_commit(), str(self.commits), self.seed)
        report = workspace_report.summarize(results, where)
        return Output(report.as_json, report.render)


@dataclass(frozen=True, kw_only=True)
class Finish(CommitsExperiment):
    """Measure what `editahead finish` finds of commits of which some hunks were left out."""

    def run(self, context: Context) -> Output:
        from editahead_evals.data.own_checkout import present_commit
        from editahead_evals.errors import RecordError
        from editahead_evals.report.output import Output
        from editahead_evals.report.report import Provenance
        from editahead_lab.finish import finish_report
        from editahead_lab.finish.finish_replay import FinishPlan, choose

        commits = choose(self.commits, self.files, self.seed)
        if not commits:
            raise RecordError(f"{self.commits}: there are no commits")
        results = replay_all("looking", commits, self.jobs, FinishPlan(self.commits), context.errors)
        report = finish_report.summarize(results, Provenance(present_commit(), str(self.commits), self.seed))
        return Output(report.as_json, report.render)


@dataclass(frozen=True, kw_only=True)
class Search(Experiment):
    """Measure what `editahead search` finds for the subjects and hunks of commits, and for documentation."""

    expected = (EncoderError, OSError)

    commits: Path = required("commits of several files (.jsonl.zst)")
    packages: Path | None = setting(
        None, "a folder of unpacked source distributions, whose documentation asks for its functions"
    )
    encoder: str = setting("", "search with the vectors of this encoder, too: a file or `auto`")
    files: int = setting(20, "commits of each repository, and functions of each package", minimum=1)
    seed: int = setting(0, "seed of the choice of functions")
    jobs: int = jobs_setting()

    def run(self, context: Context) -> Output:
        from editahead_evals.data.own_checkout import present_commit
        from editahead_evals.report.output import Output
        from editahead_evals.report.report import Provenance
        from editahead_lab.search import search_report
        from editahead_lab.search.replay import SearchItem, SearchPlan, last_commits
        from editahead_lab.search.tasks import read_packages
        from editahead_retrieval.vectors.encoders import open_encoder

        items = [SearchItem(commit=commit) for commit in last_commits(self.commits, self.files)]
        if self.packages:
            found = read_packages(self.packages, self.files, self.seed)
            items += [SearchItem(package=package) for package in found]
        if self.encoder:
            open_encoder(self.encoder)
        plan = SearchPlan(self.commits, self.encoder)
        asked = replay_all("searching", items, self.jobs, plan, context.errors)
        results = [outcome for outcomes in asked for outcome in outcomes]
        data = f"{self.commits} and {self.packages}" if self.packages else str(self.commits)
        report = search_report.summarize(results, Provenance(present_commit(), data, self.seed))
        return Output(
            lambda: search_report.as_json(report), lambda console: search_report.render(report, console)
        )
