"""`editahead apply`: output, options and refusals."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import CommandLine
from editahead_cli.workspace_writes import find_workspace
from git_repository import write
from schemas import validate
from sketch_fixture import PATCH, SKETCH, TEXT, WANTED

DIFF = """\
--- a/a.py
+++ b/a.py
@@ -9,7 +9,7 @@ Changes what the code does. Changes the constant `2` to `3`.
~
 def second(b):
     c = abs(b)
-    d = c * 2
+    d = c * 3  # twice
     return c + d
~
~
""".replace("~", " ")


@pytest.fixture
def folder(work: Path) -> Path:
    write(work, {"a.py": TEXT, "sketch.md": SKETCH})
    return work


Apply = Callable[..., tuple[int, str, str]]


@pytest.fixture
def apply(editahead: CommandLine) -> Apply:
    return lambda *arguments, sketch=SKETCH: editahead.run("apply", *arguments, stdin=sketch)


def test_a_diff_with_a_mark_for_each_hunk(folder: Path, apply: Apply) -> None:
    assert apply("a.py") == (0, DIFF, "")
    assert apply("a.py", "--sketch", "sketch.md", sketch="") == (0, DIFF, "")
    assert (folder / "a.py").read_text() == TEXT


def test_the_diff_is_one(folder: Path, apply: Apply) -> None:
    if shutil.which("patch") is None:
        pytest.skip("patch is not installed")
    sketch = """\
--- a/a.py
+++ b/a.py
@@ -1 +1,2 @@
 import os
+import sys
@@ -10,4 +11,4 @@
 def second(b):
     c = abs(b)
-    d = c * 2
+    d = c * 3
     return c + d
