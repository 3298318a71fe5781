"""The fit of the order of search results."""

from __future__ import annotations

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("scipy")

from editahead_retrieval.search.features import CODE, FEATURES, ORDERS, load_weights  # noqa: E402
from editahead_training.search.fit_search import NOT_FITTED, fit  # noqa: E402


def test_the_feature_that_tells_answers_apart_gains_weight() -> None:
    told, random = FEATURES.index("file_name"), np.random.default_rng(0)
    examples = []
    for _ in range(30):
        features = random.random((8, len(FEATURES)))
        features[0, told] = 2.0
        examples.append((features, np.eye(8)[0]))
    weights = fit(examples, np.zeros(len(FEATURES)))
    assert int(np.argmax(weights)) == told
    assert all(weights[FEATURES.index(name)] == 0 for name in NOT_FITTED)


@pytest.mark.parametrize("order", ORDERS)
def test_the_weights_are_those_of_the_features(order: str) -> None:
    weights = load_weights(order)
    assert weights.keys() == {"bias", *FEATURES}
    assert weights["bm25"] > 0
    if order == CODE:
        assert {name for name in FEATURES if weights[name]} == {"bm25"}
    else:
        assert weights["test"] < 0 < weights["definitions"] + weights["defines_name"]
