"""Sketches that hold the whole new file."""

from __future__ import annotations

from merged_sketch import merged


def test_a_whole_file_without_its_end_has_been_cut_off() -> None:
    text = "import os\n\n" + "".join(f"VALUE_{n} = os.environ['NAME_{n}']\n" for n in range(80))
    lines = text.replace("VALUE_3 =", "OTHER_3 =").splitlines(keepends=True)
    refusal = merged("".join(lines[:-9]), text, "python").refusal
    assert refusal is not None
    assert refusal.detail == "The last 9 lines of the file would be deleted."
    shorter = merged("".join(lines[:-8]), text, "python")
    assert shorter.refusal is None
    assert shorter.guess == "".join(lines[:-8])
