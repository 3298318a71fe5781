"""From a state to candidate edits, and the gate that decides which of them is worth showing."""
