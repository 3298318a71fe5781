"""The address of a team's server: which URLs are allowed, and how a connection is protected."""

from __future__ import annotations

import ipaddress
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

SCHEMES = ("postgresql", "postgres")
OPTIONS = frozenset(["host", "sslmode", "sslrootcert", "sslcert", "sslkey", "requirepeer"])
"""Options of a URL. Others, such as commands for the server, are not allowed."""
NO_DRIVER = "a team's index needs psycopg: pip install 'editahead[team]'"
OLD_DRIVER = "a team's index needs libpq 16 or newer: pip install -U 'psycopg[binary]'"
CHECKED_MODE = "verify-full"
"""The only mode of TLS to another machine: the server must prove its name."""
PROVEN_PASSWORD = "scram-sha-256"
"""The only way in which a password is used: the server proves that it knows it, and never sees it (RFC 5802)."""
WITHOUT_PASSWORD = f"{PROVEN_PASSWORD},none"
"""Also no password, as with certificates of clients and with users of this system."""


@dataclass(frozen=True)
class TeamAddress:
    """The address of a database.

    Attributes:
        host: The name of the server, or the folder of its socket.
        port: The port; None for PostgreSQL's.
        user: The member; None for the user of this system.
        database: The database; None for the one called like the user.
        options: The options of TLS.
    """

    host: str
    port: int | None
    user: str | None
    database: str | None
    options: Mapping[str, str]

    @classmethod
    def parse(cls, url: str) -> TeamAddress:
        """Return the address in a URL.

        Raises:
            ValueError: The URL is none of PostgreSQL, holds a password, or would send the vectors without checked TLS to
                another machine.
        """
        parts = urlsplit(url)
        if parts.scheme not in SCHEMES or parts.fragment or parts.password is not None:
            raise ValueError
        given = dict(parse_qsl(parts.query, strict_parsing=True)) if parts.query else {}
        host = given.pop("host", "") or unquote(parts.hostname or "")
        if not OPTIONS.issuperset(given) or not host or "," in host or any(map(str.isspace, host)):
            raise ValueError
        if not _is_local(host):
            if given.setdefault("sslmode", CHECKED_MODE) != CHECKED_MODE:
                raise ValueError
            given.setdefault("sslrootcert", "system")
        user, database = unquote(parts.username or ""), unquote(parts.path.removeprefix("/"))
        return cls(host, parts.port, user or None, database or None, given)

    def connection_options(self, password: str) -> dict[str, str | int]:
        """Return the options of libpq.

        Args:
            password: The password; "" for the one that libpq finds, as in `~/.pgpass`.
        """
        auth = WITHOUT_PASSWORD if self._proves_itself() else PROVEN_PASSWORD
        options: dict[str, str | int] = {"host": self.host, **self.options, "require_auth": auth}
        given = {"port": self.port, "user": self.user, "dbname": self.database, "password": password}
        options.update({name: value for name, value in given.items() if value})
        return options

    def _proves_itself(self) -> bool:
        """Return whether the server shows by other means than a password who it is.

        Anybody on this machine can listen on a port, and make a socket in a folder such as `/tmp`.
        """
        if not self.host.startswith("/"):
            return "sslcert" in self.options
        return "requirepeer" in self.options or not _is_writable_by_all(self.host)


def _is_writable_by_all(folder: str) -> bool:
    try:
        return bool(Path(folder).stat().st_mode & stat.S_IWOTH)
    except OSError:
        return True


def _is_local(host: str) -> bool:
    """Return whether a host is this machine."""
    if host.startswith("/") or host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
