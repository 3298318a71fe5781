"""The sessions of typing that benchmarks measure, on a real vLLM: every key is answered, and what is computed is counted."""

from __future__ import annotations

from pathlib import Path

from typing_sessions import play, synthetic


def test_keys_are_answered_and_tokens_counted(vllm_url: str, tmp_path: Path) -> None:
    typed = synthetic()
    for ahead in (True, False):
        cost = play(typed, vllm_url, tmp_path / str(ahead), ahead=ahead, pieces=6, pause=lambda seconds: None)
        assert len(cost.first) == len(typed)
        assert cost.keystrokes >= 2 * len(typed)
        assert 0 < cost.computed < cost.prompt
        assert ahead or cost.ahead == 0
