"""Where a server may be: anywhere over https, on this machine over plain http."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

_VERSION = re.compile(r"/v\d+$")


@dataclass(frozen=True, slots=True)
class ServerUrl:
    """Of a server with OpenAI's protocol. root: its URL, without the version ("http://localhost:8000"). api: with it
    (".../v1"). loopback: whether it is on this machine."""

    root: str
    api: str
    loopback: bool

    @classmethod
    def parse(cls, url: str) -> ServerUrl:
        """url: with or without the version at its end. ValueError, with one sentence that does not quote the URL, for one
        that is not allowed."""
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
    """Whether a URL's host is this machine: not a name that only looks so ("127.0.0.1.example.com")."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
