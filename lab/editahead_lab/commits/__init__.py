"""Commits as data: those of several files, their workspaces, and those that are typed key by key."""
