"""What evaluations share: the records, the progress of replays, what is compared, the user's model."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from editahead_inference.backends.local.small_model import small_model_folder

if TYPE_CHECKING:
    from rich.console import Console

    from editahead_evals.data.edit_records import Record
    from editahead_evals.replay.parallel import Item, Replayable, ReplayPlan, Result
    from editahead_inference.predictors.model.predictor import ModelPredictor
    from editahead_workspace.settings import Settings

_Item = TypeVar("_Item", bound="Replayable")
_Result = TypeVar("_Result")

MAX_COMMITS = 1000
"""Most of a repository's last commits that are searched."""
DEFAULT_FILES = 100
"""Default number of the changed files to replay."""


@dataclass(frozen=True, kw_only=True)
class ReplayOptions:
    """How a replay is done.

    Attributes:
        edits: The file of records of edits to replay.
        repo: The repository whose last commits are replayed where there is no such file.
        files: The number of files or sessions; None for all, or for a repository the default number.
        seed: The seed of their choice.
        jobs: Servers in parallel.
        with_model: Whether the configured model is used.
    """

    edits: Path | None = None
    repo: Path | None = None
    files: int | None = None
    seed: int = 0
    jobs: int = 1
    with_model: bool = False


def read_chosen_records(options: ReplayOptions, errors: Console) -> Sequence[Record]:
    """Return the records to replay.

    Raises:
        RecordError: The records cannot be read, or there are none.
        GitError: The repository cannot be read.
    """
    from itertools import islice

    from editahead_evals.data.edit_records import MAX_FILE_CHARACTERS, read_records, sample
    from editahead_evals.data.git_records import recent_records
    from editahead_evals.errors import RecordError

    if options.edits is not None:
        records = sample(read_records(options.edits), options.files, options.seed)
        if not records:
            raise RecordError(f"{options.edits}: no records")
        return records
    if options.repo is None:
        raise RecordError("no source of edits is named")
    with errors.status("reading commits"):
        found = recent_records(options.repo, MAX_COMMITS, shuffle=options.seed)
        records = list(
            islice(
                (record for record in found if len(record.before) < MAX_FILE_CHARACTERS),
                options.files or DEFAULT_FILES,
            )
        )
    if not records:
        raise RecordError(
            f"{options.repo}: the last {MAX_COMMITS} commits have nothing to replay: none of them, merges aside, changes "
            "few lines of a file in a known language"
        )
    return records


def replay_all(
    what: str, items: Sequence[Item], jobs: int, plan: ReplayPlan[Item, Result], errors: Console
) -> list[Result]:
    """Replay the items, show the progress, and return the results.

    Raises:
        RunError: A server failed.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from editahead_evals.replay.parallel import evaluate

    results = []
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True) as progress:
        task = progress.add_task("", total=len(items))
        with closing(evaluate(items, jobs, plan)) as running:
            for result in running:
                results.append(result)
                progress.advance(task)
    return results


def load_configured_model(option: str) -> tuple[Settings, ModelPredictor]:
    """Return the settings of the environment and the user, and the model that they select.

    Args:
        option: The option that needs a model, for messages.

    Raises:
        RunError: The settings name no model.
    """
    from editahead_evals.errors import RunError
    from editahead_workspace import user_dirs
    from editahead_workspace.model_config import ModelConfig
    from editahead_workspace.settings import load_settings

    settings = load_settings(os.environ, None, [], user_dirs.config_folder()).settings
    try:
        model = ModelConfig.from_settings(settings, os.environ, ()).create_predictor()
    except ValueError as error:
        raise RunError(f"{option}: {error}") from None
    if model is None:
        raise RunError(f'{option} needs a model: `backend` is "embedded"')
    return settings, model


def model_environment(*, with_model: bool) -> dict[str, str]:
    """Return the variables for a server with the model configured here; none without a model.

    Raises:
        RunError: The settings name no model.
    """
    settings = model_settings() if with_model else {}
    return {f"EDITAHEAD_{name.upper()}": str(value) for name, value in settings.items()}


def model_settings() -> dict[str, Any]:
    """Return the settings of the environment and the user that select the model.

    Raises:
        RunError: The settings name no model.
    """
    settings, _ = load_configured_model("--with-model")
    if settings.backend == "local" and settings.model is None:
        # The servers of a replay have another cache folder.
        settings = replace(settings, model=str(small_model_folder()))
    names = ("backend", "url", "model", "api_key_env", "format")
    return {name: value for name in names if (value := getattr(settings, name)) is not None}


@dataclass(frozen=True)
class Others(Generic[_Result]):
    """The results to compare with: of another revision of Editahead, or of the rules alone."""

    name: str
    results: list[_Result]


class Replay(Protocol[_Item, _Result]):
    """A replay of items, and another one where there is something to compare with."""

    def __call__(
        self,
        what: str,
        items: Sequence[_Item],
        ours: ReplayPlan[_Item, _Result],
        make_plan: Callable[[Mapping[str, str]], ReplayPlan[_Item, _Result]],
        options: ReplayOptions,
        errors: Console,
    ) -> tuple[list[_Result], Others[_Result] | None]: ...


def replay_twice(
    what: str,
    items: Sequence[Item],
    ours: ReplayPlan[Item, Result],
    make_plan: Callable[[Mapping[str, str]], ReplayPlan[Item, Result]],
    options: ReplayOptions,
    errors: Console,
) -> tuple[list[Result], Others[Result] | None]:
    """Replay the items and, with `--with-model`, replay them without the model, too.

    Args:
        what: The words beside the progress bar.
        items: What to replay.
        ours: The plan.
        make_plan: Returns the plan for a server with these environment variables, to compare with.
        options: How the replay is done.
        errors: The console for the progress bar.
    """
    results = replay_all(what, items, options.jobs, ours, errors)
    if not options.with_model:
        return results, None
    alone = replay_all(f"{what} with the rules alone", items, options.jobs, make_plan({}), errors)
    return results, Others("the rules alone", alone)
