"""Targets of the fuzzing campaign for what is stored: walks over workspaces, their indexes, and saved states."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from editahead_lab.errors import StatesError
from editahead_lab.prompt_costs.state_files import read_states, write_states
from editahead_prompts.errors import InvalidStateError
from editahead_prompts.secrets.masked_state import mask_state
from editahead_prompts.secrets.masking import SecretMasker
from editahead_prompts.state_json import state_from_json, state_to_json
from editahead_retrieval.errors import IndexUnusableError
from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_retrieval.files.walk import Walk
from editahead_retrieval.index.reader import IndexReader
from index_workspace import build_index, database_of, dump, finish, make_builder, update
from state_strategies import STATES

_PATHS = ("a.py", "sub/b.py", "sub/deep/c.go", "build/d.md", "e f.txt", "sub/.env", "[a].js", "é.ts", "*.c")
_PIECE = st.sampled_from(
    [
        "*",
        "**",
        "a",
        "b",
        "c",
        "/",
        "?",
        "[a-c]",
        "[!",
        "]",
        "\\",
        " ",
        "!",
        "#",
        ".",
        "py",
        "sub",
        "é",
        "\t",
        "\r",
    ]
)
_PATTERN = st.lists(_PIECE, min_size=1, max_size=8).map("".join)
_IGNORE = st.lists(_PATTERN, max_size=4).map("\n".join)
_PLACE = st.sampled_from([".gitignore", "sub/.gitignore", "sub/deep/.gitignore", ".git/info/exclude"])
_CODE = st.lists(
    st.sampled_from(
        [
            "def alpha(one, two):",
            "    return beta(one)",
            "class Gamma(Base):",
            "from a import alpha as é",
            "x = {",
            "}",
            "\f",
            "((((((((((((",
            '"""',
            "func (r *T) Run() {",
            'token = "ghp_Zk3mQ9vT2xLw8RbN4cHs7YpD1fGj6A0uEo5i"',
        ]
    ),
    max_size=12,
).map("\n".join)
_CONTENT = st.one_of(_CODE.map(str.encode), _CODE.map(str.encode), st.binary(max_size=60))
_TOKEN = st.one_of(
    st.sampled_from(["alpha", "beta", "gamma", '"', "NOT", "a*", "OR x", "é", "^a", ""]), st.text(max_size=6)
)


def _git(root: Path, *arguments: str) -> bytes:
    return subprocess.run(
        ["git", "-C", str(root), "-c", "core.excludesFile=", *arguments], check=True, capture_output=True
    ).stdout


def _write(root: Path, path: str, content: bytes) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(content)


def walk_workspaces(data: st.DataObject) -> None:
    """Check that a walk finds what git does not ignore, but for secrets, and each file alone as well."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        _git(root, "init", "-q", "--template=")
        for path in _PATHS:
            _write(root, path, b"")
        for place, text in data.draw(st.dictionaries(_PLACE, _IGNORE, max_size=3)).items():
            _write(root, place, text.encode())
        listed = _git(root, "ls-files", "-z", "--others", "--exclude-standard").decode().split("\0")
        walk = Walk(root, ExclusionRules([root], IgnorePatterns(())), 1_000)
        found = {file.path for file in walk}
        assert found == {*listed} - {"", "sub/.env"}
        single = Walk(root, ExclusionRules([root], IgnorePatterns(())), 1_000)
        assert {path for path in (*_PATHS, *listed) if single.find(path)} == found


def keep_indexes(data: st.DataObject) -> None:
    """Check that an index after any changes is the one built anew, and answers any question."""
    with tempfile.TemporaryDirectory() as name:
        root, database = Path(name) / "work", Path(name) / "index.sqlite"
        root.mkdir()
        builder = make_builder(root, database, now_ns=lambda: 0)
        for _ in range(data.draw(st.integers(1, 3))):
            for path, content in data.draw(
                st.dictionaries(st.sampled_from(_PATHS), _CONTENT, max_size=3)
            ).items():
                _write(root, path, content)
            if data.draw(st.booleans()):
                _write(root, data.draw(_PLACE), data.draw(_IGNORE).encode())
            if data.draw(st.booleans()):
                shutil.rmtree(root / "sub", ignore_errors=True)
            builder.look_at(
                data.draw(st.lists(st.one_of(st.sampled_from(_PATHS), st.text(max_size=8)), max_size=3))
            )
            if data.draw(st.booleans()):
                for _ in range(data.draw(st.integers(0, 3))):
                    builder.work()
                builder.store.close()
                builder = make_builder(root, database, now_ns=lambda: 0)
            finish(builder)
        update(builder)
        anew = make_builder(root, Path(name) / "anew.sqlite")
        update(anew)
        assert dump(database) == dump(Path(name) / "anew.sqlite")
        assert b"Zk3mQ9vT" not in database.read_bytes()
        _ask(database, data)
        for each in (builder, anew):
            each.store.close()


def _ask(database: Path, data: st.DataObject) -> None:
    """Ask each question once."""
    reader, tokens = IndexReader(database), data.draw(st.lists(_TOKEN, max_size=3))
    try:
        reader.files_with(tokens, 5)
        for token in tokens:
            reader.definitions(token)
            reader.importers(token)
            reader.files_containing(token, 5)
        reader.similar("\n".join(tokens), 5)
        reader.counts()
    finally:
        reader.close()


def damage_indexes(data: st.DataObject) -> None:
    """Check that a damaged index gives answers or an error of the index, and the next start makes it whole."""
    with tempfile.TemporaryDirectory() as name:
        root, folder = Path(name) / "work", Path(name) / "index"
        for number, path in enumerate(_PATHS[:4]):
            _write(root, path, b"def alpha_%d():\n    return beta()\n" % number)
        build_index(root, folder)
        before, database = dump(database_of(folder)), database_of(folder)
        content = bytearray(database.read_bytes())
        for _ in range(data.draw(st.integers(1, 8))):
            content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
        if data.draw(st.booleans()):
            del content[data.draw(st.integers(0, len(content))) :]
        database.write_bytes(content)
        with suppress(IndexUnusableError):
            _ask(database, data)
        last = build_index(root, folder)[-1]
        assert last.state in ("ready", "failed")
        with suppress(IndexUnusableError):
            _ask(database, data)
        shutil.rmtree(folder)
        build_index(root, folder)
        assert dump(database) == before


def save_states(data: st.DataObject) -> None:
    """Check that states come back from a file without their secrets, and that a damaged file is an error."""
    states = data.draw(st.lists(st.tuples(st.sampled_from("ab"), STATES), max_size=3))
    with tempfile.TemporaryDirectory() as name:
        path, masker = Path(name) / "states", SecretMasker()
        assert write_states(path, states) == len(states)
        assert list(read_states(path)) == [
            (session, mask_state(state, masker)[0]) for session, state in states
        ]
        content = bytearray(path.read_bytes())
        content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
        path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
        with suppress(StatesError):
            list(read_states(path))


def read_stored_states(data: st.DataObject) -> None:
    """Check that a stored state with anything in any place is a state or an error."""
    value = json.loads(json.dumps(state_to_json(data.draw(STATES))))
    whole: Any = {"": value}
    inside, key = whole, ""
    while isinstance(inside[key], dict | list) and inside[key] and data.draw(st.integers(0, 4)):
        inside = inside[key]
        key = data.draw(st.sampled_from(list(inside) if isinstance(inside, dict) else range(len(inside))))
    inside[key] = data.draw(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
            ),
            max_leaves=4,
        )
    )
    with suppress(InvalidStateError):
        state_from_json(whole[""])
