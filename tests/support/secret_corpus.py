"""Secrets made for the tests, and the kinds of places where people write them.

None is real: each is drawn from a seed, and put together only when a test runs.
"""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Iterator
from dataclasses import dataclass

HEX = "0123456789abcdef"
LOWER = string.ascii_lowercase + string.digits
ALNUM = string.ascii_letters + string.digits
URL_SAFE = ALNUM + "-_"
UPPER = string.ascii_uppercase + "234567"

KINDS: dict[str, tuple[str, str, int]] = {
    "aws-key-id": ("AKIA", UPPER, 16),
    "aws-session-id": ("ASIA", UPPER, 16),
    "github": ("ghp_", ALNUM, 36),
    "github-app": ("ghs_", ALNUM, 36),
    "github-fine": ("github_pat_", ALNUM, 82),
    "gitlab": ("glpat-", URL_SAFE, 20),
    "slack": ("xoxb-", ALNUM, 40),
    "slack-app": ("xapp-1-", ALNUM, 50),
    "openai": ("sk-proj-", URL_SAFE, 60),
    "openai-old": ("sk-", ALNUM, 48),
    "anthropic": ("sk-ant-api03-", URL_SAFE, 90),
    "google": ("AIza", URL_SAFE, 35),
    "google-oauth": ("GOCSPX-", URL_SAFE, 28),
    "npm": ("npm_", ALNUM, 36),
    "pypi": ("pypi-AgEIcHlwaS5vcmc", URL_SAFE, 90),
    "digitalocean": ("dop_v1_", HEX, 64),
    "sendgrid": ("SG.", URL_SAFE, 22),
    "stripe": ("sk_live_", ALNUM, 24),
    "shopify": ("shpat_", HEX, 32),
    "hugging-face": ("hf_", ALNUM, 34),
    "vault": ("hvs.", URL_SAFE, 90),
    "databricks": ("dapi", HEX, 32),
    "new-relic": ("NRAK-", UPPER, 27),
    "grafana": ("glsa_", ALNUM, 32),
    "docker": ("dckr_pat_", URL_SAFE, 27),
    "age": ("AGE-SECRET-KEY-1", UPPER, 58),
    "twilio": ("SK", HEX, 32),
    "jwt": ("eyJhbGciOiJIUzI1NiJ9.eyJ", URL_SAFE, 60),
    "rubygems": ("rubygems_", HEX, 48),
    "groq": ("gsk_", ALNUM, 52),
}
"""The kinds of tokens that say what they are: what they begin with, their characters, and how many."""

NAMED_KINDS: dict[str, tuple[str, int]] = {
    "hex": (HEX, 40),
    "base62": (ALNUM, 40),
    "base64": (ALNUM + "+/", 44),
    "lower": (LOWER, 32),
    "url-safe": (URL_SAFE, 43),
}
"""The kinds of random values that only a name tells: their characters, and how many."""

