"""The replays of commits over their codebases: edits in closed files, `editahead finish`, search."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editahead_cli.commands.eval_common import replay_all
from editahead_retrieval.errors import EncoderError

from .experiment import Context, Experiment, jobs_setting, required, setting

if TYPE_CHECKING:
    from editahead_evals.report.output import Output, Provenance
    from editahead_lab.commits.commit_groups import CommitReport
    from editahead_lab.commits.commit_replay import CommitPlan
    from editahead_lab.search.search_report import SearchReport


@dataclass(frozen=True, kw_only=True)
class CommitsExperiment(Experiment):
    """An experiment on commits of several files."""

    commits: Path = required("commits of several files (.jsonl.zst)")
    files: int | None = setting(None, "the number of commits; all without it", minimum=1)
    seed: int = setting(0, "seed of their choice")
    jobs: int = jobs_setting()

    def replayed(
        self, context: Context, what: str, plan: CommitPlan[Any], *, with_code: bool
    ) -> tuple[list[Any], Provenance]:
        """Return the results of the chosen commits, and what they were measured on.

        Args:
            context: What the experiment writes to.
            what: The words beside the progress bar.
            plan: The replay.
            with_code: Whether only commits with modified code count.

        Raises:
            RecordError: There are no commits.
            RunError: A replay failed.
        """
        from editahead_evals.data.own_checkout import present_commit
        from editahead_evals.errors import RecordError
        from editahead_evals.report.output import Provenance
        from editahead_lab.commits.commit_replay import choose

        commits = choose(self.commits, self.files, self.seed, with_code=with_code)
        if not commits:
            raise RecordError(
                f"{self.commits}: no commit changes code"
                if with_code
                else f"{self.commits}: there are no commits"
            )
        results = replay_all(what, commits, self.jobs, plan, context.errors)
        return results, Provenance(present_commit(), str(self.commits), self.seed)


@dataclass(frozen=True, kw_only=True)
class Workspace(CommitsExperiment):
    """Measure the edits shown in files that are not open."""

    def run(self, context: Context) -> Output[CommitReport]:
        from editahead_evals.report.output import Output
        from editahead_lab.workspace.workspace_replay import WorkspacePlan
        from editahead_lab.workspace.workspace_report import MEASURE, summarize

        found = self.replayed(context, "replaying", WorkspacePlan(self.commits), with_code=True)
        return Output(summarize(*found), MEASURE.print_tables)


@dataclass(frozen=True, kw_only=True)
class Finish(CommitsExperiment):
    """Measure what `editahead finish` finds of commits of which some hunks were left out."""

    def run(self, context: Context) -> Output[CommitReport]:
        from editahead_evals.report.output import Output
        from editahead_lab.finish.finish_replay import FinishPlan
        from editahead_lab.finish.finish_report import MEASURE, summarize

        found = self.replayed(context, "looking", FinishPlan(self.commits), with_code=False)
        return Output(summarize(*found), MEASURE.print_tables)


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

    def run(self, context: Context) -> Output[SearchReport]:
        from editahead_evals.data.own_checkout import present_commit
        from editahead_evals.report.output import Output, Provenance
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
        where = Provenance(present_commit(), data, self.seed)
        return Output(search_report.summarize(results, where), search_report.print_tables)
