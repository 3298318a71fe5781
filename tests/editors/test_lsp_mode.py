"""A real Emacs with lsp-mode and the entry that we submit to it: hints, code actions, the command, ghost text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from neovim import ROOT
from samples import STAY
from server_with_planned_edits import REAL

EMACS = Path(sys.prefix) / "editors" / "lsp-mode" / "bin" / "emacs-nox"
"""From Debian: tools/environment/get-debian-tool.sh .venv/editors/lsp-mode sid emacs-nox,elpa-lsp-mode emacs-nox"""
ENTRY = ROOT / "packaging" / "lsp-mode" / "lsp-editahead.el"
SESSION = Path(__file__).with_name("lsp_mode_session.el")

pytestmark = [pytest.mark.editors, pytest.mark.skipif(not EMACS.exists(), reason=f"no Emacs at {EMACS}")]

Play = Callable[..., list[list[Any]]]


@pytest.fixture
def play(tmp_path: Path, homes: dict[str, str], house: Callable[..., list[Path]]) -> Play:
    """Plays Lisp in an Emacs on a file: `play("text", "(session-say 1)")`. What it said, call by call."""

    def begin(files: str | dict[str, str], lisp: str) -> list[list[Any]]:
        file, *_ = house({"stay.py": files} if isinstance(files, str) else files)
        server = " ".join(json.dumps(word) for word in REAL)
        start = f"(session-start '({server}) {json.dumps(str(file))})"
        command = [EMACS, "--batch", "--no-init-file", "-l", SESSION, "-l", ENTRY, "--eval", start]
        played = subprocess.run(
            [*command, "--eval", f"(progn {lisp})"],
            env={**os.environ, **homes, "HOME": str(tmp_path), "EDITAHEAD_DEBOUNCE_MS": "0"},
            capture_output=True,
            encoding="utf-8",
        )
        assert played.returncode == 0, played.stderr
        return [json.loads(line) for line in played.stdout.splitlines()]

    return begin


def test_a_rename_by_command_and_by_code_action(play: Play) -> None:
    said = play(
        STAY,
        """
        (search-forward "self.ends") (delete-char -4) (insert "leaves")
        (session-until (lambda () (session-hints)))
        (session-say (vconcat (session-hints)))
        (lsp-editahead-next-edit)
        (session-say (line-number-at-pos))
        (lsp-editahead-next-edit)
        (session-until (lambda () (string-match-p "(self.leaves" (buffer-string))))
        (session-until (lambda () (equal (session-hints) '(9))))
        (lsp-execute-code-action-by-kind "refactor.rewrite.editahead.accept")
        (session-until (lambda () (not (string-match-p "ends" (buffer-string)))))
        (session-say (buffer-string))
        """,
    )
    assert said == [[[6]], [7], [STAY.replace("self.ends", "self.leaves")]]


def test_ghost_text_and_a_hint_elsewhere_all_the_same(play: Play) -> None:
    said = play(
        STAY,
        """
        (goto-char (point-max))
        (insert "\\n    def length(self):\\n        return self.ni")
        (session-until (lambda () (lsp-inline-completion-display) lsp-inline-completion--overlay))
        (lsp-inline-completion-accept)
        (session-say (thing-at-point 'line t))
        (goto-char (point-min))
        (search-forward "self.ends") (delete-char -4) (insert "leaves")
        (session-until (lambda () (equal (session-hints) '(6))))
        """,
    )
    assert said == [["        return self.nights"]]


def test_a_selected_sketch_is_a_code_action(play: Play) -> None:
    said = play(
        STAY + "```diff\n-        self.begins = begins\n+        self.begins = 0\n```\n",
        """
        (transient-mark-mode 1)
        (search-forward "```diff") (beginning-of-line) (push-mark (point-max) t t)
        (lsp-execute-code-action-by-kind "refactor.rewrite.editahead.apply")
        (session-until (lambda () (not (string-match-p "```" (buffer-string)))))
        (session-say (buffer-string))
        """,
    )
    assert said == [[STAY.replace("self.begins = begins", "self.begins = 0")]]


def test_what_a_rename_left_is_marked_and_made(play: Play) -> None:
    bills = "from models import total\n\nprint(total(1))\n"
    said = play(
        {"models.py": "def total(user):\n    return user.sum\n", "bills.py": bills},
        """
        (search-forward "total") (replace-match "sum_of")
        (let ((lsp-restart 'ignore)) (lsp-workspace-command-execute "editahead.finish"))
        (find-file "bills.py")
        (session-until (lambda () (equal (session-hints) '(0 2))))
        (goto-char (point-min))
        (let ((actions (append (lsp-code-actions-at-point "quickfix") nil)))
          (session-say (vconcat (mapcar #'lsp:code-action-title actions)))
          (lsp-execute-code-action (car (last actions))))
        (session-say (buffer-string))
        """,
    )
    assert said == [
        [["Make this edit: rename total -> sum_of", "Make all 2 edits that the change lacks"]],
        [bills.replace("total", "sum_of")],
    ]
