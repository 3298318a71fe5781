"""Completion at the cursor: the rest of the identifier, then the tokens that stay likely, to the end of the block."""
