;;; editahead.el --- Show the predicted next edit in place  -*- lexical-binding: t -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1") (eglot "1.9"))
;; Keywords: convenience, languages, tools
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; The server `editahead lsp' predicts your next edit.  This package shows
;; the edit in place, together with Eglot:
;;
;;   (require 'editahead)
;;   (add-to-list 'eglot-server-programs '(python-mode . ("editahead" "lsp")))
;;   (add-hook 'python-mode-hook #'eglot-ensure)
;;   (add-hook 'eglot-managed-mode-hook #'editahead-mode)
;;
;; Tab accepts the prediction, C-g rejects it.  Where it is out of sight, the
;; first Tab shows its code; with `editahead-jump-first', the first Tab goes to
;; each prediction that is not on the line of point.  M-RET draws all edits of
;; its kind, in all files: Tab then makes them, C-g discards them.
;; M-<right> accepts a word of it, C-M-<right> a line (with a prefix, so many),
;; M-n and M-p show the other predictions.
;; While nothing is shown, all keys keep their meaning.
;; `M-x editahead-apply' applies a sketch of a change.  An edit that should be
;; read is drawn first: Tab applies it, C-g discards it.
;; `M-x editahead-finish' lists what your change still lacks elsewhere.
;; `M-x editahead-toggle' turns the predictions off, in later sessions too;
;; `M-x editahead-snooze' does for some minutes; `M-x editahead-show' shows one.
;; `M-x editahead-restore' brings back the edit that was rejected last.
;; `M-x editahead-why' explains why a prediction is shown or not.
;; `M-x editahead-missed' and `M-x editahead-wrong' report an edit that you expected, or that was wrong.

;;; Code:

