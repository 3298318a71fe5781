"""From keystrokes to edits."""
