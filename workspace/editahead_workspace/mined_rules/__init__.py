"""The rules of a repository: mined from its history, kept in a file, and read again when that changes."""
