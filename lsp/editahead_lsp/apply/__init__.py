"""Apply between client and merge: which files may change, worker threads, partial results, LSP shapes."""
