"""Rules of a repository, mined from its history: what recurs in its commits, and what a new change lacks by it."""
