;;; editahead-parts.el --- Parts of a prediction, and its alternatives  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Accept a prediction word by word or line by line, and look at the other
;; predictions.  `editahead' loads this file.

;;; Code:

(require 'cl-lib)
(require 'seq)

(declare-function editahead--clear "editahead")
(declare-function editahead--go "editahead")
(declare-function editahead--report-outcome "editahead")
(declare-function editahead--show "editahead")
(declare-function editahead--subtle-p "editahead")
(declare-function editahead-accept "editahead")
(declare-function editahead-ask "editahead")
(declare-function editahead-elsewhere-p "editahead")
(declare-function editahead-reveal "editahead")
(defvar editahead--edits)
(defvar editahead--prediction)
(defvar editahead--predictions)
(defvar editahead--silence)

(defconst editahead--max-compared 40000
  "Pairs of words that are compared, at most, before an edit counts as one.")

;; Parts

(defun editahead-accept-word ()
  "Accept the next word of the prediction; go to the prediction first."
  (interactive)
  (editahead--accept-part nil))

(defun editahead-accept-line (&optional count)
  "Accept the next COUNT lines of the prediction; go to the prediction first.
A line of a replacement takes what it replaces along."
  (interactive "p")
  (editahead--accept-part (max 1 (or count 1))))

(defun editahead--accept-part (lines)
  "Accept the next word of the prediction, or so many LINES."
  (cond
   ((null editahead--prediction) (user-error "Editahead: %s" (or editahead--silence "No prediction is shown")))
   ((editahead--subtle-p) (editahead-reveal))
   ((editahead-elsewhere-p) (editahead--go))
   (t
    (barf-if-buffer-read-only)
    (let ((edits editahead--edits) (accepted 0) (part nil))
      (while (and edits (not part))
        (pcase-let ((`(,begin ,end ,text) (car edits)))
          (setq part (editahead--next-part (buffer-substring-no-properties begin end) text lines
                                           (save-excursion (goto-char begin) (bolp))))
          (unless part
            (cl-incf accepted (editahead--utf-16-length text))
            (setq edits (cdr edits)))))
      (pcase-let ((`(,begin ,end ,text) (mapcar (lambda (place) (if (markerp place) (marker-position place) place))
                                                (car edits)))
                  (`(,new . ,final) part))
        (if (or (null part) (and (equal new text) (null (cdr edits))))
            (editahead-accept)
          (editahead--report-outcome
           "partiallyAccepted"
           :acceptedLength (+ accepted (editahead--utf-16-length (substring new 0 final))))
          (editahead--clear)
          (goto-char begin)
          (delete-region begin end)
          (insert new)
          (goto-char (+ begin final))
          (editahead-ask "typed"))))))) ; the server still has the rest

(defun editahead--part-pattern (lines line-start)
  "Return the pattern of the next word, or of so many LINES.
A line includes the line end before it.  At LINE-START, it includes the one
behind it, so that it does not join the line below."
  (if lines
      (format "\\`\\(?:%s\\)\\{1,%d\\}" (if line-start "[^\n]*\n?" "\n?[^\n]*") lines)
    "\\`[[:space:]\n]*\\(?:\\(?:\\w\\|_\\)+\\|\\(?:\\W\\|_\\)\\)?"))

