"""Checkpoints stored as small differences, without loss."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .experiment import Context, Experiment, required, setting

if TYPE_CHECKING:
    from editahead_evals.report.output import Output

CHAIN = "the folder of a chain of checkpoints"


@dataclass(frozen=True, kw_only=True)
class DeltaMake(Experiment):
    """Write the difference between two checkpoints (safetensors) of one model, or add a checkpoint to a chain."""

    requires = ("numpy",)

    base: Path | None = setting(None, "the earlier checkpoint")
    target: Path = required("the later checkpoint")
    out: Path | None = setting(None, "write the difference to this file")
    chain: Path | None = setting(None, f"{CHAIN}, created if needed, in place of base and out")

    def problem(self) -> str | None:
        given = {self.base is not None, self.out is not None}
        return None if given == {self.chain is None} else "name base and out, or chain"

    def run(self, context: Context) -> Output[Any]:
        from editahead_evals.report.output import text_output
        from editahead_lab.training.delta.checkpoint_delta import write_delta
        from editahead_lab.training.delta.delta_chain import DeltaChain

        if self.chain is not None:
            link = DeltaChain(self.chain).add(self.target)
            added = {
                "number": link.number,
                "file": str(link.path),
                "whole": link.whole,
                "size": link.size,
            }
            whole = ", whole" if link.whole else ""
            return text_output(added, [f"number {link.number}{whole}: {link.path}, {link.size:,} bytes"])
        assert self.base is not None and self.out is not None, "as `problem` says"
        stats = write_delta(self.base, self.target, self.out)
        wrote = (
            f"wrote {self.out}: {stats.size:,} bytes for {stats.target_size:,}, {stats.ratio:.1f} times smaller; "
            f"{stats.changed:.1%} of the bytes differ"
        )
        return text_output({**asdict(stats), "ratio": stats.ratio}, [wrote])


@dataclass(frozen=True, kw_only=True)
class DeltaApply(Experiment):
    """Restore a checkpoint, bit by bit: from an earlier one and the difference, or from a chain."""

    requires = ("numpy",)

    base: Path | None = setting(None, "the earlier checkpoint")
    delta: Path | None = setting(None, "the difference")
    chain: Path | None = setting(None, f"{CHAIN}, in place of base and delta")
    number: int | None = setting(
        None, "the number of the checkpoint in the chain, from 0; without it the last"
    )
    out: Path = required("write the checkpoint to this file")

    def problem(self) -> str | None:
        given = {self.base is not None, self.delta is not None}
        return None if given == {self.chain is None} else "name base and delta, or chain"

    def run(self, context: Context) -> Output[Any]:
        from editahead_evals.report.output import text_output
        from editahead_lab.training.delta.checkpoint_delta import apply_delta
        from editahead_lab.training.delta.delta_chain import DeltaChain

        if self.chain is not None:
            chain = DeltaChain(self.chain)
            chain.write(len(chain.links()) - 1 if self.number is None else self.number, self.out)
        else:
            assert self.base is not None and self.delta is not None, "as `problem` says"
            apply_delta(self.base, self.delta, self.out)
        return text_output({"file": str(self.out)}, [f"wrote {self.out}"])
