"""The package in a real Emacs: another language server says where a symbol is used, before it is renamed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import language_server_multiplexer
import scripted_language_server
from emacs import NEEDS_EMACS
from server_with_planned_edits import REAL

pytestmark = [pytest.mark.editors, NEEDS_EMACS]

Play = Callable[..., list[list[Any]]]

SHOP = """\
class Apple:
    def weigh(self):
        return 1


def bill(it):
    return it.weigh()
"""
LSP_MODE_EMACS = Path(sys.prefix) / "editors" / "lsp-mode" / "bin" / "emacs-nox"
NOTE = """
    (defvar session-told nil)
    (advice-add 'jsonrpc-notify :before
                (lambda (_ method params) (when (eq method :editahead/evidence) (push params session-told))))
"""
RENAME = """
    (search-forward "weigh") (goto-char (match-beginning 0))
    (editahead-ask "cursor")
"""


def beside(how: str) -> list[str]:
    """Return the command line of our server with a scripted one beside it."""
    other = [sys.executable, scripted_language_server.__file__, how]
    return [sys.executable, language_server_multiplexer.__file__, json.dumps(REAL), json.dumps(other)]


def test_the_places_of_another_server_are_reported_and_made(play: Play) -> None:
    said = play(
        {"stay.py": SHOP, "uses.py": "from stay import bill, Apple\n\nprint(Apple().weigh())\n"},
        f"""
        {NOTE} {RENAME}
        (session-until (lambda () session-told))
        (let ((told (car session-told)))
          (session-say (plist-get (plist-get told :symbol) :old)
                       (vconcat (mapcar (lambda (one) (file-name-nondirectory (plist-get one :uri)))
                                        (plist-get told :references)))
                       (plist-get told :complete) (plist-get told :source)))
        (delete-char 5) (insert "tare") (forward-line)
        (session-ask)
        (session-until (lambda ()
          (when editahead--prediction (editahead-accept))
          (string-match-p "it.tare" (buffer-string))))
        (session-say (buffer-string))
        """,
        server=beside("rename"),
    )
    assert said[0] == ["weigh", ["stay.py", "stay.py", "uses.py"], True, "Eglot"]
    assert said[1] == [SHOP.replace("weigh", "tare")]


LSP_MODE = """
    (setq lsp-auto-guess-root t lsp-enable-file-watchers nil lsp-enable-snippet nil lsp-client-packages nil
          lsp-warn-no-matched-clients nil lsp-response-timeout 300 lsp-keep-workspace-alive nil
          lsp-session-file (expand-file-name "lsp-session" (getenv "HOME")))
    (load "lsp-mode-autoloads" nil t)
    (require 'lsp-mode)
    (lsp-register-client (make-lsp-client :new-connection (lsp-stdio-connection '({command}))
                                          :activation-fn (lambda (&rest _) t) :server-id 'scripted))
    (lsp)
    (session-until (lambda () (and lsp--buffer-workspaces
                                   (eq 'initialized (lsp--workspace-status (car lsp--buffer-workspaces))))))
"""


@pytest.mark.skipif(not LSP_MODE_EMACS.exists(), reason=f"no Emacs at {LSP_MODE_EMACS}")
def test_the_places_that_lsp_mode_knows_are_reported(play: Play) -> None:
    """Eglot has our server alone, and lsp-mode the other one, in the same buffer."""
    command = f"{json.dumps(sys.executable)} {json.dumps(scripted_language_server.__file__)}"
    said = play(
        SHOP,
        f"""
        {LSP_MODE.format(command=command)} {NOTE} {RENAME}
        (session-until (lambda () session-told))
        (let ((told (car session-told)))
          (session-say (plist-get told :source) (vconcat (plist-get told :references))))
        """,
        emacs=str(LSP_MODE_EMACS),
    )
    ((source, places),) = said
    assert source == "lsp-mode"
    starts = [one["range"]["start"] for one in places]
    assert starts == [{"line": 1, "character": 8}, {"line": 6, "character": 14}]


@pytest.mark.parametrize(("how", "option"), [("mute", "t"), ("", "nil")])
def test_without_an_answer_or_with_the_option_off_the_place_is_not_known(
    play: Play, how: str, option: str
) -> None:
    said = play(
        SHOP,
        f"""
        {NOTE}
        (setq editahead-evidence {option} editahead--evidence-budget 0.01)
        {RENAME}
        (delete-char 5) (insert "tare") (forward-line)
        (editahead-ask "manual")
        (session-heard "Editahead: Nothing in the open documents looks like the last edits")
        (session-say session-told (buffer-string))
        """,
        server=beside(how),
    )
    assert said == [[None, SHOP.replace("weigh", "tare", 1)]]
