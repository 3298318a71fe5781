"""A rename of ten uses in a real Emacs: the keys that finish it, one by one or all at once; and what is copied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from emacs import NEEDS_EMACS
from samples import PRICE, STAY

pytestmark = [pytest.mark.editors, NEEDS_EMACS]

Play = Callable[..., list[list[Any]]]

COUNT_TABS = """
        (search-forward "price") (delete-char -5) (insert "cost")
        (session-ask)
        (let ((tabs 0))
          (while (string-match-p "price" (buffer-string))
            (session-until (lambda () editahead--prediction))
            (session-press "TAB")
            (setq tabs (1+ tabs))
            (unless editahead--prediction
              (session-until (lambda () (or editahead--prediction editahead--silence)))))
          (session-say tabs (buffer-string)))
        """


def test_ten_uses_take_ten_tabs(play: Play) -> None:
    assert play(PRICE, COUNT_TABS) == [[10, PRICE.replace("price", "cost")]]


def test_all_edits_of_a_kind_are_drawn_and_then_made(play: Play) -> None:
    said = play(
        PRICE,
        """
        (search-forward "price") (delete-char -5) (insert "cost")
        (session-ask)
        (session-press "M-RET")
        (session-until (lambda () editahead--preview))
        (session-say (and (session-previews-p "cost") t) (buffer-string))
        (session-press "TAB")
        (session-say (buffer-string))
        """,
    )
    assert said == [
        [True, PRICE.replace("price", "cost", 1)],
        [PRICE.replace("price", "cost")],
    ]


def test_all_edits_asked_for_twice_are_drawn_once(play: Play) -> None:
    said = play(
        PRICE,
        """
        (search-forward "price") (delete-char -5) (insert "cost")
        (session-ask)
        (let ((answers 0))
          (advice-add 'editahead--preview-all :after (lambda (&rest _) (setq answers (1+ answers))))
          (session-press "M-RET") (session-press "M-RET")
          (session-until (lambda () (= answers 2))))
        (session-press "C-g")
        (session-say editahead--preview (seq-count (lambda (overlay) (overlay-get overlay 'after-string))
                                                   (overlays-in (point-min) (point-max))))
        """,
    )
    assert said == [[None, 0]]


def test_all_edits_of_a_text_that_has_changed_since_are_not_drawn(play: Play) -> None:
    said = play(
        PRICE,
        """
        (search-forward "price") (delete-char -5) (insert "cost")
        (session-ask)
        (advice-add 'editahead--preview-all :before
                    (lambda (&rest _)
                      (with-current-buffer "stay.py"
                        (goto-char (point-min)) (insert "# above\\n") (eglot--signal-textDocument/didChange))))
        (session-press "M-RET")
        (session-heard "the text has changed since")
        (session-say editahead--preview)
        """,
    )
    assert said == [[None]]


def test_an_edit_that_is_folded_away_is_shown_before_it_is_made(play: Play) -> None:
    said = play(
        PRICE,
        """
        (search-forward "price") (delete-char -5) (insert "cost")
        (overlay-put (make-overlay (line-end-position) (line-end-position 6)) 'invisible t)
        (session-ask)
        (session-press "TAB")
        (session-say (and (string-match-p "cost .= 1" (session-shown)) t) (buffer-string))
        (session-press "TAB")
        (session-say (and (string-match-p "cost .= 1" (buffer-string)) t))
        """,
    )
    assert said == [[True, PRICE.replace("price", "cost", 1)], [True]]


def test_copied_lines_are_reported(play: Play) -> None:
    said = play(
        STAY,
        """
        (let ((copied nil))
          (advice-add 'jsonrpc-notify :before
                      (lambda (_ method params) (when (eq method :editahead/didCopy) (push params copied))))
          (goto-char (point-min)) (set-mark (point)) (forward-line 2)
          (dolist (command (list #'kill-ring-save #'undefined))
            (let ((this-command command))
              (call-interactively #'kill-ring-save)
              (run-hooks 'post-command-hook)))
          (session-say (length copied) (plist-get (car copied) :range)))
        """,
    )
    start, end = {"line": 0, "character": 0}, {"line": 2, "character": 0}
    assert said == [[1, {"start": start, "end": end}]]
