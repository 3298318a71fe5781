"""The readings of a sketch that are alignments of its lines."""

from __future__ import annotations

from itertools import pairwise

import pytest

from editahead_inference.apply.alignment.align import align
from editahead_inference.apply.merge.aligned_readings import aligned_readings
from editahead_inference.apply.placement.placement import Target
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.sketches.sketch import Snippet
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot

PYTHON = """\
class Bar:
    total = 0

    @property
    def share(self):
        return self.done / self.total

    @property
    def left(self):
        return self.total - self.done
"""
JAVA = """\
class BarTest {
    @Test
    void share() {
        assertEquals(1, bar.share());
    }

    @Test
    void left() {
        assertEquals(0, bar.left());
    }
}
"""
RUST = """\
mod tests {
    #[test]
    fn share() {
        assert_eq!(1, bar().share());
    }

    #[test]
    fn left() {
        assert_eq!(0, bar().left());
    }
}
"""


def choices(path: str, file: str, sketch: str) -> list[str]:
    original = Snapshot.from_text(file, uri=f"file:///{path}")
    (part,) = parse_sketch(sketch, language=original.language, path=path).files
    assert isinstance(part.content, Snippet)
    target = Target(original, SyntaxTrees(), 0, len(original.lines), lambda: None)
    found = aligned_readings(part, part.content, target, align(part.content, target, 8))
    return [reading.guess for reading in found]


@pytest.mark.parametrize(
    ("path", "file", "marker", "code", "annotation"),
    [
        ("bar.py", PYTHON, "# ...", "@property\n    def over(self):\n        return False", "@property"),
        ("Bar.java", JAVA, "// ...", "@Test\n    void over() {\n        fail();\n    }", "@Test"),
        ("bar.rs", RUST, "// ...", "#[test]\n    fn over() {\n        panic!();\n    }", "#[test]"),
    ],
)
def test_a_new_member_takes_no_annotation_of_another_one(
    path: str, file: str, marker: str, code: str, annotation: str
) -> None:
    found = choices(
        path, file, f"    {marker} existing code ...\n    {code}\n\n    {marker} existing code ...\n"
    )
    assert found
    for text in found:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        below = [after for line, after in pairwise(lines) if line == annotation]
        assert all(not after.startswith(("@", "#[")) for after in below)
        for name in ("share", "left"):
            at = next(
                (n for n, line in enumerate(lines) if f" {name}(" in f" {line}" and "=" not in line), None
            )
            assert at is None or lines[at - 1] == annotation, "a member of the file keeps its annotation"


def test_code_without_a_marker_that_shows_no_line_of_the_file_has_no_place() -> None:
    assert choices("bar.py", PYTHON, "over = 1\n") == []
