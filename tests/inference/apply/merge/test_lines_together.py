"""The old lines of a hunk stay together: nothing but blank lines of the file comes between two of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merged_sketch import certain, merged

DATABASE = """\
class Db {
  private pool: Pool

  constructor(c: Config) {
    this.pool = new Pool(c)
  }

  async query(sql: string) {
    const conn = await this.pool.acquire()
    try {
      return await conn.run(sql)
    } finally {
      this.pool.release(conn)
    }
  }
}
"""

SERVICE = """\
import os


def load(path):
    with open(path) as file:
        text = file.read()
    # The first line is a header.
    return text.splitlines()[1:]


def save(path, lines):
    with open(path, "w") as file:
        file.write("header")
        file.writelines(lines)
    return path
"""

Form = Callable[[Sequence[str], Sequence[str]], str]


def as_search(old: Sequence[str], new: Sequence[str]) -> str:
    return "\n".join(["a.x", "<<<<<<< SEARCH", *old, "=======", *new, ">>>>>>> REPLACE", ""])


def as_diff(old: Sequence[str], new: Sequence[str]) -> str:
    gone, come = (f"-{line}" for line in old), (f"+{line}" for line in new)
    return "\n".join(["--- a/a.x", "+++ b/a.x", "@@ @@", *gone, *come, ""])


def as_numbered_diff(old: Sequence[str], new: Sequence[str]) -> str:
    return as_diff(old, new).replace("@@ @@", f"@@ -1,{len(old)} +1,{len(new)} @@")


def as_patch(old: Sequence[str], new: Sequence[str]) -> str:
    lines = as_diff(old, new).splitlines()[3:]
    return "\n".join(["*** Begin Patch", "*** Update File: a.x", "@@", *lines, "*** End Patch", ""])


def as_call(old: Sequence[str], new: Sequence[str]) -> str:
    texts = {"old_string": "\n".join([*old, ""]), "new_string": "\n".join([*new, ""])}
    return json.dumps({"file_path": "a.x", **texts})


FORMS = [as_search, as_diff, as_numbered_diff, as_patch, as_call]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("text", "language", "old", "new"),
    [
        (DATABASE, "typescript", ["  async query(sql: string) {", "    }"], ["  async query() {", "    }"]),
        (DATABASE, "typescript", ["  constructor(c: Config) {", "  }"], ["  constructor() {", "  }"]),
        (DATABASE, "typescript", ["    try {", "    } finally {"], ["    try {", "    } catch {"]),
        (SERVICE, "python", ["def load(path):", "    return text.splitlines()[1:]"], ["def load(path):", "    return []"]),
        (SERVICE, "python", ["        text = file.read()", "    return text.splitlines()[1:]"], ["    return []"]),
        (SERVICE, "python", ["def save(path, lines):", "    return path"], ["def save(path, lines):", "    return None"]),
        (SERVICE, "python", ["    return text.splitlines()[1:]", "    return path"], ["    return None"]),
    ],
)  # fmt: skip  # a table
def test_lines_with_code_between_them_are_refused(
    form: Form, text: str, language: str, old: list[str], new: list[str]
) -> None:
    assert certain(form(old, new), text, language, "a.x") is None


@pytest.mark.parametrize("form", FORMS[:-1])
def test_blank_lines_may_be_missing_between_lines(form: Form) -> None:
    sketch = form(["import os", "def load(path):"], ["import sys", "def load(path):"])
    assert merged(sketch, SERVICE, "python", "a.x").guess == SERVICE.replace("import os", "import sys")


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
def test_lines_that_do_not_follow_one_another_are_refused(form: Form, data: st.DataObject) -> None:
    line = st.sampled_from([f"{name}({n})" for name in ("load", "save", "close") for n in range(4)])
    bodies = data.draw(st.lists(line | st.just(""), min_size=3, max_size=14))
    old = data.draw(st.lists(st.sampled_from(bodies) | line, min_size=2, max_size=4))
    filled, wanted = ([x for x in some if x] for some in (bodies, old))
    places = range(len(filled) - len(wanted) + 1)
    if not wanted or any(filled[at : at + len(wanted)] == wanted for at in places):
        return
    new = data.draw(st.permutations([*old[:-1], "fresh()"]))
    assert certain(form(old, new), "".join(f"{body}\n" for body in bodies), "plaintext", "a.x") is None
