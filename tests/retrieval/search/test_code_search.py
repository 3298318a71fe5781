"""Search in an index of real files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from editahead_retrieval.index import location
from editahead_retrieval.index.reader import IndexReader
from editahead_retrieval.search.answers import SearchResult
from editahead_retrieval.search.code_search import CodeSearch, SearchScope
from editahead_retrieval.search.features import CODE, SENTENCE, SENTENCE_MEANING
from editahead_retrieval.search.shown import MAX_PER_FILE
from git_repository import write
from index_workspace import build_index

FILES = {
    "net/retry_policy.py": (
        "# How often a request is sent again.\n"
        "MAX_ATTEMPTS = 5\n\n\n"
        "class RetryPolicy:\n"
        '    """The pause between two attempts."""\n\n'
        "    def pause_before(self, attempt: int) -> float:\n"
        "        return 0.1 * 2**attempt\n"
    ),
    "net/client.py": (
        "from net.retry_policy import RetryPolicy\n\n\n"
        "def fetch_page(url: str, policy: RetryPolicy) -> bytes:\n"
        "    return b''\n\n\n"
        "def parse_headers(raw: bytes) -> dict[str, str]:\n"
        '    """Split the head of a response into fields."""\n'
        "    return dict(line.split(': ') for line in raw.decode().splitlines())\n"
    ),
    "tests/test_retry_policy.py": "def test_retry_policy():\n    assert RetryPolicy().pause_before(1) == 0.2\n",
    "docs/guide.md": "# Guide\n\nRequests are retried five times.\n",
    "web/cart.ts": "export function addToCart(item: Item) {\n  cart.items.push(item);\n}\n",
    "web/copy.ts": "export function emptyCart() {\n  cart.items = [];\n}\n",
}

EVERYWHERE = SearchScope()
Search = Callable[..., list[SearchResult]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "work", FILES)
    return tmp_path / "work"


@pytest.fixture
def reader(root: Path, tmp_path: Path) -> Iterator[IndexReader]:
    build_index(root, str(tmp_path / "index"))
    reader = IndexReader(tmp_path / "index" / location.DATABASE)
    yield reader
    reader.close()


@pytest.fixture
def search(root: Path, reader: IndexReader) -> Search:
    def ask(text: str, limit: int = 10, scope: SearchScope = EVERYWHERE) -> list[SearchResult]:
        return CodeSearch(reader, reader_of(root)).search(text, limit, scope)

    return ask


def reader_of(root: Path) -> Callable[[str], str | None]:
    def read(path: str) -> str | None:
        full = root / path
        return full.read_text("utf-8") if full.exists() else None

    return read


@pytest.mark.parametrize(
    ("question", "path", "line"),
    [
        ("where are retries configured", "net/retry_policy.py", 4),
        ("RetryPolicy.pause_before", "net/retry_policy.py", 7),
        ("RetryPolicy", "net/retry_policy.py", 4),
        ("how is a header parsed?", "net/client.py", 7),
        ("add to cart", "web/cart.ts", 0),
        ("addToCart", "web/cart.ts", 0),
        ("`cart.items = []`", "web/copy.ts", 0),
        ("test of the retry policy", "tests/test_retry_policy.py", 0),
        ("2**attempt", "net/retry_policy.py", 7),
    ],
)
def test_the_best_place(search: Search, question: str, path: str, line: int) -> None:
    best = search(question)[0]
    assert (best.path, best.line) == (path, line), best


@pytest.mark.parametrize(
    "path",
    [".github/workflows/release.yaml", ".gitlab-ci.yml", ".circleci/config.yml", ".github/dependabot.yml"],
)
@pytest.mark.parametrize(
    ("question", "is_asked_for"),
    [("where are expired tokens rejected", False), ("token", False), ("which job has the token", True)],
)
def test_what_a_service_does_comes_last_unless_it_is_asked_for(
    tmp_path: Path, path: str, question: str, is_asked_for: bool
) -> None:
    text = "jobs:\n  check:\n    # Rejected if expired.\n    token: main\n"
    write(tmp_path / "work", {path: text, "zone/check.yaml": text.replace("main", "mine")})
    build_index(tmp_path / "work", str(tmp_path / "index"))
    reader = IndexReader(tmp_path / "index" / location.DATABASE)
    try:
        found = CodeSearch(reader, reader_of(tmp_path / "work")).search(question, 10, EVERYWHERE)
    finally:
        reader.close()
    scores = {one.path: one.score for one in found}
    assert is_asked_for == (scores["zone/check.yaml"] < 3 * scores[path]), scores


def test_what_a_result_tells(search: Search) -> None:
    best = search("RetryPolicy pause")[0]
    assert best.text.startswith("class RetryPolicy:\n") or "def pause_before" in best.text
    assert all(best.line <= line < best.end_line for line in best.matches)
    assert best.why[0] == "defines RetryPolicy"
    assert "path has retry, policy" in best.why
    scores = [result.score for result in search("retry")]
    assert scores == sorted(scores, reverse=True) and all(0 < score < 1 for score in scores)


def test_the_first_answer_is_code_though_others_say_it_in_the_same_words(tmp_path: Path) -> None:
    sentence = "Expired tokens are rejected: an expired token is a rejected token.\n"
    files = {
        "docs/tokens.md": f"# Tokens\n\n{sentence * 5}",
        "CHANGES.md": f"# Changes\n\n- {sentence}",
        "tests/test_tokens.py": "def test_expired_tokens_are_rejected():\n    assert reject_expired(token)\n",
        "examples/tokens.py": "# Expired tokens are rejected.\nreject_expired(token)\n",
        "shop/tokens.py": "def check_token(token, now):\n    if token.expired(now):\n        raise Rejected(token)\n",
        "shop/users.py": "def find_user(token):\n    return users[token.owner]\n",
    }
    write(tmp_path / "work", files)
    build_index(tmp_path / "work", str(tmp_path / "index"))
    reader = IndexReader(tmp_path / "index" / location.DATABASE)
    try:
        found = CodeSearch(reader, reader_of(tmp_path / "work")).search(
            "where are expired tokens rejected", 10
        )
    finally:
        reader.close()
    assert found[0].path == "shop/tokens.py", [(one.path, one.score) for one in found]
    assert {one.path for one in found} == set(files)


def test_a_folder_alone(search: Search) -> None:
    found = search("retry policy", scope=SearchScope("net/"))
    assert found and all(result.path.startswith("net/") for result in found)
    assert search("retry policy", scope=SearchScope("web/")) == []


def test_limits(search: Search, root: Path, reader: IndexReader) -> None:
    assert len(search("retry", limit=1)) == 1
    assert max(sum(r.path == path for r in search("cart retry parse")) for path in FILES) <= MAX_PER_FILE


@pytest.mark.parametrize(
    "text", ["", "?", "the of and", "\0\ud800", '"""', "AND OR NOT (", "x" * 100_000, "名前"]
)
def test_hostile_questions(search: Search, text: str) -> None:
    assert isinstance(search(text), list)


