"""A real Emacs with Eglot and our package: without a screen: the overlays, the keys and the commands."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from emacs import EMACS, NEEDS_EMACS
from neovim import ROOT
from samples import NAMES, ORDERS, PRICES, RENAME, STAY

PACKAGE = ROOT / "editors" / "emacs"

pytestmark = [pytest.mark.editors, NEEDS_EMACS]

Play = Callable[..., list[list[Any]]]


def test_with_jump_first_tab_jumps_then_makes_it(play: Play) -> None:
    said = play(
        STAY,
        """
        (setq editahead-jump-first t)
        (search-forward "self.ends") (delete-char -4) (insert "leaves")
        (session-ask)
        (session-say (string-suffix-p "leaves" (session-shown)) (editahead-elsewhere-p))
        (dotimes (_ 2)
          (session-press "TAB")
          (session-say (line-number-at-pos) (editahead-elsewhere-p))
          (session-press "TAB")
          (unless (string-match-p "ends" (buffer-string)) (session-say (buffer-string)))
          (when (string-match-p "ends" (buffer-string)) (session-until (lambda () editahead--prediction))))
        """,
    )
    assert said == [[True, True], [7, None], [10, None], [STAY.replace("self.ends", "self.leaves")]]


def test_tab_opens_a_closed_file_and_makes_the_edit_there(play: Play) -> None:
    said = play(
        {"prices.py": PRICES, "orders.py": ORDERS},
        """
        (add-hook 'python-mode-hook #'editahead-mode)
        (session-until #'session-index-ready-p)
        (search-forward "net") (delete-char -3) (insert "compute")
        (session-ask)
        (session-say (session-shown))
        (session-press "TAB")
        (session-say (session-shown))
        (session-press "TAB")
        (session-say (buffer-name) (line-number-at-pos))
        (session-until #'eglot-managed-p)
        (editahead-ask "manual")
        (session-until (lambda () (buffer-modified-p)))
        (session-say (buffer-string))
        (session-press "C-x C-SPC")
        (session-say (buffer-name))
        """,
    )
    (hint,), (code,), opened, (edited,), (back,) = said
    assert "orders.py:1" in code and "from prices import net_total" in code
    assert "orders.py:1" in hint and "from prices import compute_total" in hint
    assert opened == ["orders.py", 1]
    assert edited == ORDERS.replace("import net_total", "import compute_total")
    assert back == "prices.py"


def test_refused_it_disappears_and_the_keys_are_what_they_were(play: Play) -> None:
    said = play(
        NAMES,
        """
        (session-ask)
        (session-say (symbol-name (key-binding (kbd "TAB"))) (session-shown))
        (session-press "C-g")
        (session-say (symbol-name (key-binding (kbd "TAB"))) (symbol-name (key-binding (kbd "C-g"))) (session-shown))
        (session-say (plist-get (plist-get (jsonrpc-request (eglot-current-server) :workspace/executeCommand
          '(:command "editahead.status" :arguments [])) :outcomes) :rejected))
        """,
        RENAME,
    )
    assert said[0][0] == "editahead-accept"
    assert "visitor" in said[0][1]
    assert said[1] == ["indent-for-tab-command", "keyboard-quit", ""]
    assert said[2] == [1]


def test_tab_indents_a_blank_line(play: Play) -> None:
    said = play(f"\n{NAMES}", '(session-ask) (session-say (symbol-name (key-binding (kbd "TAB"))))', RENAME)
    assert said == [["indent-for-tab-command"]]


def test_a_copied_sketch_is_applied(play: Play) -> None:
    said = play(
        STAY,
        """
        (kill-new "```diff\\n-        self.begins = begins\\n+        self.begins = 0\\n```\\n")
        (call-interactively #'editahead-apply)
        (session-until (lambda () (and editahead--preview (editahead--preview-edit editahead--preview))))
        (session-say (buffer-string))
        (session-press "TAB")
        (session-say (buffer-string) editahead--preview)
        """,
    )
    assert said == [[STAY], [STAY.replace("self.begins = begins", "self.begins = 0"), None]]


def test_a_refusal_changes_nothing(play: Play) -> None:
    said = play(
        STAY,
        """
        (editahead-apply "```diff\\n-    nothing = like_this\\n+    x = 1\\n```\\n")
        (session-say (session-heard "^Editahead: Nothing was changed: .*") (buffer-string) editahead--preview)
        """,
    )
    assert said[0][0].startswith("Editahead: Nothing was changed")
    assert said[0][1] == STAY


def test_of_two_readings_one_is_picked_beside_its_diff(play: Play) -> None:
    readings = [("replace x", "x = 1", "x = 3", 0.6), ("replace y", "y = 2", "y = 3", 0.3)]
    said = play(
        "x = 1\ny = 2\n",
        """
        (setq completing-read-function
              (lambda (prompt labels &rest _)
                (session-say prompt labels (with-current-buffer "*Editahead choices*" (buffer-string))
                             (and (get-buffer-window "*Editahead choices*") t))
                (nth 1 labels)))
        (editahead-apply "z = 3")
        (session-heard "Applied the sketch in 1 place")
        (session-say (buffer-string) (and (get-buffer "*Editahead choices*") t))
        """,
        {"readings": readings},
    )
    (prompt, labels, diffs, displayed), end = said
    assert prompt == "Which change does the sketch mean? "
    assert labels == ["1: replace x (line 1)", "2: replace y (line 2)"]
    assert "-x = 1\n+x = 3\n" in diffs
    assert displayed is True
    assert end == ["x = 1\ny = 3\n", None]


LEFT = {
    "models.py": "def total(user):\n    return user.sum\n",
    "bills.py": "from models import total\n\nprint(total(1))\n",
    "tills.py": "from models import total\n\nprint(total(2))\n",
}
RENAME_TOTAL = """
    (search-forward "total") (replace-match "sum_of")
    (editahead-finish)
    (session-until (lambda () (get-buffer "*Editahead left*")))
    (set-buffer "*Editahead left*")
"""


def test_what_a_rename_left_is_listed_and_made_one_by_one_or_at_once(play: Play) -> None:
    said = play(
        LEFT,
        f"""
        {RENAME_TOTAL}
        (let ((shown (buffer-string)))
          (session-say
            (and (string-match-p "bills.py:3: .* rename total -> sum_of\n  - print(total(1))\n" shown)
                 (string-match-p "  [+] print(sum_of(1))\n" shown) t)
                       (with-current-buffer "bills.py" (buffer-string))))
        (search-forward "tills.py:3")
        (session-press "m")
        (session-say (with-current-buffer "tills.py" (buffer-string))
                     (and (string-match-p "tills.py:3" (buffer-string)) t))
        (session-press "!")
        (session-say (buffer-string)
                     (with-current-buffer "bills.py" (list (buffer-string) (buffer-modified-p)))
                     (with-current-buffer "tills.py" (buffer-string)))
        """,
    )
    bills, tills = (LEFT[name].replace("total", "sum_of") for name in ("bills.py", "tills.py"))
    assert said == [
        [True, LEFT["bills.py"]],
        [LEFT["tills.py"].replace("print(total", "print(sum_of"), None],
        ["", [bills, True], tills],
    ]


def test_the_count_of_what_is_left(play: Play) -> None:
    said = play(
        LEFT,
        """
        (session-until #'session-index-ready-p)
        (search-forward "total") (replace-match "sum_of") (eglot--signal-textDocument/didChange)
        (session-until (lambda () (equal editahead-places-left "4 places left")))
        (session-say (buffer-name) editahead-places-left)
        """,
        options="(:placesLeft t)",
    )
    assert said == [["models.py", "4 places left"]]


def test_places_that_were_edited_meanwhile_are_left_alone(play: Play) -> None:
    said = play(
        LEFT,
        f"""
        {RENAME_TOTAL}
        (with-current-buffer "bills.py" (goto-char (point-min)) (insert "# first\n"))
        (with-current-buffer "tills.py" (goto-char (point-max)) (search-backward "2") (replace-match "3"))
        (session-press "!")
        (session-say (with-current-buffer "bills.py" (buffer-string)) (with-current-buffer "tills.py" (buffer-string)))
        """,
    )
    changed = "# first\n" + LEFT["bills.py"].replace("total", "sum_of")
    assert said == [[changed, "from models import sum_of\n\nprint(total(3))\n"]]


def test_why(play: Play) -> None:
    said = play(NAMES, "(session-ask) (session-say (editahead-why))", RENAME)
    assert said[0][0].startswith("Editahead: Candidates:\n  90 %  guest -> visitor (propagation): shown")


def test_the_model_is_set_up_by_the_server_s_program(play: Play) -> None:
    said = play(
        NAMES,
        """
        (let ((editahead-program "/a b/editahead") started)
          (cl-letf (((symbol-function 'compilation-start) (lambda (command &rest _) (push command started))))
            (editahead-use-model))
          (session-say (car started)))
        """,
        RENAME,
    )
    assert said == [["/a\\ b/editahead models use editahead-coder --install"]]


def test_an_accepted_edit_is_undone_in_one_step(play: Play) -> None:
    said = play(
        NAMES,
        """
        (buffer-enable-undo)
        (session-ask) (session-press "TAB") (undo-boundary)
        (session-say (and (string-match-p "visitor" (buffer-string)) t))
        (undo) (session-say (buffer-string))
        """,
        RENAME,
    )
    assert said == [[True], [NAMES]]


def test_a_read_only_buffer_keeps_its_text_and_the_prediction(play: Play) -> None:
    said = play(
        NAMES,
        """
        (setq buffer-read-only t)
        (session-ask)
        (dolist (key '("TAB" "M-<right>"))
          (goto-char (caar editahead--edits))
          (session-say (condition-case problem (session-press key) (buffer-read-only (symbol-name (car problem))))
                       (and editahead--prediction t)))
        (session-say (buffer-string))
        """,
        RENAME,
    )
    assert said == [["buffer-read-only", True], ["buffer-read-only", True], [NAMES]]


def test_tab_belongs_to_a_region_and_to_completions(play: Play) -> None:
    said = play(
        NAMES,
        """
        (session-ask)
        (transient-mark-mode 1) (push-mark (line-end-position) t t)
        (session-say (symbol-name (key-binding (kbd "TAB"))))
        (deactivate-mark)
        (session-say (symbol-name (key-binding (kbd "TAB"))))
        (setq completion-in-region-mode t)
        (session-say (eq (key-binding (kbd "TAB")) 'editahead-accept))
        """,
        RENAME,
    )
    assert said == [["indent-for-tab-command"], ["editahead-accept"], [None]]


def test_the_switch_outlives_a_restart_and_a_snooze_does_not(play: Play, tmp_path: Path) -> None:
    said = play(
        NAMES,
        f"""
        (setq editahead-off-file {json.dumps(str(tmp_path / "off"))})
        (session-say (editahead-active-p))
        (editahead-toggle)
        (setq editahead--off nil) (editahead-mode 1)
        (session-say (editahead-active-p))
        (editahead-toggle)
        (session-say (editahead-active-p))
        (editahead-snooze 60)
        (session-say (editahead-active-p))
        (editahead-toggle)
        (session-say (editahead-active-p))
        """,
        RENAME,
    )
    assert said == [[True], [None], [True], [None], [True]]


def test_nothing_is_shown_in_comments_nor_where_a_function_inhibits_it(play: Play) -> None:
    said = play(
        "# guest\n" + NAMES,
        """
        (goto-char 5)
        (setq editahead-in-comments nil)
        (session-say (editahead-active-p))
        (goto-char (point-max))
        (session-say (editahead-active-p))
        (add-hook 'editahead-inhibit-functions (lambda () t))
        (session-say (editahead-active-p))
        """,
        RENAME,
    )
    assert said == [[None], [True], [None]]


def test_subtle_is_only_a_mark_until_tab(play: Play) -> None:
    said = play(
        NAMES,
        """
        (setq editahead-display 'subtle)
        (session-ask)
        (session-say (session-shown))
        (session-press "TAB")
        (session-say (and (string-match-p "visitor" (session-shown)) t) (buffer-string))
        """,
        RENAME,
    )
    assert said == [[" »"], [True, NAMES]]


def test_a_rejected_edit_can_be_brought_back(play: Play) -> None:
    said = play(
        "guest = 1\n",
        """
        (session-ask)
        (session-press "C-g")
        (session-say (session-shown))
        (editahead-restore)
        (session-until (lambda () editahead--prediction))
        (session-say (and (string-match-p "visitor" (session-shown)) t))
        """,
        RENAME,
    )
    assert said == [[""], [True]]


def test_asked_for_while_off_it_is_shown_until_something_else_is_typed(play: Play) -> None:
    said = play(
        NAMES,
        """
        (setq editahead--off t)
        (editahead-ask "cursor") (editahead-show)
        (session-until (lambda () editahead--prediction))
        (session-say (and (string-match-p "visitor" (session-shown)) t))
        (insert "x") (editahead--schedule-request)
        (session-say editahead--prediction)
        """,
        RENAME,
    )
    assert said == [[True], [None]]


def test_words_and_lines_are_accepted_in_part(play: Play) -> None:
    said = play(
        "\n",
        """
        (buffer-enable-undo)
        (insert "def h")
        (session-ask)
        (dolist (key '("M-<right>" "C-M-<right>"))
          (session-press key)
          (session-say (buffer-string) (point))
          (session-until (lambda () editahead--prediction)))
        (let ((current-prefix-arg 2)) (session-press "C-M-<right>"))
        (session-say (buffer-string))
        """,
        {"complete": ["def half(n):\n    m = n\n    # by two\n    return m / 2"]},
    )
    lines = ["def half\n", "def half(n):\n", "def half(n):\n    m = n\n    # by two\n"]
    assert said == [[lines[0], 9], [lines[1], 13], [lines[2]]]


def test_a_replacement_is_accepted_in_part(play: Play) -> None:
    said = play(
        "a = 1\nguest.name = other.name\nb = 2\n",
        """
        (session-ask) (forward-line 1)
        (dolist (key '("M-<right>" "M-<right>" "C-M-<right>" "C-M-<right>"))
          (session-until (lambda () editahead--prediction))
          (session-press key)
          (session-say (buffer-string)))
        """,
        {"replace": {"guest.name = other.name\n": "visitor.title = next.name\n# said so\n"}},
    )
    texts = ["visitor.name = other.name", "visitor.title = other.name", "visitor.title = next.name"]
    texts += ["visitor.title = next.name\n# said so"]
    assert said == [[f"a = 1\n{text}\nb = 2\n"] for text in texts]


def test_so_many_lines_are_accepted(play: Play) -> None:
    said = play(
        "guest = 1\nb = 2\n",
        """
        (session-ask)
        (let ((current-prefix-arg 3)) (session-press "C-M-<right>"))
        (session-say (buffer-string))
        """,
        {"replace": {"guest = 1\n": "visitor = 1\n# one\n# two\n# three\n"}},
    )
    assert said == [["visitor = 1\n# one\n# two\nb = 2\n"]]


def test_alternatives(play: Play) -> None:
    said = play(
        "x = 1\nguest = 2\nguest = 3\nguest = 4\n",
        """
        (session-ask)
        (dolist (key '("M-n" "M-n" "M-p"))
          (session-say (line-number-at-pos (caar editahead--edits)))
          (session-press key))
        (session-say (line-number-at-pos (caar editahead--edits)) (session-heard "2 of 3"))
        (session-press "C-g")
        (session-say (key-binding (kbd "M-n")))
        """,
        RENAME,
    )
    (first,), (second,), (third,), (back, told), (free,) = said
    assert sorted((first, second, third)) == [2, 3, 4]
    assert back == second and "guest" in told and free is None


def test_a_wrong_edit_is_reported_and_rejected(play: Play) -> None:
    said = play(
        "guest = 1\n",
        """
        (insert "x = 2\n")
        (session-ask)
        (editahead-wrong)
        (session-say (session-shown) (session-heard "-wrong.txt"))
        """,
        RENAME,
    )
    ((shown, told),) = said
    assert shown == "" and told


def test_the_package_compiles_without_a_warning_and_is_documented(tmp_path: Path) -> None:
    assert EMACS
    files = sorted(path.name for path in PACKAGE.glob("*.el"))
    for name in files:
        shutil.copy(PACKAGE / name, tmp_path / name)
    lisp = f"""(progn
      (package-initialize)
      (require 'checkdoc)
      (add-to-list 'load-path default-directory)
      (setq byte-compile-error-on-warn t)
      (dolist (name '({" ".join(map(json.dumps, files))}))
        (unless (byte-compile-file name) (kill-emacs 1))
        (checkdoc-file name)))"""
    compiled = subprocess.run(
        [EMACS, "--batch", "--no-init-file", "--eval", lisp],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
    )
    assert (compiled.returncode, "Warning" in compiled.stderr) == (0, False), compiled.stderr
