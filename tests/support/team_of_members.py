"""A team on a real server: its administration, and the connections of its members."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from editahead_retrieval.team.address import TeamAddress
from editahead_retrieval.team.administration import TeamAdministration
from editahead_retrieval.team.proofs import TeamKey
from editahead_retrieval.team.server import VECTOR_BYTES, TeamServer
from real_postgres import PostgresServer

if TYPE_CHECKING:
    import psycopg

KEY = TeamKey(bytes(range(32)), "test")

_NUMBERS = count(1)


@dataclass
class Team:
    """A team. `password` is that of each member."""

    server: PostgresServer
    name: str
    admin: psycopg.Connection[Any]
    stack: ExitStack
    password: str = "salt & pepper"

    @classmethod
    @contextmanager
    def create(cls, server: PostgresServer) -> Iterator[Team]:
        """Create a team with a name that no other team of this process has: tests share a server."""
        import psycopg

        with ExitStack() as stack:
            admin = stack.enter_context(psycopg.connect(server.url(), autocommit=True))
            team = cls(server, f"kitchen{next(_NUMBERS)}", admin, stack)
            team.administration.migrate()
            yield team

    @property
    def administration(self) -> TeamAdministration:
        return TeamAdministration(self.admin, self.name)

    def member(self, name: str) -> str:
        """Add a member and return its full name."""
        role = f"{self.name}_{name}"
        self.administration.add_member(role, self.password)
        return role

    def url(self, role: str) -> str:
        return self.server.url(role)

    def client(self, name: str) -> TeamServer:
        """Add a member and return the member's client."""
        client = TeamServer(TeamAddress.parse(self.url(self.member(name))), self.password)
        self.stack.callback(client.close)
        return client

    def connection(self, name: str) -> psycopg.Connection[Any]:
        """Add a member and return a bare connection of that member, as an attacker would use it."""
        import psycopg

        url = self.server.url(self.member(name), self.password)
        return self.stack.enter_context(psycopg.connect(url, autocommit=True))


def vector(first: int, rest: int = 0) -> bytes:
    """Return a vector by its first number, from -128 to 127, and all others."""
    return bytes([first % 256]) + bytes([rest % 256]) * (VECTOR_BYTES - 1)
