"""From a state to candidate edits, and to the decision which of them to show."""
