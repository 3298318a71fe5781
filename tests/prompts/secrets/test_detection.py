"""Secrets in texts, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.secrets.detection import MAX_LINE_CHARS, find_secrets, looks_random
from editahead_prompts.secrets.masking import mask_text
from secret_corpus import ANY_PLACES, NAMED_PLACES, PlacedSecret, placed_secrets

CORPUS = list(placed_secrets(seed=7))
PIECE = 8


def leaks(secret: str, text: str) -> bool:
    """Return whether the text holds eight characters of the secret in a row."""
    return any(secret[at : at + PIECE] in text for at in range(max(1, len(secret) - PIECE + 1)))


def test_the_corpus_is_large() -> None:
    assert len(CORPUS) >= 200 and len({each.place for each in CORPUS}) >= 60
    assert all(leaks(secret, each.text) for each in CORPUS for secret in each.secrets)


@pytest.mark.parametrize("place", sorted({each.place for each in CORPUS}))
def test_no_secret_is_left(place: str) -> None:
    left: list[PlacedSecret] = []
    for each in CORPUS:
        if each.place == place:
            masked = mask_text(each.text)
            left += [each for secret in each.secrets if leaks(secret, masked)]
    assert not left


@pytest.mark.parametrize(
    "text",
    [
        'token = "read_token_from_file"',
        "key = base64.b64encode(os.urandom(16))",
        'API_KEY = "YOUR-API-KEY-0123456789abcdef"',
        'api_key = os.environ["MY_API_KEY_2"]',
        "token: ${{ secrets.GITHUB_TOKEN }}",
        'password = "correct horse"',
        'password = "changeme123"',
        'assert login("user", password="secret") == 200',
        "DB = 'postgres://postgres:postgres@localhost:5432/test'",
        "url = 'https://user:password@host/path'",
        "{ .key = KEYC_F1|KEYC_SHIFT_2 }",
        'TOKEN_URL = "https://accounts.test/o/oauth2/v2/auth"',
        'public_key = "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ"',
        'cache_key = "3f786850e387550fdab836ed7e6dc881de23001b"',
        'foreign_key = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"',
        "sk-fading-circle-2-container-for-loading",
        "tokens = [Token2(kind=NAME1), Token3(kind=NAME2)]",
        "key-value-store-2-with-a-long-name",
        "integrity sha512-Zk3mQ9vT2xLw8RbN4cHs7YpD1fGj6A0uEo5iZk3mQ9vT2xLw8R==",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUF\n-----END CERTIFICATE-----",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "withCredentials: defaultToConfig2Values",
    ],
)
def test_what_is_no_secret(text: str) -> None:
    assert find_secrets(text) == []


@given(
    st.lists(
        st.sampled_from(["token=", "ghp_", "Zk3mQ9vT2x", "\n", "\r", " ", '"', "://a:", "b7c9d1@", "İ", "𝑥"]),
        max_size=30,
    )
)
def test_spans_are_in_order_disjoint_and_inside_a_line(pieces: list[str]) -> None:
    text = "".join(pieces)
    at = 0
    for start, end in find_secrets(text):
        assert at <= start < end <= len(text)
        assert not set("\r\n") & set(text[start:end])
        at = end


@pytest.mark.parametrize("place", [*ANY_PLACES, *NAMED_PLACES])
def test_places_hold_the_secret(place: str) -> None:
    assert "{s}" in {**ANY_PLACES, **NAMED_PLACES}[place][1]


def test_a_long_line_is_read_around_its_names() -> None:
    secret = "Zk3mQ9vT2xLw8RbN4cHs7YpD1fGj6A0u"
    text = "x" * MAX_LINE_CHARS + f' api_key="{secret}" ' + "y" * MAX_LINE_CHARS
    assert [text[start:end] for start, end in find_secrets(text)] == [secret]


def test_values_that_are_random_and_words_that_are_not() -> None:
    assert looks_random("Zk3mQ9vT2xLw8RbN4cHs7YpD")
    assert looks_random("9e96a64ef57dc86b9e4d7ed6181f1d50085218a0")
    assert not looks_random("2026-11-24T16:41:00")
    assert not looks_random("NotificationSettings2")
    assert not looks_random("00000000000000000000000000000000")