def test_a_file_that_has_changed_since(search: Search, root: Path) -> None:
    path = root / "web/cart.ts"
    path.write_text("// new\n\n" * 3 + FILES["web/cart.ts"])
    best = search("add to cart")[0]
    assert "addToCart" in best.text and best.text in path.read_text()
    path.unlink()
    assert all(result.path != "web/cart.ts" for result in search("add to cart"))


def test_files_that_must_not_be_shown(root: Path, reader: IndexReader) -> None:
    assert CodeSearch(reader, lambda path: None).search("retry policy", 10) == []


class Vectors:
    """A search by meaning that knows one answer."""

    def __init__(self, chunks: Sequence[int]) -> None:
        self.chunks, self.asked = chunks, [""]

    def rank(self, text: str, limit: int) -> Sequence[int]:
        self.asked.append(text)
        return self.chunks[:limit]


def test_vectors_join(root: Path, reader: IndexReader) -> None:
    (chunk,) = reader.ask(
        lambda connection: connection.execute(
            "SELECT chunk FROM piece JOIN file USING (content) WHERE path = 'web/copy.ts'"
        ).fetchone()
    )
    vectors = Vectors([chunk, 10_000])
    found = CodeSearch(reader, reader_of(root), vectors).search("remove all goods", 10)
    assert vectors.asked[-1] == "remove all goods"
    assert (found[0].path, found[0].why) == ("web/copy.ts", ("near in meaning",))


def test_secrets_are_blank(root: Path, tmp_path: Path) -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA1c7\n" * 4 + "-----END RSA PRIVATE KEY-----"
    write(root, {"net/keys.py": f'KEY = """{key}"""\n\n\ndef load_signing_key() -> str:\n    return KEY\n'})
    build_index(root, str(tmp_path / "other"))
    reader = IndexReader(tmp_path / "other" / location.DATABASE)
    best = CodeSearch(reader, reader_of(root)).search("load signing key", 1)[0]
    reader.close()
    assert "MIIEpAIBAAKCAQEA" not in best.text
    assert (
        (root / "net/keys.py").read_text().splitlines()[best.matches[-1]].startswith("def load_signing_key")
    )


class FirstChunks:
    """Finds the chunks that were indexed first."""

    def rank(self, text: str, limit: int) -> Sequence[int]:
        return list(range(1, limit + 1))


@pytest.mark.parametrize(
    ("question", "alone", "with_vectors"),
    [
        ("the pause between attempts", SENTENCE, SENTENCE_MEANING),
        ("raw = fetch_page(url)\nparse_headers(raw)\n", CODE, CODE),
    ],
)
def test_weights_are_those_of_the_question_and_of_what_took_part(
    root: Path, reader: IndexReader, question: str, alone: str, with_vectors: str
) -> None:
    for vectors, order in ((None, alone), (FirstChunks(), with_vectors)):
        found = CodeSearch(reader, reader_of(root), vectors).candidates(question)
        assert {candidate.order for candidate in found} == {order}
