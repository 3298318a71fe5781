;;; editahead.el --- The predicted next edit, shown in its place  -*- lexical-binding: t -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1") (eglot "1.9"))
;; Keywords: convenience, languages, tools
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; The server `editahead lsp' predicts what you will change next, and where.
;; This shows it in its place, beside Eglot:
;;
;;   (require 'editahead)
;;   (add-to-list 'eglot-server-programs '(python-mode . ("editahead" "lsp")))
;;   (add-hook 'python-mode-hook #'eglot-ensure)
;;   (add-hook 'eglot-managed-mode-hook #'editahead-mode)
;;
;; Tab goes to the prediction, then makes it; C-g refuses it.  With nothing
;; shown, both are what they were.  `M-x editahead-apply' makes a sketch of a
;; change an edit; `M-x editahead-why' says why nothing is shown.

;;; Code:

(require 'eglot)
(require 'subr-x)

(defgroup editahead nil
  "The predicted next edit, shown in its place."
  :group 'tools
  :prefix "editahead-")

(defcustom editahead-delay 0.1
  "Seconds without a key after which the next edit is asked for."
  :type 'number)

(defcustom editahead-lighter " Editahead"
  "What the mode line shows while the mode is on."
  :type 'string)

(defface editahead-insert '((t :inherit diff-added)) "What would be put in.")
(defface editahead-delete '((t :inherit diff-removed :strike-through t)) "What would go.")
(defface editahead-hint '((t :inherit shadow)) "Where a place out of sight is.")

(defvar editahead-mode)
(defvar-local editahead--prediction nil "The prediction at hand, as it came.")
(defvar-local editahead--silence nil "Why there is none, a sentence.")
(defvar-local editahead--edits nil
  "Its edits, in order: (BEGIN END TEXT), BEGIN and END being markers.")
(defvar-local editahead--overlays nil "What shows it.")
(defvar-local editahead--tick nil "The text and point of the last request.")
(defvar-local editahead--timer nil "What will ask for the next edit.")

;; Newer versions of Eglot have other names for these.
(defun editahead--either (new old &rest arguments)
  "Call NEW, or OLD where that is not there, with ARGUMENTS."
  (apply (if (fboundp new) new old) arguments))

(defun editahead--position (&optional point)
  "POINT as the server counts."
  (editahead--either 'eglot-pos-to-lsp-position 'eglot--pos-to-lsp-position point))

(defun editahead--point (position)
  "The server's POSITION as a point."
  (editahead--either 'eglot-lsp-position-to-point 'eglot--lsp-position-to-point position))

(defun editahead--path (uri)
  "The file that URI names."
  (editahead--either 'eglot-uri-to-path 'eglot--uri-to-path uri))

(defun editahead--clear ()
  "Show nothing any more."
  (mapc #'delete-overlay editahead--overlays)
  (pcase-dolist (`(,begin ,end ,_) editahead--edits)
    (set-marker begin nil)
    (set-marker end nil))
  (setq editahead--overlays nil editahead--edits nil editahead--prediction nil))

(defun editahead--here-p ()
  "Whether the prediction is for this buffer."
  (equal (plist-get (plist-get editahead--prediction :textDocument) :uri)
         (plist-get (eglot--TextDocumentIdentifier) :uri)))

(defun editahead-elsewhere-p ()
  "Whether point is not on a line of the edits."
  (or (null editahead--edits)
      (< (line-end-position) (caar editahead--edits))
      (> (line-beginning-position) (cadar (last editahead--edits)))))

(defun editahead--overlay (begin end &rest properties)
  "Show something between BEGIN and END: an overlay with these PROPERTIES."
  (let ((overlay (make-overlay begin end)))
    (while properties
      (overlay-put overlay (pop properties) (pop properties)))
    (push overlay editahead--overlays)))

