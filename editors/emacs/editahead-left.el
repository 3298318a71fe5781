;;; editahead-left.el --- List what a change still lacks  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; `M-x editahead-finish' lists the places that the change of the working
;; tree still lacks.  `editahead' loads this file.

;;; Code:

(require 'eglot)
(require 'editahead-eglot)

(defvar editahead-left-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'editahead-left-visit)
    (define-key map (kbd "m") #'editahead-left-make)
    (define-key map (kbd "!") #'editahead-left-make-all)
    (define-key map (kbd "n") #'editahead-left-next)
    (define-key map (kbd "p") #'editahead-left-previous)
    map)
  "Keys in the list of places that a change still lacks.")

(define-derived-mode editahead-left-mode special-mode "Left"
  "The places that a change still lacks.
\\{editahead-left-mode-map}")

;;;###autoload
(defun editahead-finish ()
  "List the places that the change of the working tree still lacks.
Unsaved buffers count.  Nothing is changed before you ask for it in
the list, for one place or for all."
  (interactive)
  (eglot--signal-textDocument/didChange)
  (message "Editahead: Looking for what is left...")
  (jsonrpc-async-request
   (eglot--current-server-or-lose) :workspace/executeCommand
   (list :command "editahead.finish"
         :arguments (vector (list :uri (plist-get (eglot--TextDocumentIdentifier) :uri))))
   :timeout 300
   :success-fn #'editahead--list-left
   :error-fn (lambda (problem) (message "Editahead: %s" (plist-get problem :message)))))

(defun editahead--list-left (result)
  "Show the places of RESULT in a buffer."
  (let ((places (append (plist-get result :places) nil))
        (uses (append (plist-get result :uses) nil)))
    (if (eq (plist-get result :complete) t)
        (message "Editahead: The change is complete, as far as %d rules tell"
                 (plist-get (plist-get result :looked) :rules))
      (let ((lines (mapcar (lambda (place) (editahead--left-text place (plist-get result :rules))) places)))
        (with-current-buffer (get-buffer-create "*Editahead left*")
          (let ((inhibit-read-only t))
            (erase-buffer)
            (editahead-left-mode)
            (apply #'insert lines)
            (mapc #'editahead--insert-use uses)
            (goto-char (point-min)))
          (display-buffer (current-buffer))
          (message "Editahead: %d left, %d to look at.  In the list, m makes one and ! makes all"
                   (length places) (length uses)))))))

(defun editahead--insert-use (use)
  "Insert the lines that show USE, for which there is no edit."
  (let* ((path (editahead--path (plist-get use :uri)))
         (line (plist-get (plist-get (plist-get use :range) :start) :line)))
    (insert (propertize
             (format "%s:%d: Look at this: %s\n    %s\n" (file-relative-name path) (1+ line)
                     (plist-get use :why) (string-trim (plist-get use :text)))
             'editahead-marker (editahead--line-marker path line)))))

(defun editahead--line-marker (path line)
  "Return a marker at the start of the 0-based LINE of the file at PATH."
  (with-current-buffer (find-file-noselect path)
    (save-restriction
      (widen)
      (save-excursion
        (goto-char (point-min))
        (forward-line line)
        (copy-marker (point) t)))))

(defun editahead--left-text (place rules)
  "Return the lines that show PLACE, with a marker where it is.
RULES are those of the result."
  (let* ((path (editahead--path (plist-get place :uri)))
         (rule (seq-find (lambda (rule) (equal (plist-get rule :id) (plist-get place :rule))) rules))
         (line (plist-get (plist-get (plist-get place :range) :start) :line))
         (marker (editahead--line-marker path line)))
    (propertize
     (format "%s:%d: %.0f%% %s\n%s%s    %s\n" (file-relative-name path) (1+ line)
             (* 100 (plist-get place :confidence)) (plist-get rule :label)
             (editahead--prefix-lines "  - " (plist-get place :old))
             (editahead--prefix-lines "  + " (plist-get place :new))
             (plist-get place :why))
     'editahead-place place 'editahead-marker marker)))

(defun editahead--prefix-lines (prefix text)
  "Return the lines of TEXT, each after PREFIX."
  (mapconcat (lambda (line) (concat prefix line "\n")) (split-string text "\r?\n" t) ""))

(defun editahead-left-visit ()
  "Go to the place at point."
  (interactive)
  (let ((marker (or (get-text-property (point) 'editahead-marker) (user-error "There is no place here"))))
    (pop-to-buffer (marker-buffer marker))
    (goto-char marker)))

(defun editahead-left-next ()
  "Go to the next place of the list."
  (interactive)
  (goto-char (next-single-property-change (point) 'editahead-place nil (point-max))))

(defun editahead-left-previous ()
  "Go to the previous place of the list."
  (interactive)
  (goto-char (previous-single-property-change (point) 'editahead-place nil (point-min))))

(defun editahead-left-make ()
  "Make the place at point.  The buffer stays unsaved."
  (interactive)
  (unless (get-text-property (point) 'editahead-place)
    (user-error "There is no place here"))
  (unless (editahead--make-left)
    (user-error "Editahead: The place was edited meanwhile, and is left alone")))

(defun editahead-left-make-all ()
  "Make all places of the list.  The buffers stay unsaved."
  (interactive)
  (goto-char (point-min))
  (let ((made 0) (stale 0))
    (while (get-text-property (point) 'editahead-place)
      (if (editahead--make-left)
          (setq made (1+ made))
        (setq stale (1+ stale))
        (editahead-left-next)))
    (message "Editahead: Made %d%s" made
             (if (zerop stale) "" (format ", and left %d alone that were edited meanwhile" stale)))))

(defun editahead--make-left ()
  "Make the place at point and remove it from the list.
Return nil if its lines are no longer as they were."
  (let* ((place (get-text-property (point) 'editahead-place))
         (marker (get-text-property (point) 'editahead-marker))
         (old (editahead--buffer-text (plist-get place :old)))
         (made (and (buffer-live-p (marker-buffer marker))
                    (with-current-buffer (marker-buffer marker)
                      (save-restriction
                        (widen)
                        (save-excursion
                          (goto-char marker)
                          (when (and (bolp) (equal old (buffer-substring-no-properties
                                                        (point) (min (point-max) (+ (point) (length old))))))
                            (atomic-change-group
                              (delete-region (point) (+ (point) (length old)))
                              (insert (editahead--buffer-text (plist-get place :new))))
                            t)))))))
    (when made
      (let* ((inhibit-read-only t)
             (start (if (and (> (point) (point-min)) (eq (get-text-property (1- (point)) 'editahead-place) place))
                        (previous-single-property-change (point) 'editahead-place nil (point-min))
                      (point))))
        (delete-region start (next-single-property-change start 'editahead-place nil (point-max)))))
    made))

(defvar editahead-places-left ""
  "How many places the change still lacks, such as \"3 places left\".
The server counts them if Eglot passes it `:placesLeft t' among the
options of `:editahead'.")

(cl-defmethod eglot-handle-notification
  (_server (_method (eql editahead/placesLeft)) &key message &allow-other-keys)
  "Handle the count of the places that the change still lacks: MESSAGE."
  (setq editahead-places-left message)
  (force-mode-line-update t))

(provide 'editahead-left)
;;; editahead-left.el ends here
