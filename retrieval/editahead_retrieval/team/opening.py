"""A team's index as a person has configured it. Nothing is sent before the first call."""

from __future__ import annotations

import os
from collections.abc import Mapping

from editahead_retrieval.errors import TeamIndexError

from .address import TeamAddress
from .proofs import TeamKey, read_key
from .server import TeamServer


def open_team(
    url: str, key_env: str, password_env: str, encoder: str, environment: Mapping[str, str] = os.environ
) -> tuple[TeamServer, TeamKey]:
    """Return the server of a team and the team's key.

    Args:
        url: The URL of the server.
        key_env: The environment variable with the team's key.
        password_env: The environment variable with the password; "" for the one that libpq finds.
        encoder: The name of the encoder whose vectors are shared.
        environment: The environment variables.

    Raises:
        TeamIndexError: The URL is not allowed, or the key is missing.
    """
    try:
        address = TeamAddress.parse(url)
    except ValueError:
        raise TeamIndexError("the setting `team_index` is no URL of a team's index") from None
    password = environment.get(password_env, "") if password_env else ""
    return TeamServer(address, password), TeamKey(read_key(environment, key_env), encoder)
