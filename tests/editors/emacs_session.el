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

;; In a batch, messages are not kept.  The advice is not for compiled code, which would need a C compiler.
(defvar session-messages nil)
(setq comp-enable-subr-trampolines nil)
(advice-add 'message :before (lambda (format &rest values)
                               (when format (push (apply #'format-message format values) session-messages))))

(defun session-heard (pattern)
  "Wait for a message with PATTERN, and return it."
  (let ((found nil))
    (session-until (lambda () (setq found (seq-find (lambda (text) (string-match-p pattern text)) session-messages))))
    found))

(defun session-sketch (sketch)
  "Apply SKETCH, and wait for the preview of the whole edit."
  (editahead-apply sketch)
  (session-until (lambda () (and editahead--preview (editahead--preview-edit editahead--preview)))))

(defun session-preview ()
  "What the preview puts into the text, each text with its face."
  (when editahead--preview
    (mapcar (lambda (text) (vector (substring-no-properties text) (get-text-property 0 'face text)))
            (delq nil (mapcar (lambda (overlay) (overlay-get overlay 'after-string))
                              (editahead--preview-overlays editahead--preview))))))

(defun session-previews-p (text)
  "Whether the preview puts TEXT into the buffer."
  (string-match-p (regexp-quote text) (mapconcat (lambda (text) (aref text 0)) (session-preview) "")))

(defun session-say (&rest values)
  (princ (concat (json-encode values) "\n")))