"""
    text = TEXT.partition("\n\n\ndef third")[0]  # without a line end
    (folder / "a.py").write_text(text)
    _, diff, _ = apply("a.py", sketch=sketch)
    assert "\\ No newline at end of file" in diff
    assert diff.count("@@ -") == 2
    subprocess.run(["patch", "-s", "-p1"], input=diff.encode(), check=True, cwd=folder)
    patched = (folder / "a.py").read_text()
    (folder / "a.py").write_text(text)
    apply("a.py", "--write", sketch=sketch)
    assert (folder / "a.py").read_text() == patched


def test_colours_on_a_terminal(folder: Path, apply: Apply, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("editahead_cli.terminal_diff.supports_color", lambda: True)
    (folder / "a.py").write_text(TEXT + "# \x1b]0;title\x07\n")
    _, said, _ = apply("a.py", sketch=SKETCH.replace("twice", "\x1b[2J"))
    assert "\x1b[32m+    d = c * 3  # \\x1b[2J\x1b[0m\n" in said
    assert "\x1b[31m-    d = c * 2\x1b[0m\n" in said
    assert "\x1b]0" not in said


def test_what_nobody_needs_to_read_is_dim(
    folder: Path, apply: Apply, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("editahead_cli.terminal_diff.supports_color", lambda: True)
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n import os\n+import sys\n@@ -10,2 +11,2 @@\n"
    _, said, _ = apply("a.py", sketch=f"{diff}     c = abs(b)\n-    d = c * 2\n+    d = c * 3\n")
    assert "\x1b[2;32m+import sys\x1b[0m\n" in said
    assert "\x1b[2m import os\x1b[0m\n" in said
    assert "\x1b[2;36m@@ -1,4 +1,5 @@\x1b[0m\x1b[2;36m Changes imports.\x1b[0m\n" in said
    assert "\x1b[32m+    d = c * 3\x1b[0m\n" in said


def test_writing(folder: Path, apply: Apply) -> None:
    assert apply("a.py", "--write") == (0, "changed a.py\n", "")
    assert (folder / "a.py").read_text() == WANTED
    code, said, error = apply("a.py", "--write")
    assert (code, said) == (0, "")
    assert "nothing to change" in error


def test_line_ends_and_the_byte_order_mark_are_kept(folder: Path, apply: Apply) -> None:
    (folder / "a.py").write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    assert apply("a.py", "--write", "--backup")[0] == 0
    assert (folder / "a.py").read_bytes() == b"\xef\xbb\xbf" + WANTED.replace("\n", "\r\n").encode()
    assert (folder / "a.py.orig").read_bytes() == b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode()


def test_several_files(folder: Path, apply: Apply) -> None:
    (folder / "b.py").write_text("x = 1\n")
    code, said, _ = apply(sketch=PATCH)
    assert code == 0
    for line in (
        "--- /dev/null",
        "+++ b/new/c.py",
        "--- a/b.py",
        "+++ /dev/null",
        "--- a/a.py",
        "+++ b/d.py",
    ):
        assert line in said.splitlines()
    code, said, _ = apply("--write", sketch=PATCH)
    assert sorted(said.splitlines()) == ["created new/c.py", "deleted b.py", "moved to d.py"]
    assert (folder / "d.py").read_text() == TEXT.replace("c * 2", "c * 3")
    assert (folder / "new" / "c.py").read_text() == "def sixth():\n    return 6\n"
    assert not (folder / "a.py").exists()
    assert not (folder / "b.py").exists()


def test_one_that_fails_is_the_end_of_all(folder: Path, apply: Apply) -> None:
    code, said, error = apply("--write", sketch=PATCH)  # there is no b.py
    assert (code, said) == (1, "")
    assert "refused: There is no file b.py." in error
    assert "*** Delete File: b.py" in error
    assert sorted(path.name for path in folder.iterdir()) == ["a.py", "sketch.md"]


def test_a_file_that_was_changed_meanwhile(
    folder: Path, apply: Apply, monkeypatch: pytest.MonkeyPatch
) -> None:
    from editahead_workspace.apply import apply_sketch

    planned = apply_sketch.plan_changes

    def changing(*arguments: object, **more: object) -> object:
        (folder / "a.py").write_text("other\n")
        return planned(*arguments, **more)

    monkeypatch.setattr(apply_sketch, "plan_changes", changing)
    files = "editahead_workspace.apply.workspace_files.WorkspaceFiles._read"
    monkeypatch.setattr(files, lambda *_: TEXT)
    code, _, error = apply("a.py", "--write")
    assert code == 1
    assert "nothing was written" in error
    assert (folder / "a.py").read_text() == "other\n"


@pytest.mark.parametrize("arguments", [[], ["a.py"], ["--write"]])
def test_refusals(folder: Path, apply: Apply, arguments: list[str]) -> None:
    code, said, error = apply(*arguments, sketch="")
    assert (code, said) == (1, "")
    assert error.startswith("editahead: refused: ")


def test_near_misses_are_reported(folder: Path, apply: Apply) -> None:
    block = "<<<<<<< SEARCH\n    if a is not None:\n        return 1\n=======\n    x\n>>>>>>> REPLACE\n"
    code, _, error = apply("a.py", sketch=block)
    assert code == 1
    assert "editahead: refused: " in error
    assert "    if a is not None:" in error


@pytest.mark.parametrize("name", ["../outside.py", "link.py", "binary.py", "large.py", "nowhere.py"])
def test_files_that_it_does_not_touch(folder: Path, apply: Apply, name: str) -> None:
    (folder.parent / "outside.py").write_text(TEXT)
    (folder / "link.py").symlink_to("../outside.py")
    (folder / "binary.py").write_bytes(b"\0" + TEXT.encode())
    (folder / "large.py").write_text(TEXT + "#" * 1_000_000)
    for arguments in ([name, "--write"], ["--write"]):
        code, _, error = apply(*arguments, sketch=SKETCH if len(arguments) == 2 else f"{name}\n{SKETCH}")
        assert code == 1
        assert "refused" in error
    assert (folder.parent / "outside.py").read_text() == TEXT


def test_the_workspace_is_the_repository(folder: Path, apply: Apply, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / ".git").mkdir()
    (folder / "deep").mkdir()
    assert find_workspace(folder / "deep") == folder
    assert find_workspace(folder.parent) == folder.parent
    monkeypatch.chdir(folder / "deep")
    assert apply("../a.py")[0] == 0
    assert apply(sketch=f"../a.py\n{SKETCH}")[:2] == apply(sketch=f"a.py\n{SKETCH}")[:2] == (0, DIFF)


def test_wrong_usage(folder: Path, apply: Apply) -> None:
    assert apply("a.py", "--backup")[0] == 2
    assert apply("a.py", "b.py")[0] == 2
    assert apply("a.py", "--sketch", "nowhere.md")[0] == 1


def test_json(folder: Path, apply: Apply) -> None:
    code, said, _ = apply("a.py", "--json")
    output = json.loads(said)
    validate("output.apply", "output", output)
    assert (code, output["method"], output["written"], output["refusal"]) == (0, "merge", [], None)
    code, said, _ = apply("a.py", "--json", "--write", "--check")
    output = json.loads(said)
    validate("output.apply", "output", output)
    assert output["written"] == [(folder / "a.py").as_uri()]
    assert output["problems"] == []
    code, said, error = apply("a.py", "--json", sketch="")
    output = json.loads(said)
    validate("output.apply", "output", output)
    assert (code, output["edit"], output["refusal"]["reason"]) == (1, None, "unparsed")
    assert error


def test_a_read_only_file_needs_force(folder: Path, apply: Apply) -> None:
    (folder / "a.py").chmod(0o444)
    code, said, error = apply("a.py", "--write")
    assert (code, said) == (1, "")
    assert f"nothing was written: {folder}/a.py is read-only; add --force" in error
    assert (folder / "a.py").read_text() == TEXT
    assert apply("a.py", "--force")[0] == 2
    assert apply("a.py", "--write", "--force") == (0, "changed a.py\n", "")
    assert (folder / "a.py").read_text() == WANTED
    assert (folder / "a.py").stat().st_mode & 0o777 == 0o444


def test_a_moved_file_stays_executable(folder: Path, apply: Apply) -> None:
    (folder / "b.py").write_text("x = 1\n")
    (folder / "a.py").chmod(0o755)
    assert apply("--write", sketch=PATCH)[0] == 0
    assert (folder / "d.py").stat().st_mode & 0o777 == 0o755


_MODES = """\
diff --git a/a.py b/a.py
old mode 100644
new mode 100755
diff --git a/new.sh b/new.sh
new file mode 100755
--- /dev/null
+++ b/new.sh
@@ -0,0 +1 @@
+echo
"""


def test_a_patch_says_who_may_run_a_file(folder: Path, apply: Apply) -> None:
    (folder / "a.py").chmod(0o640)
    code, said, _ = apply(sketch=_MODES)
    assert (code, said.count("new mode 100755"), said.count("new file mode 100755")) == (0, 1, 1)
    code, said, _ = apply("--write", "--backup", sketch=_MODES)
    assert (code, said) == (0, "changed a.py (now executable)\ncreated new.sh (now executable)\n")
    modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
    assert (modes["a.py"], modes["a.py.orig"], modes["new.sh"] & 0o111 > 0) == (0o750, 0o640, True)
    back = _MODES.split("diff --git a/new")[0].replace("new mode 100755", "new mode 100644")
    assert apply("--write", sketch=back)[1] == "changed a.py (no longer executable)\n"
    assert (folder / "a.py").stat().st_mode & 0o777 == 0o640
    assert apply("--write", sketch=back)[2] == "editahead: nothing to change\n"


def test_modes_are_changed_all_or_none(folder: Path, apply: Apply) -> None:
    (folder / "a.py").chmod(0o644)
    link = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+a.py\n"
    code, _, error = apply("--write", sketch=_MODES + link)
    assert code == 1
    assert "l is a symbolic link" in error
    assert (folder / "a.py").stat().st_mode & 0o777 == 0o644
    assert not (folder / "new.sh").exists()


def test_a_sketch_that_is_too_large_is_not_read_to_its_end(
    folder: Path, apply: Apply, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, said, error = apply("a.py", sketch="secret = 1\n" * 100_000)
    assert (code, said) == (1, "")
    assert "the sketch in stdin is larger than 1000000 bytes (`max_file_bytes`)" in error
    assert "secret" not in error
    (folder / "large").write_text("secret = 1\n" * 100_000)
    code, _, error = apply("a.py", "--sketch", "large")
    assert code == 1
    assert "the sketch in large is larger than" in error
    assert "secret" not in error


def test_a_sketch_is_a_regular_file_or_stdin(folder: Path, apply: Apply) -> None:
    os.mkfifo(folder / "pipe")
    for name in ("pipe", ".", "/dev/zero"):
        code, said, error = apply("a.py", "--sketch", name)
        assert (code, said) == (1, "")
        assert f"{name} is not a regular file; pipe the sketch" in error


def test_a_sketch_that_is_not_text(folder: Path, apply: Apply) -> None:
    (folder / "sketch.md").write_bytes(b"abc\xff")
    code, _, error = apply("a.py", "--sketch", "sketch.md")
    assert code == 1
    assert error == "editahead: the sketch is not text in UTF-8: byte 4 is 0xff\n"


def test_a_long_refused_part_is_cut(folder: Path, apply: Apply) -> None:
    body = "".join(f"    nowhere_{number}()\n" for number in range(500))
    block = f"<<<<<<< SEARCH\n{body}=======\n    x\n>>>>>>> REPLACE\n"
    code, _, error = apply("a.py", sketch=block)
    assert code == 1
    assert len(error.splitlines()) < 40
    assert "lines)" in error


@pytest.fixture
def twice(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A linter that has a problem with the sketch."""
    tool = folder.parent / "bin" / "ruff"
    tool.parent.mkdir()
    tool.write_text(
        "#!/bin/sh\n"
        'if grep -q twice a.py; then printf \'[{"filename":"%s/a.py","location":{"row":12,"column":5},'
        '"code":"X1","message":"no"}]\' "$PWD"; else echo "[]"; fi\n'
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")
    return tool


FINDING = "a.py:12:5: X1: no (ruff)\neditahead: 1 new problem\n"


def test_new_problems_keep_it_from_being_written(folder: Path, apply: Apply, twice: Path) -> None:
    code, said, error = apply("a.py", "--write", "--check")
    assert (code, said) == (1, DIFF)
    assert error == "a.py:12:5: X1: no (ruff)\neditahead: 1 new problem; nothing was written\n"
    assert (folder / "a.py").read_text() == TEXT


def test_new_problems_are_named_behind_the_diff(folder: Path, apply: Apply, twice: Path) -> None:
    assert apply("a.py") == (0, DIFF, FINDING)
    assert apply("a.py", "--no-check") == (0, DIFF, "")
    for option in ("--patch", "--json"):
        assert apply("a.py", option)[2] == ""
    assert apply("a.py", "--write") == (0, "changed a.py\n", FINDING)


def test_new_problems_are_not_named_where_the_setting_says_so(
    folder: Path, apply: Apply, twice: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITAHEAD_APPLY_CHECK", "false")
    assert apply("a.py") == (0, DIFF, "")


def test_nobody_waits_for_slow_linters(
    folder: Path, apply: Apply, twice: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    twice.write_text("#!/bin/sh\nexec sleep 60\n")
    monkeypatch.setattr("editahead_cli.commands.apply.CHECK_LIMIT_S", 0.1)
    assert apply("a.py") == (0, DIFF, "editahead: not checked within 0 s; --check waits for the linters\n")


TASKS = "*** Begin Patch\n*** Add File: .vscode/tasks.json\n+{}\n*** End Patch\n"
TO_TASKS = "*** Begin Patch\n*** Update File: a.py\n*** Move to: .husky/pre-push\n*** End Patch\n"


@pytest.mark.parametrize(("sketch", "name"), [(TASKS, ".vscode/tasks.json"), (TO_TASKS, ".husky/pre-push")])
def test_a_new_file_that_programs_run_is_read_first(
    folder: Path, apply: Apply, sketch: str, name: str
) -> None:
    code, said, error = apply("--write", sketch=sketch)
    assert code == 1
    assert f"+++ b/{name}" in said
    assert "review it, and then add --yes" in error
    assert not (folder / name).exists()
    assert apply("--write", "--yes", sketch=sketch)[0] == 0
    assert (folder / name).exists()
