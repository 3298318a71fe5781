"""The runfile of the supervised engine: where it listens, for language servers. Only the same user can read it."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

FILE_NAME = "engine.json"
"""The name of the runfile in the user's state folder."""


@dataclass(frozen=True, slots=True)
class EngineRunfile:
    """The content of the runfile.

    Attributes:
        url: The address of the engine, without "/v1".
        key: The key that each request needs.
        model: The name of the served model.
        ready: Whether the engine answers; False while it starts.
        headroom: Tokens of the context that drafts need and no request may use.
        folder: The folder of the model, if the model is on this machine.
        run: A number that changes with each start, so that a client whose requests failed tries again.
    """

    url: str
    key: str = field(repr=False)
    model: str
    ready: bool
    headroom: int = 0
    folder: str | None = None
    run: int = 0

    def write(self, file: Path) -> None:
        """Write the runfile in one step. Other users can never read it. The engine's lock keeps others from writing.

        Raises:
            OSError: The file cannot be written.
        """
        file.parent.mkdir(parents=True, exist_ok=True)
        beside = file.with_name(f"{file.name}.new")  # the next writer takes away what a killed one has left
        with suppress(FileNotFoundError):
            beside.unlink()
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            json.dump(asdict(self), out)
        beside.replace(file)

    @classmethod
    def read(cls, file: Path) -> EngineRunfile:
        """Read a runfile.

        Raises:
            FileNotFoundError: There is no such file.
            ValueError: The file is not a runfile.
            OSError: The file cannot be read.
        """
        try:
            fields: Any = json.loads(file.read_bytes())
            return cls(**{name: fields[name] for name in cls.__slots__ if _is_well(name, fields[name])})
        except (TypeError, KeyError, RecursionError) as error:
            raise ValueError(f"{type(error).__name__} in the notice") from None


_KINDS: dict[str, type | tuple[type, ...]] = {
    "url": str,
    "key": str,
    "model": str,
    "ready": bool,
    "headroom": int,
    "folder": (str, type(None)),
    "run": int,
}


def _is_well(name: str, value: Any) -> bool:
    if not isinstance(value, _KINDS[name]):
        raise TypeError
    return True


def served_name(model: str) -> str:
    """Return the engine's name for a model: the last part of its path or name ("zed-industries/zeta-2" -> "zeta-2")."""
    return model.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
