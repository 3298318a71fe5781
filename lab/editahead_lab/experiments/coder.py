"""The adapter of the model editahead-coder: its examples, its training, its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from editahead_inference.errors import SmallModelError
from editahead_lab.errors import TrainingError

from .experiment import Context, Experiment, jobs_setting, required, setting
from .long_training import LongTraining

if TYPE_CHECKING:
    from editahead_evals.report.output import Output
    from editahead_lab.training.coder.train_adapter import Machine

BASE = "the base: the GGUF file of Qwen2.5-Coder-0.5B-Instruct, or another Qwen2"
DEFAULT_MINUTES = 10.0
DEFAULT_ROW, DEFAULT_GPU_ROW = 4096, 32_768
_PACKAGES = ("numpy", "safetensors", "tokenizers", "gguf")
_EXPECTED = (OSError, SmallModelError)


@dataclass(frozen=True, kw_only=True)
class CoderExamples(Experiment):
    """Replay real edits, and pack them as examples: continuations, next edits, silence."""

    requires = _PACKAGES
    expected = _EXPECTED

    edits: Path | None = setting(None, "a folder with train-*.jsonl.zst files")
    repo: Path | None = setting(None, "a git repository of your own, whose history is used")
    base: Path = required(BASE)
    out: Path = required("write train.examples and held.examples into this folder")
    commits: int | None = setting(
        None,
        "commits from each file of edits, and of the repository; without it all, and the last 200",
        minimum=1,
    )
    seed: int = setting(1, "seed of all choices")
    jobs: int = jobs_setting()

    def problem(self) -> str | None:
        return "name edits, repo, or both" if self.edits is None and self.repo is None else None

    def run(self, context: Context) -> Output[Any]:
        from editahead_evals.data.own_checkout import present_commit
        from editahead_evals.report.output import text_output
        from editahead_lab.training.coder.build_examples import Sources, build_examples

        made = build_examples(
            Sources(self.edits, self.repo, self.commits),
            self.base,
            self.out,
            seed=self.seed,
            jobs=self.jobs,
            revision=present_commit(),
            report=context.progress,
        )
        lines = [
            f"wrote {self.out / name}.examples: {len(packed):,} examples, {len(packed.tokens):,} tokens"
            for name, packed in made.items()
        ]
        return text_output({name: packed.provenance for name, packed in made.items()}, lines)


@dataclass(frozen=True, kw_only=True)
class _Coder(LongTraining):
    """What computes with the network of the coder."""

    requires = _PACKAGES
    expected = _EXPECTED

    base: Path = required(BASE)
    rank: int = setting(64, "the rank of the additions", minimum=1)
    row: int | None = setting(
        None, f"tokens computed together; without it {DEFAULT_ROW}, on a GPU {DEFAULT_GPU_ROW}", minimum=1
    )
    measured: int = setting(1200, "the most held-out examples to answer")
    device: Literal["auto", "cpu", "cuda"] = setting("auto", "where to compute")
    dtype: Literal["auto", "float32", "bfloat16"] = setting(
        "auto", "type of the multiplications; auto measures which is faster here"
    )

    def machine(self) -> tuple[Machine, int]:
        """Prepare this process for a long computation, and return where it runs and the tokens of a row.

        Raises:
            TrainingError: There is no GPU that torch can use.
        """
        from editahead_lab.training.model import malloc_tuning

        malloc_tuning.keep_freed_memory()
        self.prepare()
        import torch

        from editahead_lab.training.coder.train_adapter import Machine

        found = torch.cuda.is_available()
        if self.device == "cuda" and not found:
            raise TrainingError("there is no GPU that torch can use")
        device = ("cuda" if found else "cpu") if self.device == "auto" else self.device
        return Machine(device, self.dtype), self.row or (DEFAULT_GPU_ROW if device == "cuda" else DEFAULT_ROW)


@dataclass(frozen=True, kw_only=True)
class CoderAdapter(_Coder):
    """Train the adapter on examples, write it and measure it."""

    data: Path = required("the examples that `coder-examples` wrote")
    held: Path | None = setting(None, "held-out examples, to measure on at the end")
    out: Path = required("write the adapter into this folder, checkpoints and the log into its folder `run`")
    minutes: float | None = setting(None, f"minutes of training; without it and steps {DEFAULT_MINUTES:g}")
    steps: int | None = setting(None, "the number of steps, in place of minutes", minimum=1)
    rate: float = setting(3e-4, "the highest learning rate")
    seed: int = setting(0, "seed of the weights and the order")
    resume: bool = setting(False, "continue the run in the folder")
    save_minutes: float = setting(2.0, "minutes between checkpoints")

    def problem(self) -> str | None:
        if self.minutes is not None and self.steps is not None:
            return "minutes and steps both say how long: choose one"
        return "minutes must be greater than 0" if self.minutes is not None and self.minutes <= 0 else None

    def run(self, context: Context) -> Output[Any]:
        machine, row = self.machine()
        from editahead_evals.report.output import text_output
        from editahead_lab.training.coder.adapter_run import RunPlan
        from editahead_lab.training.coder.train_adapter import train_adapter

        minutes = None if self.steps else self.minutes or DEFAULT_MINUTES
        plan = RunPlan(minutes, self.steps, row, self.rate, self.rank, self.seed, self.save_minutes)
        card = train_adapter(
            plan,
            machine,
            self.base,
            self.data,
            self.held,
            self.out,
            resume=self.resume,
            measured=self.measured,
            report=lambda line: context.progress(_step_line(line)),
        )
        if card is None:
            raise TrainingError("interrupted; set resume=true to continue")
        wrote = f"wrote {self.out}: {card['tokens seen']:,} tokens seen in {card['seconds']:.0f} s"
        return text_output(card, [wrote, *_figure_lines(card.get("held", {}))])


@dataclass(frozen=True, kw_only=True)
class CoderMeasure(_Coder):
    """Answer held-out examples, and print how many are right, at which probability."""

    adapter: Path = required("the adapter")
    held: Path = required("held-out examples")

    def run(self, context: Context) -> Output[Any]:
        machine, row = self.machine()
        from editahead_evals.report.output import text_output
        from editahead_lab.training.coder.train_adapter import measure_adapter

        figures = measure_adapter(
            self.adapter,
            machine,
            self.base,
            self.held,
            rank=self.rank,
            measured=self.measured,
            row=row,
        )
        return text_output(figures, list(_figure_lines(figures)))


def _step_line(line: Mapping[str, Any]) -> str:
    """Return a line of a training's log as text."""
    losses = "  ".join(f"{task} {loss:.3f}" for task, loss in line["loss"].items())
    minutes, seconds = divmod(int(line["seconds left"]), 60)
    return (
        f"step {line['step']}  {line['tokens']:,} tokens  {line['tokens/s']:,}/s  rate {line['rate']:.1e}  "
        f"{minutes}:{seconds:02d} left  loss: {losses}"
    )


def _figure_lines(figures: Mapping[str, Any]) -> Iterator[str]:
    for what, values in figures.items():
        plain = {name: value for name, value in values.items() if name != "calibration"}
        yield f"{what}: " + ", ".join(f"{name} {value}" for name, value in plain.items())
        if (calibration := values.get("calibration")) is not None:
            bins = ", ".join(f"{name}: {one['right']}" for name, one in calibration["bins"].items())
            yield f"right answers by probability (error {calibration['error']}): {bins}"
