"""The check that no key of a data file comes twice in one place: a new value of a key replaces the old one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.outline import Item, Naming, outline
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice

_LANGUAGES = frozenset({"yaml", "toml", "json", "jsonc", "ini", "properties", "dotenv", "dockercompose"})
_SUFFIXES = (".yaml", ".yml", ".toml", ".json", ".jsonc", ".ini", ".cfg", ".env", ".properties")


def repeated_keys(target: Target, splices: Sequence[Splice]) -> Iterator[str]:
    """Yield each key that the splices add where the same block of a data file has it already."""
    original = target.original
    if original.language not in _LANGUAGES and not original.uri.lower().endswith(_SUFFIXES):
        return
    if not any(splice.lines for splice in splices):
        return
    bodies: list[str] = []
    at = 0
    for splice in splices:
        bodies += [*target.lines.bodies[at : splice.start], *splice.lines]
        at = splice.end
    bodies += target.lines.bodies[at:]
    before = Counter(_repeated(target.items, Naming(target.lines.keys)))
    after = Counter(_repeated(outline(bodies), Naming(list(map(normalize_line, bodies)))))
    yield from (after - before).elements()


def _repeated(items: Sequence[Item], naming: Naming) -> Iterator[str]:
    """Yield the keys that a block has more than once, for each time but the first."""
    waiting = [items]
    while waiting:
        level = waiting.pop()
        seen: set[str] = set()
        for item in level:
            key = naming.head(item)
            name = naming.of(item) or ""
            waiting += [section.items for section in item.sections if section.items]
            if not name.startswith("value ") or key.startswith("- "):
                continue
            if name in seen:
                yield name.removeprefix("value ")
            seen.add(name)
