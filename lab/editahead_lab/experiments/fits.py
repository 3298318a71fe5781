"""The fits of the weights that the package ships, to real commits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editahead_lab.errors import TrainingError
from editahead_retrieval.errors import EncoderError

from .experiment import Context, Experiment, jobs_setting, required, setting

if TYPE_CHECKING:
    from editahead_evals.report.output import Output

EDITS = "a folder with train-*.jsonl.zst files"
WEIGHTS = "write the weights to this file, as JSON"
MODEL_PACKAGES = {
    "local": ("numpy", "onnxruntime", "tokenizers"),
    "transformers": ("numpy", "torch", "transformers", "safetensors", "tokenizers"),
}
"""What a model in this process needs, by the extra that has it."""


@dataclass(frozen=True, kw_only=True)
class Fit(Experiment):
    """A fit of weights."""

    expected = (EncoderError, OSError, ValueError)

    out: Path = required(WEIGHTS)

    def fitted(self, provenance: Mapping[str, Any], to: str, *figures: str) -> Output[Any]:
        """Return the output of a fit.

        Args:
            provenance: What is printed as JSON.
            to: What the weights are fitted to.
            figures: A line for each table of figures.
        """
        from editahead_evals.report.output import text_output

        return text_output(provenance, [f"wrote {self.out}, fitted on {to}", *figures])


def _line(title: str, figures: Mapping[str, Any]) -> str:
    return f"{title}: " + ", ".join(f"{name} {value}" for name, value in figures.items())


@dataclass(frozen=True, kw_only=True)
class GateFit(Fit):
    """Fit the gate's weights."""

    requires = ("sklearn", "numpy")

    edits: Path = required(EDITS)
    files: int = setting(800, "records from each file of edits", minimum=1)
    seed: int = setting(1, "seed of their choice")
    jobs: int = jobs_setting()
    keep_trees: Path | None = setting(
        None, "keep the trees of these weights, and fit only the terms and the calibration"
    )

    def run(self, context: Context) -> Output[Any]:
        from editahead_inference.gate.thresholds import threshold
        from editahead_lab.training.gate.fit_gate import train

        provenance = train(
            self.edits,
            self.out,
            files=self.files,
            seed=self.seed,
            jobs=self.jobs,
            threshold=threshold(0.5),
            kept=self.keep_trees,
        )
        lines = [_line(f"set aside, {order}", found) for order, found in provenance["figures"].items()]
        return self.fitted(provenance, f"{len(provenance['fitted on'])} files of edits", *lines)


@dataclass(frozen=True, kw_only=True)
class ModelGateFit(Fit):
    """Fit what the edits of the rules and of a model are worth beside each other."""

    requires = ("sklearn", "numpy")

    edits: Path = required(EDITS)
    model: Path = required("the folder of the model")
    files: int = setting(800, "records from each file of edits", minimum=1)
    seed: int = setting(1, "seed of their choice")
    jobs: int = jobs_setting()
    answers: Path | None = setting(
        None, "keep what the model answers in this file, so that a run that was stopped goes on there"
    )

    def run(self, context: Context) -> Output[Any]:
        extra = "local" if (self.model / "model.onnx").is_file() else "transformers"
        if any(find_spec(package) is None for package in MODEL_PACKAGES[extra]):
            raise TrainingError(f"the model needs the extra `{extra}`: pip install 'editahead[{extra}]'")
        from editahead_lab.training.gate.fit_model_gate import train

        provenance = train(
            self.edits,
            self.model,
            self.out,
            files=self.files,
            seed=self.seed,
            jobs=self.jobs,
            kept=self.answers,
        )
        lines = [_line(f"left out, {what}", found) for what, found in provenance["figures"].items()]
        return self.fitted(provenance, ", ".join(provenance["fitted on"]), *lines)


@dataclass(frozen=True, kw_only=True)
class ClosedFilesFit(Fit):
    """Fit the gate's terms for closed files to commits of several files."""

    requires = ("scipy", "numpy")

    commits: Path = required("commits of several files (.jsonl.zst)")

    def run(self, context: Context) -> Output[Any]:
        from editahead_lab.training.gate.fit_closed_files import train

        provenance = train(self.commits, self.out)
        return self.fitted(
            provenance, f"{provenance['candidates']} candidates", _line("set aside", provenance["figures"])
        )


@dataclass(frozen=True, kw_only=True)
class ApplyFit(Fit):
    """A fit of weights of Apply to sketches of commits."""

    edits: tuple[Path, ...] = required("files of edits (.jsonl.zst) of which the sketches are made")
    judged: Path = required("another file of edits, for the figures")
    sketches: int = setting(4_000, "sketches that are made of each file", minimum=1)
    seed: int = setting(5, "seed of their choice")

    def fitted_on(self, found: Mapping[str, Any]) -> Output[Any]:
        """Return the output of the fit."""
        to = f"{found['sketches']} sketches of {', '.join(found['fitted on'])}"
        return self.fitted(found, to, _line("judged", found["figures"]))


