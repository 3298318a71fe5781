"""The choice of a format by the model's name."""

from __future__ import annotations

import pytest

from editahead_prompts.formats.base import PromptPaths
from editahead_prompts.formats.registry import FORMATS, select_format


@pytest.mark.parametrize(
    ("model", "format"),
    [
        ("zed-industries/zeta", "zeta-1"),
        ("zed-industries_zeta-Q8_0.gguf", "zeta-1"),
        ("zed-industries/zeta-2", "zeta-2"),
        ("zed-industries_zeta-2-Q8_0.gguf", "zeta-2"),
        ("zeta2", "zeta-2"),
        ("zed-industries/zeta-2.1", "zeta-2.1"),
        ("/models/zeta-2_1-awq", "zeta-2.1"),
        ("sweepai/sweep-next-edit-1.5b", "sweep"),
        ("sweepai_sweep-sweep-next-edit-v2-7b-Q8_0.gguf", "sweep"),
        ("mercury-edit", "mercury"),
        ("Qwen/Qwen3-Coder-30B-A3B-Instruct", "instruct"),
        ("qwen3-coder:30b", "instruct"),
        ("Qwen/Qwen2.5-Coder-7B", "fim-qwen"),
        ("Qwen/Qwen2.5-Coder-7B-Instruct", "instruct"),
        ("Qwen/Qwen3.5-27B", "fim-qwen"),
        ("mistralai/Codestral-22B-v0.1", "fim-codestral"),
        ("deepseek-ai/DeepSeek-Coder-V2-Lite-Base", "fim-deepseek"),
        ("bigcode/starcoder2-7b", "fim-starcoder"),
        ("ByteDance-Seed/Seed-Coder-8B-Base", "fim-seed-coder"),
        ("JetBrains/Mellum-4b-base-gguf", "fim-mellum"),
        ("mellum-4b-base.Q8_0", "fim-mellum"),
        ("JetBrains/Mellum2-12B-A2.5B-Instruct", "instruct"),
        ("editahead-27m", "editahead"),
    ],
)
def test_by_the_models_name(model: str, format: str) -> None:
    assert select_format(model).name == format


def test_a_setting_comes_first() -> None:
    assert select_format("zeta-2", "sweep-cursortab") is FORMATS["sweep-cursortab"]


def test_what_is_unknown_says_what_there_is() -> None:
    with pytest.raises(ValueError, match=r"made for\? Name one of zeta-1, zeta-2, "):
        select_format("gpt-oss-20b")
    with pytest.raises(ValueError, match="no prompt format 'zeta-3'; there are zeta-1, "):
        select_format("zeta-2", "zeta-3")


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///project/src/a%20b.py", "src/a b.py"),
        ("file:///elsewhere/secret/c.py", "c.py"),
        ("untitled:Untitled-1", "Untitled-1"),
        ("file:///project/x%0Ay.py", "x?y.py"),
    ],
)
def test_a_path_tells_no_more_than_it_must(uri: str, path: str) -> None:
    assert PromptPaths(("file:///project",)).for_document(uri) == path
