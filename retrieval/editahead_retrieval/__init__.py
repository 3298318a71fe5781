"""The codebase on disk: which files count, and an index of them. Know neither LSP nor predictors."""
