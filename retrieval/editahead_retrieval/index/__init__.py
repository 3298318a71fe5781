"""The index of a workspace: pieces of files, symbols and words in one SQLite file, and the questions to it."""