(defun editahead--draw ()
  "Show the prediction where it is, and a hint when that is out of sight."
  (let ((label (plist-get editahead--prediction :label))
        (window (get-buffer-window)))
    (pcase-dolist (`(,begin ,end ,text) editahead--edits)
      (editahead--overlay begin end 'face 'editahead-delete)
      (editahead--overlay end end 'after-string (propertize text 'face 'editahead-insert)))
    (when (or (null editahead--edits)
              (and window (not (pos-visible-in-window-p (caar editahead--edits) window))))
      (editahead--overlay (line-end-position) (line-end-position)
                          'after-string (propertize (format "  Tab: %s" label) 'face 'editahead-hint)))))

(defun editahead--take (result)
  "Show the best prediction of RESULT, or remember why there is none."
  (editahead--clear)
  (let ((silence (plist-get result :silence))
        (predictions (plist-get result :predictions)))
    (setq editahead--silence (plist-get silence :detail))
    (when (> (length predictions) 0)
      (setq editahead--prediction (aref predictions 0))
      (when (editahead--here-p)
        (setq editahead--edits
              (mapcar (lambda (edit)
                        (let ((range (plist-get edit :range)))
                          (list (copy-marker (editahead--point (plist-get range :start)))
                                (copy-marker (editahead--point (plist-get range :end)))
                                (plist-get edit :newText))))
                      (plist-get editahead--prediction :edits))))
      (editahead--draw)
      (editahead--outcome "shown"))))

(defun editahead--outcome (event)
  "Tell the server what became of the prediction: EVENT."
  (jsonrpc-notify (eglot--current-server-or-lose) :editahead/outcome
                  (list :id (plist-get editahead--prediction :id) :event event)))

(defun editahead--state ()
  "What an answer is for: the text and point."
  (list (buffer-chars-modified-tick) (point)))

(defun editahead-ask (trigger)
  "Ask for the next edit.
TRIGGER is \"typed\", \"cursor\", \"accepted\" or \"manual\"."
  (when-let ((server (eglot-current-server)))
    (let ((buffer (current-buffer)) (state (editahead--state)))
      (setq editahead--tick state)
      (eglot--signal-textDocument/didChange)
      (jsonrpc-async-request
       server :editahead/nextEdit
       (list :textDocument (eglot--VersionedTextDocumentIdentifier)
             :position (editahead--position)
             :context (list :trigger trigger))
       :deferred 'editahead-ask
       :success-fn (lambda (result)
                     (when (buffer-live-p buffer)
                       (with-current-buffer buffer
                         (when (and editahead-mode (equal state (editahead--state)))
                           (editahead--take result)))))
       :error-fn #'ignore))))

(defun editahead--soon ()
  "Hide what was shown for another text, and ask for the next edit."
  (let ((state (editahead--state)))
    (unless (equal state editahead--tick)
      (unless (equal (car state) (car editahead--tick))
        (editahead--clear))
      (when (timerp editahead--timer)
        (cancel-timer editahead--timer))
      (let ((buffer (current-buffer)) (trigger (if (equal (car state) (car editahead--tick)) "cursor" "typed")))
        (setq editahead--timer
              (run-with-idle-timer editahead-delay nil
                                   (lambda ()
                                     (when (and (buffer-live-p buffer) (eq buffer (current-buffer)))
                                       (editahead-ask trigger)))))))))

(defun editahead--go ()
  "Go to the prediction, in whatever file it is."
  (push-mark nil t)
  (if (editahead--here-p)
      (goto-char (if editahead--edits (caar editahead--edits)
                   (editahead--point (plist-get editahead--prediction :jump))))
    (let ((edit (plist-get editahead--prediction :edits))
          (jump (plist-get editahead--prediction :jump)))
      (find-file (editahead--path (plist-get (plist-get editahead--prediction :textDocument) :uri)))
      (goto-char (editahead--point (or jump (plist-get (plist-get (aref edit 0) :range) :start)))))))

(defun editahead-accept ()
  "Go to the prediction; there, make it."
  (interactive)
  (cond
   ((null editahead--prediction) (user-error "Editahead: %s" (or editahead--silence "nothing is shown")))
   ((editahead-elsewhere-p) (editahead--go))
   (t
    (let ((edits editahead--edits) (end nil))
      (editahead--outcome "accepted")
      (setq editahead--edits nil)
      (editahead--clear)
      (atomic-change-group
        (pcase-dolist (`(,from ,to ,text) (reverse edits))
          (goto-char from)
          (delete-region from to)
          (insert text)
          (setq end (or end (copy-marker (point) t)))))
      (goto-char end)
      (editahead-ask "accepted")))))

