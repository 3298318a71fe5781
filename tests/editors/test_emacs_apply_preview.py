"""The preview of `editahead-apply` in a real Emacs: drawn while a model writes, applied or discarded by the person."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from emacs import NEEDS_EMACS
from server_with_planned_edits import WAIT, go_on_file
from sketch_fixture import AMBIGUOUS, READINGS, REPLACED, TEXT
from vscode_scenarios import LINTERS

pytestmark = [pytest.mark.editors, NEEDS_EMACS]

Play = Callable[..., list[list[Any]]]

MORE = "".join(f"\n\ndef more_{n}(x):\n    return x + {n}\n" for n in range(3))
HELD = REPLACED + MORE + WAIT + "\n\ndef last(x):\n    return x\n"
WHOLE, DONE = TEXT + MORE + "\n\ndef last(x):\n    return x\n", HELD.replace(WAIT, "")
CHANGED = next(
    n for n, (old, new) in enumerate(zip(WHOLE.split("\n"), DONE.split("\n"), strict=False)) if old != new
)
COMES = f"""
    (editahead-apply {json.dumps(AMBIGUOUS)})
    (session-until (lambda () (session-previews-p "raise ValueError(b)")))
    (session-say (editahead--preview-edit editahead--preview) (buffer-string))
"""
READY = "(session-until (lambda () (and editahead--preview (editahead--preview-edit editahead--preview))))"


@pytest.fixture
def go_on(homes: Mapping[str, str]) -> str:
    """Lisp that lets the model write the rest."""
    path = go_on_file(homes)
    path.parent.mkdir(parents=True, exist_ok=True)
    return f'(write-region "" nil {json.dumps(str(path))} nil (quote silent))'


def test_settled_hunks_are_drawn_before_the_answer_ends(play: Play, go_on: str) -> None:
    said = play(
        WHOLE,
        f"""
        (buffer-enable-undo)
        {COMES}
        (session-say (eq (key-binding (kbd "TAB")) #'editahead-preview-apply))
        {go_on} {READY}
        (session-say (and (session-previews-p "Changes what the code does.") t) (buffer-string))
        (session-press "TAB")
        (session-say (buffer-string) editahead--preview editahead-preview-mode)
        (undo-boundary) (undo)
        (session-say (buffer-string))
        """,
        {"readings": READINGS, "model": HELD},
    )
    assert said == [[None, WHOLE], [None], [True, WHOLE], [DONE, None, None], [WHOLE]]


def test_quitting_cancels(play: Play, go_on: str) -> None:
    said = play(
        WHOLE,
        f"""
        {COMES}
        (let ((overlays (editahead--preview-overlays editahead--preview)))
          (session-press "C-g")
          (session-say (seq-some #'overlay-buffer overlays) editahead--preview
                       (eq (key-binding (kbd "C-g")) #'keyboard-quit)))
        {go_on}
        (session-say (plist-get (jsonrpc-request (eglot-current-server) :workspace/executeCommand
          '(:command "editahead.status" :arguments [])) :documents) (buffer-string))
        """,
        {"readings": READINGS, "model": HELD},
    )
    assert said[1:] == [[None, None, True], [1, WHOLE]]


def test_typing_takes_the_drawing_away_and_the_edit_moves_along(play: Play, go_on: str) -> None:
    said = play(
        WHOLE,
        f"""
        {COMES}
        (goto-char (point-min)) (insert "import re\n")
        (session-say (session-preview))
        (session-until (lambda () (null eglot--recent-changes)))
        {go_on} {READY}
        (session-press "TAB")
        (session-say (buffer-string))
        """,
        {"readings": READINGS, "model": HELD},
    )
    assert said[1:] == [[None], [f"import re\n{DONE}"]]


HELD_BACK = "(advice-add 'eglot--signal-textDocument/didChange :override #'ignore)"
"""The server learns of no change before its answer comes."""


@pytest.mark.parametrize(
    ("typing", "before", "after"),
    [
        (
            '(goto-char (point-min)) (insert "import re\n") (insert "\nx") (insert " = 1\n")',
            "import re\n\nx = 1\n",
            "",
        ),
        ('(goto-char (point-min)) (insert "a\nb\n") (delete-region 1 3)', "b\n", ""),
        ('(goto-char (point-max)) (insert "y") (insert " = 1\n")', "", "y = 1\n"),
    ],
)
def test_an_answer_for_an_earlier_text_moves_along(
    play: Play, go_on: str, typing: str, before: str, after: str
) -> None:
    said = play(
        WHOLE,
        f"""
        {COMES} {HELD_BACK} {typing}
        {go_on} {READY}
        (session-say (buffer-string) (and (session-previews-p "raise ValueError(b)") t))
        (session-press "TAB")
        (session-say (buffer-string) (memq #'editahead--record-change after-change-functions))
        """,
        {"readings": READINGS, "model": HELD},
    )
    assert said[1:] == [
        [before + WHOLE + after, True],
        [before + DONE + after, None],
    ]


def test_an_answer_for_lines_that_were_edited_is_refused(play: Play, go_on: str) -> None:
    said = play(
        WHOLE,
        f"""
        {COMES} {HELD_BACK}
        (goto-char (point-min)) (forward-line {CHANGED}) (end-of-line) (insert "  # mine")
        {go_on}
        (session-heard "the text has changed since.  Apply the sketch again")
        (session-say (count-matches "# mine" (point-min) (point-max)) editahead--preview)
        """,
        {"readings": READINGS, "model": HELD},
    )
    assert said[1:] == [[1, None]]


def test_a_killed_buffer_ends_the_preview(play: Play) -> None:
    said = play(
        WHOLE,
        f"""
        {COMES}
        (let ((kill-buffer-query-functions nil)) (kill-buffer (current-buffer)))
        (session-say editahead--preview)
        """,
        {"readings": READINGS, "model": HELD},
    )
    assert said[1:] == [[None]]


def test_the_end_of_the_server_takes_the_drawing_away(play: Play) -> None:
    said = play(
        WHOLE,
        f"""
        {COMES}
        (delete-process (jsonrpc--process (eglot-current-server)))
        (session-until (lambda () (null editahead--preview)))
        (session-say editahead-preview-mode (buffer-string))
        """,
        {"readings": READINGS, "model": HELD},
    )
    assert said[1:] == [[None, WHOLE]]


def test_a_rejected_answer_is_void(play: Play, go_on: str) -> None:
    said = play(
        WHOLE,
        f"""
        (setq completing-read-function (lambda (&rest _) (session-say (session-preview)) (keyboard-quit)))
        (editahead-apply {json.dumps(AMBIGUOUS)})
        (session-until (lambda () (session-previews-p "raise KeyError(b)")))
        {go_on}
        (condition-case nil (session-until (lambda () nil)) (quit (session-say (buffer-string))))
        """,
        {"readings": READINGS, "model": HELD.replace("ValueError", "KeyError")},
    )
    assert said == [[None], [WHOLE]]


IMPORTS = """\
--- a/stay.py
+++ b/stay.py
@@ -1 +1,2 @@
 import os
+import sys
@@ -11,2 +12,2 @@
     c = abs(b)
-    d = c * 2
+    d = undefined * 2
"""


def test_what_is_mechanical_is_dim_and_problems_are_beside_their_hunk(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{LINTERS}:{os.environ['PATH']}")
    said = play(
        TEXT,
        f"""
        (session-sketch {json.dumps(IMPORTS)})
        (session-say (vconcat (session-preview)))
        (session-heard "New problems:")
        (session-say (and (session-previews-p "line 13: F821: Undefined name `undefined` (ruff)") t))
        (goto-char (point-max)) (insert "x")
        (session-heard "the text has changed since the preview")
        (session-say editahead--preview (buffer-string))
        """,
    )
    (drawn,), (problem,), end = said
    dim = [text for text, style in drawn if style == "editahead-context"]
    read = [text for text, style in drawn if style == "editahead-insert"]
    assert any("import sys  Changes imports." in text for text in dim)
    assert any("undefined" in text for text in read) and not any("import sys" in text for text in read)
    assert problem is True
    assert end == [None, f"{TEXT}x"]


ELSEWHERE = "b.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"


def test_a_file_that_is_not_open_is_previewed_too(play: Play) -> None:
    said = play(
        {"stay.py": TEXT, "b.py": "x = 1\n"},
        f"""
        (session-sketch {json.dumps(ELSEWHERE)})
        (session-say (with-current-buffer "b.py" (buffer-string)))
        (with-current-buffer "b.py" (session-press "TAB"))
        (session-say (with-current-buffer "b.py" (vector (buffer-string) (buffer-modified-p))))
        """,
    )
    assert said == [["x = 1\n"], [["x = 2\n", True]]]


def test_line_ends_of_a_file_are_not_doubled_in_its_buffer(play: Play) -> None:
    said = play(
        "def f():\n    return 1\n",
        """
        (let ((start '(:line 0 :character 0)))
          (setq editahead--preview
                (make-editahead--preview
                 :server (eglot-current-server) :buffer (current-buffer)
                 :edit `(:documentChanges
                         [(:textDocument (:uri ,(plist-get (eglot--TextDocumentIdentifier) :uri) :version nil)
                           :edits [(:range (:start ,start :end ,start) :newText "import os\\r\\n")])]))))
        (editahead-preview-apply)
        (session-say (buffer-string))
        """,
    )
    assert said == [["import os\ndef f():\n    return 1\n"]]
