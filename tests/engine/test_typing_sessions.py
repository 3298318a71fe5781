"""The typing sessions of the benchmarks on a real vLLM: every key has an answer, and the computed tokens are counted."""

from __future__ import annotations

from pathlib import Path

from typing_sessions import play, synthetic


def test_keys_are_answered_and_tokens_counted(vllm_url: str, tmp_path: Path) -> None:
    typed = synthetic()
    cost = play(typed, vllm_url, tmp_path / "files", pieces=6, pause=lambda seconds: None)
    assert [one.when for one in cost.asked].count("opened") == len(typed)
    assert [one.when for one in cost.asked].count("back") == len(typed)
    assert len(cost.asked) >= 7 * len(typed), "keys, and coming to a place"
    waits = cost.first_ms("opened", "back", "later")
    assert waits and min(waits) > 0
    assert 0 < cost.computed < cost.prompt
