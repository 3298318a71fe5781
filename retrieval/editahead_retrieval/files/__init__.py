"""The files of a workspace: which of them may be read, and what has changed since the last look."""
