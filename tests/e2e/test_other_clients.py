"""The messages of docs/other-clients.md, sent to the real server: requests and responses match the page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from editahead_evals.client.lsp_client import LanguageClient, isolated_environment

pytestmark = pytest.mark.slow


PAGE = Path(__file__).parents[2] / "docs" / "other-clients.md"
_BLOCK = re.compile(r"^(Sent|Answered)\b[^\n]*:\n\n```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_page_is_what_happens(tmp_path: Path) -> None:
    answer: Any = None
    answered = 0
    with LanguageClient(env=isolated_environment(tmp_path), cwd=tmp_path) as client:
        for heading, text in _BLOCK.findall(PAGE.read_text("utf-8")):
            message = json.loads(text)
            if heading == "Answered":
                assert rounded(answer) == rounded(message)
                answered += 1
            elif "id" in message:
                answer = client.request(message["method"], message["params"])
            else:
                client.notify(message["method"], message["params"])
    assert answered == 2


def rounded(answer: Any) -> Any:
    """Round confidences, which depend on the gate's weights."""
    for prediction in answer["predictions"]:
        assert prediction.pop("confidence") == pytest.approx(0.45, abs=0.15)
    return answer
