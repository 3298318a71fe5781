"""URIs as clients write them, and one key for each document whatever the spelling.

`file:///c%3A/x`, `file:///C:/x` and `file:///c:/x` are one document. Answers always carry the client's own spelling;
keys are for look-up only.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote, unquote

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_DRIVE = re.compile(r"/([A-Za-z]):(?=/|$)")


def canonical_key(uri: str) -> str:
    """The same for every spelling of one URI."""
    match = _SCHEME.fullmatch(uri)
    if match is None:
        return uri
    scheme, rest = match[1].lower(), unquote(match[2], errors="surrogateescape")
    if scheme != "file":
        return f"{scheme}:{rest}"
    host, path = _host_and_path(rest)
    return f"file://{host}{path}"


def uri_to_path(uri: str) -> Path | None:
    """The file that a `file:` URI names, if it does."""
    match = _SCHEME.fullmatch(uri)
    if match is None or match[1].lower() != "file":
        return None
    host, path = _host_and_path(unquote(match[2], errors="surrogateescape"))
    if "\0" in path or not path:
        return None
    if host:
        return Path(f"//{host}{path}")
    return Path(path[1:] if _DRIVE.match(path) else path)


def path_to_uri(path: Path) -> str:
    """The `file:` URI of an absolute path."""
    text = path.as_posix()
    return "file://" + quote(text if text.startswith("/") else f"/{text}", errors="surrogateescape")


def _host_and_path(rest: str) -> tuple[str, str]:
    """From what follows `file:`, decoded. The drive letter of a Windows path is lower case."""
    host = ""
    if rest.startswith("//"):
        host, slash, path = rest[2:].partition("/")
        rest = slash + path
    host = "" if host.lower() == "localhost" else host.lower()
    return host, _DRIVE.sub(lambda m: f"/{m[1].lower()}:", rest, count=1)
