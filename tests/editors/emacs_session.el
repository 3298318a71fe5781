;;; emacs_session.el --- What the Emacs tests do inside the editor  -*- lexical-binding: t -*-

;; Every function waits for what it needs, and none sleeps.

(require 'editahead)
(setq eglot-confirm-server-initiated-edits nil
      eglot-sync-connect t
      eglot-autoshutdown nil
      eglot-connect-timeout 300 ; a busy machine starts the server late
      editahead-delay 0)

;; The server may still ask for something while Emacs ends; an answer would fail.
(add-hook 'kill-emacs-hook (lambda () (dolist (process (process-list)) (set-process-filter process #'ignore))))

(defun session-start (server file)
  "Visit FILE with the SERVER, a list of words."
  (setq eglot-server-programs `((python-mode . ,server)))
  (find-file file)
  (python-mode)
  (setq-local indent-tabs-mode nil)
  (apply #'eglot (eglot--guess-contact))
  (editahead-mode 1))

(defun session-until (condition)
  (let ((looks 0))
    (while (not (funcall condition))
      (accept-process-output nil 0.05)
      (when (> (setq looks (1+ looks)) 1000)
        (error "Never: %S; %S" condition (buffer-string))))))

(defun session-ask ()
  "Ask, and wait for a prediction."
  (editahead-ask "manual")
  (session-until (lambda () editahead--prediction)))

(defun session-index-ready-p ()
  "Whether the server knows the files that are not open."
  (let* ((status (jsonrpc-request (eglot-current-server) :workspace/executeCommand
                                  '(:command "editahead.status" :arguments [])))
         (index (append (plist-get status :index) nil)))
    (equal (plist-get (car index) :state) "ready")))

(defun session-press (key)
  "Whatever KEY is bound to now is done."
  (call-interactively (key-binding (kbd key))))

(defun session-shown ()
  "What overlays put into the text."
  (mapconcat (lambda (overlay) (or (overlay-get overlay 'after-string) "")) editahead--overlays ""))

(defun session-say (&rest values)
  (princ (concat (json-encode values) "\n")))
