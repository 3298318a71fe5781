"""URIs as clients write them, and one key for all spellings of a URI.

`file:///c%3A/x`, `file:///C:/x` and `file:///c:/x` name one document. Messages to the client always have the client's own
spelling; keys are for look-up only.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote, unquote

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
CELLS = "#cells-"
"""What the server writes behind a notebook's URI, and a language after it, to name the cells of one language."""
_DRIVE = re.compile(r"/([A-Za-z]):(?=/|$)")


def canonical_key(uri: str) -> str:
    """Return a key that is the same for every spelling of one URI."""
    match = _SCHEME.fullmatch(uri)
    if match is None:
        return uri
    scheme, rest = match[1].lower(), unquote(match[2], errors="surrogateescape")
    if scheme != "file":
        return f"{scheme}:{rest}"
    host, path = _host_and_path(rest)
    return f"file://{host}{path}"


def uri_to_path(uri: str) -> Path | None:
    """Return the path that a `file:` URI names; None for other URIs."""
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
    """Return the `file:` URI of an absolute path."""
    text = path.as_posix()
    return "file://" + quote(text if text.startswith("/") else f"/{text}", errors="surrogateescape")


def file_of(uri: str) -> str:
    """Return the URI of the file that a document is saved in: of cells that of their notebook, else the same."""
    return uri.partition(CELLS)[0]


def _host_and_path(rest: str) -> tuple[str, str]:
    """Split what follows `file:`, decoded, into host and path. The drive letter of a Windows path becomes lower case."""
    host = ""
    if rest.startswith("//"):
        host, slash, path = rest[2:].partition("/")
        rest = slash + path
    host = "" if host.lower() == "localhost" else host.lower()
    return host, _DRIVE.sub(lambda m: f"/{m[1].lower()}:", rest, count=1)
