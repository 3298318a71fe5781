"""Who may ask the endpoint: programs of this machine that have the token, and no page in a browser."""

from __future__ import annotations

import hmac
from urllib.parse import SplitResult, urlsplit

from editahead_cli.errors import HttpError

from .http_server import HttpRequest

_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
"""What a `Host` header may name. A page whose name was bound to this machine anew (DNS rebinding) sends its own name."""


def check_access(request: HttpRequest, token: str) -> str:
    """Return the path of a request without the token.

    The token is the API key (`Authorization: Bearer TOKEN`), or for clients that send none, the first part of the path.

    Raises:
        HttpError: The request comes from a browser's page, has no or another token, or names no place.
    """
    host = _parse(f"//{request.headers.get('host', '')}").hostname
    if host not in _HOSTS:
        raise HttpError(403, "wrong_host", "this endpoint answers to 127.0.0.1 and localhost alone")
    if "origin" in request.headers or request.headers.get("sec-fetch-site", "none") != "none":
        raise HttpError(403, "from_a_page", "this endpoint does not answer pages in a browser")
    # A URL that ends in a slash, with a path behind it, makes two of them.
    target = _parse("/" + request.target.lstrip("/") if request.target.startswith("/") else request.target)
    path = "/" + "/".join(filter(None, target.path.split("/")))
    first, _, rest = path[1:].partition("/")
    if _is_same(first, token):
        return "/" + rest
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if path == "/health" or (scheme.lower() == "bearer" and _is_same(key.strip(), token)):
        return path
    raise HttpError(
        401,
        "invalid_api_key",
        "send the token as the API key, or put it into the URL: http://127.0.0.1:PORT/TOKEN",
    )


def _parse(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        raise HttpError(400, "bad_request", "the URL or the `Host` header cannot be read") from None


def _is_same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode("utf-8", "replace"))