@dataclass(frozen=True, kw_only=True)
class AlignmentFit(ApplyFit):
    """Fit the weights by which Apply aligns a sketch with its file."""

    epochs: int = setting(2, "how often each sketch is seen", minimum=1)

    def run(self, context: Context) -> Output[Any]:
        from editahead_lab.training.apply.fit_alignment import FitSettings, train

        settings = FitSettings(self.sketches, self.epochs, self.seed)
        return self.fitted_on(train(self.edits, self.judged, self.out, settings))


@dataclass(frozen=True, kw_only=True)
class EvidenceFit(ApplyFit):
    """Fit the evidence by which Apply puts the readings of a sketch in order, and the forest that is certain of one."""

    requires = ("scipy", "numpy", "sklearn")

    cases: Path | None = setting(None, "the folder of written cases that the forest is fitted to as well")

    def run(self, context: Context) -> Output[Any]:
        from editahead_lab.training.apply.fit_evidence import EvidenceSettings, train

        settings = EvidenceSettings(self.sketches, self.seed, self.cases)
        return self.fitted_on(train(self.edits, self.judged, self.out, settings))


@dataclass(frozen=True, kw_only=True)
class FinishFit(Fit):
    """Fit the weights of `editahead finish` to commits of several files with hunks left out."""

    requires = ("sklearn", "numpy")

    commits: Path = required("commits of several files (.jsonl.zst)")
    every: int = setting(1, "use each Nth commit only", minimum=1)

    def run(self, context: Context) -> Output[Any]:
        from editahead_lab.training.finish.fit_finish import train

        provenance = train(self.commits, self.out, every=self.every)
        return self.fitted(
            provenance, f"{provenance['candidates']} candidates", _line("set aside", provenance["figures"])
        )


@dataclass(frozen=True, kw_only=True)
class SearchFit(Fit):
    """Fit the order of search results to questions whose answers are known: subjects of commits, and documentation."""

    requires = ("scipy", "numpy")

    commits: Path = required("commits of several files (.jsonl.zst)")
    last: int = setting(30, "the number of the last commits of each repository", minimum=1)
    encoder: str = setting(
        "", "fit with the vectors of this encoder, too, which must not know these commits and packages"
    )
    packages: Path | None = setting(
        None, "fit to the documentation of functions, too, of the packages in this folder"
    )

    def run(self, context: Context) -> Output[Any]:
        from editahead_lab.training.search.fit_search import fit_search

        found = fit_search(self.commits, self.last, self.encoder, self.packages)
        self.out.write_text(json.dumps(found, indent=2) + "\n", "utf-8")
        return self.fitted(found, "; ".join(f"{order}: {what}" for order, what in found["fitted"].items()))


@dataclass(frozen=True, kw_only=True)
class CompletionFit(Fit):
    """Fit the weights of the completion at the cursor to typed commits."""

    requires = ("sklearn", "numpy")

    edits: Path = required(EDITS)
    commits: int = setting(60, "commits from each file of edits", minimum=1)
    seed: int = setting(1, "seed of their choice")
    jobs: int = jobs_setting()

    def run(self, context: Context) -> Output[Any]:
        from editahead_inference.gate.thresholds import completion_threshold
        from editahead_lab.training.completion.fit_completion import train

        provenance = train(
            self.edits,
            self.out,
            commits=self.commits,
            seed=self.seed,
            jobs=self.jobs,
            min_probability=completion_threshold(0.5),
        )
        fitted = f"{len(provenance['fitted on'])} files of edits"
        return self.fitted(provenance, fitted, _line("set aside", provenance["figures"]))


@dataclass(frozen=True, kw_only=True)
class TokenizerFit(Fit):
    """Learn the vocabulary of our own prompt format from real code."""

    requires = ("tokenizers",)

    edits: Path = required(EDITS)
    files: int = setting(800, "records from each file of edits", minimum=1)
    seed: int = setting(0, "seed of their choice")

    def run(self, context: Context) -> Output[Any]:
        from editahead_evals.data.own_checkout import present_commit
        from editahead_evals.report.output import text_output
        from editahead_lab.training.data.train_tokenizer import train

        provenance = train(self.edits, self.out, files=self.files, seed=self.seed, commit=present_commit())
        tokens, records = provenance["tokens"], provenance["records"]
        return text_output(provenance, [f"wrote {self.out}: {tokens} tokens, learned from {records} records"])
