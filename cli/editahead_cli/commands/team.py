"""`editahead team`: create a team's index on PostgreSQL, add and remove members, and look after it."""

from __future__ import annotations

import argparse
import os
import secrets
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from editahead_cli.argument_types import positive_int
from editahead_cli.console import fail, print_text

if TYPE_CHECKING:
    from editahead_retrieval.team.administration import TeamAdministration

URL_VARIABLE = "EDITAHEAD_TEAM_ADMIN"
"""The environment variable with the URL of the server for the administrator."""
PASSWORD_BYTES = 24
DEFAULT_DAYS = 90
"""Days after which contents without use are pruned."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        choices=["create", "add", "remove", "status", "prune", "key"],
        help="create the index or bring it to this version; add or remove a member; tell what it holds; "
        "remove what was not used for long; print a new key",
    )
    parser.add_argument("team", nargs="?", default="", metavar="TEAM", help="the name of the team")
    parser.add_argument("member", nargs="?", default="", metavar="MEMBER", help="the name of a member")
    parser.add_argument(
        "--url",
        default=None,
        metavar="URL",
        help=f"postgresql://ADMINISTRATOR@HOST/DATABASE (default: the environment variable {URL_VARIABLE}); "
        "the password is that of PGPASSWORD or ~/.pgpass",
    )
    parser.add_argument(
        "--days",
        type=positive_int,
        default=DEFAULT_DAYS,
        metavar="N",
        help=f"with prune: days without use (default {DEFAULT_DAYS})",
    )


def run(args: argparse.Namespace) -> int:
    from editahead_retrieval.errors import TeamIndexError
    from editahead_retrieval.team.proofs import create_key

    if args.action == "key":
        print_text(create_key())
        return 0
    if not args.team or (args.action in ("add", "remove") and not args.member):
        return fail(
            f"`editahead team {args.action}` needs the name of a team"
            + (" and of a member" * bool(args.team))
        )
    try:
        return _administer(args, args.url or os.environ.get(URL_VARIABLE, ""))
    except TeamIndexError as error:
        return fail(str(error))


def _administer(args: argparse.Namespace, url: str) -> int:
    """Run an action over a connection of the administrator.

    Raises:
        TeamIndexError: The server cannot be reached, or does not do what is asked.
    """
    from editahead_retrieval.errors import TeamIndexError
    from editahead_retrieval.team.address import TeamAddress
    from editahead_retrieval.team.administration import TeamAdministration, connect_administrator

    try:
        address = TeamAddress.parse(url)
    except ValueError:
        raise TeamIndexError(
            "name the server: --url postgresql://ADMINISTRATOR@HOST/DATABASE, without a password"
        ) from None
    with connect_administrator(address) as connection:
        print_text(_ACTIONS[args.action](TeamAdministration(connection, args.team), args))
    return 0


def _create(team: TeamAdministration, args: argparse.Namespace) -> str:
    before = team.migrate()
    now = team.status().version
    if before == 0:
        return f"The index of {args.team} is there, in the schema {team.schema}. Add members with `editahead team add`."
    return (
        f"The index of {args.team} has version {now}."
        if before == now
        else f"From version {before} to {now}."
    )


def _add(team: TeamAdministration, args: argparse.Namespace) -> str:
    password = secrets.token_urlsafe(PASSWORD_BYTES)
    team.add_member(args.member, password)
    return (
        f"{args.member} is a member of {args.team}. The password, which is not shown again:\n{password}\n"
        f"Give it and the team's key to that person only; docs/team-index.md tells where they belong."
    )


def _remove(team: TeamAdministration, args: argparse.Namespace) -> str:
    team.remove_member(args.member)
    return f"{args.member} is no member any more. Change the team's key if it may have been copied."


def _status(team: TeamAdministration, args: argparse.Namespace) -> str:
    status = team.status()
    return (
        f"{args.team}: {status.contents} contents, {status.chunks} vectors, {status.clones} clones, "
        f"{status.size / 1e6:.1f} MB, version {status.version}. "
        f"Members: {', '.join(status.members) or 'none'}."
    )


def _prune(team: TeamAdministration, args: argparse.Namespace) -> str:
    return f"{team.prune(args.days)} contents were not used for {args.days} days, and are removed."


_ACTIONS: Mapping[str, Callable[[TeamAdministration, argparse.Namespace], str]] = {
    "create": _create,
    "add": _add,
    "remove": _remove,
    "status": _status,
    "prune": _prune,
}
