;;; lsp_mode_session.el --- What the tests of lsp-mode do inside Emacs  -*- lexical-binding: t -*-

;; Every function waits for what it needs, and none sleeps.

(setq lsp-auto-guess-root t
      lsp-enable-file-watchers nil
      lsp-enable-snippet nil ; its package is not there
      lsp-keep-workspace-alive nil
      lsp-warn-no-matched-clients nil
      lsp-response-timeout 300 ; a busy machine answers late
      lsp-debounce-full-sync-notifications nil
      lsp-session-file (expand-file-name "lsp-session" (getenv "HOME")))
(load "lsp-mode-autoloads" nil t)
(require 'lsp-mode)
(require 'lsp-diagnostics)
(require 'lsp-inline-completion)
(setq lsp-client-packages '(lsp-editahead))

(defun session-start (server file)
  "Visit FILE with the SERVER, a list of words."
  (setq lsp-editahead-server-command server)
  (add-hook 'python-mode-hook #'lsp)
  (find-file file)
  (setq-local indent-tabs-mode nil)
  (session-until (lambda () (and lsp--buffer-workspaces
                                 (eq 'initialized (lsp--workspace-status (car lsp--buffer-workspaces)))))))

(defun session-until (condition)
  (let ((looks 0))
    (while (not (funcall condition))
      (accept-process-output nil 0.05)
      (when (> (setq looks (1+ looks)) 1000)
        (error "Never: %S; %S" condition (buffer-string))))))

(defun session-hints ()
  "The lines of this buffer that hints mark, from 0."
  (sort (mapcar (lambda (hint) (lsp:position-line (lsp:range-start (lsp:diagnostic-range hint))))
                (gethash (file-truename buffer-file-name) (lsp-diagnostics t)))
        #'<))

(defun session-say (&rest values)
  (princ (concat (json-encode values) "\n")))
