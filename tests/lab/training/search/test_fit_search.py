"""The fit of the order of search results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import zstandard

from git_repository import write
from installed import needs

np = pytest.importorskip("numpy")

from editahead_lab.training.search.fit_search import NOT_FITTED, Example, fit, fit_search
from editahead_retrieval.search.features import CODE, FEATURES, ORDERS, SENTENCE, load_weights

pytestmark = needs("scipy")


def test_the_feature_that_tells_answers_apart_gains_weight() -> None:
    told, random = FEATURES.index("file_name"), np.random.default_rng(0)
    examples = []
    for _ in range(30):
        features = random.random((8, len(FEATURES)))
        features[0, told] = 2.0
        examples.append(Example(features, np.eye(8)[0]))
    weights = fit(examples, np.zeros(len(FEATURES)))
    assert int(np.argmax(weights)) == told
    assert all(weights[FEATURES.index(name)] == 0 for name in NOT_FITTED)


def test_examples_count_by_their_weight() -> None:
    one, other = FEATURES.index("file_name"), FEATURES.index("defines_words")
    features = np.zeros((2, len(FEATURES)))
    features[0, one] = features[1, other] = 1.0
    examples = [Example(features, np.eye(2)[0]), Example(features, np.eye(2)[1], weight=0.25)]
    weights = fit(examples, np.zeros(len(FEATURES)))
    assert weights[one] > 0 > weights[other]


@pytest.mark.slow
def test_documentation_is_fitted_to_beside_subjects(tmp_path: Path) -> None:
    before = {f"part{at}.py": f"def heat{at}(oven):\n    return oven\n" for at in range(4)}
    files = [
        {"path": path, "status": "A", "language": "python", "before": None, "after": text}
        for path, text in before.items()
    ]
    change = {**files[0], "status": "M", "before": before["part0.py"], "after": "def heat0():\n    pass\n"}
    records = [
        {"id": f"oven@{at}", "repo": "oven", "date": at, "subject": "heat the oven", "files": changed}
        for at, changed in enumerate((files, [change]))
    ]
    commits, packages = tmp_path / "commits.jsonl.zst", tmp_path / "packages"
    commits.write_bytes(zstandard.compress("".join(json.dumps(each) + "\n" for each in records).encode()))
    documented = '    """Tell how hot the oven in the kitchen is."""\n    oven = 2\n    return oven\n'
    write(packages / "kitchen", {f"part{at}.py": f"def heat{at}():\n{documented}" for at in range(9)})
    alone, both = fit_search(commits, 3, ""), fit_search(commits, 3, "", packages)
    assert alone["fitted"] == {SENTENCE: "the subjects of 1 commits of commits.jsonl.zst"}
    assert both["fitted"] == {SENTENCE: alone["fitted"][SENTENCE] + " and the documentation of 9 functions"}
    assert both["weights"][SENTENCE] != alone["weights"][SENTENCE]
    assert both["weights"][CODE] == load_weights(CODE)


@pytest.mark.parametrize("order", ORDERS)
def test_the_weights_are_those_of_the_features(order: str) -> None:
    weights = load_weights(order)
    assert weights.keys() == {"bias", *FEATURES}
    assert weights["bm25"] > 0
    if order == CODE:
        assert {name for name in FEATURES if weights[name]} == {"bm25"}
    else:
        defines = ("definitions", "defines_name", "defines_words")
        assert weights["test"] < 0 < sum(weights[name] for name in defines)
