"""What the engine that Editahead looks after tells language servers: a file that only the same person can read."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

FILE_NAME = "engine.json"
"""In the person's state folder."""


@dataclass(frozen=True, slots=True)
class EngineRunfile:
    """url: where it listens, without "/v1". key: wanted of who asks. model: as it is served. ready: whether it answers; else
    it is being started. headroom: tokens of the context that drafts need and no request may use. folder: of the model, where
    it is one on this machine. run: another one after each start, so that who was turned away tries again."""

    url: str
    key: str = field(repr=False)
    model: str
    ready: bool
    headroom: int = 0
    folder: str | None = None
    run: int = 0

    def write(self, file: Path) -> None:
        """Whole or not at all, and never readable by others. OSError."""
        file.parent.mkdir(parents=True, exist_ok=True)
        beside = file.with_name(f"{file.name}.{os.getpid()}")
        with suppress(FileNotFoundError):
            beside.unlink()
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            json.dump(asdict(self), out)
        beside.replace(file)

    @classmethod
    def read(cls, file: Path) -> EngineRunfile:
        """FileNotFoundError when there is none; ValueError when it is not one; OSError."""
        try:
            told: Any = json.loads(file.read_bytes())
            return cls(**{name: told[name] for name in cls.__slots__ if _is_well(name, told[name])})
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
    """What a model is called by the engine: the last part of a folder's path or of a name ("zed-industries/zeta-2")."""
    return model.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
