"""Settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Settings:
    """Resolved settings; see the table in the documentation."""

    eagerness: float = 0.5
    debounce_ms: float | str = "auto"
    languages: Mapping[str, bool] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    max_file_bytes: int = 1_000_000
    learning: bool = True
