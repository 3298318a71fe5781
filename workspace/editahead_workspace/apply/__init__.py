"""Apply on files: which files a sketch may change, how its diff reads, what linters say, the wait for a model."""
