"""What clients and a real server of a team tell each other: proofs, vectors, and nearest chunks."""

from __future__ import annotations

import pytest

from editahead_retrieval.errors import TeamIndexError
from editahead_retrieval.team.proofs import TeamKey, stored_name
from editahead_retrieval.team.server import PublishedContent, TeamServer
from team_of_members import KEY, Team, vector

OVEN, TABLE, SHELF = (KEY.prove_content(bytes([number]) * 16, "python") for number in range(3))
HEAT, KNEAD, SALT = (KEY.prove_chunk(bytes([number]) * 16) for number in range(3))
ROOT, OTHER_ROOT = (KEY.prove_root(bytes([number]) * 16) for number in range(2))
HERE, THERE = (KEY.name_clone(folder, b"secret") for folder in ("/here", "/there"))


def publish(client: TeamServer) -> None:
    client.put_vectors([HEAT, KNEAD], [vector(100, -3), vector(-100, 5)])
    published = client.put_contents(
        [
            PublishedContent(OVEN, [(0, 4, HEAT)]),
            PublishedContent(TABLE, [(0, 2, KNEAD), (2, 9, HEAT)]),
            PublishedContent(SHELF, [(0, 2, SALT)]),
        ]
    )
    assert published == 2, "the vector of SALT is not there"


def question(first: int) -> list[int]:
    return [first] + [0] * 255


def test_a_member_reuses_what_another_has_computed(team: Team) -> None:
    publish(team.client("ada"))
    ben = team.client("ben")
    assert ben.vectors_of([SALT, KNEAD, HEAT]) == {1: vector(-100, 5), 2: vector(100, -3)}
    assert ben.unknown_chunks([SALT, KNEAD, SALT]) == [0, 2]
    assert ben.unknown_contents([OVEN, SHELF, TABLE]) == [1]
    assert ben.vectors_of([]) == {} and ben.unknown_contents([]) == ben.unknown_chunks([]) == []


def test_the_nearest_chunks_are_those_of_proven_contents(team: Team) -> None:
    publish(team.client("ada"))
    ben = team.client("ben")
    assert ben.hold(HERE, ROOT, [TABLE, SHELF, TABLE]) == 1
    near = ben.nearest(HERE, question(-1), 10)
    assert [(piece.content, piece.line, piece.end_line) for piece in near] == [
        (stored_name(TABLE), 0, 2),
        (stored_name(TABLE), 2, 9),
    ]
    assert near[0].vector == vector(-100, 5)
    assert len(ben.nearest(HERE, question(1), 1)) == 1 and ben.nearest(THERE, question(1), 10) == []


def test_the_root_alone_proves_what_a_clone_with_the_same_root_has(team: Team) -> None:
    ada, ben = team.client("ada"), team.client("ben")
    publish(ada)
    ada.hold(HERE, ROOT, [OVEN, TABLE])
    assert ben.hold(HERE, OTHER_ROOT, None) == 0 and ben.hold(HERE, ROOT, None) == 2
    assert len(ben.nearest(HERE, question(1), 10)) == 3


def test_what_a_clone_has_no_more_is_no_answer(team: Team) -> None:
    ada = team.client("ada")
    publish(ada)
    ada.hold(HERE, ROOT, [OVEN, TABLE])
    assert ada.hold(HERE, OTHER_ROOT, []) == 0 and ada.nearest(HERE, question(1), 10) == []


def test_what_is_there_stays(team: Team) -> None:
    ada, ben = team.client("ada"), team.client("ben")
    publish(ada)
    ben.put_vectors([HEAT], [vector(1, 1)])
    assert ben.put_contents([PublishedContent(OVEN, [(0, 99, KNEAD)])]) == 0
    assert ben.vectors_of([HEAT])[0] == vector(100, -3)
    ben.hold(HERE, ROOT, [OVEN])
    assert [piece.end_line for piece in ben.nearest(HERE, question(1), 10)] == [4]


def test_another_key_or_encoder_knows_nothing(team: Team) -> None:
    publish(team.client("ada"))
    ben = team.client("ben")
    for key in (TeamKey(bytes(32), "test"), TeamKey(KEY.secret, "another")):
        assert ben.unknown_chunks([key.prove_chunk(bytes(16))]) == [0]


def test_a_cold_answer_takes_no_more_than_four_round_trips(team: Team) -> None:
    publish(team.client("ada"))
    ben = team.client("ben")
    ben.hold(HERE, OTHER_ROOT, None)
    ben.hold(HERE, OTHER_ROOT, [OVEN])
    assert ben.nearest(HERE, question(1), 10) and ben.round_trips == 4


def test_a_wrong_call_is_refused_and_the_next_one_works(team: Team) -> None:
    ada = team.client("ada")
    with pytest.raises(TeamIndexError, match="not one vector for each proof"):
        ada.put_vectors([HEAT], [b"short"])
    publish(ada)
