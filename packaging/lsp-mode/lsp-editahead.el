;;; lsp-editahead.el --- lsp-mode client for Editahead  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Editahead predicts the next edit.  It runs beside other servers, for files of all types.
;; A hint marks the next edit, `lsp-editahead-next-edit' goes there and makes it, and a code action makes it from afar.
;; Text at the cursor is an inline completion of lsp-mode.
;; @REPOSITORY@

;;; Code:

(require 'lsp-mode)

(defgroup lsp-editahead nil
  "Options of the server Editahead."
  :group 'lsp-mode
  :link '(url-link "@REPOSITORY@"))

(defcustom lsp-editahead-server-command '("editahead" "lsp")
  "Command line that starts the server."
  :type '(repeat string)
  :group 'lsp-editahead
  :package-version '(lsp-mode . "10.0.0"))

(defcustom lsp-editahead-modes '(prog-mode)
  "Modes in which the server runs, those derived from them included."
  :type '(repeat symbol)
  :group 'lsp-editahead
  :package-version '(lsp-mode . "10.0.0"))

(lsp-register-client
 (make-lsp-client
  :new-connection (lsp-stdio-connection (lambda () lsp-editahead-server-command))
  :activation-fn (lambda (_file mode)
                   (apply #'provided-mode-derived-p mode lsp-editahead-modes))
  ;; lsp-mode shows inline completions at the cursor only: hints mark the edits elsewhere.
  :initialization-options '(:editahead (:hints "diagnostic"))
  :add-on? t
  :priority -2
  :server-id 'editahead))

(defun lsp-editahead-next-edit ()
  "Go to the next edit; there, make it."
  (interactive)
  (lsp-workspace-command-execute "editahead.nextEdit"))

(lsp-consistency-check lsp-editahead)

(provide 'lsp-editahead)
;;; lsp-editahead.el ends here