ANY_PLACES: dict[str, tuple[str, str]] = {
    "python-comment": ("python", "# was {s} before\n"),
    "python-docstring": ("python", 'def f():\n    """Call with {s}."""\n'),
    "python-argument": ("python", 'client = Client("eu", "{s}")\n'),
    "python-default": ("python", "def login(user, how='{s}'):\n    pass\n"),
    "python-f-string": ("python", 'url = f"https://api.test/{{user}}/{s}"\n'),
    "python-list": ("python", 'KEYS = [\n    "a",\n    "{s}",\n]\n'),
    "python-bytes": ("python", "data = b'{s}'\n"),
    "python-assert": ("python", "assert reply == '{s}'\n"),
    "javascript-header": ("javascript", "fetch(u, {{ headers: {{ Authorization: `Bearer {s}` }} }})\n"),
    "javascript-template": ("javascript", "const u = `https://x.test/?k={s}&v=1`\n"),
    "typescript-enum": ("typescript", 'enum E {{ A = "{s}" }}\n'),
    "go-struct": ("go", 'cfg := Config{{Name: "a", Value: "{s}"}}\n'),
    "rust-const": ("rust", 'const K: &str = "{s}";\n'),
    "java-annotation": ("java", '@Value("{s}")\nString k;\n'),
    "c-define": ("c", '#define K "{s}"\n'),
    "ruby-symbol": ("ruby", "config[:k] = '{s}'\n"),
    "php-array": ("php", "'k' => '{s}',\n"),
    "sql-comment": ("sql", "-- {s}\nSELECT 1;\n"),
    "html-attribute": ("html", '<div data-k="{s}"></div>\n'),
    "xml-text": ("xml", "<k>{s}</k>\n"),
    "css-url": ("css", "a {{ background: url(https://x.test/{s}) }}\n"),
    "markdown-code": ("markdown", "Run `curl -H 'X: {s}'`.\n"),
    "markdown-link": ("markdown", "[a](https://x.test/?k={s})\n"),
    "log-line": ("plaintext", "10:00:01 INFO sent {s} to 10.0.0.1\n"),
    "csv-cell": ("csv", "name,value\na,{s}\n"),
    "crlf": ("plaintext", "a\r\n{s}\r\nb\r\n"),
    "last-line": ("plaintext", "a\n{s}"),
    "tabs": ("makefile", "run:\n\tcurl {s}\n"),
    "after-emoji": ("plaintext", "\U0001f511 {s}\n"),
    "twice": ("plaintext", "{s} and {s}\n"),
}
"""Places where a token is known by its form: the language and the text."""

NAMED_PLACES: dict[str, tuple[str, str]] = {
    "python-constant": ("python", 'API_KEY = "{s}"\n'),
    "python-keyword": ("python", "connect(user, auth_token='{s}')\n"),
    "python-dict": ("python", 'settings = {{"client_secret": "{s}"}}\n'),
    "python-annotated": ("python", 'secret: str = "{s}"\n'),
    "python-environ": ("python", 'os.environ["ACCESS_TOKEN"] = "{s}"\n'),
    "javascript-object": ("javascript", 'const c = {{ apiKey: "{s}" }}\n'),
    "javascript-const": ("javascript", "const refreshToken = '{s}';\n"),
    "typescript-field": ("typescript", 'private readonly apiSecret = "{s}"\n'),
    "json": ("json", '{{"accessToken": "{s}"}}\n'),
    "json-nested": ("json", '{{\n  "auth": {{\n    "token": "{s}"\n  }}\n}}\n'),
    "yaml": ("yaml", "api_token: {s}\n"),
    "yaml-quoted": ("yaml", "secretKey: '{s}'\n"),
    "yaml-list": ("yaml", "env:\n  - name: a\n  - API_KEY={s}\n"),
    "toml": ("toml", 'auth_token = "{s}"\n'),
    "ini": ("ini", "[a]\nsecret_key={s}\n"),
    "properties": ("properties", "service.api.token={s}\n"),
    "shell-export": ("shellscript", "export AUTH_TOKEN={s}\n"),
    "shell-flag": ("shellscript", "deploy --token {s} --force\n"),
    "shell-flag-equals": ("shellscript", "deploy --api-key={s}\n"),
    "dockerfile": ("dockerfile", "ENV SECRET_TOKEN={s}\n"),
    "compose": ("yaml", "    environment:\n      API_SECRET: {s}\n"),
    "terraform": ("terraform", '  secret_key = "{s}"\n'),
    "go-assign": ("go", '\tapiKey := "{s}"\n'),
    "rust-let": ("rust", '    let auth_token = "{s}";\n'),
    "java-field": ("java", 'private static final String API_KEY = "{s}";\n'),
    "csharp": ("csharp", 'string clientSecret = "{s}";\n'),
    "c-string": ("c", 'static const char *secret_key = "{s}";\n'),
    "ruby-hash": ("ruby", 'secret: "{s}",\n'),
    "php-define": ("php", "define('AUTH_KEY', '{s}');\n"),
    "query": ("plaintext", "https://x.test/?access_token={s}&a=1\n"),
    "header": ("http", "X-Api-Key: {s}\n"),
    "bearer": ("http", "Authorization: Bearer {s}\n"),
    "commented-out": ("python", '# TOKEN = "{s}"\n'),
    "url-password": ("python", 'DB = "postgresql://app:{s}@db.test:5432/app"\n'),
}
"""Places whose name or form tells that a value is a secret: the language and the text."""


