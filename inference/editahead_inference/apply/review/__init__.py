"""The review of a change: the class of each hunk, and flags for what a person should read first."""
