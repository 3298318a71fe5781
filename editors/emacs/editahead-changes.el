;;; editahead-changes.el --- What is typed while an answer comes  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; An answer for an earlier version of a buffer moves along with what was
;; typed since, as it does in the server.  `editahead' loads this file.

;;; Code:

(require 'eglot)
(require 'seq)
(require 'editahead-eglot)

(defvar-local editahead--changes nil
  "Changes of the lines while an answer comes, the newest first.
Each is (VERSION FIRST LAST ADDED): the version after it, the lines that it
replaces, LAST exclusive, and by how many there are more.  Only VERSION where
the lines are not known.")

(defun editahead--record-changes (server)
  "Record what is typed in all buffers of SERVER."
  (dolist (buffer (eglot--managed-buffers server))
    (when (buffer-live-p buffer)
      (with-current-buffer buffer
        (setq editahead--changes nil)
        (add-hook 'after-change-functions #'editahead--record-change 90 t)))))

(defun editahead--stop-recording ()
  "Record nothing any more."
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (setq editahead--changes nil)
      (remove-hook 'after-change-functions #'editahead--record-change t))))

(defun editahead--record-change (&rest _)
  "Record the last change of the buffer, which Eglot notes just before."
  (push (cons (editahead--version)
              (pcase (car-safe eglot--recent-changes)
                (`(,begin ,end ,_ ,(and (pred stringp) text)) (editahead--changed-lines begin end text))))
        editahead--changes))

(defun editahead--changed-lines (begin end text)
  "Return (FIRST LAST ADDED) for the change of BEGIN to END to TEXT.
BEGIN and END are LSP positions.  A line before which others are inserted is
not changed."
  (let* ((first (plist-get begin :line))
         (last (plist-get end :line))
         (added (- (seq-count (lambda (char) (eq char ?\n)) text) (- last first))))
    (list first
          (if (and (zerop (plist-get begin :character)) (zerop (plist-get end :character))
                   (or (string-empty-p text) (string-suffix-p "\n" text)))
              last
            (1+ last))
          added)))

(defun editahead--changes-since (document)
  "Return what was typed since the version of DOCUMENT, the oldest first.
Return `unknown' where these are not known."
  (let* ((version (plist-get document :version))
         (buffer (and version (find-buffer-visiting (editahead--path (plist-get document :uri))))))
    (when buffer
      (with-current-buffer buffer
        (let* ((present (editahead--version))
               (later (seq-filter (lambda (change) (> (car change) version)) editahead--changes)))
          (cond ((equal present version) nil)
                ((and later (equal (caar later) present) (seq-every-p #'cdr later)) (reverse later))
                (t 'unknown)))))))

(defun editahead--move-edits (edits typed)
  "Return EDITS, of one file, moved over what was TYPED.
Return `touched' where one of their lines was changed.
No column changes, because lines that an edit has changed are not moved."
  (let ((moved (mapcar (lambda (edit) (editahead--move-edit edit typed)) edits)))
    (if (memq nil moved) 'touched moved)))

(defun editahead--move-edit (edit typed)
  "Return EDIT moved over what was TYPED; nil where one of its lines was changed."
  (let* ((range (plist-get edit :range))
         (start (plist-get range :start))
         (end (plist-get range :end))
         (first (plist-get start :line))
         (length (- (plist-get end :line) first))
         (lines (if (and (zerop (plist-get end :character)) (> length 0)) length (1+ length))))
    (pcase-dolist (`(,_ ,changed ,behind ,added) typed)
      (when first
        (cond ((>= changed (+ first lines)))
              ((> behind first) (setq first nil))
              (t (setq first (+ first added))))))
    (when first
      (plist-put (copy-sequence edit) :range
                 (list :start (list :line first :character (plist-get start :character))
                       :end (list :line (+ first length) :character (plist-get end :character)))))))

(defun editahead--move-along (edit hunks)
  "Return (EDIT HUNKS MOVED) over the present texts.
MOVED says whether they were moved.  Return nil where one of the lines of the
workspace EDIT was changed since."
  (let ((since nil) (fixed nil) (changes nil))
    (seq-doseq (change (plist-get edit :documentChanges))
      (let* ((document (plist-get change :textDocument))
             (uri (plist-get document :uri))
             (later (editahead--changes-since document))
             (edits (unless (eq later 'unknown) (editahead--move-edits (plist-get change :edits) later))))
        (cond ((or (eq later 'unknown) (eq edits 'touched)) (setq fixed t))
              (later
               (push (cons uri later) since)
               (let ((version (with-current-buffer (find-buffer-visiting (editahead--path uri)) (editahead--version))))
                 (push (list :textDocument (list :uri uri :version version) :edits (vconcat edits)) changes)))
              (t (push change changes)))))
    (let ((moved (mapcar (lambda (hunk)
                           (editahead--move-edit hunk (alist-get (plist-get hunk :uri) since nil nil #'equal)))
                         hunks)))
      (unless (or fixed (memq nil moved))
        (list (plist-put (copy-sequence edit) :documentChanges (vconcat (reverse changes))) moved (and since t))))))

(provide 'editahead-changes)
;;; editahead-changes.el ends here
