"""The encoder of semantic search: its pairs of texts, and its training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editahead_lab.errors import TrainingError
from editahead_retrieval.errors import SearchLogError

from .experiment import Context, Experiment, required, setting
from .long_training import LongTraining

if TYPE_CHECKING:
    from editahead_evals.report.output import Output


@dataclass(frozen=True, kw_only=True)
class EncoderPairs(Experiment):
    """Make pairs of texts that belong together, from commits, documented code and packages; keep what is complete."""

    requires = ("numpy", "scipy")
    expected = (OSError, SearchLogError)

    edits: Path | None = setting(None, "a folder with train-*.jsonl.zst files")
    repos: tuple[Path, ...] = setting((), "git repositories of your own")
    packages: tuple[Path, ...] = setting(
        (), "folders of installed packages; only those under permissive licences are read"
    )
    searches: bool = setting(
        False, "what you searched in editors and then opened, where the setting `search_log` is on"
    )
    out: Path = required("write the pairs into this folder")
    commits: int = setting(2_000, "commits from each file of edits", minimum=1)
    leave_out: tuple[str, ...] = setting(
        (), "repositories or packages to leave out, such as one that is measured on"
    )
    seed: int = setting(1, "seed of the choices")

    def problem(self) -> str | None:
        if self.edits or self.repos or self.packages or self.searches:
            return None
        return "name a source: edits, repos, packages or searches"

    def run(self, context: Context) -> Output[Any]:
        from editahead_evals.report.output import text_output
        from editahead_lab.training.encoder.make_pairs import PAIRS, PairsPlan, make_pairs
        from editahead_retrieval.search.search_log import FILE_NAME
        from editahead_workspace import user_dirs

        plan = PairsPlan(
            self.edits,
            self.repos,
            self.packages,
            self.commits,
            self.seed,
            self.leave_out,
            user_dirs.state_folder() / FILE_NAME if self.searches else None,
        )
        provenance = make_pairs(plan, self.out, context.progress)
        kinds = ", ".join(f"{name} {count:,}" for name, count in provenance["kinds"].items())
        return text_output(provenance, [f"wrote {self.out / PAIRS}: {provenance['pairs']:,} pairs ({kinds})"])


@dataclass(frozen=True, kw_only=True)
class EncoderFit(LongTraining):
    """Train an encoder on pairs, and write it with its card."""

    requires = ("numpy", "torch")

    pairs: Path = required("the file that `encoder-pairs` wrote")
    out: Path = required("write the encoder into this folder")
    seen: int = setting(3_000_000, "pairs that are seen in all, repeated ones counted", minimum=1)
    batch: int = setting(512, "pairs of one step, each other's negatives", minimum=1)
    seed: int = setting(1, "seed of weights and order")
    resume: bool = setting(False, "continue the run in the folder")
    save_minutes: float = setting(5.0, "minutes between checkpoints")

    def run(self, context: Context) -> Output[Any]:
        self.prepare()
        from editahead_evals.report.output import text_output
        from editahead_lab.training.encoder.fit import FitPlan, fit

        plan = FitPlan(self.seen, self.batch, self.seed, self.save_minutes)
        result = fit(
            plan,
            self.pairs,
            self.out,
            resume=self.resume,
            report=lambda line: context.progress(_step_line(line)),
        )
        if result is None:
            raise TrainingError("interrupted; set resume=true to continue")
        wrote = f"wrote {self.out}: {result['seen']:,} pairs seen in {result['seconds'] / 60:.1f} minutes"
        return text_output(
            result, [wrote, *(f"{kind}: MRR@10 {value}" for kind, value in result["held out"].items())]
        )


def _step_line(line: Mapping[str, Any]) -> str:
    held = "  ".join(f"{kind} {value:.3f}" for kind, value in line.get("held out", {}).items())
    minutes, seconds = divmod(int(line["seconds left"]), 60)
    return f"{line['seen']:,} pairs seen  loss {line['loss']:.3f}  {minutes}:{seconds:02d} left  {held}"
