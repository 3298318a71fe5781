"""The index holds nothing of the secrets in the files of a workspace."""

from __future__ import annotations

from editahead_retrieval.index.content import analyze
from secret_corpus import placed_secrets


def test_the_index_holds_no_secret() -> None:
    corpus = list(placed_secrets(seed=2))
    for each in corpus:
        found = analyze(f"src/{each.place}.py", each.text.encode(), b"hash")
        stored = repr(found).lower()
        for secret in each.secrets:
            pieces = (secret[at : at + 8].lower() for at in range(len(secret) - 7))
            assert not any(piece in stored for piece in pieces), each.place
