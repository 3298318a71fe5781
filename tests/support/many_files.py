"""Many files for benchmarks: copies of the project's own modules in which a third of the words differ."""

from __future__ import annotations

import random
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
_WORD = re.compile(r"[A-Za-z]{4,}")


def copy_modules(folder: Path, count: int) -> None:
    """Write a number of modules to a folder, each copy of all modules to a folder of its own."""
    modules = [
        path for part in ("inference", "lsp", "prompts") for path in sorted((ROOT / part).rglob("*.py"))
    ]
    for number in range(count):
        copy, module = number // len(modules), modules[number % len(modules)]
        rng = random.Random(copy)
        text = module.read_text("utf-8")
        renamed = {word: f"{word}{copy}" for word in _WORD.findall(text) if rng.random() < 0.3}
        path = folder / f"copy{copy}" / module.relative_to(ROOT)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            _WORD.sub(lambda match, renamed=renamed: renamed.get(match[0], match[0]), text), "utf-8"
        )