(defun editahead-reject ()
  "Refuse what is shown."
  (interactive)
  (when editahead--prediction
    (editahead--outcome "rejected")
    (editahead--clear)))

;;;###autoload
(defun editahead-apply (sketch)
  "Make the SKETCH of a change an edit: the region, or what was copied last.
The server says which part it cannot place; it changes nothing then."
  (interactive (list (if (use-region-p)
                         (buffer-substring-no-properties (region-beginning) (region-end))
                       (current-kill 0))))
  (eglot--signal-textDocument/didChange)
  (let ((argument (list :sketch (substring-no-properties sketch)
                        :uri (plist-get (eglot--TextDocumentIdentifier) :uri))))
    (condition-case refused
        (let ((result (jsonrpc-request (eglot--current-server-or-lose) :workspace/executeCommand
                                       (list :command "editahead.apply" :arguments (vector argument)))))
          (if (equal (plist-get result :method) "none")
              (message "Editahead: the sketch is there already")
            (message "Editahead: %d places" (length (plist-get result :hunks)))))
      (jsonrpc-error
       (user-error "Editahead: nothing was changed: %s" (alist-get 'jsonrpc-error-message (cddr refused)))))))

(defun editahead-why ()
  "Say why nothing is shown, or what is, and what else was weighed."
  (interactive)
  (let* ((why (jsonrpc-request (eglot--current-server-or-lose) :workspace/executeCommand
                               (list :command "editahead.why"
                                     :arguments (vector (plist-get (eglot--TextDocumentIdentifier) :uri)))))
         (silence (plist-get why :silence)))
    (message "Editahead: %s%s"
             (cond (silence (plist-get silence :detail))
                   ((seq-empty-p (plist-get why :candidates)) "nothing was predicted here yet")
                   (t "what was weighed:"))
             (mapconcat (lambda (one)
                          (format "\n  %.0f %%  %s (%s): %s" (* 100 (plist-get one :confidence)) (plist-get one :label)
                                  (plist-get one :source) (plist-get one :verdict)))
                        (plist-get why :candidates) ""))))

(defun editahead--indents-p ()
  "Whether Tab is for indenting: a region, or a blank line.
It is not where the prediction itself is."
  (or (use-region-p)
      (and (save-excursion (beginning-of-line) (looking-at-p "[ \t]*$"))
           (not (and editahead--edits (= (point) (caar editahead--edits)))))))

(defun editahead--when-shown (command)
  "A key binding for COMMAND that is there only while something is shown.
A list of completions, a region and indentation keep their keys."
  `(menu-item "" ,command
              :filter ,(lambda (command)
                         (and editahead--prediction
                              (not (bound-and-true-p completion-in-region-mode))
                              (not (editahead--indents-p))
                              command))))

(defvar editahead-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "TAB") (editahead--when-shown #'editahead-accept))
    (define-key map (kbd "<tab>") (editahead--when-shown #'editahead-accept))
    (define-key map (kbd "C-g") (editahead--when-shown #'editahead-reject))
    map)
  "Keys that are there while something is shown.")

;;;###autoload
(define-minor-mode editahead-mode
  "Show the predicted next edit in its place; Tab goes there, and makes it."
  :lighter editahead-lighter
  (if editahead-mode
      (add-hook 'post-command-hook #'editahead--soon nil t)
    (remove-hook 'post-command-hook #'editahead--soon t)
    (when (timerp editahead--timer)
      (cancel-timer editahead--timer))
    (editahead--clear)))

(provide 'editahead)
;;; editahead.el ends here
