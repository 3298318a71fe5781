"""The address of a team's server: which URLs are allowed, and how a connection is protected."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

SCHEMES = ("postgresql", "postgres")
OPTIONS = frozenset(["host", "sslmode", "sslrootcert", "sslcert", "sslkey"])
"""Options of a URL. Others, such as commands for the server, are not allowed."""
NO_DRIVER = "a team's index needs psycopg: pip install 'editahead[team]'"
CHECKED_MODE = "verify-full"
"""The only mode of TLS to another machine: the server must prove its name."""


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
        options: dict[str, str | int] = {"host": self.host, **self.options}
        given = {"port": self.port, "user": self.user, "dbname": self.database, "password": password}
        options.update({name: value for name, value in given.items() if value})
        return options


def _is_local(host: str) -> bool:
    """Return whether a host is this machine."""
    if host.startswith("/") or host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