(require 'eglot)
(require 'subr-x)
(require 'editahead-all)
(require 'editahead-apply)
(require 'editahead-eglot)
(require 'editahead-evidence)
(require 'editahead-left)
(require 'editahead-parts)

(defgroup editahead nil
  "Show the predicted next edit in place."
  :group 'tools
  :prefix "editahead-")

(defcustom editahead-program "editahead"
  "The program of the server, which `editahead-use-model' runs."
  :type 'string)

(defcustom editahead-delay 0.1
  "Idle time before a request for the next edit, in seconds."
  :type 'number)

(defcustom editahead-pause 0.3
  "Time without a key after which the edit at point counts as finished, in seconds."
  :type 'number)

(defcustom editahead-display 'full
  "How a prediction is shown.
`full': the whole edit.  `subtle': only a mark at its line, until Tab."
  :type '(choice (const full) (const subtle)))

(defcustom editahead-jump-first nil
  "Whether Tab goes to a prediction elsewhere before it accepts it."
  :type 'boolean)

(defcustom editahead-in-comments t
  "Whether predictions are shown while point is in a comment."
  :type 'boolean)

(defcustom editahead-inhibit-functions nil
  "Functions without arguments; while one returns non-nil, nothing is shown.
For example `evil-normal-state-p'."
  :type '(repeat function))

(defcustom editahead-off-file (locate-user-emacs-file "editahead-off")
  "File that exists while `editahead-toggle' has the predictions off."
  :type 'file)

(defcustom editahead-lighter " Editahead"
  "Mode line text of `editahead-mode'."
  :type 'string)

(defface editahead-insert '((t :inherit diff-added)) "Face for inserted text.")
(defface editahead-delete '((t :inherit diff-removed :strike-through t)) "Face for deleted text.")
(defface editahead-hint '((t :inherit shadow)) "Face for the hint of an edit outside the window.")
(defface editahead-context '((t :inherit shadow)) "Face for what an edit changes without changing what the code does.")

(defvar editahead-mode)
(defvar-local editahead--prediction nil "The shown prediction, as in the server's response.")
(defvar-local editahead--predictions nil "The predictions of the last response, best first.")
(defvar-local editahead--silence nil "The reason for no prediction, a sentence.")
(defvar-local editahead--edits nil
  "Edits of the prediction, in order: lists (BEGIN END TEXT).
BEGIN and END are markers.")
(defvar-local editahead--overlays nil "Overlays of the prediction.")
(defvar-local editahead--requested-state nil "Buffer state of the last request.")
(defvar-local editahead--requested-trigger nil "Trigger of the last request.")
(defvar-local editahead--revealed-id nil "Id of the prediction that `editahead-reveal' showed.")
(defvar-local editahead--previewed-id nil "Id of the prediction out of sight whose code is shown.")
(defvar editahead--accepted-there nil
  "The prediction that is accepted in the buffer that was opened for it.
A cons of its id and the time until when.")
(defvar editahead--off nil "Non-nil while the predictions are off.")
(defvar editahead--snooze nil "Timer that ends the snooze.")
(defvar-local editahead--timer nil "Timer of the next request.")

;; Whether predictions are wanted

(defun editahead-active-p ()
  "Return non-nil unless predictions are off, snoozed or inhibited here."
  (not (or editahead--snooze
           editahead--off
           editahead--preview
           (and (not editahead-in-comments) (nth 4 (syntax-ppss)))
           (run-hook-with-args-until-success 'editahead-inhibit-functions))))

(defun editahead--refresh ()
  "Clear or request predictions in the current buffer."
  (when editahead-mode
    (editahead--clear)
    (setq editahead--requested-state nil)
    (editahead--schedule-request)))

(add-hook 'editahead-preview-mode-hook #'editahead--refresh)

(defun editahead--end-snooze ()
  "End the snooze."
  (when (timerp editahead--snooze)
    (cancel-timer editahead--snooze))
  (setq editahead--snooze nil))

(defun editahead-snooze (minutes)
  "Show nothing for MINUTES, by default 10."
  (interactive (list (if current-prefix-arg (prefix-numeric-value current-prefix-arg) 10)))
  (editahead--end-snooze)
  (setq editahead--snooze
        (run-at-time (* 60 minutes) nil
                     (lambda () (setq editahead--snooze nil) (editahead--refresh))))
  (editahead--refresh)
  (message "Editahead is off for %s minutes" minutes))

(defun editahead-toggle ()
  "Turn the predictions off or on, in later sessions too.  A snooze ends."
  (interactive)
  (setq editahead--off (not (or editahead--off editahead--snooze)))
  (editahead--end-snooze)
  (if editahead--off
      (write-region "" nil editahead-off-file nil 'silent)
    (delete-file editahead-off-file))
  (editahead--refresh)
  (message "Editahead is %s" (if editahead--off "off" "on")))

(defun editahead--clear ()
  "Delete the prediction and its overlays."
  (mapc #'delete-overlay editahead--overlays)
  (pcase-dolist (`(,begin ,end ,_) editahead--edits)
    (set-marker begin nil)
    (set-marker end nil))
  (setq editahead--overlays nil editahead--edits nil editahead--prediction nil))

(defun editahead--here-p ()
  "Return non-nil if the prediction is for the current buffer."
  (equal (plist-get (plist-get editahead--prediction :textDocument) :uri)
         (plist-get (eglot--TextDocumentIdentifier) :uri)))

(defun editahead-elsewhere-p ()
  "Return non-nil if point is not on a line of the edits."
  (or (null editahead--edits)
      (< (line-end-position) (caar editahead--edits))
      (> (line-beginning-position) (cadar (last editahead--edits)))))

(defun editahead--in-sight-p ()
  "Return non-nil if the first edit is visible."
  (when (and editahead--edits (not (invisible-p (caar editahead--edits))))
    (let ((window (get-buffer-window)))
      (or (null window)
          (<= (window-start window) (caar editahead--edits) (window-end window t))))))

(defun editahead--code ()
  "Return the first line of the prediction, old and new, with its place.
Nil unless Tab has asked for it."
  (let ((preview (plist-get editahead--prediction :preview))
        (uri (plist-get (plist-get editahead--prediction :textDocument) :uri)))
    (when (and preview (equal editahead--previewed-id (plist-get editahead--prediction :id)))
      (format "%s:%d  %s  %s%s" (file-relative-name (editahead--path uri))
              (1+ (plist-get (plist-get editahead--prediction :jump) :line))
              (propertize (plist-get preview :old) 'face 'editahead-delete)
              (propertize (plist-get preview :new) 'face 'editahead-insert)
              (if (plist-get preview :more) (format "  %d more lines" (plist-get preview :more)) "")))))

(defun editahead--overlay (begin end &rest properties)
  "Add an overlay from BEGIN to END with PROPERTIES."
  (let ((overlay (make-overlay begin end)))
    (while properties
      (overlay-put overlay (pop properties) (pop properties)))
    (push overlay editahead--overlays)))

(defun editahead--subtle-p ()
  "Return non-nil if only the mark of the prediction is shown."
  (and (eq editahead-display 'subtle)
       editahead--prediction
       (not (equal editahead--revealed-id (plist-get editahead--prediction :id)))))

(defun editahead-reveal ()
  "Show all of a prediction of which only the mark is shown."
  (interactive)
  (when (editahead--subtle-p)
    (setq editahead--revealed-id (plist-get editahead--prediction :id))
    (mapc #'delete-overlay editahead--overlays)
    (setq editahead--overlays nil)
    (editahead--draw)
    (editahead--report-outcome "shown")))

(defun editahead--draw ()
  "Draw the prediction, or only its mark."
  (if (editahead--subtle-p)
      (save-excursion
        (when editahead--edits (goto-char (caar editahead--edits)))
        (editahead--overlay (line-end-position) (line-end-position)
                            'after-string (propertize " »" 'face 'editahead-hint)))
    (editahead--draw-edits)))

(defun editahead--label ()
  "Return what the prediction does; in another file, with its place too."
  (let* ((label (plist-get editahead--prediction :label))
         (uri (plist-get (plist-get editahead--prediction :textDocument) :uri))
         (jump (plist-get editahead--prediction :jump))
         (preview (plist-get editahead--prediction :preview)))
    (if (editahead--here-p)
        label
      (format "%s%s  %s%s"
              (file-relative-name (editahead--path uri))
              (if jump (format ":%d" (1+ (plist-get jump :line))) "")
              label
              (if preview (concat "  " (plist-get preview :new)) "")))))

(defun editahead--draw-edits ()
  "Draw the prediction, and a hint if its place is outside the window."
  (let ((label (editahead--label)))
    (pcase-dolist (`(,begin ,end ,text) editahead--edits)
      (editahead--overlay begin end 'face 'editahead-delete)
      (editahead--overlay end end 'after-string (propertize text 'face 'editahead-insert)))
    (unless (editahead--in-sight-p)
      (editahead--overlay (line-end-position) (line-end-position)
                          'after-string (concat (propertize "  Tab: " 'face 'editahead-hint)
                                                (or (editahead--code) (propertize label 'face 'editahead-hint)))))))

(defun editahead--handle-response (result)
  "Show the best prediction of RESULT, or record the reason for none."
  (editahead--clear)
  (let ((silence (plist-get result :silence))
        (predictions (plist-get result :predictions)))
    (setq editahead--silence (plist-get silence :detail))
    (setq editahead--predictions (append predictions nil))
    (when editahead--predictions
      (editahead--show (car editahead--predictions))
      (editahead--accept-there))))

(defun editahead--accept-there ()
  "Accept the prediction if this buffer was opened for it."
  (when (and (equal (plist-get editahead--prediction :id) (car editahead--accepted-there))
             (not (editahead-elsewhere-p)))
    (let ((in-time (time-less-p nil (cdr editahead--accepted-there))))
      (setq editahead--accepted-there nil)
      (when (and in-time (not buffer-read-only))
        (editahead--make)))))

(defun editahead--show (prediction)
  "Show PREDICTION, or only its mark."
  (setq editahead--prediction prediction)
  (when (editahead--here-p)
    (setq editahead--edits
          (mapcar (lambda (edit)
                    (let ((range (plist-get edit :range)))
                      (list (copy-marker (editahead--point (plist-get range :start)))
                            (copy-marker (editahead--point (plist-get range :end)))
                            (plist-get edit :newText))))
                  (plist-get editahead--prediction :edits))))
  (editahead--draw)
  (unless (editahead--subtle-p)
    (editahead--report-outcome "shown")))

(defun editahead--report-outcome (event &rest details)
  "Report the outcome EVENT of the prediction to the server, with DETAILS."
  (jsonrpc-notify (eglot--current-server-or-lose) :editahead/outcome
                  (append (list :id (plist-get editahead--prediction :id) :event event) details)))

(defun editahead--state ()
  "Return the state that a prediction depends on: text and point."
  (list (buffer-chars-modified-tick) (point)))

(defun editahead-ask (trigger)
  "Request a prediction.
TRIGGER is \"typed\", \"cursor\", \"paused\", \"accepted\" or \"manual\"."
  (when-let ((server (and (or (editahead-active-p) (member trigger '("accepted" "manual")))
                          (eglot-current-server))))
    (let ((buffer (current-buffer)) (state (editahead--state)))
      (setq editahead--requested-state state
            editahead--requested-trigger trigger)
      (eglot--signal-textDocument/didChange)
      (jsonrpc-async-request
       server :editahead/nextEdit
       (list :textDocument (eglot--VersionedTextDocumentIdentifier)
             :position (editahead--position)
             :context (list :trigger trigger :opensFiles t :refreshes t
                            :evidence (if editahead-evidence t :json-false)))
       :deferred 'editahead-ask
       :success-fn (lambda (result)
                     (when (buffer-live-p buffer)
                       (with-current-buffer buffer
                         (when (and editahead-mode (equal state (editahead--state)))
                           (editahead--handle-response result)
                           (when (and (equal trigger "manual") (not editahead--prediction))
                             (message "Editahead: %s" editahead--silence))
                           (when (and (equal trigger "typed") (not editahead--prediction))
                             (editahead--ask-in-pause state))))))
       :error-fn #'ignore))))

(defun editahead-show ()
  "Show the next edit, also while predictions are off or snoozed."
  (interactive)
  (editahead-ask "manual"))

(defun editahead--ask-in-pause (state)
  "Request a prediction after `editahead-pause', if STATE is still the same then."
  (let ((buffer (current-buffer)))
    (when (timerp editahead--timer)
      (cancel-timer editahead--timer))
    (setq editahead--timer
          (run-with-timer editahead-pause nil
                          (lambda ()
                            (when (and (buffer-live-p buffer) (eq buffer (current-buffer))
                                       (equal state (editahead--state)))
                              (editahead-ask "paused")))))))

(cl-defmethod eglot-handle-notification
  (_server (_method (eql editahead/nextEdit/refresh)) &key textDocument &allow-other-keys)
  "Request a prediction again: TEXTDOCUMENT has a better answer than the last one."
  (when-let ((buffer (find-buffer-visiting (editahead--path (plist-get textDocument :uri)))))
    (when (eq buffer (window-buffer))
      (with-current-buffer buffer
        (when (and editahead-mode (equal editahead--requested-state (editahead--state)))
          (editahead-ask (if (equal editahead--requested-trigger "paused") "paused" "cursor")))))))

(defun editahead--schedule-request ()
  "Clear an outdated prediction, and request another after `editahead-delay'."
  (let ((state (editahead--state)))
    (unless (or (equal state editahead--requested-state)
                (not (or editahead--prediction (editahead-active-p))))
      (unless (equal (car state) (car editahead--requested-state))
        (editahead--clear))
      (when (timerp editahead--timer)
        (cancel-timer editahead--timer))
      (let ((buffer (current-buffer)) (trigger (if (equal (car state) (car editahead--requested-state)) "cursor" "typed")))
        (setq editahead--timer
              (run-with-idle-timer editahead-delay nil
                                   (lambda ()
                                     (when (and (buffer-live-p buffer) (eq buffer (current-buffer)))
                                       (editahead-ask trigger)))))))))

(defun editahead--go ()
  "Go to the prediction, in the current buffer or another file."
  (push-mark nil t)
  (if (editahead--here-p)
      (goto-char (if editahead--edits (caar editahead--edits)
                   (editahead--point (plist-get editahead--prediction :jump))))
    (let ((edit (plist-get editahead--prediction :edits))
          (jump (plist-get editahead--prediction :jump)))
      (find-file (editahead--path (plist-get (plist-get editahead--prediction :textDocument) :uri)))
      (goto-char (editahead--point (or jump (plist-get (plist-get (aref edit 0) :range) :start)))))))

(defun editahead--show-code ()
  "Show the code of a prediction that is out of sight."
  (setq editahead--previewed-id (plist-get editahead--prediction :id))
  (mapc #'delete-overlay editahead--overlays)
  (setq editahead--overlays nil)
  (editahead--draw))

(defun editahead-accept ()
  "Accept the prediction.
Where it is out of sight, show its code first, and the second time accept it
there.  With `editahead-jump-first', go there first."
  (interactive)
  (cond
   ((null editahead--prediction) (user-error "Editahead: %s" (or editahead--silence "No prediction is shown")))
   ((editahead--subtle-p) (editahead-reveal))
   ((not (editahead-elsewhere-p)) (editahead--make))
   ((or editahead-jump-first (seq-empty-p (plist-get editahead--prediction :edits))) (editahead--go))
   ((editahead--in-sight-p) (push-mark nil t) (editahead--make))
   ((and (plist-get editahead--prediction :preview)
         (not (equal editahead--previewed-id (plist-get editahead--prediction :id))))
    (editahead--show-code))
   ((editahead--here-p) (push-mark nil t) (editahead--make))
   (t
    (setq editahead--accepted-there (cons (plist-get editahead--prediction :id) (time-add nil 3)))
    (editahead--go))))

(defun editahead--make ()
  "Make the edits of the prediction, and leave point behind them."
  (barf-if-buffer-read-only)
  (let ((edits editahead--edits) (end nil))
    (editahead--report-outcome "accepted")
    (setq editahead--edits nil)
    (editahead--clear)
    (atomic-change-group
      (pcase-dolist (`(,from ,to ,text) (reverse edits))
        (goto-char from)
        (delete-region from to)
        (insert text)
        (setq end (or end (copy-marker (point) t)))))
    (goto-char end)
    (editahead-ask "accepted")))

(defun editahead-reject ()
  "Reject the shown prediction."
  (interactive)
  (when editahead--prediction
    (editahead--report-outcome "rejected")
    (editahead--clear)))

(defun editahead-restore ()
  "Bring back the edit that was rejected last."
  (interactive)
  (let ((result (jsonrpc-request (eglot--current-server-or-lose) :workspace/executeCommand
                                 '(:command "editahead.restore" :arguments []))))
    (if (eq (plist-get result :restored) t)
        (editahead-ask "manual")
      (message "Editahead: No rejected edit can be brought back"))))

;;;###autoload
(defun editahead-use-model ()
  "Set up Editahead's own model for this machine.
Download 0.5 GB, and take 0.6 GB of disk and 0.7 GB of memory.  Killing the
compilation cancels; the next time goes on with what has come.
Afterwards, \\[eglot-reconnect] starts the server with the model."
  (interactive)
  (let ((default-directory (file-name-directory (locate-library "editahead"))))
    (compilation-start (concat (shell-quote-argument editahead-program) " models use editahead-coder --install")
                       nil (lambda (_mode) "*Editahead model*"))))

(defun editahead--verdict (candidate)
  "Return the verdict on CANDIDATE in words."
  (let ((verdict (plist-get candidate :verdict))
        (threshold (plist-get candidate :threshold)))
    (if (and threshold (equal verdict "below-threshold"))
        (format "needs more than %.0f %%" (* 100 threshold))
      (string-replace "-" " " verdict))))

(defun editahead-why ()
  "Show the candidates of the last prediction and their verdicts."
  (interactive)
  (let* ((why (jsonrpc-request (eglot--current-server-or-lose) :workspace/executeCommand
                               (list :command "editahead.why"
                                     :arguments (vector (plist-get (eglot--TextDocumentIdentifier) :uri)))))
         (silence (plist-get why :silence)))
    (message "Editahead: %s%s"
             (cond (silence (plist-get silence :detail))
                   ((seq-empty-p (plist-get why :candidates)) "No prediction here yet.  Change something first")
                   (t "Candidates:"))
             (mapconcat (lambda (candidate)
                          (format "\n  %.0f %%  %s (%s): %s" (* 100 (plist-get candidate :confidence))
                                  (plist-get candidate :label) (plist-get candidate :source)
                                  (editahead--verdict candidate)))
                        (plist-get why :candidates) ""))))

(defun editahead--report (kind)
  "Let the server write a scenario file of the last minute, of KIND."
  (let ((result (jsonrpc-request (eglot--current-server-or-lose) :workspace/executeCommand
                                 (list :command "editahead.report" :arguments (vector kind)))))
    (message "Editahead: %s" (or (plist-get result :file) (plist-get result :reason)))))

(defun editahead-missed ()
  "Report that the edit that was made last should have been predicted."
  (interactive)
  (eglot--signal-textDocument/didChange)
  (editahead--report "missed"))

(defun editahead-wrong ()
  "Report that what was shown last was wrong, and reject it."
  (interactive)
  (editahead--report "wrong")
  (editahead-reject))

(defun editahead--indents-p ()
  "Return non-nil where Tab is for indentation: a region or a blank line.
At the prediction itself, Tab accepts instead."
  (or (use-region-p)
      (and (save-excursion (beginning-of-line) (looking-at-p "[ \t]*$"))
           (not (and editahead--edits (= (point) (caar editahead--edits)))))))

(defun editahead--when-shown (command)
  "Return a key binding for COMMAND that is active while a prediction is shown.
Completions, a region and indentation keep their keys."
  `(menu-item "" ,command
              :filter ,(lambda (command)
                         (and editahead--prediction
                              (not (bound-and-true-p completion-in-region-mode))
                              (not (editahead--indents-p))
                              command))))

(defun editahead--when-alternatives (command)
  "Return a key binding for COMMAND while the prediction has alternatives."
  `(menu-item "" ,command :filter ,(lambda (command) (and (editahead--alternatives-p) command))))

(defvar editahead-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "TAB") (editahead--when-shown #'editahead-accept))
    (define-key map (kbd "<tab>") (editahead--when-shown #'editahead-accept))
    (define-key map (kbd "M-RET") (editahead--when-shown #'editahead-accept-all))
    (define-key map (kbd "C-g") (editahead--when-shown #'editahead-reject))
    (define-key map (kbd "M-<right>") (editahead--when-shown #'editahead-accept-word))
    (define-key map (kbd "C-M-<right>") (editahead--when-shown #'editahead-accept-line))
    (define-key map (kbd "M-n") (editahead--when-alternatives #'editahead-next))
    (define-key map (kbd "M-p") (editahead--when-alternatives #'editahead-previous))
    map)
  "Keys that are active while a prediction is shown.")

;;;###autoload
(define-minor-mode editahead-mode
  "Show the predicted next edit in place; Tab accepts it."
  :lighter editahead-lighter
  (if editahead-mode
      (progn
        (setq editahead--off (file-exists-p editahead-off-file)
              editahead--revealed-id nil
              editahead--previewed-id nil) ; another server counts from 1 again
        (add-hook 'post-command-hook #'editahead--schedule-request nil t)
        (add-hook 'post-command-hook #'editahead--report-copy nil t))
    (remove-hook 'post-command-hook #'editahead--schedule-request t)
    (remove-hook 'post-command-hook #'editahead--report-copy t)
    (when (timerp editahead--timer)
      (cancel-timer editahead--timer))
    (editahead--clear)))

(provide 'editahead)
;;; editahead.el ends here
