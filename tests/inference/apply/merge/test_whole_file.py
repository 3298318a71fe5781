"""Sketches that hold the whole new file."""

from __future__ import annotations

from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.results import MergeResult
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.text.snapshot import Snapshot


def merged(sketch: str, text: str, language: str) -> MergeResult:
    found = parse_sketch(sketch, language=language)
    return merge(found, found.files[0], Snapshot.from_text(text, uri="file:///a", language=language))


def test_a_whole_file_without_its_end_has_been_cut_off() -> None:
    text = "import os\n\n" + "".join(f"VALUE_{n} = os.environ['NAME_{n}']\n" for n in range(80))
    lines = text.replace("VALUE_3 =", "OTHER_3 =").splitlines(keepends=True)
    refusal = merged("".join(lines[:-9]), text, "python").refusal
    assert refusal is not None
    assert refusal.detail == "The last 9 lines of the file would be deleted."
    shorter = merged("".join(lines[:-8]), text, "python")
    assert shorter.refusal is None
    assert shorter.guess == "".join(lines[:-8])
