"""The URL of a server: anywhere with https, on this machine also with plain http."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

_VERSION = re.compile(r"/v\d+$")


@dataclass(frozen=True, slots=True)
class ServerUrl:
    """The validated URL of a server with OpenAI's protocol.

    Attributes:
        root: The URL without the version, such as "http://localhost:8000".
        api: The URL with the version, such as "http://localhost:8000/v1".
        loopback: Whether the server is on this machine.
    """

    root: str
    api: str
    loopback: bool

    @classmethod
    def parse(cls, url: str) -> ServerUrl:
        """Parse a URL with or without the version at its end.

        Raises:
            ValueError: The URL is not allowed. The message is one sentence that does not quote the URL.
        """
        try:
            parts = urlsplit(url.strip())
            host, port = parts.hostname or "", parts.port
        except ValueError:
            raise ValueError("The URL cannot be read.") from None
        if parts.scheme not in ("http", "https") or not host:
            raise ValueError(
                "The URL must begin with https:// (or http:// for this machine) and name a host."
            )
        loopback = is_loopback(host)
        if parts.scheme == "http" and not loopback:
            raise ValueError(
                "Plain http is for this machine only, as anyone on the way could read code and key."
            )
        if parts.username is not None or parts.password is not None:
            raise ValueError("The URL holds a name or a password; `api_key_env` is the place for a key.")
        if parts.query or parts.fragment:
            raise ValueError("The URL may not have a query or a fragment.")
        shown = f"[{host}]" if ":" in host else host
        path = parts.path.rstrip("/")
        root = f"{parts.scheme}://{shown}{'' if port is None else f':{port}'}{path}"
        found = _VERSION.search(root)
        return cls(root[: found.start()], root, loopback) if found else cls(root, f"{root}/v1", loopback)


def is_loopback(host: str) -> bool:
    """Return whether a URL's host is this machine. "127.0.0.1.example.com" only looks like it."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