(defun editahead--next-part (old new lines line-start)
  "Return (TEXT . FINAL) for the next part on the way from OLD to NEW.
TEXT takes the place of OLD, and its first FINAL characters are final.
LINES is that of `editahead--accept-part'.  LINE-START says whether OLD begins
a line.  Return nil if nothing is left."
  (when-let ((hunks (editahead--hunks old new)))
    (pcase-let ((`(,_ ,old-end ,start ,new-end) (car hunks)))
      (string-match (editahead--part-pattern
                     lines (if (zerop start) line-start (eq (aref new (1- start)) ?\n)))
                    (substring new start))
      (let* ((stop (+ start (match-end 0)))
             (final (min new-end stop)))
        (when lines
          (pcase-dolist (`(,_ ,its-old-end ,its-start ,its-new-end) (cdr hunks))
            (when (< its-start stop)
              (setq final (min its-new-end stop) old-end its-old-end))))
        (cons (concat (substring new 0 final) (substring old old-end)) final)))))

(defun editahead--words (text)
  "Return the words, blanks and other characters of TEXT."
  (let ((words nil) (start 0))
    (while (string-match "\\(?:\\w\\|_\\)+\\|\\W" text start)
      (push (match-string 0 text) words)
      (setq start (match-end 0)))
    (nreverse words)))

(defun editahead--hunks (old new)
  "Return where the words of OLD and NEW differ.
Each hunk is (OLD-START OLD-END NEW-START NEW-END), in characters."
  (let* ((from (vconcat (editahead--words old)))
         (to (vconcat (editahead--words new)))
         (width (1+ (length to))))
    (if (> (* (length from) (length to)) editahead--max-compared)
        (list (list 0 (length old) 0 (length new)))
      ;; COMMON has the length of the longest common subsequence of what begins at each pair of words.
      (let ((common (make-vector (* (1+ (length from)) width) 0)))
        (cl-loop for i from (1- (length from)) downto 0 do
                 (cl-loop for j from (1- (length to)) downto 0 do
                          (aset common (+ (* i width) j)
                                (if (equal (aref from i) (aref to j))
                                    (1+ (aref common (+ (* (1+ i) width) j 1)))
                                  (max (aref common (+ (* (1+ i) width) j))
                                       (aref common (+ (* i width) j 1)))))))
        (editahead--walk-words from to common)))))

(defun editahead--walk-words (from to common)
  "Return the hunks of the words FROM and TO.
COMMON is the table that `editahead--hunks' makes."
  (let ((width (1+ (length to))) (i 0) (j 0) (old 0) (new 0) (hunks nil) (hunk nil))
    (while (or (< i (length from)) (< j (length to)))
      (if (and (< i (length from)) (< j (length to)) (equal (aref from i) (aref to j)))
          (progn
            (when hunk (push hunk hunks))
            (setq hunk nil old (+ old (length (aref from i))) new (+ new (length (aref to j))) i (1+ i) j (1+ j)))
        (unless hunk (setq hunk (list old old new new)))
        (if (and (< i (length from))
                 (or (= j (length to))
                     (>= (aref common (+ (* (1+ i) width) j)) (aref common (+ (* i width) j 1)))))
            (setq old (+ old (length (aref from i))) i (1+ i))
          (setq new (+ new (length (aref to j))) j (1+ j)))
        (setf (nth 1 hunk) old (nth 3 hunk) new)))
    (nreverse (if hunk (cons hunk hunks) hunks))))

(defun editahead--utf-16-length (text)
  "Return the length of TEXT in units of UTF-16."
  (/ (string-bytes (encode-coding-string text 'utf-16le)) 2))

;; Alternatives

(defun editahead-next ()
  "Show the next prediction of the last answer; after the last, the first."
  (interactive)
  (editahead--show-alternative 1))

(defun editahead-previous ()
  "Show the previous prediction of the last answer."
  (interactive)
  (editahead--show-alternative -1))

(defun editahead--alternatives-p ()
  "Return non-nil if the shown prediction has alternatives."
  (and editahead--prediction (cdr editahead--predictions) t))

(defun editahead--show-alternative (step)
  "Show the prediction that is STEP places further."
  (unless (editahead--alternatives-p)
    (user-error "Editahead: There is no other prediction"))
  (let* ((count (length editahead--predictions))
         (index (mod (+ step (seq-position editahead--predictions editahead--prediction #'eq)) count)))
    (editahead--clear)
    (editahead--show (nth index editahead--predictions))
    (message "Editahead: %d of %d: %s" (1+ index) count (plist-get editahead--prediction :label))))

(provide 'editahead-parts)
;;; editahead-parts.el ends here
