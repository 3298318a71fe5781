"""`finish` in the language server: a request over frozen texts, the count of places left, and both in LSP terms."""
