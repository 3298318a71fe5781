;;; editahead-evidence.el --- Ask the other language server  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Before a symbol is renamed by hand, a language server knows its places.
;; Editahead asks for them; this file asks the server that runs anyway, and
;; reports what it says.  Copied lines are reported, too.  `editahead' loads
;; this file.

;;; Code:

(require 'eglot)
(require 'seq)
(require 'editahead-eglot)

(defcustom editahead-evidence t
  "Whether the other language server is asked where a symbol is used.
That is the one behind the same multiplexer as Editahead, or lsp-mode's."
  :group 'editahead
  :type 'boolean)

(defvar editahead--evidence-budget 0.3
  "Seconds in which the other server answers.  What comes later is dropped.")

(cl-defmethod eglot-handle-notification
  (server (_method (eql editahead/askEvidence)) &key textDocument symbol &allow-other-keys)
  "Ask the other language server about SYMBOL of TEXTDOCUMENT for SERVER."
  (when-let ((buffer (and editahead-evidence
                          (find-buffer-visiting (editahead--path (plist-get textDocument :uri))))))
    (with-current-buffer buffer
      (when (equal (plist-get textDocument :version) (editahead--version))
        (let ((asked (list :textDocument textDocument :symbol symbol)))
          (editahead--ask-evidence server asked (editahead--behind-eglot server))
          (editahead--ask-evidence server asked (editahead--lsp-mode)))))))

(defun editahead--ask-evidence (server asked witness)
  "Report to SERVER what WITNESS can tell of the symbol in ASKED.
The :ask of WITNESS is called with each of its :methods, the parameters, and a
function for the result; its :convert gets each place."
  (let* ((symbol (plist-get asked :symbol))
         (params (list :textDocument (list :uri (plist-get (plist-get asked :textDocument) :uri))
                       :position (plist-get (plist-get symbol :range) :start)))
         (methods (plist-get witness :methods))
         (answers nil)
         (left methods)
         (finish (lambda ()
                   (when left
                     (setq left nil)
                     (editahead--send-evidence server asked witness answers)))))
    (when left
      (run-with-timer editahead--evidence-budget nil finish))
    (dolist (method methods)
      (funcall (plist-get witness :ask) method
               (append params (if (eq method :textDocument/rename) (list :newName (plist-get symbol :new))
                                '(:context (:includeDeclaration t))))
               (lambda (result)
                 (when left
                   (push (cons method result) answers)
                   (if (cdr left)
                       (setq left (remq method left))
                     (funcall finish))))))))

(defun editahead--send-evidence (server asked witness answers)
  "Send SERVER what WITNESS has told of the symbol in ASKED.
ANSWERS has the results by method, of those that have come."
  (let* ((convert (plist-get witness :convert))
         (renames (editahead--renamed-places (alist-get :textDocument/rename answers)))
         (references (append (alist-get :textDocument/references answers) nil)))
    (when (and (or renames references) (jsonrpc-running-p server))
      (jsonrpc-notify server :editahead/evidence
                      (append asked (list :renames (vconcat (mapcar convert renames))
                                          :references (vconcat (mapcar convert references))
                                          :source (plist-get witness :source)
                                          :complete (if references t :json-false)))))))

(defun editahead--renamed-places (edit)
  "Return the places of the workspace EDIT."
  (let ((files (append
                (cl-loop for (uri edits) on (plist-get edit :changes) by #'cddr
                         collect (cons (substring (symbol-name uri) 1) edits))
                (seq-map (lambda (change)
                           (cons (plist-get (plist-get change :textDocument) :uri) (plist-get change :edits)))
                         (plist-get edit :documentChanges)))))
    (cl-loop for (uri . edits) in files
             append (seq-map (lambda (one)
                               (list :uri uri :range (plist-get one :range) :newText (plist-get one :newText)))
                             edits))))

;; Behind the same connection, by a multiplexer

(defun editahead--behind-eglot (server)
  "Return what is behind the same connection as SERVER."
  (list :source "Eglot"
        :methods (seq-filter (lambda (method)
                               (not (memq (plist-get (eglot--capabilities server)
                                                     (if (eq method :textDocument/rename) :renameProvider
                                                       :referencesProvider))
                                          '(nil :json-false))))
                             '(:textDocument/references :textDocument/rename))
        :convert #'identity
        :ask (lambda (method params answer)
               (jsonrpc-async-request server method params
                                      :success-fn answer
                                      :error-fn (lambda (_) (funcall answer nil))
                                      :timeout editahead--evidence-budget
                                      :timeout-fn #'ignore))))

;; Beside Eglot, by lsp-mode

(declare-function lsp--point-to-position "lsp-mode")
(declare-function lsp--position-to-point "lsp-mode")
(declare-function lsp-feature? "lsp-mode")
(declare-function lsp-make-position "lsp-protocol")
(declare-function lsp-request-async "lsp-mode")

(defun editahead--lsp-mode ()
  "Return the servers of lsp-mode in this buffer."
  (list :source "lsp-mode"
        :methods (and (bound-and-true-p lsp-managed-mode)
                      (seq-filter (lambda (method) (lsp-feature? (substring (symbol-name method) 1)))
                                  '(:textDocument/references :textDocument/rename)))
        :convert #'editahead--from-lsp-mode
        :ask (lambda (method params answer)
               (let ((at (lsp--point-to-position (editahead--point (plist-get params :position)))))
                 (lsp-request-async (substring (symbol-name method) 1) (plist-put (copy-sequence params) :position at)
                                    (lambda (result) (funcall answer (editahead--plist result)))
                                    :error-handler (lambda (_) (funcall answer nil))
                                    :mode 'detached)))))

(defun editahead--plist (value)
  "Return VALUE, parsed by lsp-mode, as Eglot would have it."
  (cond ((hash-table-p value)
         (cl-loop for key being the hash-keys of value using (hash-values one)
                  nconc (list (intern (concat ":" key)) (editahead--plist one))))
        ((vectorp value) (vconcat (mapcar #'editahead--plist value)))
        ((consp value) (mapcar #'editahead--plist value))
        (t value)))

(defun editahead--from-lsp-mode (place)
  "Return PLACE with positions of Eglot, which may count in other units.
Of a file without a buffer, they stay as they are."
  (if-let ((buffer (find-buffer-visiting (editahead--path (plist-get place :uri)))))
      (with-current-buffer buffer
        (let ((convert (lambda (position)
                         (editahead--position
                          (lsp--position-to-point (lsp-make-position :line (plist-get position :line)
                                                                     :character (plist-get position :character))))))
              (range (plist-get place :range)))
          (plist-put (copy-sequence place) :range
                     (list :start (funcall convert (plist-get range :start))
                           :end (funcall convert (plist-get range :end))))))
    place))

(defun editahead--report-copy ()
  "Tell the server which lines the user has copied."
  (when (and (memq this-command '(kill-ring-save copy-region-as-kill)) (mark t) (eglot-current-server))
    (jsonrpc-notify (eglot-current-server) :editahead/didCopy
                    (list :textDocument (eglot--TextDocumentIdentifier)
                          :range (list :start (editahead--position (min (point) (mark t)))
                                       :end (editahead--position (max (point) (mark t))))))))

(provide 'editahead-evidence)
;;; editahead-evidence.el ends here
