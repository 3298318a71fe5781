"""A sketch applied to files in memory, from its text to the texts after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.planner import plan_changes
from editahead_inference.errors import ApplyRefusedError
from editahead_prompts.errors import SketchError
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.syntax.languages import language_of
from editahead_prompts.text.snapshot import Snapshot

Tree = Mapping[str, str]
"""Texts of files by path."""


@dataclass(frozen=True)
class _Files:
    tree: Tree
    own: str | None

    def resolve(self, path: str | None) -> Snapshot | None:
        name = path or self.own
        return None if name is None or name not in self.tree else self._snapshot(name, self.tree[name])

    def create(self, path: str) -> Snapshot:
        return self._snapshot(path, "")

    def _snapshot(self, name: str, text: str) -> Snapshot:
        return Snapshot.from_text(text, uri=name, language=language_of(name))


def apply_in_memory(tree: Tree, text: str, own: str | None = None) -> dict[str, str] | str:
    """Return the files after a sketch, or the reason of its refusal.

    Args:
        tree: The files before.
        text: The sketch.
        own: The file that the sketch is for, if one is given.
    """
    name = None if own is None else own.rpartition("/")[2]
    language = None if own is None else language_of(own)
    try:
        changes = plan_changes(parse_sketch(text, language=language, path=name), _Files(tree, own), merge)
    except SketchError:
        return "unparsed"
    except ApplyRefusedError as error:
        return error.refusal.reason
    after = dict(tree)
    for change in changes:
        after.pop(change.original.uri, None)
        if change.action != "delete":
            after[change.moved_to or change.original.uri] = change.new_text
    return after
