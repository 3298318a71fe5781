"""`editahead-lab train`: train on real edits what Editahead has learned from them."""

from __future__ import annotations

import argparse

from editahead_lab.experiments.coder import CoderAdapter, CoderExamples, CoderMeasure
from editahead_lab.experiments.delta import DeltaApply, DeltaMake
from editahead_lab.experiments.encoder import EncoderFit, EncoderPairs
from editahead_lab.experiments.experiment import Experiment
from editahead_lab.experiments.fits import (
    AlignmentFit,
    ClosedFilesFit,
    CompletionFit,
    EvidenceFit,
    FinishFit,
    GateFit,
    ModelGateFit,
    SearchFit,
    TokenizerFit,
)

from .run_experiment import add_experiments, run_experiment

EXPERIMENTS: dict[str, type[Experiment]] = {
    "gate": GateFit,
    "model-gate": ModelGateFit,
    "closed-files": ClosedFilesFit,
    "alignment": AlignmentFit,
    "evidence": EvidenceFit,
    "finish": FinishFit,
    "search": SearchFit,
    "completion": CompletionFit,
    "tokenizer": TokenizerFit,
    "coder-examples": CoderExamples,
    "coder-adapter": CoderAdapter,
    "coder-measure": CoderMeasure,
    "encoder-pairs": EncoderPairs,
    "encoder-fit": EncoderFit,
    "delta-make": DeltaMake,
    "delta-apply": DeltaApply,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_experiments(parser, EXPERIMENTS)


def run(args: argparse.Namespace) -> int:
    return run_experiment(EXPERIMENTS[args.experiment], args)
