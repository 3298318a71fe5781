"""Questions with known answers, and what each way to search finds of them."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard
from rich.console import Console

from editahead_cli.main import main
from editahead_evals.errors import RecordError
from editahead_evals.report.output import Provenance
from editahead_lab.commits.commit_records import CommitRecord, FileChange
from editahead_lab.search import search_report
from editahead_lab.search.asked_questions import questions_of
from editahead_lab.search.bm25 import WordBaseline
from editahead_lab.search.replay import (
    JOINED,
    JOINED_VECTORS,
    Outcome,
    SearchItem,
    SearchPlan,
    last_commits,
    score,
)
from editahead_lab.search.tasks import (
    ASKED,
    ASKED_FILES,
    DOCUMENTATION,
    HUNK,
    SUBJECT,
    SUBJECT_CODE,
    SUBJECT_FILES,
    Package,
    SearchTask,
    read_packages,
    tasks_of_commit,
)
from editahead_retrieval.search.places import Place
from editahead_retrieval.vectors.static_encoder import DIMENSIONS, StaticEncoder, save_encoder
from git_repository import write

CART = "def add_to_cart(item):\n    cart.append(item)\n"
MAIL = "def send_receipt(order):\n    mail(order.user)\n"
PRICE = "def total_price(cart):\n    return sum(item.price for item in cart)\n"


def record(number: int, subject: str, files: dict[str, tuple[str | None, str | None]]) -> dict[str, Any]:
    return {
        "id": f"shop/shop@{number}",
        "repo": "shop/shop",
        "date": number,
        "subject": subject,
        "files": [
            {
                "path": path,
                "status": "A" if before is None else "D" if after is None else "M",
                "language": "python",
                "before": before,
                "after": after,
            }
            for path, (before, after) in files.items()
        ],
    }


@pytest.fixture
def commits(tmp_path: Path) -> Path:
    records = [
        record(
            1, "begin the shop", {"cart.py": (None, CART), "mail.py": (None, MAIL), "price.py": (None, PRICE)}
        ),
        record(
            2,
            "send the receipt of an order by mail",
            {
                "mail.py": (MAIL, MAIL.replace("user", "user.address")),
                "price.py": (PRICE, PRICE.replace("sum", "round_up")),
            },
        ),
    ]
    lines = "".join(json.dumps(each) + "\n" for each in records)
    path = tmp_path / "commits.jsonl.zst"
    path.write_bytes(zstandard.ZstdCompressor().compress(lines.encode()))
    return path


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    text = (
        "def read_table(path):\n"
        '    """Return the rows of a table of numbers.\n\n    More.\n    """\n'
        "    return [line.split() for line in open(path)]\n\n\n"
        "def short():\n    '''Too short.'''\n    return 1\n"
    )
    write(tmp_path / "packages", {"tables-1.0/tables.py": text, "tables-1.0/other.py": "x = 1\n"})
    return tmp_path / "packages"


def test_tasks_of_a_commit() -> None:
    files = (
        FileChange("a.py", "M", "one\n" * 3, "one\ntwo\none\n"),
        FileChange("b.py", "M", "x = 1\n", "x = 2\n"),
        FileChange("new.py", "A", None, "y = 1\n"),
        FileChange("CHANGES.md", "M", "# 1\n", "# 2\n"),
    )
    subject, changed, code, hunk = tasks_of_commit(CommitRecord("r@1", "r", 1.0, files, "count to two"))
    assert (subject.kind, subject.question) == (SUBJECT, "count to two")
    assert subject.chunks == {("a.py", 0), ("b.py", 0), ("CHANGES.md", 0)}
    assert (changed.kind, changed.files) == (SUBJECT_FILES, {"a.py", "b.py", "CHANGES.md"})
    assert (code.kind, code.files) == (SUBJECT_CODE, {"a.py", "b.py"})
    assert (hunk.kind, hunk.question, hunk.asked_in) == (HUNK, "one\ntwo\n", "a.py")
    assert hunk.files == {"b.py", "CHANGES.md"}
    assert [task.kind for task in tasks_of_commit(CommitRecord("r@1", "r", 1.0, files, ""))] == [HUNK]


def test_documentation_is_taken_out(packages: Path) -> None:
    (package,) = read_packages(packages, 10, 0)
    (task,) = package.tasks
    assert task.kind == DOCUMENTATION and task.question == "Return the rows of a table of numbers."
    assert task.chunks == {("tables.py", 0)}
    assert "rows of a table" not in package.files["tables.py"] and "Too short" in package.files["tables.py"]
    with pytest.raises(RecordError, match="documented"):
        read_packages(packages / "tables-1.0", 10, 0)


def test_what_people_ask_a_package(tmp_path: Path) -> None:
    text = (
        "class TimestampSigner:\n    def sign(self):\n        pass\n\n    def unsign(self):\n        pass\n"
    )
    write(tmp_path, {"itsdangerous-9.0/src/timed.py": text, "itsdangerous-9.0/other.py": text})
    (package,) = read_packages(tmp_path, 5, 0)
    expired = [task for task in package.tasks if task.question == "where are expired tokens rejected"]
    assert [task.kind for task in expired] == [ASKED, ASKED_FILES]
    assert expired[0].chunks == {("src/timed.py", 0)} and expired[1].files == {"src/timed.py"}
    assert not questions_of("unknown-1.0")


def test_scores() -> None:
    task = SearchTask("t", SUBJECT, "q", frozenset({("a", 0), ("b", 7)}))
    places = [Place("x", 0, 1), Place("a", 0, 5), Place("b", 0, 7)]
    assert score(task, places) == Outcome(1, 0.5, 0.5)
    assert score(task, [Place("x", line, line + 1) for line in range(10)] + places) == Outcome(1, 0.0, 0.0)
    files = SearchTask("t", HUNK, "q", frozenset(), frozenset({"b"}), "a")
    assert score(files, [Place("a", 0, 1), Place("x", 0, 1), Place("x", 1, 2), Place("b", 0, 1)]) == Outcome(
        1, 0.5, 1
    )


def test_the_baseline_prefers_rare_words() -> None:
    baseline = WordBaseline()
    baseline.update({"a.py": "order = 1\n", "b.py": "order = receipt\n", "c.py": "order = 3\n"})
    assert [place.path for place in baseline.rank("the receipt of an order", 2)] == ["b.py", "a.py"]
    baseline.update({"a.py": "order = 1\n"})
    assert [place.path for place in baseline.rank("receipt order", 5)] == ["a.py"]


@pytest.mark.slow
def test_replay_of_commits_and_packages(commits: Path, packages: Path) -> None:
    items = [SearchItem(commit=commit) for commit in last_commits(commits, 1)]
    items += [SearchItem(package=package) for package in read_packages(packages, 5, 0)]
    with SearchPlan(commits).replays() as replay:
        results = [outcome for item in items for outcome in replay(item)]
    kinds = [SUBJECT, SUBJECT_FILES, SUBJECT_CODE, HUNK, DOCUMENTATION]
    assert [result.kind for result in results] == kinds
    assert results[0].files == 3 and results[0].ways[JOINED].reciprocal == 1.0
    assert results[-1].ways[JOINED] == Outcome(1, 1.0, 1.0)
    report = search_report.summarize(results, Provenance("0", "x", 0))
    assert report.gains[DOCUMENTATION].value == 1.0
    out = io.StringIO()
    search_report.print_tables(report, Console(file=out))
    assert "times that of BM25" in out.getvalue()


def make_encoder(path: Path) -> Path:
    """Write an encoder in which `cost` means what `price` does, and return its file."""
    numbers = np.random.RandomState(1).randint(-100, 100, (4 + 16, DIMENSIONS)).astype(np.int8)
    numbers[1] = numbers[0]
    gains = np.ones((2, len(numbers)), np.float32)
    gains[:, 4:] = 0.1
    rows = {"price": 0, "cost": 1, "order": 2, "mail": 3}
    save_encoder(StaticEncoder("test", rows, 16, numbers, gains), path)
    return path


@pytest.mark.slow
def test_vectors_of_an_encoder_join_the_search(tmp_path: Path, commits: Path) -> None:
    plan = SearchPlan(commits, str(make_encoder(tmp_path / "encoder.npz")))
    last = last_commits(commits, 1)[0]
    change = FileChange("price.py", "M", PRICE, PRICE.replace("sum", "round_up"))
    package = Package("shop", {"mail.py": MAIL, "price.py": PRICE, "cart.py": CART}, [])
    task = SearchTask("shop", DOCUMENTATION, "cost", frozenset({(change.path, 0)}))
    with plan.replays() as replay:
        subject, *_ = replay(SearchItem(commit=last))
        [found] = replay(SearchItem(package=replace(package, tasks=[task])))
    assert subject.ways.keys() >= {JOINED, "vectors", JOINED_VECTORS}
    assert found.ways[JOINED].reciprocal == 0.0, "no word of the question is there"
    assert found.ways["vectors"].reciprocal == found.ways[JOINED_VECTORS].reciprocal == 1.0
    report = search_report.summarize([subject, found], Provenance("0", "x", 0))
    assert report.by_vectors[DOCUMENTATION]["MRR@10"].value == 1.0
    out = io.StringIO()
    search_report.print_tables(report, Console(file=out))
    assert "vectors add MRR@10 +1.000" in out.getvalue()


def test_an_encoder_that_cannot_be_used(
    tmp_path: Path, commits: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["eval", "search", f"commits={commits}", f"encoder={tmp_path / 'none.npz'}"]
    assert main(asked) == 1
    assert "the encoder cannot be read" in capsys.readouterr().err


@pytest.mark.slow
def test_the_command(commits: Path, packages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["eval", "search", f"commits={commits}", f"packages={packages}", "jobs=1", "--json"]
    assert main(arguments) == 0
    assert len(json.loads(capsys.readouterr().out)["questions"]) == 5
