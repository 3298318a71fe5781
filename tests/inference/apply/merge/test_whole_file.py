"""Sketches that hold the whole new file."""

from __future__ import annotations

from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.results import MergeResult
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.text.snapshot import Snapshot

THROWING = """\
package bind;

import java.util.List;
import java.util.Set;

class Throwing {
  void scope(List<String> names) {
    try {
      names.clear();
    } catch (Exception e) {
      // If there is no cause, we need
      throw new AssertionError(e);
    }
  }

  int size(List<String> names) {
    return names.size();
  }
}
"""

REQUEST = """\
/*
 * A request.
 */

package web

import java.net.Socket

class Request(
  val line: String,
  socket: Socket
) {
  val method: String = line.substringBefore(' ')

  fun path(): String {
    return line.substringAfter(' ')
  }
}
"""


def merged(sketch: str, text: str, language: str) -> MergeResult:
    found = parse_sketch(sketch, language=language)
    return merge(found, found.files[0], Snapshot.from_text(text, uri="file:///a", language=language))


def test_a_comment_that_sounds_like_a_marker_in_a_whole_file() -> None:
    new = THROWING.replace(
        "      throw new AssertionError(e);\n", "      // to rethrow it as-is.\n      throw e;\n"
    )
    made = merged(f"```java\n{new}```\n", THROWING, "java")
    assert made.refusal is None
    assert made.guess == new


def test_a_marker_of_its_own_is_no_remark() -> None:
    sketch = THROWING.replace("    return names.size();\n", "    // ... existing code ...\n")
    made = merged(f"```java\n{sketch}```\n", THROWING, "java")
    assert made.refusal is not None or made.guess == THROWING


def test_a_whole_file_in_a_language_without_a_grammar() -> None:
    new = REQUEST.replace("    return line", "    return 1 + line").replace(
        "' ')\n\n", "' ')\n  val size = 0\n\n"
    )
    made = merged(f"```kotlin\n{new}```\n", REQUEST, "kotlin")
    assert made.refusal is None
    assert made.guess == new


def test_an_import_goes_whose_name_is_only_spoken_of() -> None:
    new = THROWING.replace("import java.util.Set;\n", "").replace("// If there", "// Set: if there")
    made = merged(f"```java\n{new}```\n", THROWING, "java")
    assert made.refusal is None
    assert made.guess == new


def test_a_whole_file_that_is_cut_off_is_no_whole_file() -> None:
    cut = "\n".join(THROWING.split("\n")[:9]) + "\n"
    made = merged(f"```java\n{cut}```\n", THROWING, "java")
    assert made.refusal is not None


def test_less_than_half_of_the_file_with_both_of_its_ends_is_a_doubt() -> None:
    body = "\n\ndef test_{0}():\n    graph = graph_of('{0}', {1})\n    check('{0}', {1})\n    assert graph\n"
    text = "import pytest\n" + "".join(body.format(name, number) for number, name in enumerate("abcdef"))
    cut = "import pytest\n" + body.format("a", 0)
    made = merged(cut, text, "python")
    assert made.refusal is not None
    assert made.refusal.reason == "would-lose-code"


def test_a_whole_file_without_its_end_has_been_cut_off() -> None:
    text = "import os\n\n" + "".join(f"VALUE_{n} = os.environ['NAME_{n}']\n" for n in range(80))
    lines = text.replace("VALUE_3 =", "OTHER_3 =").splitlines(keepends=True)
    refusal = merged("".join(lines[:-9]), text, "python").refusal
    assert refusal is not None
    assert refusal.detail == "The last 9 lines of the file would be deleted."
    shorter = merged("".join(lines[:-8]), text, "python")
    assert shorter.refusal is None
    assert shorter.guess == "".join(lines[:-8])
