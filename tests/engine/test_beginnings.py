"""The start of training: preset copy heads, and the optimizers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("numpy")
torch = pytest.importorskip("torch", reason="`make engine-test` installs what this takes")
pytest.importorskip("transformers", reason="`make engine-test` installs what this takes")

from editahead_training.model import architecture, induction_heads, muon  # noqa: E402


def said_again(model: object, ids: torch.Tensor, times: int) -> float:
    """Return the share of right tokens where a number of ids is repeated `times` times."""
    row = ids.repeat(times)[None]
    with torch.no_grad():
        logits = model(  # type: ignore[operator]
            input_ids=row,
            position_ids=torch.arange(row.shape[1])[None],
            spans=[(0, row.shape[1])],
            use_cache=False,
        ).logits[0]
    right = logits[len(ids) - 1 : -1].argmax(-1) == row[0, len(ids) :]
    return float(right.float().mean())


@pytest.mark.parametrize(("size", "dense"), [("small", False), ("small", True), ("large", False)])
def test_what_repeats_is_copied_before_any_training(size: str, dense: bool) -> None:
    model = architecture.build_model(architecture.SIZES[size], dense=dense, seed=1)
    table = model.config.vocab_size
    ids = torch.randint(20, table, (120,), generator=torch.Generator().manual_seed(2))
    assert said_again(model, ids, 2) < 0.05
    induction_heads.install_copy_heads(model, 1)
    assert said_again(model, ids, 2) > 0.25  # one of 8192 by chance
    line = ids[:30]
    assert said_again(model, line, 5) > 0.35


def test_where_a_token_stood_several_times_those_before_it_decide() -> None:
    model = architecture.build_model(architecture.SIZES["small"], dense=False, seed=1)
    induction_heads.install_copy_heads(model, 1)
    generator = torch.Generator().manual_seed(3)
    shared = [3001, 3002]  # the same in each line, as indentation is
    starts, ends = (torch.randint(20, 8000, (20,), generator=generator).tolist() for _ in range(2))
    lines = [[start, *shared, end] for start, end in zip(starts, ends, strict=True)]
    ids = [token for line in lines for token in line]
    right = 0
    for line in lines:
        row = torch.tensor([ids + line[:3]])
        with torch.no_grad():
            logits = model(
                input_ids=row,
                position_ids=torch.arange(row.shape[1])[None],
                spans=[(0, row.shape[1])],
                use_cache=False,
            ).logits[0, -1]
        right += max(ends, key=lambda end: float(logits[end])) == line[3]
    assert right >= 5  # one of twenty by chance


def test_the_same_seed_gives_the_same_heads() -> None:
    models = [architecture.build_model(architecture.SIZES["tiny"], dense=False, seed=1) for _ in range(3)]
    for model, seed in zip(models, (4, 4, 5), strict=True):
        induction_heads.install_copy_heads(model, seed)
    first, same, other = (model.state_dict() for model in models)
    assert all(torch.equal(weights, same[name]) for name, weights in first.items())
    assert any(not torch.equal(weights, other[name]) for name, weights in first.items())
    assert all(bool(torch.isfinite(weights).all()) for weights in first.values())


@settings(max_examples=30)
@given(
    st.tuples(st.integers(1, 4), st.sampled_from([8, 16, 48]), st.sampled_from([8, 16, 48])),
    st.integers(0, 1000),
    st.floats(1e-6, 1e6),
)
def test_updates_are_nearly_orthogonal(shape: tuple[int, int, int], seed: int, scale: float) -> None:
    """Of stacks as of one matrix, whatever their scale."""
    stack = scale * torch.randn(shape, generator=torch.Generator().manual_seed(seed))
    made = muon.orthogonalize(stack)
    assert made.shape == stack.shape and made.dtype == stack.dtype
    values = torch.linalg.svdvals(made)
    assert float(values.max()) < 1.35
    assert float(values.median()) > 0.5  # those near zero, of square ones, need more
    torch.testing.assert_close(muon.orthogonalize(stack[0]), made[0], atol=0.05, rtol=0.05)


def test_each_weight_has_one_optimizer() -> None:
    model = architecture.build_model(architecture.SIZES["tiny"], dense=False, seed=1)
    groups = [group for one in muon.optimizers(model, 1e-3) for group in one.param_groups]
    seen = [id(weights) for group in groups for weights in group["params"]]
    assert sorted(seen) == sorted(id(weights) for weights in model.parameters())
    assert all(group["lr"] == 1e-3 for group in groups)


def test_muon_finds_a_matrix() -> None:
    wanted = torch.randn(2, 6, 4, generator=torch.Generator().manual_seed(1))
    weights = torch.nn.Parameter(torch.zeros(2, 6, 4))
    optimizer = muon.Muon([weights], 0.1)
    for step in range(300):
        for group in optimizer.param_groups:
            group["lr"] = 0.3 * (1 - step / 300)
        loss = (weights - wanted).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert float(loss.detach()) < 0.05 * float(wanted.square().mean())
