;;; editahead-all.el --- Make all edits of a kind  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; `M-x editahead-accept-all' draws all places to which the rule of the shown
;; prediction applies, in all files, and makes them.  `editahead' loads this
;; file.

;;; Code:

(require 'eglot)
(require 'editahead-apply)

(defvar editahead--prediction)
(defvar editahead--silence)

;;;###autoload
(defun editahead-accept-all ()
  "Draw all places of the rule of the prediction, in all files.
\\<editahead-preview-mode-map>\\[editahead-preview-apply] makes them, \\[editahead-preview-discard] discards them."
  (interactive)
  (unless editahead--prediction
    (user-error "Editahead: %s" (or editahead--silence "No prediction is shown")))
  (let ((id (plist-get editahead--prediction :id))
        (server (eglot--current-server-or-lose))
        (buffer (current-buffer)))
    (jsonrpc-async-request
     server :workspace/executeCommand
     (list :command "editahead.acceptAll" :arguments (vector (list :id id :dryRun t)))
     :success-fn (lambda (result) (editahead--preview-all server buffer result))
     :error-fn (lambda (problem) (message "Editahead: %s" (plist-get problem :message))))))

(defun editahead--preview-all (server buffer result)
  "Draw the edit in RESULT of SERVER, which BUFFER has asked for."
  (let* ((edit (plist-get result :edit))
         (hunks (editahead--hunks-of edit))
         (preview (make-editahead--preview :server server :buffer buffer :edit edit :hunks hunks)))
    (cond
     ((or (not (buffer-live-p buffer)) (editahead--stale-p edit))
      (message "Editahead: Nothing was changed: the text has changed since"))
     (t
      (editahead--close-preview)
      (setq editahead--preview preview)
      (editahead--watch preview buffer)
      (editahead--draw-preview preview hunks)
      (message "Editahead: %s.  %s" (plist-get result :message)
               (substitute-command-keys "\\<editahead-preview-mode-map>\
\\[editahead-preview-apply] makes them, \\[editahead-preview-discard] discards them"))))))

(defun editahead--hunks-of (edit)
  "Return the text edits of the workspace EDIT as hunks of a preview."
  (seq-mapcat (lambda (change)
                (seq-map (lambda (one)
                           (list :uri (plist-get (plist-get change :textDocument) :uri) :class "semantic"
                                 :range (plist-get one :range) :newText (plist-get one :newText)))
                         (plist-get change :edits)))
              (plist-get edit :documentChanges) 'list))

(provide 'editahead-all)
;;; editahead-all.el ends here
