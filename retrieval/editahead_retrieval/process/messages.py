"""What the process and its parent tell each other, one JSON object a line."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

IndexState = Literal["waiting", "looking", "building", "ready", "full", "failed", "ended"]
"""What the process does.

`waiting`: another process writes the index. `looking`: it looks for changed files. `building`: it indexes files. `ready`:
the index is up to date. `full`: the disk is; it tries again later. `failed`: the index cannot be used. `ended`: the process
is gone.
"""


@dataclass(frozen=True)
class IndexTask:
    """What a process is for.

    Attributes:
        root: The workspace folder.
        folder: The folder of its index.
        exclude: Globs as in an ignore file, relative to the root.
        max_file_bytes: The size of a file in bytes, at most.
        max_files: The number of files, at most.
        max_bytes: The bytes of all files together, at most.
        is_watched: Whether the parent hears of changed files, so that looks at all of them can be rare.
        encoder: The file of the encoder whose vectors the index holds, or the URL of a server; "" for no vectors.
        encoder_model: The model of that server.
        encoder_key_env: The environment variable with the key of that server; "" for none.
        team_index: The URL of the team's index; "" for none.
        team_key_env: The environment variable with the team's key.
        team_password_env: The environment variable with the password at that server; "" for the one that libpq finds.
    """

    root: str
    folder: str
    exclude: tuple[str, ...] = ()
    max_file_bytes: int = 1_000_000
    max_files: int = 200_000
    max_bytes: int = 2_000_000_000
    is_watched: bool = False
    encoder: str = ""
    encoder_model: str = ""
    encoder_key_env: str = ""
    team_index: str = ""
    team_key_env: str = ""
    team_password_env: str = ""

    @property
    def root_path(self) -> Path:
        """The workspace folder."""
        return Path(self.root)

    @property
    def folder_path(self) -> Path:
        """The folder of the index."""
        return Path(self.folder)


@dataclass(frozen=True)
class IndexRequest:
    """A request to the process.

    Attributes:
        changed: Paths of files that may have changed, from the root, with slashes.
        prefer: Folders whose files come first, from the root, with a slash at the end.
        look: Whether to look at all files.
        trust: Whether a look may trust the times of files.
        rebuild: Whether to set the index aside, because it is damaged.
    """

    changed: tuple[str, ...] = ()
    prefer: tuple[str, ...] = ()
    look: bool = False
    trust: bool = True
    rebuild: bool = False


@dataclass(frozen=True)
class IndexReport:
    """What the process does now.

    Attributes:
        state: See `IndexState`.
        done: The number of files that are done of those that had changed.
        total: The number of files that had changed.
        detail: The reason of a failure, for a person; "" for none. With `ready`, that of the team's index, without which the
            index goes on.
        moved: Files that got another path since the last look: the paths before and now, from the root, with slashes.
    """

    state: IndexState
    done: int = 0
    total: int = 0
    detail: str = ""
    moved: tuple[tuple[str, str], ...] = ()


def encode(message: IndexTask | IndexRequest | IndexReport) -> str:
    """Return a message as one line."""
    return json.dumps(asdict(message)) + "\n"


def decode_task(line: str) -> IndexTask:
    """Return the task of a line.

    Raises:
        ValueError: The line is no task.
    """
    fields = _fields(line)
    return IndexTask(**(fields | {"exclude": tuple(fields.get("exclude", ()))}))


def decode_request(line: str) -> IndexRequest:
    """Return the request of a line.

    Raises:
        ValueError: The line is no request.
    """
    fields = _fields(line)
    lists = {name: tuple(fields.get(name, ())) for name in ("changed", "prefer")}
    return IndexRequest(**(fields | lists))


def decode_report(line: str) -> IndexReport:
    """Return the report of a line.

    Raises:
        ValueError: The line is no report.
    """
    fields = _fields(line)
    moved = tuple((str(old), str(new)) for old, new in fields.get("moved", ()))
    return IndexReport(**(fields | {"moved": moved}))


def _fields(line: str) -> dict[str, Any]:
    fields = json.loads(line)
    if not isinstance(fields, dict):
        raise ValueError("not an object")
    return fields
