;;; editahead-eglot.el --- Places and texts as Eglot has them  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Names of these functions differ between versions of Eglot.  `editahead'
;; loads this file.

;;; Code:

(require 'eglot)

(defun editahead--call-either (new old &rest arguments)
  "Call NEW with ARGUMENTS, or OLD if NEW is undefined."
  (apply (if (fboundp new) new old) arguments))

(defun editahead--path (uri)
  "Return the file name of URI."
  (editahead--call-either 'eglot-uri-to-path 'eglot--uri-to-path uri))

(defun editahead--position (&optional point)
  "Return POINT as an LSP position."
  (editahead--call-either 'eglot-pos-to-lsp-position 'eglot--pos-to-lsp-position point))

(defun editahead--point (position)
  "Return the point at an LSP POSITION."
  (editahead--call-either 'eglot-lsp-position-to-point 'eglot--lsp-position-to-point position))

(defvar eglot--track-changes)
(declare-function eglot--track-changes-fetch "eglot")

(defun editahead--version ()
  "Return the version of the current buffer.
In Emacs 30, Eglot counts what is typed only when it fetches it."
  (when (bound-and-true-p eglot--track-changes)
    (eglot--track-changes-fetch eglot--track-changes))
  (plist-get (eglot--VersionedTextDocumentIdentifier) :version))

(defun editahead--buffer-text (text)
  "Return TEXT with the line ends of a buffer."
  (replace-regexp-in-string "\r\n" "\n" text))

(provide 'editahead-eglot)
;;; editahead-eglot.el ends here
