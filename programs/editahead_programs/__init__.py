"""Other programs: where they are found, and how git and child Pythons start so that no code of a repository runs."""