@dataclass(frozen=True, slots=True)
class PlacedSecret:
    """A secret in a text.

    Attributes:
        kind: The kind of the secret.
        place: The kind of the place.
        language: The LSP language id.
        text: The text around the secret and the secret.
        secrets: What must not be shown: the secret after the beginning that all of its kind share, in its lines.
    """

    kind: str
    place: str
    language: str
    text: str
    secrets: tuple[str, ...]


def draw(chars: str, count: int, random_: random.Random) -> str:
    """Return characters drawn by chance, with a digit among them."""
    drawn = [random_.choice(chars) for _ in range(count)]
    drawn[count // 2] = random_.choice("234567")
    return "".join(drawn)


def placed_secrets(seed: int = 0) -> Iterator[PlacedSecret]:
    """Yield the corpus: every kind of place several times, with kinds of secrets in turn."""
    random_ = random.Random(seed)
    known = [*KINDS]
    number = 0
    for place, (language, text) in ANY_PLACES.items():
        for _ in range(4):
            kind = known[number % len(known)]
            number += 1
            yield _placed(kind, place, language, text, *_token(kind, random_))
    for place, (language, text) in NAMED_PLACES.items():
        for _ in range(2):
            kind = known[number % len(known)]
            number += 1
            yield _placed(kind, place, language, text, *_token(kind, random_))
        for kind, (chars, count) in NAMED_KINDS.items():
            if "/" in chars and place in ("url-password", "query"):
                continue
            value = draw(chars, count, random_)
            yield _placed(kind, place, language, text, value, value)
    for place, language, text in _KEY_PLACES:
        body = base64.b64encode(random_.randbytes(300)).decode()
        lines = [body[i : i + 64] for i in range(0, len(body), 64)]
        joint = "\\n" if place == "key-json" else "\n"
        key = joint.join(("-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----"))
        yield PlacedSecret("private-key", place, language, text.replace("{s}", key), tuple(lines))
    for place, language, text in _PASSWORD_PLACES:
        value = draw(ALNUM, 9, random_) + "!"
        yield PlacedSecret("password", place, language, text.replace("{s}", value), (value,))


_KEY_PLACES = (
    ("key-file", "plaintext", "{s}\n"),
    ("key-python", "python", 'KEY = """{s}"""\n'),
    ("key-json", "json", '{"private_key": "{s}\\n"}\n'),
    ("key-yaml", "yaml", "tls:\n  key: |\n{s}\n"),
)
_PASSWORD_PLACES = (
    ("password-python", "python", 'password = "{s}"\n'),
    ("password-json", "json", '{"password": "{s}"}\n'),
    ("password-java", "java", 'ds.setPassword("{s}");\n'),
    ("password-go", "go", 'Password: "{s}",\n'),
    ("password-url", "python", 'connect("redis://default:{s}@cache.test:6379/0")\n'),
)


def _token(kind: str, random_: random.Random) -> tuple[str, str]:
    """Return a token, and the part of it that is secret."""
    start, chars, count = KINDS[kind]
    rest = draw(chars, count, random_)
    if kind == "sendgrid":
        rest += "." + draw(URL_SAFE, 43, random_)
    if kind == "jwt":
        rest += "." + draw(URL_SAFE, 43, random_)
    return start + rest, rest


def _placed(kind: str, place: str, language: str, text: str, token: str, secret: str) -> PlacedSecret:
    return PlacedSecret(kind, place, language, text.format(s=token), (secret,))
