"""The replays of edits through the server: commits, recordings, typed commits and pull requests."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editahead_cli.commands.eval import candidate_texts, eval_commits
from editahead_cli.commands.eval_common import (
    Others,
    ReplayOptions,
    load_configured_model,
    model_environment,
    replay_all,
    replay_twice,
)
from editahead_cli.commands.eval_keys import eval_recordings, eval_sessions

from .experiment import Context, Experiment, jobs_setting, required, setting

if TYPE_CHECKING:
    from rich.console import Console

    from editahead_evals.replay.parallel import Item, ReplayPlan, Result
    from editahead_evals.report.output import Output
    from editahead_prompts.state import EditorState

WITH_MODEL = "use the configured model"


@dataclass(frozen=True)
class ComparedReplay:
    """A replay that is repeated to compare with: by another revision of Editahead, or without the model."""

    against: str | None

    def __call__(
        self,
        what: str,
        items: Sequence[Item],
        ours: ReplayPlan[Item, Result],
        make_plan: Callable[[Mapping[str, str]], ReplayPlan[Item, Result]],
        options: ReplayOptions,
        errors: Console,
    ) -> tuple[list[Result], Others[Result] | None]:
        if self.against is None:
            return replay_twice(what, items, ours, make_plan, options, errors)
        from editahead_lab.revisions import checked_out

        with checked_out(self.against) as other:
            results = replay_all(what, items, options.jobs, ours, errors)
            plan = make_plan(other.environment)
            theirs = replay_all(f"{what} for {other.commit}", items, options.jobs, plan, errors)
        return results, Others(other.commit, theirs)


@dataclass(frozen=True, kw_only=True)
class Replay(Experiment):
    """A replay that may be compared with another one."""

    files: int | None = setting(None, "the number of files or sessions; all without it", minimum=1)
    seed: int = setting(0, "seed of their choice")
    jobs: int = jobs_setting()
    with_model: bool = setting(False, f"{WITH_MODEL}, and compare with the rules alone")
    against: str | None = setting(
        None, "replay with this revision of Editahead, too, and compare file by file"
    )
    report: Path | None = setting(None, "write a report as a web page (.html)")

    def problem(self) -> str | None:
        return (
            "with_model and against are two comparisons: choose one"
            if self.with_model and self.against
            else None
        )

    @property
    def options(self) -> ReplayOptions:
        return ReplayOptions(files=self.files, seed=self.seed, jobs=self.jobs, with_model=self.with_model)

    @property
    def compared(self) -> ComparedReplay:
        return ComparedReplay(self.against)


@dataclass(frozen=True, kw_only=True)
class EditsReplay(Replay):
    """A replay of edits of single files."""

    edits: Path | None = setting(None, "records of real edits (.jsonl.zst)")
    repo: Path | None = setting(
        None, "a git repository, whose last 1,000 commits are read; files is 100 by default"
    )

    def problem(self) -> str | None:
        return one_source(self.edits, self.repo) or super().problem()

    @property
    def options(self) -> ReplayOptions:
        return ReplayOptions(
            edits=self.edits,
            repo=self.repo,
            files=self.files,
            seed=self.seed,
            jobs=self.jobs,
            with_model=self.with_model,
        )


def one_source(edits: Path | None, repo: Path | None) -> str | None:
    """Return what is wrong with the source of edits, if anything."""
    return None if (edits is None) != (repo is None) else "name either edits or repo"


@dataclass(frozen=True, kw_only=True)
class Commits(EditsReplay):
    """Measure next edits on real commits."""

    samples: int | None = setting(
        None,
        "the number of answers of the configured model to request at each moment, for the ceiling",
        minimum=1,
    )

    def run(self, context: Context) -> Output[Any]:
        if not self.samples:
            return eval_commits(self.options, context.errors, self.compared)
        load_configured_model("samples")  # fail now rather than after the replay
        return eval_commits(self.options, context.errors, self.compared, partial(sampled_texts, self.samples))


@contextmanager
def sampled_texts(samples: int) -> Iterator[Callable[[EditorState], Iterator[str]]]:
    """Return a function that yields the text of the document after each candidate of the rules and of the model.

    Args:
        samples: The number of answers of the configured model to include, change by change and as a whole.

    Raises:
        RunError: The settings name no model.
    """
    from editahead_inference.pipeline import Pipeline

    model = load_configured_model("samples")[1]
    model.samples = samples
    pipeline = Pipeline()
    with candidate_texts() as propose_by_rules, asyncio.Runner() as loop:

        def propose(state: EditorState) -> Iterator[str]:
            response = loop.run(model.predict(state))
            yield from (rewrite.edit.apply(state.document.text) for rewrite in response.rewrites)
            yield from propose_by_rules(state)
            for candidate in pipeline.model_candidates(response):
                if candidate.edit and candidate.uri == state.document.uri:
                    yield candidate.edit.apply(state.document.text)

        try:
            yield propose
        finally:
            loop.run(model.backend.close())


@dataclass(frozen=True, kw_only=True)
class Keys(Replay):
    """Measure what is shown to a person who types, on recordings of editing."""

    folder: Path = required("the recordings (*.w.json)")

    def run(self, context: Context) -> Output[Any]:
        return eval_recordings(self.folder, self.options, context.errors, self.compared)


@dataclass(frozen=True, kw_only=True)
class Typing(EditsReplay):
    """Type the new code of commits key by key, with a request after each key."""

    def run(self, context: Context) -> Output[Any]:
        from editahead_cli.commands.eval_common import read_chosen_records
        from editahead_lab.commits.typed_commits import typed_commit

        sessions = [typed_commit(record) for record in read_chosen_records(self.options, context.errors)]
        data = str(self.edits or self.repo)
        return eval_sessions(sessions, data, "commits", self.options, context.errors, self.compared)


@dataclass(frozen=True, kw_only=True)
class Ordered(Replay):
    """Replay pull requests edit by edit, in the order in which they were written."""

    pull_requests: Path = required(
        "pull requests as edits in their order (.jsonl.zst), or a folder of EditFlow's commits (*.json)"
    )

    def run(self, context: Context) -> Output[Any]:
        from editahead_evals.data.own_checkout import present_commit
        from editahead_evals.report.output import Output, Provenance
        from editahead_lab.ordered import ordered_report
        from editahead_lab.ordered.flow_commits import read_flow_commits
        from editahead_lab.ordered.ordered_edits import read_pull_requests
        from editahead_lab.ordered.ordered_replay import OrderedPlan

        read = read_flow_commits if self.pull_requests.is_dir() else read_pull_requests
        requests = read(self.pull_requests)
        random.Random(self.seed).shuffle(requests)
        requests = requests[: self.files]
        ours = OrderedPlan(model_environment(with_model=self.with_model))
        results, others = self.compared(
            "replaying", requests, ours, OrderedPlan, self.options, context.errors
        )
        compared = ordered_report.compare(results, others.results, others.name, self.seed) if others else None
        where = Provenance(present_commit(), str(self.pull_requests), self.seed)
        report = ordered_report.summarize(results, where, compared)
        return Output(report, ordered_report.print_tables, ordered_report.as_html)
