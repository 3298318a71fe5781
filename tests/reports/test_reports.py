"""What was reported of other tools, tried here: nothing is wrong, and little that is clear is refused."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from editahead_evals.client.shared_server import SharedServer
from report_cases import CASES, FOLDER, ApplyCase, TabCase, play_apply, play_tab

APPLY = [pytest.param(case, id=name) for name, case in CASES.items() if isinstance(case, ApplyCase)]
TABS = [pytest.param(case, id=name) for name, case in CASES.items() if isinstance(case, TabCase)]

MAX_REFUSED_SHARE = 0.1
"""The share of the cases that may be refused though they are clear, each with a reason in its file."""


@pytest.fixture(scope="module")
def server() -> Iterator[SharedServer]:
    with SharedServer() as server:
        yield server


@pytest.mark.slow
@pytest.mark.parametrize("case", APPLY)
def test_apply(case: ApplyCase) -> None:
    result = play_apply(case)
    assert result.status == ("refused" if case.so_far else "right"), result.detail


@pytest.mark.slow
@pytest.mark.parametrize("case", TABS)
def test_tab(case: TabCase, server: SharedServer) -> None:
    result = play_tab(case, server)
    assert result.status == ("refused" if case.so_far else "right"), result.detail


def test_few_that_are_clear_are_refused() -> None:
    refused = [name for name, case in CASES.items() if case.so_far]
    assert len(refused) < MAX_REFUSED_SHARE * len(CASES), refused


def test_more_than_a_hundred_reports_are_tried() -> None:
    heads = (path.read_text("utf-8").split("\n", 1)[0] for path in FOLDER.glob("*/*.txt"))
    assert len({head.partition(": ")[0] for head in heads}) > 100
