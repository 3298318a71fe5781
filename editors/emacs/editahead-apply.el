;;; editahead-apply.el --- Apply a sketch of a change  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; `M-x editahead-apply' asks the server for the edit of a sketch.  While a
;; model writes the edit, its settled hunks are drawn; an edit that should be
;; read is drawn before it is made.  `editahead' loads this file.

;;; Code:

(require 'eglot)
(require 'subr-x)
(require 'editahead-changes)
(require 'editahead-eglot)

(cl-defstruct editahead--preview
  "The edit of a sketch before it is made, from the request on."
  server
  buffer ; in which the sketch is applied
  token ; of the progress and of the partial results
  hunks ; so far
  edit ; nil until the whole edit is there
  problems ; new ones, which the edit would bring
  typed ; non-nil after a change of the text: what comes by parts is of the text before
  overlays
  buffers) ; in which a change of the text ends the drawing

(defvar editahead--preview nil "The preview that is open, if any.")
(defvar editahead--preview-count 0 "How many previews there were.")

(defconst editahead--request-cancelled -32800 "The error code of a cancelled request.")
(defconst editahead--apply-timeout 300 "Seconds that a model may write.")

(defconst editahead--hunk-labels
  '(("rename" . "Renames") ("moved" . "Moves") ("import" . "Changes imports")
    ("comment" . "Changes comments") ("formatting" . "Changes the layout"))
  "What a hunk does, by its class.")

;; The request

;;;###autoload
(defun editahead-apply (sketch)
  "Apply a SKETCH of a change: the region, or the last copied text.
An edit that should be read is drawn first: \\<editahead-preview-mode-map>\
\\[editahead-preview-apply] applies it,
\\[editahead-preview-discard] or a change of the text discards it.  If the
sketch has several plausible readings, ask which is meant, and show the
diff of each.  If the server refuses the sketch, say why and change
nothing."
  (interactive (list (if (use-region-p)
                         (buffer-substring-no-properties (region-beginning) (region-end))
                       (current-kill 0))))
  (editahead--plan (list :sketch (substring-no-properties sketch)
                         :uri (plist-get (eglot--TextDocumentIdentifier) :uri))))

(defun editahead--plan (argument)
  "Request the edit for ARGUMENT of the command `editahead.apply'."
  (editahead-preview-discard)
  (eglot--signal-textDocument/didChange)
  (let* ((token (format "editahead-apply-%d" (cl-incf editahead--preview-count)))
         (preview (make-editahead--preview :server (eglot--current-server-or-lose)
                                           :buffer (current-buffer) :token token)))
    (setq editahead--preview preview)
    (editahead--watch preview (current-buffer))
    (editahead--record-changes (editahead--preview-server preview))
    (jsonrpc-async-request
     (editahead--preview-server preview) :workspace/executeCommand
     (list :command "editahead.apply"
           :arguments (vector (append argument
                                      (list :dryRun t :partialResultToken token :workDoneToken token))))
     :timeout editahead--apply-timeout
     :success-fn (lambda (result)
                   (when (eq preview editahead--preview)
                     (editahead--on-planned preview result (plist-member argument :choice))))
     :error-fn (lambda (problem)
                 (when (eq preview editahead--preview)
                   (editahead--close-preview)
                   (editahead--on-refusal (editahead--preview-buffer preview) argument problem)))
     :timeout-fn (lambda ()
                   (when (eq preview editahead--preview)
                     (editahead-preview-discard))))))

(defun editahead--on-refusal (buffer argument problem)
  "Show PROBLEM, or ask which reading of ARGUMENT is meant and apply it in BUFFER."
  (let* ((data (plist-get problem :data))
         (choices (and (listp data) (plist-get data :choices))))
    (cond
     ((equal (plist-get problem :code) editahead--request-cancelled))
     ((seq-empty-p choices) (message "Editahead: Nothing was changed: %s" (plist-get problem :message)))
     (t (run-at-time 0 nil ; no question while the answer is processed
                     (lambda ()
                       (when (buffer-live-p buffer)
                         (with-current-buffer buffer
                           (editahead--plan
                            (append argument (list :choice (editahead--pick-choice choices))))))))))))

(defun editahead--pick-choice (choices)
  "Ask which of CHOICES is meant, and return its id."
  (let* ((labels (seq-map-indexed
                  (lambda (choice index)
                    (format "%d: %s (line %d)" (1+ index) (plist-get choice :title)
                            (1+ (plist-get (seq-first (plist-get choice :places)) :line))))
                  choices))
         (buffer (get-buffer-create "*Editahead choices*")))
    (unwind-protect
        (progn
          (with-current-buffer buffer
            (erase-buffer)
            (seq-mapn (lambda (label choice) (insert label "\n" (plist-get choice :diff) "\n")) labels choices)
            (goto-char (point-min))
            (diff-mode))
          (display-buffer buffer)
          (let ((label (completing-read "Which change does the sketch mean? " labels nil t nil nil (car labels))))
            (plist-get (seq-elt choices (seq-position labels label)) :id)))
      (quit-windows-on buffer t))))

;; The answer

(cl-defmethod eglot-handle-notification :around
  (_server (_method (eql $/progress)) &key token value &allow-other-keys)
  "Draw the hunks in VALUE if TOKEN is that of the preview."
  (if (and editahead--preview
           (equal token (editahead--preview-token editahead--preview))
           (not (plist-get value :kind)))
      (editahead--on-hunks editahead--preview value)
    (cl-call-next-method)))

(defun editahead--on-hunks (preview partial)
  "Draw the hunks of the PARTIAL result in PREVIEW, once a model has written one.
Anything else comes at once, with the whole edit."
  (let ((kept (seq-remove (lambda (hunk) (equal (plist-get hunk :uri) (plist-get partial :withdrawn)))
                          (editahead--preview-hunks preview))))
    (setf (editahead--preview-hunks preview) (append kept (plist-get partial :hunks) nil))
    (unless (or (editahead--preview-typed preview) (editahead--preview-edit preview))
      (editahead--draw-preview
       preview
       (and (seq-some (lambda (hunk) (equal (plist-get hunk :origin) "model")) (editahead--preview-hunks preview))
            (editahead--preview-hunks preview))))))

(defun editahead--needs-reading-p (hunk)
  "Return non-nil if HUNK is more than mechanical, or is to be reviewed."
  (or (equal (plist-get hunk :class) "semantic")
      (equal (plist-get hunk :origin) "model")
      (not (seq-empty-p (plist-get hunk :flags)))))

(defun editahead--on-planned (preview result chosen)
  "Draw the edit in RESULT as PREVIEW.
Make it at once if nothing needs reading, or if it was CHOSEN by its diff."
  (pcase-let* ((`(,edit ,hunks ,moved)
                (editahead--move-along (plist-get result :edit) (append (plist-get result :hunks) nil)))
               (reading (seq-count #'editahead--needs-reading-p hunks)))
    (editahead--stop-recording)
    (setf (editahead--preview-hunks preview) hunks
          (editahead--preview-edit preview) edit)
    (cond
     ((equal (plist-get result :method) "none")
      (editahead--close-preview)
      (message "Editahead: The buffer already contains the sketch's changes"))
     ((null edit)
      (editahead--close-preview)
      (message "Editahead: Nothing was changed: the text has changed since.  Apply the sketch again"))
     ((or chosen (zerop reading))
      (editahead-preview-apply))
     (t
      (editahead--draw-preview preview hunks)
      (message "Editahead: %s, %d to read.  %s"
               (editahead--count hunks "change") reading
               (substitute-command-keys "\\<editahead-preview-mode-map>\
\\[editahead-preview-apply] applies, \\[editahead-preview-discard] discards"))
      (unless moved ; the lines of the problems would be those of the earlier text
        (editahead--find-problems preview (plist-get result :plan)))))))

(defun editahead--count (items noun)
  "Return the number of ITEMS with NOUN."
  (format "%d %s%s" (length items) noun (if (= (length items) 1) "" "s")))

(defun editahead--stale-p (edit)
  "Return non-nil if EDIT is of another version of a buffer."
  (seq-some (lambda (change)
              (let* ((document (plist-get change :textDocument))
                     (version (plist-get document :version))
                     (buffer (and version (find-buffer-visiting (editahead--path (plist-get document :uri))))))
                (and buffer (not (equal version (with-current-buffer buffer (editahead--version)))))))
            (plist-get edit :documentChanges)))

(defun editahead--find-problems (preview plan)
  "Request the new problems that PLAN would bring, and draw them in PREVIEW."
  (when plan
    (jsonrpc-async-request
     (editahead--preview-server preview) :workspace/executeCommand
     (list :command "editahead.applyProblems" :arguments (vector (list :plan plan)))
     :timeout editahead--apply-timeout
     :error-fn #'ignore
     :success-fn
     (lambda (result)
       (when-let ((problems (and (eq preview editahead--preview) (append (plist-get result :problems) nil))))
         (setf (editahead--preview-problems preview) problems)
         (editahead--draw-preview preview (editahead--preview-hunks preview))
         (message "Editahead: New problems:%s"
                  (mapconcat (lambda (problem)
                               (format "\n  %s:%s" (file-relative-name (editahead--path (plist-get problem :uri)))
                                       (editahead--problem-text problem)))
                             problems "")))))))

(defun editahead--problem-line (problem)
  "Return the 0-based line of PROBLEM."
  (plist-get (plist-get (plist-get problem :range) :start) :line))

(defun editahead--problem-text (problem)
  "Return the line and the message of PROBLEM."
  (format "%d: %s (%s)" (1+ (editahead--problem-line problem))
          (plist-get problem :message) (plist-get problem :source)))

;; The drawing

(defun editahead--hunk-buffer (hunk)
  "Return the buffer of HUNK, or nil if its file is new."
  (let ((path (editahead--path (plist-get hunk :uri))))
    (or (find-buffer-visiting path)
        (and (file-exists-p path) (find-file-noselect path t)))))

(defun editahead--draw-preview (preview hunks)
  "Draw HUNKS in PREVIEW, and nothing else."
  (editahead--undraw preview)
  (let ((shifts nil))
    (dolist (hunk hunks)
      (let* ((uri (plist-get hunk :uri))
             (range (plist-get hunk :range))
             (shift (alist-get uri shifts 0 nil #'equal))
             (first (plist-get (plist-get range :start) :line))
             (last (plist-get (plist-get range :end) :line))
             (lines (seq-count (lambda (char) (eq char ?\n)) (plist-get hunk :newText)))
             (problems (seq-filter (lambda (problem)
                                     (and (equal uri (plist-get problem :uri))
                                          (<= (+ first shift) (editahead--problem-line problem)
                                              (+ first shift lines))))
                                   (editahead--preview-problems preview))))
        (setf (alist-get uri shifts 0 nil #'equal) (+ shift lines (- first last)))
        (when-let ((buffer (editahead--hunk-buffer hunk)))
          (editahead--watch preview buffer)
          (with-current-buffer buffer
            (save-excursion
              (save-restriction
                (widen)
                (editahead--draw-hunk preview hunk problems)))))))))

(defun editahead--add-overlay (preview begin end &rest properties)
  "Add an overlay from BEGIN to END with PROPERTIES to PREVIEW."
  (let ((overlay (make-overlay begin end)))
    (while properties
      (overlay-put overlay (pop properties) (pop properties)))
    (push overlay (editahead--preview-overlays preview))))

(defun editahead--draw-hunk (preview hunk problems)
  "Draw HUNK of PREVIEW in the current buffer, with the PROBLEMS in its new text.
What is mechanical is dimmed."
  (let* ((range (plist-get hunk :range))
         (begin (editahead--point (plist-get range :start)))
         (end (editahead--point (plist-get range :end)))
         (text (editahead--buffer-text (plist-get hunk :newText)))
         (reading (editahead--needs-reading-p hunk))
         (new (propertize text 'face (if reading 'editahead-insert 'editahead-context)))
         (what (alist-get (plist-get hunk :class) editahead--hunk-labels "Changes what the code does" nil #'equal))
         (label (propertize (format "  %s" (string-join (cons (concat what ".") (append (plist-get hunk :flags) nil)) " "))
                            'face (if reading 'editahead-hint 'editahead-context)))
         (found (mapcar (lambda (problem) (propertize (concat "line " (editahead--problem-text problem)) 'face 'warning))
                        problems)))
    (editahead--add-overlay preview begin end 'face
                            (if reading 'editahead-delete '(editahead-context (:strike-through t))))
    (if (string-suffix-p "\n" text)
        (let ((stop (string-search "\n" new)))
          (editahead--add-overlay
           preview end end 'after-string
           (concat (substring new 0 stop) label (substring new stop)
                   (mapconcat (lambda (line) (concat line "\n")) found ""))))
      (editahead--add-overlay preview end end 'after-string new)
      (goto-char (if (string-empty-p text) begin end))
      (editahead--add-overlay preview (line-end-position) (line-end-position) 'after-string
                              (concat label (mapconcat (lambda (line) (concat "\n" line)) found ""))))))

;; The end

(defun editahead--watch (preview buffer)
  "Let the keys of PREVIEW work in BUFFER.
A change of the text there ends the drawing."
  (unless (memq buffer (editahead--preview-buffers preview))
    (push buffer (editahead--preview-buffers preview))
    (with-current-buffer buffer
      (editahead-preview-mode 1))))

(defun editahead--undraw (preview)
  "Delete the overlays of PREVIEW."
  (mapc #'delete-overlay (editahead--preview-overlays preview))
  (setf (editahead--preview-overlays preview) nil))

(defun editahead--close-preview (&rest _)
  "Draw the preview no more, and forget it."
  (when-let ((preview editahead--preview))
    (setq editahead--preview nil)
    (editahead--stop-recording)
    (editahead--undraw preview)
    (dolist (buffer (editahead--preview-buffers preview))
      (when (buffer-live-p buffer)
        (with-current-buffer buffer
          (editahead-preview-mode -1))))))

(defun editahead--on-preview-change (&rest _)
  "End the drawing after a change of the text.
While the edit comes, it moves along: the server learns of the change at once."
  (when-let ((preview editahead--preview))
    (cond
     ((editahead--preview-edit preview)
      (editahead--close-preview)
      (message "Editahead: Nothing was changed: the text has changed since the preview.  Apply the sketch again"))
     (t
      (setf (editahead--preview-typed preview) t)
      (editahead--undraw preview)
      (run-at-time 0 nil (lambda (buffer)
                           (when (buffer-live-p buffer)
                             (with-current-buffer buffer
                               (eglot--signal-textDocument/didChange))))
                   (current-buffer))))))

(defun editahead--with-buffer-text (edit)
  "Return the workspace EDIT with new texts as buffers have them.
What the server has read from a file may have other line ends."
  (let ((changes (seq-map
                  (lambda (change)
                    (if-let ((edits (plist-get change :edits)))
                        (plist-put (copy-sequence change) :edits
                                   (vconcat (seq-map (lambda (one)
                                                       (plist-put (copy-sequence one) :newText
                                                                  (editahead--buffer-text (plist-get one :newText))))
                                                     edits)))
                      change))
                  (plist-get edit :documentChanges))))
    (plist-put (copy-sequence edit) :documentChanges (vconcat changes))))

(defun editahead-preview-apply ()
  "Make the edit in the preview."
  (interactive)
  (let* ((preview (or editahead--preview (user-error "Editahead: There is no preview")))
         (edit (or (editahead--preview-edit preview) (user-error "Editahead: The edit is not there yet")))
         (hunks (editahead--preview-hunks preview)))
    (editahead--close-preview)
    (mapc #'editahead--hunk-buffer hunks) ; Eglot asks before it changes a file without a buffer
    (with-current-buffer (editahead--preview-buffer preview)
      (with-suppressed-warnings ((free-vars eglot-confirm-server-edits))
        (dlet ((eglot-confirm-server-edits nil))
          (eglot--apply-workspace-edit (editahead--with-buffer-text edit) nil))))
    (message "Editahead: Applied the sketch in %s" (editahead--count hunks "place"))))

(defun editahead-preview-discard ()
  "Discard the preview, and cancel its request."
  (interactive)
  (when-let ((preview editahead--preview))
    (editahead--close-preview)
    (unless (editahead--preview-edit preview)
      (jsonrpc-notify (editahead--preview-server preview) :window/workDoneProgress/cancel
                      (list :token (editahead--preview-token preview))))
    (message "Editahead: Nothing was changed")))

(defvar editahead-preview-mode-map
  (let ((map (make-sparse-keymap))
        (apply-ready `(menu-item "" editahead-preview-apply
                                 :filter ,(lambda (command)
                                            (and editahead--preview (editahead--preview-edit editahead--preview)
                                                 command)))))
    (define-key map (kbd "TAB") apply-ready)
    (define-key map (kbd "<tab>") apply-ready)
    (define-key map (kbd "C-g") #'editahead-preview-discard)
    map)
  "Keys while the edit of a sketch comes or is drawn.")

(define-minor-mode editahead-preview-mode
  "Keys for the edit of a sketch that comes or is drawn in this buffer.
\\{editahead-preview-mode-map}"
  :interactive nil
  (pcase-dolist (`(,hook . ,function) '((after-change-functions . editahead--on-preview-change)
                                        (kill-buffer-hook . editahead-preview-discard)
                                        (eglot-managed-mode-hook . editahead--close-preview)))
    (if editahead-preview-mode
        (add-hook hook function nil t)
      (remove-hook hook function t))))

(provide 'editahead-apply)
;;; editahead-apply.el ends here
